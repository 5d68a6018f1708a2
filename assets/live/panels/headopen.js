// The opened head: every weight, with the tokens at its sides.

import { Scale, Surface, ink, legend } from "../drawing/canvas.js";
import { percent } from "../dom.js";
import { chosen, label, name, said, scale, small, spot, statistic, weights } from "../sums/heads.js";
import { cellAt, cellNumbers, columnNames, frame, grid, rowNames, share } from "../marks/grid.js";

const LEGEND = 30,
  MOST = 560;

export default class HeadOpen {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => {
        this.over = false;
        panel.selection.leave();
        this.rests();
      },
    );
  }

  what() {
    const reader = this.panel.reader();
    const [layer, head] = chosen(reader, this.panel.selection);
    const whole = weights(reader, this.panel.selection, layer, head);
    return {
      reader,
      layer,
      head,
      square: whole ?? small(reader, this.panel.selection, layer, head),
      whole: !!whole,
    };
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
    if (!n) {
      this.box = null;
      return panel.read("Type a few words.");
    }
    const over = new Scale(scale(reader), app.dark);
    const colours = ink(app.root);
    const numbers = { values: square.values, start: square.start, rows: n, columns: n };
    const side = (n * wide) / cells; // the last cell of a small picture may reach beyond the last token
    const box = (this.box = { x: left, y: top, w: side, h: side, rows: n, columns: n });
    grid(g, this.store, box, numbers, over, colours);
    const now = square.places.indexOf(selection.token(reader));
    if (whole) {
      const names = square.places.map((t) => reader.labels[t]);
      rowNames(g, box, names, now, colours);
      if (cell >= 9) columnNames(g, box, names, now, colours);
      const value = (r, c) => square.values[square.start + r * n + c];
      if (cell >= 27)
        cellNumbers(g, box, Math.min(12, cell * 0.3), over, value, (v) => (v < 0.005 ? "" : share(v)));
    }
    const row = whole ? now : (now * n) / cells;
    if (now >= 0) frame(g, box, { row }, colours);
    legend(g, left, top + wide + 12, Math.min(140, width - left - 150), over, "attention weight", colours);
    if (!this.over) this.rests();
  }

  says(reader, layer, head, whole) {
    const model = `Model: ${reader.spec.title}.`;
    const coming = whole ? "" : " The exact weights are loading; until then its small picture is drawn.";
    if (head >= reader.spec.heads) return `${reader.spec.combined[name(reader, head)]} ${model}${coming}`;
    const { entropy, distance, first } = statistic(reader, layer, head);
    const far = reader.spec.causal ? "tokens back" : "tokens away";
    return Number.isFinite(entropy)
      ? `It looks ${distance.toFixed(1)} ${far} on average, gives ${percent(first)} to the first token, and spreads over ${entropy.toFixed(2)} bits: means over all tokens but the first. ${model}${coming}`
      : `${model}${coming}`;
  }

  look(px, py) {
    const found = cellAt(this.box, px, py);
    this.over = !!found;
    if (!found) {
      this.panel.selection.leave();
      return this.rests();
    }
    const { reader, layer, head, square } = this.what();
    this.panel.selection.look(spot(reader, square, ...found));
    this.panel.read(said(reader, square, layer, head, ...found));
  }

  keep(px, py) {
    const found = cellAt(this.box, px, py);
    if (!found) return;
    const { reader, square } = this.what();
    this.panel.selection.keep(spot(reader, square, ...found), this.panel.app);
  }

  // The row of the token looked at: where it is, and its weights.
  row({ reader, square }) {
    const { places, cell, start, size, values } = square;
    const row = Math.max(0, Math.floor(places.indexOf(this.panel.selection.token(reader)) / cell));
    return { row, weights: values.subarray(start + row * size, start + (row + 1) * size) };
  }

  // The largest weight of the token looked at.
  rests() {
    const found = this.what();
    const { reader, layer, head, square } = found;
    if (!square?.size) return;
    const { row, weights } = this.row(found);
    const best = Math.max(0, weights.indexOf(Math.max(...weights)));
    this.panel.read(`Largest weight: ${said(reader, square, layer, head, row, best)}`);
  }

  table() {
    const columns = ["query", "key", "weight"];
    const found = this.what();
    const { reader, square } = found;
    if (!square?.size) return { columns, rows: [] };
    const { row, weights } = this.row(found);
    const at = (cell) => label(reader, square.places[cell * square.cell]);
    return { columns, rows: Array.from(weights, (weight, c) => [at(row), at(c), percent(weight)]) };
  }

  alt() {
    return `${this.panel.title.textContent}: a square, a row per token that looks. ${this.panel.readout.textContent}`;
  }
}
