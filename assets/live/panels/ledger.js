// Who wrote what is in a unit's memory: a row for each moment, a column for each token before it, its share
// as a colour.

import { Scale, Surface, ink, legend } from "../drawing/canvas.js";
import { digits, element, short, visible } from "../dom.js";
import { account, grid as table, memoryOf, parts, source } from "../sums/ledger.js";
import { cellAt, cellNumbers, columnNames, frame, grid, rowNames } from "../marks/grid.js";
import { strip } from "../marks/strip.js";
import { button } from "../parts/controls.js";
import { pointing } from "../marks/pointer.js";
import { clusters } from "../segmentation.js";

const LEGEND = 30,
  MOST = 40;

export default class Ledger {
  constructor(panel) {
    this.panel = panel;
    this.bar = element("div", "un-search-bar");
    panel.body.append(this.bar);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
    pointing(this, (x, y) => this.find(x, y));
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const book = account(panel, reader);
    this.canvas.hidden = !book;
    if (!book) return panel.read("Type something to see what each token writes into the memory.");
    this.buttons(book);
    const about = reader.spec.fields[book.memory.state];
    const cut = book.cut ? " The first column, …, is the memory from before the part shown." : "";
    panel.say(
      `${panel.spec.title}: unit ${book.unit} of layer ${book.layer + 1}`,
      `${panel.spec.says}${cut} Model: ${reader.spec.title}.`,
    );
    const { values, rows, columns, first } = table(book);
    const labels = [...(first ? ["…"] : []), ...reader.labels];
    const scale = new Scale({ ...about.scale, low: -1, high: 1 }, app.dark);
    const colours = ink(app.root);
    const width = panel.body.clientWidth;
    const longest = Math.max(...labels.map((l) => clusters(short(l, 12)).length));
    const left = Math.min(96, width * 0.26, 14 + 8 * longest);
    const cell = Math.max(1, Math.min(MOST, (width - left - (longest > 2 ? 34 : 4)) / Math.max(columns, 8)));
    const slant = longest * 8 > cell && longest > 2;
    const top = slant ? Math.min(84, 14 + 6 * longest) : 22;
    const [wide, high] = [cell * columns, cell * rows];
    const height = top + high + LEGEND + 10;
    const g = this.surface.begin(width, height);
    const box = (this.box = { x: left, y: top, w: wide, h: high, rows, columns, first });
    grid(g, this.store, box, { values }, scale, colours);
    const now = selection.token(reader);
    const from = source(book, selection, reader, now);
    rowNames(g, box, reader.labels, now, colours);
    if (slant) columnNames(g, box, labels, from + first, colours);
    else strip(g, labels, { left, step: cell, y: top - 10, now: from + first, colours });
    const written = (v, t, k) => (k <= t + first ? v.toFixed(2).replace("-", "−") : "");
    if (cell >= 30)
      cellNumbers(g, box, Math.min(12, cell * 0.3), scale, (t, k) => values[t * columns + k], written);
    frame(g, { ...box, w: cell * (now + 1 + first) }, { row: now }, colours);
    g.setLineDash([3, 3]);
    const since = { ...box, y: top + from * cell, h: (rows - from) * cell };
    frame(g, since, { column: from + first }, colours);
    g.setLineDash([]);
    const [y, long] = [height - LEGEND + 2, Math.min(160, width - left - 120)];
    legend(g, left, y, long, scale, `part of ${about.symbol}`, colours);
    this.say(book, reader, now, from);
  }

  // Which layer, and which memory where a cell has several.
  buttons({ layers, layer, memory }) {
    const { spec, selection, app } = this.panel;
    const key = `${layers} ${layer} ${memory.state}`;
    if (key === this.shown) return;
    this.shown = key;
    const found = [];
    const make = (text, on, place) => {
      found.push(button(text, () => selection.keep(place, app)));
      found.at(-1).setAttribute("aria-pressed", String(on));
    };
    const { fields } = this.panel.reader().spec;
    if (spec.memories.length > 1)
      for (const m of spec.memories)
        make(`${m.state} ${fields[m.state].symbol}`, m === memory, { field: m.state, by: m.keep });
    for (let i = 0; i < layers && layers > 1; i++) make(`layer ${i + 1}`, i === layer, { layer: i });
    this.bar.replaceChildren(...found);
    this.bar.hidden = !found.length;
  }

  find(px, py) {
    const found = cellAt(this.box, px, py);
    if (!found) return null;
    const [t, k] = [found[0], found[1] - this.box.first];
    const reader = this.panel.reader();
    const place = reader.place(t);
    return k >= 0 && k <= t ? { ...place, other: k + reader.offset } : place;
  }

  say(book, reader, t, k) {
    const row = parts(book, t);
    const word = (i) => `“${visible(reader.labels[i] ?? "")}”`;
    const carried = book.cut ? ` Carried over from earlier: ${digits(row.before)}.` : "";
    this.panel.read(
      `At ${word(t)} the memory is ${digits(book.state[t])}; ${digits(row.parts[k])} of it was written at ${word(k)}, ${t - k ? `${t - k} back` : "just now"}, and ${digits(100 * row.kept[k])} % of that is left.${carried}`,
    );
  }

  // What is drawn, for checks from outside.
  drawn() {
    const book = account(this.panel, this.panel.reader());
    if (!book) return {};
    const { values, first } = table(book);
    const { labels } = this.panel.reader();
    return {
      ledger: { axes: ["token", "source"], labels: [labels, first ? ["before", ...labels] : labels], values },
    };
  }

  table() {
    const { panel } = this;
    const reader = panel.reader();
    const book = account(panel, reader);
    if (!book) return { columns: ["moment"], rows: [] };
    const symbol = reader.spec.fields[memoryOf(panel.spec, panel.selection).state].symbol;
    const rows = reader.labels.map((label, t) => {
      const row = parts(book, t);
      return [
        visible(label),
        ...(book.cut ? [digits(row.before)] : []),
        ...Array.from(row.parts, digits).concat(Array(book.T - t - 1).fill("")),
        digits(row.sum),
        digits(book.state[t]),
      ];
    });
    return {
      columns: ["moment", ...(book.cut ? ["before"] : []), ...reader.labels.map(visible), "sum", symbol],
      rows,
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
