// What can be said of many numbers: how many, from where to where, and what is no number.

import { digits } from "../dom.js";

/** @import { Numbers } from "../types.js" */

/** A number as it is, to the last digit that a 32-bit float has. @param {number} v */
export const exact = (v) =>
  Number.isFinite(v) ? String(Number(v.toPrecision(8))).replace("-", "−") : digits(v);

/** A number as it is read at a glance: a whole one whole. @param {number} v */
export const brief = (v) =>
  Number.isInteger(v) && Math.abs(v) < 1e9 ? v.toLocaleString("en").replace("-", "−") : digits(v);

/**
 * [how many, min, mean, max, not a number, infinite] of an array, and of a gate the shares at its ends.
 * @param {Numbers} values @param {any} gate
 */
export function statistics(values, gate) {
  let low = Infinity,
    high = -Infinity,
    sum = 0,
    n = 0,
    nan = 0,
    shut = 0,
    open = 0;
  for (const v of values) {
    if (Number.isNaN(v)) {
      nan += 1;
      continue;
    }
    if (!Number.isFinite(v)) continue;
    if (v < low) low = v;
    if (v > high) high = v;
    if (v < 0.05) shut += 1;
    else if (v > 0.95) open += 1;
    sum += v;
    n += 1;
  }
  const all = n ? [low, sum / n, high] : [0, 0, 0];
  const ends = gate ? [shut / (n || 1), open / (n || 1)] : [];
  return [values.length, ...all, nan, values.length - n - nan, ...ends];
}

/** The same in words. @param {number[]} statistics @param {string} of */
export function said([count, low, mean, high, nan, infinite, shut, open], of) {
  /** @param {number} x */
  const share = (x) => `${(100 * x).toFixed(x && x < 0.01 ? 2 : 0)} %`;
  const parts = [
    `${count.toLocaleString("en")} ${count === 1 ? "number" : "numbers"} ${of}: min ${brief(low)}, mean ${digits(mean)}, max ${brief(high)}`,
  ];
  if (shut !== undefined) parts.push(`${share(shut)} shut (below 0.05), ${share(open)} open (above 0.95)`);
  parts.push(nan ? `${nan.toLocaleString("en")} not a number` : "none is NaN");
  parts.push(infinite ? `${infinite.toLocaleString("en")} infinite (masked)` : "none infinite");
  return `${parts.join("; ")}.`;
}

// The colour scale of a picture: that of the field where it has ends of its own, else up to the largest number drawn, rounded up.
/** @param {any} scale @param {number[]} statistics @param {any} fixed */
export function scaleOf(scale, [, low, , high], fixed) {
  if (fixed) return scale;
  const most = Math.max(Math.abs(low), Math.abs(high));
  const ten = 10 ** Math.floor(Math.log10(most || 1));
  const end = !most ? 1 : [1, 1.5, 2, 3, 5, 7, 10].map((m) => m * ten).find((x) => x >= most * 0.999);
  return { ...scale, low: scale.low < 0 || low < 0 ? -end : 0, high: end };
}
