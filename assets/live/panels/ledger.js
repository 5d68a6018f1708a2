// Who wrote what is in a unit's memory: a row for each moment, a column for each token before it, its share as a colour.

import { Scale, Surface, font, ink, legend, luminance, raster } from "../canvas.js";
import { digits, element, short, visible } from "../dom.js";
import { account, grid, memoryOf, parts, source } from "../ledger.js";

const LEGEND = 30, MOST = 40;

export default class Ledger {
  constructor(panel) {
    this.panel = panel;
    this.bar = element("div", "un-search-bar");
    panel.body.append(this.bar);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
    this.surface.onPointer((x, y) => this.look(x, y), (x, y) => this.keep(x, y), () => panel.selection.leave());
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const book = account(panel, reader);
    this.canvas.hidden = !book;
    if (!book) return panel.read("Type something: each token then writes into the memory.");
    this.buttons(book);
    const about = reader.spec.fields[book.memory.state];
    const cut = book.cut ? " The first column, …, is what was there before the part that is shown." : "";
    panel.say(`${panel.spec.title}: unit ${book.unit} of layer ${book.layer + 1}`, `${panel.spec.says}${cut} Model: ${reader.spec.title}.`);
    const { values, rows, columns, first } = grid(book);
    const labels = [...(first ? ["…"] : []), ...reader.labels];
    const scale = new Scale({ ...about.scale, low: -1, high: 1 }, app.dark);
    const colours = ink(app.root);
    const width = panel.body.clientWidth;
    const longest = Math.max(...labels.map((l) => Array.from(short(l, 12)).length));
    const left = Math.min(96, width * 0.26, 14 + 8 * longest);
    const cell = Math.max(1, Math.min(MOST, (width - left - (longest > 2 ? 34 : 4)) / Math.max(columns, 8)));
    const slant = longest * 8 > cell && longest > 2;
    const top = slant ? Math.min(84, 14 + 6 * longest) : 22;
    const [wide, high] = [cell * columns, cell * rows];
    const height = top + high + LEGEND + 10;
    const g = this.surface.begin(width, height);
    g.imageSmoothingEnabled = false;
    g.drawImage(raster(this.store, values, rows, columns, 0, columns, 1, scale), left, top, wide, high);
    g.strokeStyle = colours.line;
    g.strokeRect(left - 0.5, top - 0.5, wide + 1, high + 1);
    this.box = { left, top, cell, rows, columns, first };
    const now = selection.token(reader);
    const from = source(book, selection, reader, now);
    this.labels(g, colours, labels, reader.labels, now, from + first, slant);
    if (cell >= 30) this.numbers(g, values, scale);
    g.strokeStyle = colours.accent;
    g.lineWidth = 1.5;
    g.strokeRect(left - 1, top + now * cell, cell * (now + 1 + first) + 2, cell);
    g.setLineDash([3, 3]);
    g.strokeRect(left + (from + first) * cell, top + from * cell, cell, (rows - from) * cell);
    g.setLineDash([]);
    legend(g, left, height - LEGEND + 2, Math.min(160, width - left - 120), scale, `part of ${about.symbol}`, colours);
    this.say(book, reader, now, from);
  }

  // Which layer, and which memory where a cell has several.
  buttons({ layers, layer, memory }) {
    const { spec, selection, app } = this.panel;
    const key = `${layers} ${layer} ${memory.state}`;
    if (key === this.shown) return;
    this.shown = key;
    const make = (text, on, place) => {
      const b = element("button", "un-button", { type: "button", textContent: text });
      b.setAttribute("aria-pressed", String(on));
      b.onclick = () => selection.keep(place, app);
      return b;
    };
    const fields = this.panel.reader().spec.fields;
    const found = [];
    if (spec.memories.length > 1) for (const m of spec.memories) found.push(make(`${m.state} ${fields[m.state].symbol}`, m === memory, { field: m.state, by: m.keep }));
    if (layers > 1) for (let i = 0; i < layers; i++) found.push(make(`layer ${i + 1}`, i === layer, { layer: i }));
    this.bar.replaceChildren(...found);
    this.bar.hidden = !found.length;
  }

