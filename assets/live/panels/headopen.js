// The opened head: every weight, with the tokens at its sides.

import { Scale, Surface, font, ink, legend, luminance, raster } from "../canvas.js";
import { percent, short } from "../dom.js";
import { chosen, label, name, said, scale, small, spot, statistic, weights } from "../heads.js";

const LEGEND = 30, MOST = 560;

export default class HeadOpen {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
    this.surface.onPointer((x, y) => this.look(x, y), (x, y) => this.keep(x, y), () => { this.over = false; panel.selection.leave(); this.rests(); });
  }

  what() {
    const reader = this.panel.reader();
    const [layer, head] = chosen(reader, this.panel.selection);
    const whole = weights(reader, this.panel.selection, layer, head);
    return { reader, layer, head, square: whole ?? small(reader, this.panel.selection, layer, head), whole: !!whole };
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const { reader, layer, head, square, whole } = this.what();
    const n = square?.size ?? 0;
    panel.say(`Layer ${layer + 1}, ${name(reader, head)}`, this.says(reader, layer, head, whole));
    const width = panel.body.clientWidth;
    const cells = whole || !square ? n : square.places.length / square.cell;
    const left = Math.min(96, width * 0.24);
    const cell = n ? Math.max(0.5, Math.min(44, (width - left - 26) / cells, MOST / cells)) : 0;
    const top = cell >= 9 ? Math.min(78, 18 + cell * 1.5) : 8;
    const wide = cell * cells;
    const g = this.surface.begin(width, top + wide + LEGEND + 10);
    if (!n) { this.box = null; return panel.read("Type a few words."); }
    const over = new Scale(scale(reader), app.dark);
    const colours = ink(app.root);
    g.imageSmoothingEnabled = cells > wide * this.surface.ratio;
    g.drawImage(raster(this.store, square.values, n, n, square.start, n, 1, over), left, top, (n * wide) / cells, (n * wide) / cells);
    g.strokeStyle = colours.line;
    g.strokeRect(left - 0.5, top - 0.5, wide + 1, wide + 1);
    this.box = { left, top, wide, cells, square, whole };
    if (whole) this.words(g, reader, colours, square, cell, left, top);
    if (whole && cell >= 27) this.numbers(g, over, square, cell, left, top);
    const now = square.places.indexOf(selection.token(reader));
    const step = wide / square.places.length;
    g.strokeStyle = colours.accent;
    g.lineWidth = 1.5;
    if (now >= 0) g.strokeRect(left - 1, top + now * step - (step < 3 ? 1 : 0), wide + 2, Math.max(step, 3));
    legend(g, left, top + wide + 12, Math.min(140, width - left - 150), over, "share of the reading", colours);
    if (!this.over) this.rests();
  }

  says(reader, layer, head, whole) {
    const model = `Model: ${reader.spec.title}.`;
    const coming = whole ? "" : " The exact weights are on their way; until then its small picture is drawn.";
    if (head >= reader.spec.heads) return `${reader.spec.combined[name(reader, head)]} ${model}${coming}`;
    const { entropy, distance, first } = statistic(reader, layer, head);
    const far = reader.spec.causal ? "tokens back" : "tokens away";
    return Number.isFinite(entropy) ? `It looks ${distance.toFixed(1)} ${far} on average, gives ${percent(first)} to the first token; entropy of a row ${entropy.toFixed(2)} bits. ${model}${coming}` : `${model}${coming}`;
  }

  words(g, reader, colours, { places }, cell, left, top) {
    const every = Math.max(1, Math.ceil(10 / cell));
    const now = this.panel.selection.token(reader);
    g.textBaseline = "middle";
    places.forEach((t, i) => {
      if (i % every && t !== now) return;
      g.fillStyle = t === now ? colours.accent : colours.text;
      g.font = font(Math.max(9, Math.min(13, cell * 0.8)), t === now ? 700 : 400);
      g.textAlign = "right";
      g.fillText(fit(g, reader.labels[t], left - 8), left - 6, top + (i + 0.5) * cell);
      if (cell < 9) return;
      g.save();
      g.translate(left + (i + 0.5) * cell, top - 5);
      g.rotate(-Math.PI / 3.2);
      g.textAlign = "left";
      g.fillText(fit(g, reader.labels[t], (top - 8) / 0.85), 0, 0);
      g.restore();
    });
  }

  numbers(g, over, { values, start, size }, cell, left, top) {
    g.font = font(Math.min(12, cell * 0.3));
    g.textAlign = "center";
    for (let r = 0; r < size; r++)
      for (let c = 0; c < size; c++) {
        const v = values[start + r * size + c];
        if (v < 0.005) continue;
        g.fillStyle = luminance(over.packed(v)) < 128 ? "#ffffff" : "#111111";
        g.fillText(v >= 0.995 ? "1" : v.toFixed(2).slice(1), left + (c + 0.5) * cell, top + (r + 0.5) * cell);
      }
  }

  find(px, py) {
    const b = this.box;
    if (!b || px < b.left || py < b.top || px >= b.left + b.wide || py >= b.top + b.wide) return null;
    const along = (f) => Math.min(b.square.size - 1, Math.floor(f * b.cells));
    return [along((py - b.top) / b.wide), along((px - b.left) / b.wide)];
  }

  look(px, py) {
    const found = this.find(px, py);
    this.over = !!found;
    if (!found) { this.panel.selection.leave(); return this.rests(); }
    const { reader, layer, head, square } = this.what();
    this.panel.selection.look(spot(reader, square, ...found));
    this.panel.read(said(reader, square, layer, head, ...found));
  }

  keep(px, py) {
    const found = this.find(px, py);
    if (!found) return;
    const { reader, square } = this.what();
    this.panel.selection.keep(spot(reader, square, ...found), this.panel.app);
  }

  // The largest weight of the token looked at.
  rests() {
    const { reader, layer, head, square } = this.what();
    if (!square?.size) return;
    const row = Math.max(0, Math.floor(square.places.indexOf(this.panel.selection.token(reader)) / square.cell));
    const from = square.start + row * square.size;
    let best = 0;
    for (let c = 1; c < square.size; c++) if (square.values[from + c] > square.values[from + best]) best = c;
    this.panel.read(`Most of it: ${said(reader, square, layer, head, row, best)}`);
  }

  table() {
    const { reader, square } = this.what();
    if (!square?.size) return { columns: ["query", "key", "weight"], rows: [] };
    const row = Math.max(0, Math.floor(square.places.indexOf(this.panel.selection.token(reader)) / square.cell));
    const rows = Array.from({ length: square.size }, (_, c) => [label(reader, square.places[row * square.cell]), label(reader, square.places[c * square.cell]), percent(square.values[square.start + row * square.size + c])]);
    return { columns: ["query", "key", "weight"], rows };
  }

  alt() { return `${this.panel.title.textContent}: a square, a row per token that looks. ${this.panel.readout.textContent}`; }
}

// As much of a label as fits into `room` pixels.
function fit(g, text, room) {
  let shown = short(text, 20);
  while (shown.length > 1 && g.measureText(shown).width > room) shown = `${Array.from(shown).slice(0, -2).join("")}…`;
  return shown;
}
