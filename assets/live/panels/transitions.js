// The transition matrix: a row for each state, a column for the one after it; that of the chosen token is framed.

import { Scale, Surface, ink, legend } from "../drawing/canvas.js";
import { digits, percent, visible } from "../dom.js";
import { cellAt, cellNumbers, columnNames, frame, grid, rowNames, share } from "../marks/grid.js";
import * as hmm from "../sums/hmm.js";

const LEGEND = 34,
  ROOM = 54;

export default class Transitions {
  store = {};

  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.point(cellAt(this.box, x, y)),
      (x, y) => {
        const cell = cellAt(this.box, x, y);
        if (cell) panel.selection.keep({ unit: cell[1] }, panel.app);
      },
      () => this.point(null),
    );
  }

  point(cell) {
    this.over = cell;
    if (this.model) this.tell();
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const model = (this.model = hmm.tables(reader));
    const size = model.states.length;
    const width = panel.body.clientWidth;
    const left = model.named ? 62 : Math.min(110, width * 0.3);
    const cell = Math.min(64, (width - left - 20) / size);
    const top = ROOM;
    const box = (this.box = {
      x: left,
      y: top,
      w: cell * size,
      h: Math.min(44, cell) * size,
      rows: size,
      columns: size,
    });
    const g = this.surface.begin(width, top + box.h + LEGEND + 8);
    const colours = ink(app.root);
    const scale = new Scale(model.scale, app.dark);
    const t = reader.labels.length ? selection.token(reader) : -1;
    const path = hmm.viterbi(reader);
    this.at = t > 0 ? [path[t - 1], path[t]] : null;
    this.word = t > 0 ? visible(reader.labels[t]) : "";
    grid(g, this.store, box, { values: model.a }, scale, colours);
    const names = model.states.map((_, s) => hmm.called(model, s).replaceAll(" ", "\u2009")); // a blank would be drawn as a dot
    rowNames(g, box, names, this.at?.[0] ?? -1, colours);
    columnNames(g, box, model.states, this.at?.[1] ?? -1, colours);
    const value = (r, c) => model.a[r * size + c];
    if (cell >= 22)
      cellNumbers(g, box, Math.min(13, cell * 0.42), scale, value, (v) => (v >= 0.005 ? share(v) : ""));
    if (this.at) frame(g, box, { row: this.at[0], column: this.at[1] }, colours, 2.5);
    legend(g, left, top + box.h + 10, Math.min(160, width - left - 90), scale, "row to column", colours);
    panel.say(
      this.at
        ? `“${this.word}”: ${model.states[this.at[0]]} → ${model.states[this.at[1]]}`
        : panel.spec.title,
      panel.spec.says,
    );
    this.tell();
  }

  tell() {
    const { states, a } = this.model;
    const cell = this.over ?? this.at;
    if (!cell) return this.panel.read("Point at a cell to read it.");
    const [from, to] = cell;
    const p = percent(a[from * states.length + to]);
    this.panel.read(
      this.over || !this.at
        ? `After ${states[from]}, ${states[to]} follows with ${p}.`
        : `On the likeliest path, at “${this.word}”: after ${states[from]}, ${states[to]} follows with ${p}.`,
    );
  }

  table() {
    const { states, a } = hmm.tables(this.panel.reader());
    const rows = states.map((name, i) => [name, ...states.map((_, j) => digits(a[i * states.length + j]))]);
    return { columns: ["from", ...states], rows };
  }
}
