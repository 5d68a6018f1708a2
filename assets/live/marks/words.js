// Words on a picture.

import { font } from "../drawing/canvas.js";

/** @import { Ink } from "../types.js" */

/** A number with a minus as it is printed. @param {number} v */
export const minus = (v) => String(v).replace("-", "−");

/** @param {CanvasRenderingContext2D} g @param {string} words @param {number} x @param {number} y @param {Ink} ink */
export function title(g, words, x, y, ink) {
  g.font = font(13, 600);
  g.textAlign = "left";
  g.textBaseline = "middle";
  g.fillStyle = ink.text;
  g.fillText(words, x, y);
}

/** Words that stay legible on any colour. @param {CanvasRenderingContext2D} g @param {string} words @param {number} x @param {number} y @param {CanvasTextAlign} align @param {Ink} ink */
export function halo(g, words, x, y, align, ink, colour = ink.text) {
  g.font = font(12, 600);
  g.textAlign = align;
  g.textBaseline = "middle";
  g.lineJoin = "round";
  g.lineWidth = 3;
  g.strokeStyle = ink.ground;
  g.strokeText(words, x, y);
  g.fillStyle = colour;
  g.fillText(words, x, y);
}
