// Dragging in a row holds its number at the height of the pointer, for one token or from it to the end of the
// text; a click chooses the row and the token.

import { reached } from "../../drawing/canvas.js";
import { tokensFrom } from "../../sums/edits.js";

const CLOSE = 4; // pixels that are no drag yet

export class Drag {
  /** @param {any} view with find(x, y): the row and the token there */
  constructor(view) {
    this.view = view;
    this.node = view.canvas;
    this.node.style.touchAction = "none";
    this.held = null; // {row, t, x, y} where the pointer went down
    const on = (name, act) =>
      this.node.addEventListener(name, (e) => {
        const r = this.node.getBoundingClientRect();
        act(e.clientX - r.left, e.clientY - r.top, e);
      });
    reached(this.node, {
      look: (x, y) => this.move(x, y),
      keep: (x, y) => {
        this.held = { ...view.find(x, y), x, y };
        this.end();
      },
      leave: () => view.selection.leave(),
    });
    on("pointerdown", (x, y, e) => {
      if (e.button !== 0) return;
      this.held = { ...view.find(x, y), x, y };
      this.node.setPointerCapture(e.pointerId);
    });
    on("pointermove", (x, y) => this.move(x, y));
    on("pointerup", () => this.end());
    on("pointercancel", () => this.cancel());
    on("pointerleave", () => this.held || view.selection.leave());
  }

  move(x, y) {
    const { held, view } = this;
    const { selection } = view;
    const { row, t } = view.find(x, y);
    view.over = row?.name;
    this.node.style.cursor = row ? "ns-resize" : "";
    if (!held) return row ? selection.look(view.panel.reader().place(t)) : selection.leave();
    if (!held.row || (!held.moved && Math.hypot(x - held.x, y - held.y) < CLOSE)) return;
    held.moved = true;
    selection.hovered = {};
    const edit = this.edit(t, y);
    held.edits ??= view.edits.filter((e) => !this.replaces(edit, e));
    view.chosen = held.edits.length;
    view.change([...held.edits, edit], false);
  }

  // The edit that the pointer makes at token t and height y.
  edit(t, y) {
    const { held, view } = this;
    const { offset, total } = view.panel.reader();
    const { top, high, low, most, name } = held.row;
    const value = low + (most - low) * Math.max(0, Math.min(1, 1 - (y - top) / high));
    const [first, last] = [Math.min(held.t, t) + offset, Math.max(held.t, t) + offset];
    const whole = t === held.t || last === total - 1; // to the end of the text
    const { layer, unit } = view.place();
    return {
      ...{ field: name, layer: String(layer), unit: String(unit), how: "set" },
      tokens: tokensFrom(first, whole ? null : last),
      value: String(Math.round(value * 100) / 100),
    };
  }

  // Whether an edit began where this drag did, and is made anew by it.
  replaces({ field, layer, unit }, e) {
    const first = String(this.held.t + this.view.panel.reader().offset);
    const same = e.field === field && e.layer === layer && e.unit === unit && e.how === "set";
    return same && e.tokens.split("-")[0] === first;
  }

  end() {
    const { held, view } = this;
    this.held = null;
    if (!held?.row) return;
    if (held.moved) {
      view.selection.kept.field = held.row.name; // only now: the rows must not move under the pointer
      view.become(view.text, true);
    } else view.selection.keep({ field: held.row.name, ...view.panel.reader().place(held.t) }, view.app);
  }

  cancel() {
    this.held = null;
    this.view.takeBack();
  }
}
