// A row for each label of an axis; in each column a bar, words, or a strip of numbers as colours.

import { Scale, font, raster, widest } from "../drawing/canvas.js";
import { digits, percent } from "../dom.js";
import { shade } from "../marks/axes.js";
import { cut } from "../marks/strip.js";
import { Pointed } from "./picture.js";
import { fill } from "./template.js";

const [TOP, NARROW, LEAST, GAP] = [40, 66, 0.005, 6];
const [SMALL, LEAST_WORDS] = [8, 9]; // pixels of a heading, and of words, that would not fit

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

export default class Columns extends Pointed {
  stores = {}; // pictures of strips

  // The row; beside all of them none.
  find(_x, y) {
    const { box, source, drawing } = this;
    const row = box?.rows[Math.floor((y - TOP) / box.row)];
    const { axis } = drawing.rows;
    return row === undefined ? { [source.kept(axis)]: undefined } : source.place(axis, row);
  }

  paint(source) {
    const { panel, drawing, colours } = this;
    const { axis } = drawing.rows;
    this.box = null;
    const bars = drawing.columns.filter(({ kind }) => !kind);
    const none = bars.every((column) => this.values(column).every(Number.isNaN));
    const rows = source.count && !(bars.length && none) ? this.rows(drawing.rows) : [];
    if (!rows.length) return this.surface.begin(1, 1);
    const row = rows.length <= 6 ? 34 : rows.length <= 16 ? 25 : 20;
    const width = panel.body.clientWidth;
    const after = drawing.columns.flatMap(({ after = [] }) => after);
    const g = this.surface.begin(width, TOP + (rows.length + after.length) * row + 2);
    const every = source.names(axis, "called");
    const names = rows.map((i) => every[i]);
    const [least, most] = width < 480 ? [56, 84] : [66, 104];
    const left = Math.max(least, Math.min(most, 14 + widest(names, font(12, 700))));
    this.box = { rows, row, left };
    g.textBaseline = "middle";
    const columns = drawing.columns.map((column) => ({ ...column, head: fill(source, column.head) ?? "" }));
    const wides = this.wides(columns, width - left);
    const places = wides.map((wide, n) => [left + sum(wides.slice(0, n)), wide]);
    const size = Math.min(...wides) < NARROW ? 9.5 : 12;
    columns.forEach((column, n) => this.head(g, column, size, ...places[n]));
    rows.forEach((i, n) => {
      const y = TOP + (n + 0.5) * row;
      const on = i === source.at[axis];
      if (on) shade(g, { x: 0, y: y - row / 2, w: width, h: row }, colours, 0.09);
      g.textAlign = "right";
      g.font = font(12, on ? 700 : 400);
      g.fillStyle = on ? colours.accent : colours.text;
      g.fillText(cut(g, names[n], left - 8), left - 8, y);
    });
    columns.forEach((column, n) => this[column.kind ?? "bars"](g, column, ...places[n]));
  }

  /** How wide each column is: as wide as it says, but words take the room that other words do not need. */
  wides(columns, room) {
    const one = room / sum(columns.map(({ wide = 1 }) => wide));
    const shares = columns.map(({ wide = 1 }) => wide * one);
    const need = (column) =>
      Math.max(widest(this.cells(column), font(12)), widest([column.head], font(9.5, 700)));
    const spare = columns.map((column, n) => (column.kind === "words" ? shares[n] - need(column) - GAP : 0));
    const [free, lack] = [1, -1].map((sign) => sum(spare.map((left) => Math.max(0, sign * left))));
    const moved = Math.min(free, lack);
    return shares.map((share, n) => share - (spare[n] && (moved * spare[n]) / (spare[n] > 0 ? free : lack)));
  }

  cells({ cell }) {
    const { source, drawing, box } = this;
    return box.rows.map((i) => fill(source, cell, { ...source.at, [drawing.rows.axis]: i }) ?? "");
  }

  words(g, column, x, wide) {
    const { row } = this.box;
    const said = this.cells(column);
    g.textAlign = "left";
    g.font = font(Math.max(LEAST_WORDS, Math.min(12, (12 * (wide - GAP)) / widest(said, font(12)))));
    g.fillStyle = this.colours.text;
    said.forEach((text, n) => g.fillText(cut(g, text, wide - GAP), x, TOP + (n + 0.5) * row));
  }

