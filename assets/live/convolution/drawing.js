// What is drawn on the 8 x 8 cells: a pen inks dots of a finer square, and a cell counts its dots, as the scans of the
// digits were counted.

import { FULL, SIDE, moved } from "../sums/digits.js";

const FINE = 4, // dots along a cell
  DOTS = FINE * SIDE,
  PEN = 2.3, // radius in dots
  SIGNS = "0123456789abcdefg"; // as in engine/lessons/convolution/images.py

export class Drawing {
  base = new Uint8Array(SIDE * SIDE); // cells that were there as wholes
  dots = new Uint8Array(DOTS * DOTS);
  down = 0; // how far it was moved, in cells
  right = 0;

  /** What a network reads, 0 to 16 a cell. */
  get cells() {
    return moved(this.still, this.down, this.right);
  }

  /** The same where it was drawn. */
  get still() {
    const counted = new Uint8Array(SIDE * SIDE);
    this.dots.forEach((dot, n) => {
      counted[SIDE * Math.floor(n / DOTS / FINE) + Math.floor((n % DOTS) / FINE)] += dot;
    });
    return counted.map((n, i) => Math.max(n, this.base[i]));
  }

  get text() {
    return Array.from(this.cells, (n) => SIGNS[n]).join("");
  }

  /** @param {string} text */
  set(text) {
    Object.assign(this, { down: 0, right: 0 });
    this.dots.fill(0);
    this.base = Uint8Array.from(text, (sign) => SIGNS.indexOf(sign));
  }

  clear() {
    this.set("0".repeat(SIDE * SIDE));
  }

  /** What was moved stays where it is now; what left the square is gone. */
  settle() {
    if (this.down || this.right) this.set(this.text);
  }

  /** By whole cells; it can come back. @param {number} down @param {number} right */
  move(down, right) {
    const held = (/** @type {number} */ n) => Math.max(-SIDE, Math.min(SIDE, n));
    this.down = held(this.down + down);
    this.right = held(this.right + right);
  }

  /** From one place to another, in cells. @param {[number, number]} from @param {[number, number]} to */
  stroke(from, to, erases = false) {
    this.settle();
    const steps = Math.max(1, Math.ceil(FINE * Math.hypot(to[0] - from[0], to[1] - from[1])));
    for (let n = 0; n <= steps; n++) {
      const [x, y] = [0, 1].map((k) => from[k] + ((to[k] - from[k]) * n) / steps);
      if (erases) this.fill(Math.floor(x), Math.floor(y), 0);
      else this.ink(FINE * x, FINE * y);
    }
  }

  ink(x, y) {
    for (let row = Math.floor(y - PEN); row <= y + PEN; row++)
      for (let column = Math.floor(x - PEN); column <= x + PEN; column++)
        if (
          row >= 0 &&
          column >= 0 &&
          row < DOTS &&
          column < DOTS &&
          Math.hypot(row + 0.5 - y, column + 0.5 - x) <= PEN
        )
          this.dots[DOTS * row + column] = 1;
  }

  /** A cell as a whole: empty or full. @param {number} column @param {number} row @param {number} value */
  fill(column, row, value) {
    if (column < 0 || row < 0 || column >= SIDE || row >= SIDE) return;
    this.base[SIDE * row + column] = value;
    for (let n = 0; n < FINE * FINE; n++)
      this.dots[DOTS * (FINE * row + Math.floor(n / FINE)) + FINE * column + (n % FINE)] = 0;
  }

  /** Empty where there is ink, full where there is none. */
  turn(column, row) {
    this.settle();
    this.fill(column, row, this.still[SIDE * row + column] ? 0 : FULL);
  }
}
