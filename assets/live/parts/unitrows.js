// The units of a layer as rows of a picture, in the order chosen, several to one row of pixels where there are many.

import { raster } from "../drawing/canvas.js";
import { order, shownRange, unitRows } from "../sums/order.js";

export class UnitRows {
  constructor(panel) {
    this.panel = panel;
  }

  count(name = this.panel.spec.fields[0]) {
    const { shape, axes } = this.panel.reader().fields.get(name);
    return shape[axes.indexOf("unit")];
  }

  order(layer, count) {
    return order(this.panel.reader(), this.panel.selection, layer, count);
  }

  // The unit in a row of all.
  at(row, layer, name) {
    return this.order(layer, this.count(name))?.[row] ?? row;
  }

  // All units of a layer; `of` is the slice of its numbers, `most` how many rows of pixels there are.
  picture(store, name, layer, of, most, scale) {
    const reader = this.panel.reader();
    const gate = reader.spec.fields[name].kind === "gate";
    const units = this.order(layer, of.rows);
    const made = unitRows(store, reader.fields.get(name), of.start, units, 0, of.rows, most, gate);
    return raster(store, made.values, made.n, made.T, made.start, 1, made.step, scale);
  }

  // Beside a picture: which units the opened picture shows, where it does not show all.
  range(g, { x, y, h }) {
    const count = this.count();
    const [first, shown] = shownRange(this.panel.selection, count);
    if (shown < count) g.fillRect(x - 6, y + (first / count) * h, 4, Math.max(2, (shown / count) * h));
  }

  // What stands in one row of pixels, where it is several units.
  pooled(most) {
    const units = this.count();
    return units > most
      ? ` One row of pixels holds up to ${Math.ceil(units / most)} units: their mean for gates, otherwise the value farthest from 0.`
      : "";
  }
}
