// How alike the typed words are, each with each: cosines in all dimensions.

import { Scale, Surface, ink, legend } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { cellAt, cellNumbers, columnNames, frame, grid, rowNames } from "../marks/grid.js";
import { MOST, cosines, lookedAt, typed } from "../sums/typedwords.js";

const LEGEND = 34,
  TOP = 74,
  TALLEST = 480; // of the cells, where they grow with the page

export default class Similarity {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => {
        this.over = null;
        panel.selection.leave();
        this.draw();
      },
    );
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const { words, all } = typed(reader);
    this.words = words;
    const n = words.length;
    const width = panel.body.clientWidth;
    panel.say(
      panel.spec.title,
      `${panel.spec.says}${all > MOST ? ` The first ${MOST} of ${all} different words.` : ""}`,
    );
    if (!n) {
      this.surface.begin(width, 1);
      this.box = null;
      return panel.read("Type at least two words that have a vector.");
    }
    this.values = cosines(words);
    const colours = ink(app.root);
    const scale = new Scale(panel.spec.scale, app.dark);
    const left = Math.min(104, width * 0.27);
    const cell = Math.max(6, Math.min(Math.max(46, Math.min(64, TALLEST / n)), (width - left - 50) / n));
    const side = cell * n;
    const g = this.surface.begin(width, TOP + side + LEGEND + 8);
    const box = (this.box = { x: left, y: TOP, w: side, h: side, rows: n, columns: n });
    grid(g, this.store, box, { values: this.values }, scale, colours);
    const now = this.over?.[0] ?? lookedAt(words, reader, selection.token(reader));
    const names = words.map(({ label }) => label);
    rowNames(g, box, names, now, colours);
    columnNames(g, box, names, now, colours);
    if (cell >= 30)
      cellNumbers(g, box, Math.min(12, cell * 0.3), scale, (r, c) => this.values[r * n + c], twoPlaces);
    if (now >= 0) frame(g, box, { row: now }, colours);
    legend(g, left, TOP + side + 12, Math.min(160, width - left - 60), scale, "cosine", colours);
    panel.read(this.said(now));
  }

  said(now) {
    const n = this.words.length;
    const word = (i) => `“${visible(this.words[i].label)}”`;
    if (this.over)
      return `${word(this.over[0])} and ${word(this.over[1])}: cosine ${digits(this.values[this.over[0] * n + this.over[1]])}`;
    if (now < 0 || n < 2) return n < 2 ? "Type a second word to compare." : "Point at a cell to read it.";
    const others = [...Array(n).keys()]
      .filter((i) => i !== now)
      .sort((a, b) => this.values[now * n + b] - this.values[now * n + a]);
    return `Most like ${word(now)} among the typed words: ${word(others[0])}, cosine ${digits(this.values[now * n + others[0]])}`;
  }

  place([row, _column]) {
    const reader = this.panel.reader();
    const { t } = this.words[row];
    return reader.place(t);
  }

  look(x, y) {
    const at = cellAt(this.box, x, y);
    if (String(at) === String(this.over ?? null)) return;
    this.over = at;
    if (at) this.panel.selection.look(this.place(at));
    else this.panel.selection.leave();
    this.draw();
  }

  keep(x, y) {
    const at = cellAt(this.box, x, y);
    if (at) this.panel.selection.keep(this.place(at), this.panel.app);
  }

  table() {
    const names = (this.words ?? []).map((w) => visible(w.label));
    const n = names.length;
    return {
      columns: ["word", ...names],
      rows: names.map((name, i) => [name, ...names.map((_, j) => digits(this.values[i * n + j]))]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}: ${(this.words ?? []).map((w) => visible(w.label)).join(", ")}. ${this.panel.readout.textContent}`;
  }
}

const twoPlaces = (v) => v.toFixed(2).replace("0.", ".").replace("-", "−");
