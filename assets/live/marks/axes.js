// What numbers are read off by: rules across with what they stand for, ticks below, and the column looked at.

import { font } from "../drawing/canvas.js";

/** @import { Box, Ink } from "../types.js" */

/**
 * Thin lines from `left` to `right`, each with what it stands for at its left; sharp where they lie on whole pixels.
 * @param {CanvasRenderingContext2D} g @param {any[][]} marks heights and words
 * @param {{left: number, right: number, colours: Ink, gap?: number, sharp?: boolean}} where
 */
export function rules(g, marks, { left, right, colours, gap = 5, sharp = true }) {
  g.font = font(11);
  g.textAlign = "right";
  g.textBaseline = "middle";
  for (const [y, words] of marks) {
    g.fillStyle = colours.line;
    g.fillRect(left, sharp ? Math.round(y) : y - 0.5, right - left, 1);
    g.fillStyle = colours.faint;
    g.fillText(words, left - gap, y);
  }
}

/**
 * Words at their places along the bottom. @param {any[][]} marks places and words @param {Ink} colours
 * @param {CanvasRenderingContext2D} g @param {number} y
 */
export function ticks(g, marks, y, colours) {
  g.font = font(11);
  g.textAlign = "center";
  g.fillStyle = colours.faint;
  for (const [x, words] of marks) g.fillText(words, x, y);
}

/**
 * A part of the picture in the colour of what is looked at. @param {Box} box @param {Ink} colours
 * @param {CanvasRenderingContext2D} g
 */
export function shade(g, box, colours, alpha = 0.2) {
  g.fillStyle = colours.accent;
  g.globalAlpha = alpha;
  g.fillRect(box.x, box.y, box.w, box.h);
  g.globalAlpha = 1;
}

/** A number as an axis writes it. @param {number} value */
export const plain = (value) => String(value).replace("-", "−");

/** Lowest, middle and highest. @param {number} low @param {number} high */
export const three = (low, high) => [low, (low + high) / 2, high];

/**
 * Calls put(i) for every so many positions, so that they keep `room` pixels apart, and for the chosen one.
 * @param {number} count @param {number} step @param {number} room @param {number} chosen @param {(i: number) => void} put
 */
export function spaced(count, step, room, chosen, put) {
  const every = Math.max(1, Math.ceil(room / step));
  for (let i = 0; i < count; i += every)
    if (i === chosen || chosen < 0 || Math.abs(i - chosen) * step >= room) put(i);
  if (chosen >= 0 && chosen < count && chosen % every) put(chosen);
}

/** The powers of ten from 1 up to `most`, for an axis of ranks. @param {number} most */
export const tens = (most) =>
  Array.from({ length: 1 + Math.floor(Math.log10(most) + 1e-9) }, (_, i) => 10 ** i);
