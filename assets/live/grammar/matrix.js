// A field over two axes: a row and a column for each label, in the cells the numbers.

import { Scale, Surface, font, legend } from "../drawing/canvas.js";
import { digits } from "../dom.js";
import { cellAt, cellNumbers, columnNames, frame, grid, rowNames, share } from "../marks/grid.js";
import { numberOf } from "../wire.js";
import { Picture } from "./picture.js";

const [LEGEND, ROOM, WIDEST, TALLEST, LEAST] = [34, 54, 64, 44, 22];

export default class Matrix extends Picture {
  store = {};
  over = null; // [row, column] under the pointer

  constructor(panel) {
    super(panel);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.point(cellAt(this.box, x, y)),
      (x, y) => this.click(cellAt(this.box, x, y)),
      () => this.point(null),
    );
  }

  point(cell) {
    this.over = cell;
    if (!this.box) return;
    this.look();
    this.speak();
  }

  // The cell under the pointer is where one looks along its axes.
  look() {
    const { rows, columns } = this.drawing;
    const { at } = this.source;
    if (this.over) [at[rows], at[columns]] = this.over;
    else [rows, columns].forEach((axis) => delete at[axis]);
  }

  click(cell) {
    const { drawing, panel, source } = this;
    if (!cell || !drawing.click) return;
    const [axis, side] = drawing.click;
    panel.selection.keep(source.place(axis, cell[side === drawing.rows ? 0 : 1]), panel.app);
  }

  paint(source) {
    const { panel, drawing, colours } = this;
    const { app } = panel;
    const [down, across] = [drawing.rows, drawing.columns];
    const [rows, columns] = [source.size(down), source.size(across)];
    const width = panel.body.clientWidth;
    const called = Array.from({ length: rows }, (_, i) =>
      source.label(down, i, "called").replaceAll(" ", "\u2009"),
    );
    const left = Math.min(110, width * 0.3, Math.max(62, 10 + this.widest(called, font(13, 700))));
    const cell = Math.min(WIDEST, (width - left - 20) / columns);
    const box = { x: left, y: ROOM, w: cell * columns, h: Math.min(TALLEST, cell) * rows, rows, columns };
    this.box = box;
    const g = this.surface.begin(width, ROOM + box.h + LEGEND + 8);
    const field = source.field(drawing.field);
    const scale = new Scale(field.scale ?? source.reader.spec.fields[drawing.field].scale, app.dark);
    const at = (drawing.frame ?? []).map((of) => source.number(of));
    const there = at.length && at.every(Number.isFinite);
    grid(g, this.store, box, { values: field.values }, scale, colours);
    const names = Array.from({ length: columns }, (_, i) => source.label(across, i));
    rowNames(g, box, called, there ? at[0] : -1, colours);
    columnNames(g, box, names, there ? at[1] : -1, colours);
    const place = { ...source.at };
    const value = (r, c) => {
      [place[down], place[across]] = [r, c];
      return numberOf(field, place);
    };
    if (cell >= LEAST)
      cellNumbers(g, box, Math.min(13, cell * 0.42), scale, value, (v) => (v >= 0.005 ? share(v) : ""));
    if (there) frame(g, box, { row: at[0], column: at[1] }, colours, 2.5);
    if (drawing.legend)
      legend(g, left, ROOM + box.h + 10, Math.min(160, width - left - 90), scale, drawing.legend, colours);
    this.look();
  }

  table() {
    const { source, drawing } = this;
    const [down, across] = [drawing.rows, drawing.columns];
    const names = (axis) => Array.from({ length: source.size(axis) }, (_, i) => source.label(axis, i));
    const rows = names(down).map((name, r) => [
      name,
      ...names(across).map((_, c) =>
        digits(source.number(drawing.field, { ...source.at, [down]: r, [across]: c })),
      ),
    ]);
    return { columns: [drawing.corner ?? "", ...names(across)], rows };
  }
}
