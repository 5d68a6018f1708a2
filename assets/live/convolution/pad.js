// A board with a pad of 8 x 8 cells to draw a digit on, and room beside it for what a network makes of the drawing.

import { element, percent } from "../dom.js";
import { Board } from "../descend/board.js";
import { font } from "../drawing/canvas.js";
import { button } from "../parts/controls.js";
import { Drawing } from "./drawing.js";
import { heading } from "./squares.js";

export const HEAD = 20, // room of a heading over the cells
  ROW = 23; // of a digit and its probability

export class Pad extends Board {
  drawing = new Drawing();
  /** @type {string | null} */
  told = null; // the drawing that Python knows
  erases = false;
  edge = 0; // cells around those that are drawn on
  unit = 1; // pixels of a cell
  /** @type {[number, number]} */
  last = [0, 0];

  /** @param {HTMLElement} parent @param {string} label */
  constructor(parent, label) {
    super(parent, label);
    this.root.classList.add("cv");
    this.row = element("div", "cv-row");
    this.side = element("div", "cv-open");
    const pad = element("div", "cv-pad");
    pad.append(this.node);
    this.row.append(pad, this.side);
    this.pen = button("Eraser", () => {
      this.erases = !this.erases;
      this.pen.setAttribute("aria-pressed", String(this.erases));
    });
    this.pen.setAttribute("aria-pressed", "false");
    this.clear = button("Clear", () => this.change(() => this.drawing.clear()));
  }

  /** @returns {object} */
  wish() {
    return { drawing: (this.told = this.drawing.text) };
  }

  settle() {
    if (this.news.drawing === this.told) return;
    this.told = this.news.drawing;
    this.drawing.set(this.told);
  }

  /** The drawing becomes another one. @param {() => void} act */
  change(act, last = true) {
    act();
    if (last) this.wishes.wish();
    this.refresh();
  }

  /** @returns {[number, number]} in cells */
  cellAt(px, py) {
    return [px / this.unit - this.edge, (py - HEAD) / this.unit - this.edge];
  }

  grab(px, py) {
    this.last = this.cellAt(px, py);
    return true;
  }

  drag(px, py) {
    const to = this.cellAt(px, py);
    this.change(() => this.drawing.stroke(this.last, to, this.erases), false);
    this.last = to;
    this.drew = true;
  }

  refresh() {
    if (this.drew && !this.dragging) {
      this.drew = false;
      this.wishes.wish();
    }
    super.refresh();
  }
}

/**
 * How likely each digit is, one below the other.
 * @param {CanvasRenderingContext2D} g @param {number[]} p @param {number} best @param {number} [chosen] the one that is shaded
 */
export function guesses(g, ink, x, y, room, p, best, chosen) {
  heading(g, "what it reads", x, y - HEAD / 2 - 2, ink.text);
  const [name, share] = [18, room < 190 ? 58 : 66];
  const long = Math.max(10, room - name - share);
  p.forEach((value, digit) => {
    const top = y + digit * ROW;
    if (digit === chosen) {
      g.globalAlpha = 0.12;
      g.fillStyle = ink.accent;
      g.fillRect(x - 4, top, room + 4, ROW - 1);
      g.globalAlpha = 1;
    }
    g.font = font(14, digit === best ? 700 : 400);
    g.fillStyle = ink.text;
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillText(String(digit), x + 1, top + ROW / 2);
    g.fillStyle = digit === best ? ink.accent : ink.faint;
    g.fillRect(x + name, top + 5, Math.max(1, long * value), ROW - 11);
    g.fillStyle = ink.text;
    g.font = font(12, digit === best ? 700 : 400);
    g.textAlign = "right";
    g.fillText(percent(value), x + room, top + ROW / 2);
  });
  g.textAlign = "left";
}
