// The colour scales of a picture that has several, each with the names of what it is of.

import { Scale, legend } from "../drawing/canvas.js";

/** @import { Ink, ScaleSpec } from "../types.js" */

const HIGH = 30;

/**
 * Names by their scale, each once.
 * @param {{scale: ScaleSpec, name: string}[]} items @returns {[ScaleSpec, string][]}
 */
export function scales(items) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  for (const { scale, name } of items) {
    const key = JSON.stringify(scale);
    if (!found.has(key)) found.set(key, new Set());
    found.get(key).add(name);
  }
  return Array.from(found, ([key, names]) => [JSON.parse(key), [...names].join(", ")]);
}

/** How high that many are. @param {[ScaleSpec, string][]} of */
export const legendsHigh = (of) => HIGH * of.length;

/**
 * One below the other. @param {[ScaleSpec, string][]} of @param {boolean} dark @param {Ink} colours
 * @param {CanvasRenderingContext2D} g @param {number} x @param {number} y
 */
export function legends(g, of, x, y, dark, colours) {
  of.forEach(([scale, names], n) =>
    legend(g, x, y + 4 + n * HIGH, 120, new Scale(scale, dark), names, colours),
  );
}
