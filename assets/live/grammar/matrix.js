// Numbers over two axes: a row and a column for each label; in the cells one number, or two.

import { Scale, Surface, font, legend, luminance, widest } from "../drawing/canvas.js";
import { digits } from "../dom.js";
import { cellAt, cellNumbers, columnNames, frame, grid, rowNames, share } from "../marks/grid.js";
import { cut } from "../marks/strip.js";
import { Picture } from "./picture.js";
import { fill, plain } from "./template.js";

const [LEGEND, ROOM, WIDEST, TALLEST, LEAST, LINE] = [34, 54, 64, 44, 9, 15];

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

  get axes() {
    return [this.drawing.rows, this.drawing.columns];
  }

  /** A cell, as the page keeps it: along the axes that all pictures look along. */
  kept(cell, axes = this.axes) {
    const { source } = this;
    return Object.assign(
      {},
      ...axes.map((axis) => source.shared(axis) && source.place(axis, cell[this.axes.indexOf(axis)])),
    );
  }

  point(cell) {
    const { source, panel, axes } = this;
    this.over = cell;
    if (!this.box) return;
    // which reader is looked at is chosen by a click alone
    if (axes.some((axis) => source.shared(axis)))
      panel.selection.look(
        cell
          ? this.kept(
              cell,
              axes.filter((axis) => axis !== "reader"),
            )
          : {},
      );
    this.look();
    this.speak();
  }

  // The cell under the pointer is where one looks along the axes of this picture alone.
  look() {
    const { source, axes, over } = this;
    axes.forEach((axis, n) => {
      if (source.shared(axis) && axis !== "reader") return;
      if (over) source.at[axis] = over[n];
      else if (axis !== "reader") delete source.at[axis];
    });
  }

  click(cell) {
    const { drawing, panel, source } = this;
    if (!cell) return;
    const [axis, side] = drawing.click ?? [];
    const place = axis ? source.place(axis, cell[side === drawing.rows ? 0 : 1]) : this.kept(cell);
    if (Object.keys(place).length) panel.selection.keep(place, panel.app);
  }

  paint(source) {
    const { panel, drawing, colours } = this;
    const { foot = [], second } = drawing;
    const [down, across] = this.axes;
    const [rows, columns] = [source.size(down), source.size(across)];
    this.box = null;
    if (!rows || !columns) return this.surface.begin(1, 1);
    const width = panel.body.clientWidth;
    const plainly = (names) => names.map((name) => name.replaceAll(" ", "\u2009")); // a blank as no sign
    const called = plainly(source.names(down, "called"));
    const left = Math.min(130, width * 0.3, Math.max(62, 10 + widest(called, font(13, 700))));
    const cell = Math.min(drawing.widest || WIDEST, (width - left - 20) / columns);
    const tall = Math.max(9, Math.min(TALLEST, second ? 40 : cell, 420 / rows));
    const box = { x: left, y: ROOM, w: cell * columns, h: tall * rows, rows, columns };
    this.box = box;
    const below = ROOM + box.h + 4 + LINE * foot.length;
    const g = this.surface.begin(width, below + (drawing.legend ? LEGEND : 0));
    const scale = new Scale(source.shade(drawing), panel.app.dark);
    const at = (drawing.frame ?? []).map((of) => source.number(of));
    const there = at.length && at.every(Number.isFinite);
    const place = { ...source.at };
    const of = (name) => (r, c) => {
      [place[down], place[across]] = [r, c];
      return source.number(name, place);
    };
    const value = of(drawing.field);
    const plane = !this.axes.includes("reader") && source.plane(drawing.field, down, across);
    const cells = Float32Array.from(plane ? [] : { length: rows * columns }, (_, i) =>
      value(Math.floor(i / columns), i % columns),
    );
    grid(g, this.store, box, plane || { values: cells }, scale, colours);
    rowNames(g, box, called, there ? at[0] : -1, colours);
    const over = across === "reader" ? plainly(source.names(across)) : source.names(across);
    columnNames(g, box, over, there ? at[1] : -1, colours);
    const wrote = drawing.number ? (v) => fillNumber(v, drawing.number) : (v) => (v >= 0.005 ? share(v) : "");
    const two = second && tall >= 30;
    const letters = Math.min(13, 0.8 * tall, cell * (drawing.number ? 0.3 : 0.42));
    if (letters >= LEAST)
      cellNumbers(g, two ? { ...box, y: box.y - tall * 0.17 } : box, letters, scale, value, wrote);
    if (two && cell > 34) {
      const [other, dark] = [of(second), (r, c) => luminance(scale.packed(value(r, c))) < 128];
      g.font = font(11);
      for (let r = 0; r < rows; r++)
        for (let c = 0; c < columns; c++) {
          g.fillStyle = dark(r, c) ? "#ffffff" : "#111111";
          const said = fillNumber(other(r, c));
          g.fillText(said, left + (c + 0.5) * cell, ROOM + (r + 0.72) * tall, cell - 4);
        }
    }
    g.textAlign = "center";
    foot.forEach((text, n) => {
      g.font = font(n ? 11 : 13, n ? 400 : 600);
      g.fillStyle = n ? colours.faint : colours.text;
      for (let c = 0; c < columns; c++) {
        const words = fill(source, text, { ...source.at, [across]: c }) ?? "";
        g.fillText(cut(g, words, cell - 4), left + (c + 0.5) * cell, ROOM + box.h + 11 + LINE * n);
      }
    });
    if (there) frame(g, box, { row: at[0], column: at[1] }, colours, 2.5);
    if (drawing.legend)
      legend(
        g,
        left,
        below + 6,
        Math.min(160, width - left - 90),
        scale,
        fill(source, drawing.legend) ?? "",
        colours,
      );
    this.look();
  }

  table() {
    const { source, drawing } = this;
    if (this.panel.spec.table) return super.table();
    const [down, across] = this.axes;
    const columns = source.names(across);
    const rows = source
      .names(down)
      .map((name, r) => [
        name,
        ...columns.map((_, c) =>
          fillNumber(source.number(drawing.field, { ...source.at, [down]: r, [across]: c })),
        ),
      ]);
    return { columns: [drawing.corner ?? "", ...columns], rows };
  }
}

/** A number in a cell: a share in per cent with one place, or as it is. */
const fillNumber = (v, how) => {
  if (!Number.isFinite(v)) return "";
  if (how === "two") return v.toFixed(2).replace("-", "−");
  if (how !== "%") return how === "plain" ? plain(v) : digits(v);
  return v > 0 && v < 0.0005 ? "<0.1 %" : `${(100 * v).toFixed(1)} %`;
};
