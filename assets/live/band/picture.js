// The strip of a long text as a picture: how surprised the reader was, the part shown as a brush, the most surprising places
// as marks.

import { Surface, font, ink } from "../drawing/canvas.js";
import { rules, shade } from "../marks/axes.js";
import { broken, pointer } from "../marks/lines.js";

const HIGH = 84,
  LEFT = 26,
  TOP = 14,
  LOW = HIGH - 18,
  NEAR = 7;
export const MOST_BITS = 8;
export const whole = (n) => Math.round(n).toLocaleString("en");

export class Picture {
  ends = [0, 1]; // characters that it spans
  width = 120;

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.surface = new Surface(root);
    this.node = this.surface.node;
  }

  // A character's place in the canvas, and back.
  x(character) {
    const [from, to] = this.ends;
    return LEFT + ((character - from) / (to - from)) * (this.width - LEFT - 1);
  }

  /** @param {{clientX: number}} event */
  character(event) {
    const [from, to] = this.ends;
    const x = event.clientX - this.node.getBoundingClientRect().left - LEFT;
    return from + Math.max(0, Math.min(1, x / Math.max(1, this.width - LEFT - 1))) * (to - from);
  }

  peakAt(event, peaks = []) {
    const r = this.node.getBoundingClientRect();
    if (event.clientY - r.top > TOP + 4) return null;
    return peaks.find((p) => Math.abs(this.x(p[0]) - (event.clientX - r.left)) <= NEAR) ?? null;
  }

  /** @param {any} strip what the server sent @param {number[]} ends @param {number[]} shown @param {{app: any, reader: any}} of */
  draw(strip, ends, shown, { app, reader }) {
    this.ends = ends;
    this.width = Math.max(120, this.root.clientWidth);
    const g = this.surface.begin(this.width, HIGH);
    const colours = ink(app.root);
    const y = (value) => LOW - (Math.min(MOST_BITS, value ?? 0) / MOST_BITS) * (LOW - TOP);
    const marks = [0, MOST_BITS / 2, MOST_BITS].map((value) => [y(value), String(value)]);
    g.lineWidth = 1;
    rules(g, marks, { left: LEFT, right: this.width, colours });
    g.save();
    g.beginPath();
    g.rect(LEFT, 0, this.width - LEFT, LOW + 1);
    g.clip();
    if (strip?.mean.length) this.columns(g, y, strip, app, reader, colours);
    this.brush(g, shown, colours);
    g.restore();
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.textBaseline = "alphabetic";
    const [from, to] = ends;
    /** @type {[number, CanvasTextAlign][]} */
    const places = [
      [0, "left"],
      [0.5, "center"],
      [1, "right"],
    ];
    for (const [share, align] of places) {
      g.textAlign = align;
      g.fillText(whole(from + share * (to - from)), LEFT + share * (this.width - LEFT - 1), HIGH - 3);
    }
  }

  columns(g, y, { mean, max, from, to, peaks }, app, reader, colours) {
    const n = mean.length;
    const at = (i) => this.x(from + (i * (to - from)) / n);
    const colour = getComputedStyle(app.root).getPropertyValue(`--un-reader-${reader.spec.colour}`).trim();
    g.fillStyle = colour || colours.accent;
    for (let i = 0; i < n; i++)
      if (mean[i] !== null)
        g.fillRect(at(i), y(mean[i]), Math.max(0.6, at(i + 1) - at(i) + 0.3), LOW - y(mean[i]));
    g.strokeStyle = colours.faint;
    const middle = (i) => (at(i) + at(i + 1)) / 2;
    broken(g, n, middle, (i) => (max[i] === null ? NaN : y(max[i])));
    const { span } = app.selection.kept;
    for (const [start] of peaks) {
      g.fillStyle = span && span[0] === start ? colours.accent : colours.text;
      pointer(g, this.x(start), 10);
    }
  }

  // The part that is shown below.
  brush(g, shown, colours) {
    const x = this.x(shown[0]);
    const box = { x, y: TOP - 2, w: Math.max(6, this.x(shown[1]) - x), h: LOW - TOP + 2 };
    shade(g, box, colours, 0.16);
    g.strokeStyle = colours.accent;
    g.lineWidth = 2;
    g.strokeRect(box.x, box.y, box.w, box.h);
    g.lineWidth = 1;
  }
}
