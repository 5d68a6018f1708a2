// From all units to one: the range of the order that the opened picture shows.  Buttons, the wheel on the
// numbers at the left, or dragging along them; what is shown stands in the address as `first` and `shown`.

import { element, put } from "../dom.js";
import { bar, button } from "./controls.js";
import { order, shownRange, unitRows } from "../sums/order.js";

export class Zoom {
  first = 0; // in sight: `rows` units from this place on, of the `units` in their order; null where they stand by number
  rows = 0;
  units = null;
  band = null;

  constructor(matrix) {
    this.matrix = matrix;
    const named = (text, title, act) => {
      const node = button(text, act, { title });
      node.setAttribute("aria-label", title);
      return node;
    };
    this.less = named("−", "Show more units", () => this.scale(2));
    this.more = named("+", "Show fewer units", () => this.scale(0.5));
    this.one = named("One", "Only the chosen unit", () => this.scale(0));
    this.all = named("All", "All units", () => this.show(0, this.count));
    this.status = element("span", "un-says");
    matrix.panel.body.append(bar(this.less, this.more, this.one, this.all, this.status));
  }

  // Which of `count` units a picture of this layer shows: how many rows it has.
  choose(reader, layer, count) {
    this.units = order(reader, this.matrix.panel.selection, layer, count);
    [this.first, this.rows] = this.follow(this.units, count);
    return this.rows;
  }

  // Their numbers, for `grid`: several units to one row of pixels where there are more than `most`.
  numbers(store, field, start, most, gate) {
    const made = unitRows(store, field, start, this.units, this.first, this.rows, most, gate);
    return { values: made.values, rows: made.n, start: made.start, down: 1, across: made.step };
  }

  unitAt(row) {
    return this.units ? this.units[this.first + row] : this.first + row;
  }

  rowOf(unit) {
    return (this.units ? this.units.indexOf(unit) : unit) - this.first;
  }

  // The range to draw, and what the bar says of it.  A unit chosen elsewhere comes into the range.
  follow(units, count) {
    const { selection } = this.matrix.panel;
    this.count = count;
    let [first, shown] = shownRange(selection, count);
    const unit = selection.kept.unit;
    if (unit !== this.unit && unit < count && shown < count) {
      const place = units ? units.indexOf(unit) : unit;
      if (place < first || place >= first + shown) {
        first = Math.max(0, Math.min(count - shown, place - (place < first ? 0 : shown - 1)));
        selection.kept.first = first;
      }
    }
    this.unit = unit;
    const said =
      shown < count
        ? `${shown} of ${count} units, from place ${first + 1}${units ? " of the order" : ""}`
        : `all ${count} units; drag or scroll along the numbers on the left to see fewer`;
    put(this.status, said);
    this.less.disabled = this.all.disabled = shown === count;
    this.more.disabled = this.one.disabled = shown === 1;
    return [first, shown];
  }

  // Half or twice as many, around the chosen unit where it is in sight, or around a place of the order.
  scale(factor, around) {
    const { selection } = this.matrix.panel;
    const [first, shown] = shownRange(selection, this.count);
    const row = this.rowOf(selection.get("unit") ?? 0);
    const middle =
      around ?? (!factor || (row >= 0 && row < shown) ? first + row : first + Math.floor(shown / 2));
    const next = Math.max(
      1,
      Math.min(this.count, factor > 1 ? Math.ceil(shown * factor) : Math.floor(shown * factor)),
    );
    this.show(Math.round(middle - ((middle - first) / shown) * next), next, middle);
  }

  show(first, shown, keeping) {
    const { app, selection } = this.matrix.panel;
    if (keeping !== undefined) first = Math.max(keeping - shown + 1, Math.min(keeping, first));
    first = Math.max(0, Math.min(this.count - shown, first));
    const part = shown < this.count || selection.defaults.shown; // where a part is usual, all of them are a choice
    selection.keep(part ? { first, shown } : { first: undefined, shown: undefined }, app);
  }

  // The places from one to another while they are dragged over.
  brush(from, to) {
    const band = [Math.min(from, to) - this.first, Math.max(from, to) + 1 - this.first];
    this.band = from === undefined ? null : band;
    this.matrix.draw();
  }

  // Pointer and wheel on the numbers at the left of the picture.
  listen(node) {
    const place = (e) => {
      const r = node.getBoundingClientRect();
      const { y: top, h: high, rows, x: left } = this.matrix.box ?? {};
      const share = (e.clientY - r.top - top) / high;
      return {
        inside: e.clientX - r.left < left,
        row: this.first + Math.max(0, Math.min(rows - 1, Math.floor(share * rows))),
      };
    };
    node.addEventListener(
      "wheel",
      (e) => {
        const { inside, row } = place(e);
        if (!inside || !e.deltaY) return;
        e.preventDefault();
        this.scale(e.deltaY < 0 ? 0.8 : 1.25, row);
      },
      { passive: false },
    );
    node.addEventListener("pointerdown", (e) => {
      const { inside, row } = place(e);
      this.dragged = false;
      if (!inside) return;
      this.from = row;
      node.setPointerCapture(e.pointerId);
    });
    node.addEventListener("pointermove", (e) => {
      if (this.from !== undefined) this.brush(this.from, place(e).row);
    });
    const end = (e) => {
      if (this.from === undefined) return;
      const to = place(e).row;
      const from = this.from;
      this.from = undefined;
      this.brush();
      this.dragged = from !== to;
      if (this.dragged) this.show(Math.min(from, to), Math.abs(from - to) + 1);
    };
    node.addEventListener("pointerup", end);
    node.addEventListener("pointercancel", () => {
      this.from = undefined;
      this.brush();
    });
  }
}
