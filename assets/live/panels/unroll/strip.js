// The steps of a recurrent network in a strip as long as the text, of which only what is in sight is drawn.

import { Surface } from "../../drawing/canvas.js";
import { element } from "../../dom.js";
import { boxAt } from "../../marks/pointer.js";
import { ALL, COLUMN, Columns, HIGH, LEFT, TOP } from "./columns.js";

export class Strip {
  /** @param {any} view the panel: what, lit, folded, light(matrix), leave(), matrices */
  constructor(view) {
    this.view = view;
    this.root = element("div", "un-strip");
    this.long = element("div", "");
    this.root.append(this.long);
    this.surface = new Surface(this.long);
    this.root.addEventListener("scroll", () => this.paint());
    this.surface.onPointer(
      (x, y) => this.point(x, y),
      (x, y) => this.click(x, y),
      () => view.leave(),
    );
  }

  point(x, y) {
    const hit = boxAt(this.hits, x, y);
    if (hit?.token !== undefined) this.view.panel.selection.look(this.placeOf(hit.token, y));
    this.view.light(hit?.matrix ?? null);
  }

  click(x, y) {
    const hit = boxAt(this.hits, x, y);
    const { selection, app } = this.view.panel;
    if (hit?.matrix) this.view.matrices.pin(hit.matrix);
    if (hit?.token !== undefined) selection.keep(this.placeOf(hit.token, y), app);
    else this.view.draw();
  }

  // The token of a column, and the unit where its state is pointed at.
  placeOf(token, y) {
    const reader = this.view.panel.reader();
    const place = reader.place(token);
    const { order } = this.view.what;
    const rows = order?.length ?? reader.spec.weights.units;
    const row = Math.floor(((y - TOP) / HIGH) * rows);
    if (row >= 0 && row < rows) place.unit = order ? order[row] : row;
    return place;
  }

  draw() {
    const { count, now } = this.view.what;
    const view = this.root.clientWidth;
    const long = this.view.folded === 1 ? view : Math.max(view, LEFT + count * COLUMN + 6);
    this.long.style.width = `${long}px`;
    if (now !== this.now || count !== this.count) this.bring(now);
    this.now = now;
    this.count = count;
    this.paint();
  }

  // The chosen column comes into sight; one that the pointer is on is in sight already.
  bring(t) {
    if (this.view.panel.selection.hovered.token !== undefined && this.root.matches(":hover")) return;
    const x = LEFT + t * COLUMN;
    const { scrollLeft, clientWidth } = this.root;
    if (x - COLUMN < scrollLeft || x + 2 * COLUMN > scrollLeft + clientWidth)
      this.root.scrollLeft = x - clientWidth / 2;
  }

  paint() {
    const { what, lit, folded } = this.view;
    if (!what) return;
    const whole = this.surface.recording; // a file has no part out of sight
    const view = whole ? this.long.clientWidth : this.root.clientWidth;
    const scrolled = whole ? 0 : this.root.scrollLeft;
    const columns = new Columns(this.surface.begin(view, ALL), what, { lit, folded, scrolled });
    columns.paint(view);
    /** @type {any[]} */
    this.hits = [...columns.tiles, ...columns.columns];
  }
}