  // A row of colours for each place, and for what stands below all of them.
  strip(g, column, x, wide) {
    const { rows, row, left } = this.box;
    const { source, drawing, panel } = this;
    const { value, over, after = [] } = column;
    const scale = new Scale(source.shade(column), panel.app.dark);
    const put = (of, at, n) => {
      const plane = source.plane(of, "", over, at);
      if (!plane) return;
      const { values, columns, start, across } = plane;
      const store = (this.stores[n] ??= {});
      g.imageSmoothingEnabled = false;
      const strip = raster(store, values, 1, columns, start, 0, across, scale);
      g.drawImage(strip, x, TOP + n * row + 1, wide - 10, row - 3);
    };
    rows.forEach((i, n) => put(value, { ...source.at, [drawing.rows.axis]: i }, n));
    after.forEach(([name, of], n) => {
      put(of, source.at, rows.length + n);
      g.textAlign = "right";
      g.font = font(12);
      g.fillStyle = this.colours.faint;
      g.fillText(cut(g, name, left - 8), left - 8, TOP + (rows.length + n + 0.5) * row);
    });
  }

  head(g, { head, signs = [] }, size, x, wide) {
    g.textAlign = "left";
    g.fillStyle = this.colours.text;
    g.font = font(size, 700);
    const room = (wide - 2 * GAP) / g.measureText(head).width;
    if (room < 1) g.font = font(Math.max(SMALL, size * room), 700);
    g.fillText(cut(g, head, wide - GAP), x, 9);
    g.fillStyle = this.colours.faint;
    g.font = font(Math.min(size, 11));
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

  write(value, { largest, group, log }) {
    if (log) return Number.isNaN(value) ? "" : String(value);
    return Number.isNaN(value) ? "" : largest || group ? digits(value) : percent(value);
  }

  // The number that the longest bar stands for; of columns of one group the same.
  most(column) {
    const alike = column.group
      ? this.drawing.columns.filter(({ group }) => group === column.group)
      : [column];
    const finite = alike.flatMap((one) => this.values(one)).filter(Number.isFinite);
    return column.largest || column.group ? Math.max(1e-30, ...finite.map(Math.abs)) : 1;
  }

  bars(g, column, x, wide) {
    const { rows, row } = this.box;
    const { colours } = this;
    const values = this.values(column);
    const most = this.most(column);
    if (column.group) return this.signed(g, column, values, most, x, wide);
    rows.forEach((i, n) => {
      const y = TOP + (n + 0.5) * row;
      const share = column.log ? Math.log1p(values[i]) / Math.log1p(most) : values[i] / most;
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

  // Bars to both sides of the middle.
  signed(g, column, values, most, x, wide) {
    const { rows, row } = this.box;
    const half = (wide - 8) / 2;
    g.fillStyle = this.colours.line;
    g.fillRect(x + half, TOP, 1, rows.length * row);
    rows.forEach((i, n) => {
      const share = values[i] / most;
      if (!Number.isFinite(share)) return;
      const y = TOP + (n + 0.5) * row;
      g.fillStyle = this.colour(column.colour);
      g.globalAlpha = 0.7;
      g.fillRect(x + half + Math.min(0, share * half), y - row * 0.3, Math.abs(share * half), row * 0.6);
      g.globalAlpha = 1;
      g.textAlign = share < 0 ? "left" : "right";
      g.font = font(11);
      g.fillStyle = this.colours.text;
      if (wide > 90) g.fillText(digits(values[i]), x + half + (share < 0 ? 4 : -4), y);
    });
  }

  table() {
    if (this.panel.spec.table) return super.table();
    const { source, drawing } = this;
    const { axis } = drawing.rows;
    const bars = drawing.columns.filter(({ kind }) => !kind);
    const columns = bars.map((column) => this.values(column).map((v) => this.write(v, column)));
    const rows = source.names(axis).map((name, i) => [name, ...columns.map((of) => of[i])]);
    return { columns: [axis, ...bars.map(({ head }) => head)], rows };
  }
}
