// Curves over the steps of a training, below each other, with the step that is shown.

import { font } from "../drawing/canvas.js";
import { ticks } from "../marks/axes.js";
import { broken } from "../marks/lines.js";

/** @import { Box, Ink } from "../types.js" */

const whole = (/** @type {number} */ n) => n.toLocaleString("en");

/** A heading over a part of a board. @param {CanvasRenderingContext2D} g @param {string} words @param {{x: number, y: number}} box @param {Ink} ink */
export function heading(g, words, { x, y }, ink) {
  g.font = font(13, 600);
  g.fillStyle = ink.text;
  g.textAlign = "left";
  g.fillText(words, x, y - 12);
}

/** A dashed line across. @param {CanvasRenderingContext2D} g @param {number} y @param {Box} box @param {Ink} ink */
export function level(g, y, box, ink) {
  g.setLineDash([4, 3]);
  g.strokeStyle = ink.faint;
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(box.x, y);
  g.lineTo(box.x + box.w, y);
  g.stroke();
  g.setLineDash([]);
}

export class Curves {
  /** @param {CanvasRenderingContext2D} g @param {import("./training.js").Training} training @param {Box} box of any of them: all are as wide @param {Ink} ink */
  constructor(g, training, box, ink) {
    this.g = g;
    this.training = training;
    this.box = box;
    this.ink = ink;
  }

  /** @param {number} step */
  x(step) {
    return this.box.x + (step / Math.max(1, this.training.end)) * this.box.w;
  }

  /** What the records hold under a name; nothing where it is not finite. @param {string} name @param {string} colour @param {(value: number) => number} y */
  line(name, colour, y) {
    const { records } = this.training;
    this.g.strokeStyle = colour;
    this.g.lineWidth = 2;
    broken(
      this.g,
      records.length,
      (n) => this.x(records[n].step),
      (n) => (Number.isFinite(records[n][name]) ? y(records[n][name]) : NaN),
    );
  }

  /** From 0 to the last step, below a box. @param {Box} box */
  steps(box) {
    const places = [
      [box.x, "0"],
      [box.x + box.w / 2, "Step"],
      [box.x + box.w - 10, whole(this.training.end)],
    ];
    ticks(this.g, places, box.y + box.h + 10, this.ink);
  }

  /** The step that is shown, through boxes. @param {Box[]} boxes */
  now(boxes) {
    const { g, training, ink } = this;
    g.strokeStyle = ink.accent;
    g.lineWidth = 1.5;
    for (const one of boxes) {
      g.beginPath();
      g.moveTo(this.x(training.step), one.y - 4);
      g.lineTo(this.x(training.step), one.y + one.h);
      g.stroke();
    }
  }
}