  labels(g, colours, across, down, now, from, slant) {
    const { left, top, cell } = this.box;
    const every = Math.max(1, Math.ceil(9 / cell));
    const size = Math.max(9, Math.min(13, cell * 0.8));
    g.textBaseline = "middle";
    const write = (label, on, draw) => {
      g.fillStyle = on ? colours.accent : colours.text;
      g.font = font(size, on ? 700 : 400);
      draw(short(label, 12));
    };
    g.textAlign = "right";
    down.forEach((label, t) => {
      if (t % every && t !== now) return;
      write(label, t === now, (text) => g.fillText(text, left - 5, top + (t + 0.5) * cell, left - 8));
    });
    g.textAlign = slant ? "left" : "center";
    across.forEach((label, k) => {
      if (k % every && k !== from) return;
      g.save();
      g.translate(left + (k + 0.5) * cell, top - (slant ? 5 : 10));
      if (slant) g.rotate(-Math.PI / 3.2);
      write(label, k === from, (text) => g.fillText(text, 0, 0));
      g.restore();
    });
  }

  numbers(g, values, scale) {
    const { left, top, cell, rows, columns, first } = this.box;
    g.font = font(Math.min(12, cell * 0.3));
    g.textAlign = "center";
    g.textBaseline = "middle";
    for (let t = 0; t < rows; t++)
      for (let k = 0; k <= t + first; k++) {
        const v = values[t * columns + k];
        g.fillStyle = luminance(scale.packed(v)) < 128 ? "#ffffff" : "#111111";
        g.fillText(v.toFixed(2).replace("-", "−"), left + (k + 0.5) * cell, top + (t + 0.5) * cell);
      }
  }

  find(px, py) {
    const b = this.box;
    if (!b) return null;
    const [t, k] = [Math.floor((py - b.top) / b.cell), Math.floor((px - b.left) / b.cell) - b.first];
    if (t < 0 || t >= b.rows || k < -b.first || k >= b.rows) return null;
    const reader = this.panel.reader();
    const place = { token: t + reader.offset, reader: reader.spec.id, span: reader.spans[t] };
    return k >= 0 && k <= t ? { ...place, other: k + reader.offset } : place;
  }

  look(px, py) {
    const place = this.find(px, py);
    place ? this.panel.selection.look(place) : this.panel.selection.leave();
  }

  keep(px, py) {
    const place = this.find(px, py);
    if (place) this.panel.selection.keep(place, this.panel.app);
  }

  say(book, reader, t, k) {
    const row = parts(book, t);
    const word = (i) => `“${visible(reader.labels[i] ?? "")}”`;
    const carried = book.cut ? ` From before: ${digits(row.before)}.` : "";
    this.panel.read(`At ${word(t)} the memory is ${digits(book.state[t])}; ${digits(row.parts[k])} of it was written at ${word(k)}, ${t - k ? `${t - k} back` : "just now"}, and ${digits(100 * row.kept[k])} % of that is left.${carried}`);
  }

  // What is drawn, for checks from outside.
  drawn() {
    const book = account(this.panel, this.panel.reader());
    if (!book) return {};
    const { values, first } = grid(book);
    const { labels } = this.panel.reader();
    return { ledger: { axes: ["token", "source"], labels: [labels, first ? ["before", ...labels] : labels], values } };
  }

  table() {
    const { panel } = this;
    const reader = panel.reader();
    const book = account(panel, reader);
    if (!book) return { columns: ["moment"], rows: [] };
    const symbol = reader.spec.fields[memoryOf(panel.spec, panel.selection).state].symbol;
    const rows = reader.labels.map((label, t) => {
      const row = parts(book, t);
      return [visible(label), ...(book.cut ? [digits(row.before)] : []), ...Array.from(row.parts, digits).concat(Array(book.T - t - 1).fill("")), digits(row.sum), digits(book.state[t])];
    });
    return { columns: ["moment", ...(book.cut ? ["before"] : []), ...reader.labels.map(visible), "sum", symbol], rows };
  }

  alt() { return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`; }
}
