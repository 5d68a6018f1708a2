// A row for each label of an axis, and a bar in each column.

import { Surface, font } from "../drawing/canvas.js";
import { digits, percent } from "../dom.js";
import { shade } from "../marks/axes.js";
import { cut } from "../marks/strip.js";
import { Picture } from "./picture.js";

const [TOP, SMALL, NARROW, LEAST] = [40, 8, 66, 0.005]; // SMALL: pixels of a heading that would not fit

export default class Columns extends Picture {
  constructor(panel) {
    super(panel);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    const { selection, app } = panel;
    this.surface.onPointer(
      (_, y) => selection.look({ ...selection.hovered, ...this.find(y) }),
      (_, y) => selection.keep(this.find(y), app),
      () => selection.leave(),
    );
  }

  // The row; beside all of them none, and where else one looks stays.
  find(y) {
    const { box, source, drawing } = this;
    return source.place(drawing.rows.axis, box?.rows[Math.floor((y - TOP) / box.row)]);
  }

  paint(source) {
    const { panel, drawing, colours } = this;
    const { axis } = drawing.rows;
    this.box = null;
    if (!source.count) return this.surface.begin(1, 1);
    const rows = this.rows(drawing.rows);
    const row = rows.length <= 6 ? 34 : 20;
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, TOP + rows.length * row + 2);
    const names = rows.map((i) => source.label(axis, i, "called"));
    const left = width < 480 ? 56 : Math.max(66, Math.min(104, 14 + this.widest(names, font(12, 700))));
    const wide = (width - left) / drawing.columns.length;
    this.box = { rows, row };
    g.textBaseline = "middle";
    drawing.columns.forEach((column, n) => this.head(g, column, left + n * wide, wide));
    rows.forEach((i, n) => {
      const y = TOP + (n + 0.5) * row;
      const on = i === source.at[axis];
      if (on) shade(g, { x: 0, y: y - row / 2, w: width, h: row }, colours, 0.09);
      g.textAlign = "right";
      g.font = font(12, on ? 700 : 400);
      g.fillStyle = on ? colours.accent : colours.text;
      g.fillText(cut(g, names[n], left - 8), left - 8, y);
    });
    drawing.columns.forEach((column, n) => this.bars(g, column, left + n * wide, wide));
  }

  head(g, { head, signs = [] }, x, wide) {
    const size = wide < NARROW ? 9.5 : 12;
    g.textAlign = "left";
    g.fillStyle = this.colours.text;
    g.font = font(size, 700);
    const room = (wide - 3) / g.measureText(head).width;
    if (room < 1) g.font = font(Math.max(SMALL, size * room), 700);
    g.fillText(cut(g, head, wide - 1), x, 9);
    g.fillStyle = this.colours.faint;
    g.font = font(wide < NARROW ? 9.5 : 11);
    const fits = signs.find((sign) => g.measureText(sign).width <= wide - 4);
    g.fillText(fits ?? cut(g, signs.at(-1) ?? "", wide - 4), x, 25);
  }

  /** What stands in a column, at each place; NaN where there is none. */
  values({ value }) {
    const { source, drawing } = this;
    const { axis } = drawing.rows;
    return Array.from({ length: source.size(axis) }, (_, i) =>
      source.number(value, { ...source.at, [axis]: i }),
    );
  }

  write(value, { largest }) {
    return Number.isNaN(value) ? "" : largest ? digits(value) : percent(value);
  }

  bars(g, column, x, wide) {
    const { rows, row } = this.box;
    const { colours } = this;
    const values = this.values(column);
    const most = column.largest ? Math.max(1e-30, ...values) : 1;
    rows.forEach((i, n) => {
      const y = TOP + (n + 0.5) * row;
      const share = values[i] / most;
      if (Number.isNaN(share)) return;
      g.fillStyle = this.colour(column.colour);
      g.globalAlpha = column.faint ? 0.55 : 1;
      g.fillRect(x, y - row * 0.36, Math.max(share > LEAST / 10 ? 1 : 0, (wide - 8) * share), row * 0.72);
      g.globalAlpha = 1;
      if (share < LEAST) return;
      const said = this.write(values[i], column);
      g.font = font(11);
      const room = g.measureText(said).width;
      const inside = (wide - 8) * share > room + 6;
      if (!inside && (wide - 8) * share + room + 3 > wide) return;
      g.textAlign = "left";
      g.fillStyle = inside ? colours.ground : colours.text;
      g.fillText(said, inside ? x + 4 : x + (wide - 8) * share + 3, y);
    });
  }

  table() {
    const { source, drawing } = this;
    const { axis } = drawing.rows;
    const columns = drawing.columns.map((column) => this.values(column).map((v) => this.write(v, column)));
    const rows = Array.from({ length: source.size(axis) }, (_, i) => [
      source.label(axis, i),
      ...columns.map((of) => of[i]),
    ]);
    return { columns: [axis, ...drawing.columns.map(({ head }) => head)], rows };
  }
}
