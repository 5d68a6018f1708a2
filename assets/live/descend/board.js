// What all boards have in common: a canvas that follows the size and the theme, and a wish that
// is sent to Python, at most one at a time, while a pointer drags.

import { element, isDark } from "../dom.js";
import { Surface, ink } from "../drawing/canvas.js";
import { Wishes } from "../timeline/wishes.js";
import { Keeping } from "./keeping.js";

/** What a component exports. @param {new (parent: HTMLElement) => Board} kind */
export const mounting = (kind) => (/** @type {any} */ component) => {
  const { parentElement } = component;
  const board = (parentElement.board ??= new kind(parentElement));
  board.receive(component);
  return () => {
    if (!parentElement.isConnected) board.destroy();
  };
};

export class Board {
  /** @type {any} what Python says */
  news = null;
  dragging = false;
  /** @type {Keeping | null} */
  keeping = null;
  /** @type {Element | null} the row that Table and Save stand in; null: the first of the board */
  buttons = null;
  /** @type {(name: string, value: object) => void} */
  put = () => {};

  /** @param {HTMLElement} parent @param {string} label for screen readers */
  constructor(parent, label) {
    this.root = element("div", "un ds", { role: "group" });
    this.root.setAttribute("aria-label", label);
    this.root.dataset.board = new.target.name.toLowerCase();
    parent.append(this.root);
    this.surface = new Surface(this.root);
    this.node = this.surface.node;
    this.says = element("p", "un-readout", { role: "status" });
    this.sizes = new ResizeObserver(() => this.refresh());
    this.sizes.observe(this.root);
    this.themeTimer = setInterval(() => this.dark !== isDark(this.root) && this.refresh(), 400);
    this.wishes = new Wishes({
      send: (seq) => this.put("wish", { ...this.wish(), seq }),
      drawn: () => this.refresh(),
    });
    this.node.addEventListener("pointerdown", (e) => {
      if (e.button || !this.grab(...this.at(e))) return;
      this.dragging = true;
      this.node.setPointerCapture(e.pointerId);
      this.drag(...this.at(e));
    });
    this.node.addEventListener("pointermove", (e) =>
      this.dragging ? this.drag(...this.at(e)) : this.look(...this.at(e)),
    );
    for (const name of ["pointerup", "pointercancel"])
      this.node.addEventListener(name, () => {
        this.dragging = false;
        this.drop();
        this.refresh();
      });
    this.node.addEventListener("pointerleave", () => this.look(NaN, NaN));
    this.node.addEventListener("keydown", (e) => {
      if (e.ctrlKey || e.metaKey || e.altKey || !this.key(e)) return;
      e.preventDefault();
    });
  }

  /** @param {PointerEvent} e @returns {[number, number]} */
  at(e) {
    const r = this.node.getBoundingClientRect();
    return [e.clientX - r.left, e.clientY - r.top];
  }

  destroy() {
    this.wishes.stop();
    this.sizes.disconnect();
    clearInterval(this.themeTimer);
  }

  /** @param {any} component */
  receive({ data: news, setStateValue }) {
    this.put = setStateValue;
    if (!news) return;
    if (this.wishes.sent && news.seq === this.wishes.sent) this.wishes.whenIdle();
    this.news = news;
    if (!this.dragging && this.wishes.idle) this.settle();
    this.refresh();
  }

  refresh() {
    if (!this.news || !this.root.clientWidth) return;
    this.dark = isDark(this.root);
    this.root.classList.toggle("un-dark", this.dark);
    this.draw(ink(this.root), this.root.clientWidth, this.news.colours[this.dark ? "dark" : "light"]);
    this.keeping ??= new Keeping(this); // once all else has its place
    this.keeping.fill();
  }

  // What each board has of its own.
  /** Its numbers. @returns {{columns: string[], rows: any[][]}} */
  table() {
    return { columns: [], rows: [] };
  }
  /** @returns {object} what Python is asked for */
  wish() {
    return {};
  }
  // Nothing is dragged: what Python says counts.
  settle() {}
  /** Whether something is there to drag. @param {number} _x @param {number} _y */
  grab(_x, _y) {
    return true;
  }
  /** @param {number} _x @param {number} _y */
  drag(_x, _y) {}
  // What was dragged is let go.
  drop() {}
  /** @param {number} _x @param {number} _y */
  look(_x, _y) {}
  /** @param {KeyboardEvent} _e @returns {boolean} whether it meant something */
  key(_e) {
    return false;
  }
  /** @param {import("../types.js").Ink} _ink @param {number} _width @param {string[]} _colours of the lines */
  draw(_ink, _width, _colours) {}
}
