// Patterns of who may look at whom, as engine/analysis/masks/patterns.py has them, and how the address holds a mask.

const DILATED = 4,
  MOST = 64;

/** @param {number} t @param {number} s @param {number} w */
function random(t, s, w) {
  if (t === s) return true;
  for (let n = 1; n < w && t > 0; n++) if ((t * 7919 + n * 104729 + 13) % t === s) return true;
  return false;
}

/** @type {Record<string, (t: number, s: number, w: number) => boolean>} */
const PATTERNS = {
  causal: (t, s) => s <= t,
  none: () => true,
  below: (t, s) => s < t,
  padding: (t, s, w) => s <= t && s >= w,
  window: (t, s, w) => s <= t && t - s < w,
  dilated: (t, s, w) => s <= t && (t - s) % w === 0 && t - s < DILATED * w,
  sink: (t, s, w) => s <= t && (t - s < w || s === 0),
  strided: (t, s, w) => s <= t && (t - s < w || s % w === w - 1),
  blocks: (t, s, w) => s <= t && Math.floor(t / w) === Math.floor(s / w),
  random,
  top: (t, s) => s <= t,
};

/** Row after row, 1 where a token may look. @param {string} pattern @param {number} n @param {number} size */
export function may(pattern, n, size) {
  const found = new Uint8Array(n * n);
  for (let t = 0; t < n; t++)
    for (let s = 0; s < n; s++) found[t * n + s] = Number(PATTERNS[pattern](t, s, size));
  return found;
}

/**
 * After how many layers what stands at s can have come to t; 0 for never within so many.
 * @param {ArrayLike<number>} open as `may` gives it @param {number} n @param {number} layers
 */
export function reach(open, n, layers) {
  const steps = new Uint8Array(n * n);
  let come = new Uint8Array(n * n);
  for (let t = 0; t < n; t++) come[t * n + t] = 1;
  for (let layer = 1; layer <= layers; layer++) {
    const further = come.slice();
    for (let t = 0; t < n; t++)
      for (let m = 0; m < n; m++)
        if (open[t * n + m]) for (let s = 0; s < n; s++) if (come[m * n + s]) further[t * n + s] = 1;
    for (let i = 0; i < n * n; i++) if (further[i] && !steps[i] && i % (n + 1)) steps[i] = layer;
    come = further;
  }
  for (let t = 0; t < n; t++) steps[t * n + t] = 1;
  return steps;
}

const RULES = /^([a-z]{1,12})\.(\d{1,2})\.([a-z0-9]{1,6})$/;

/** "window.4.zero": the pattern, its size, and how is hidden. @param {any} text @param {string} first */
export function readRules(text, first) {
  const [, pattern, size, way] = RULES.exec(text ?? "") ?? RULES.exec(first) ?? [];
  return { pattern, size: Math.max(1, Math.min(MOST, Number(size))), way };
}

/** @param {{pattern: string, size: number, way: string}} rules */
export const writeRules = ({ pattern, size, way }) => `${pattern}.${size}.${way}`;

/** Cells that are turned over, "3.5_4.2": from token 3 to token 5, from 4 to 2. @param {any} text @returns {string[]} */
export const readFlips = (text) =>
  String(text ?? "")
    .split("_")
    .filter((cell) => /^\d{1,2}\.\d{1,2}$/.test(cell));

/** The same with one cell turned over; at most as many as the address holds. @param {string[]} flips @param {string} cell */
export const flipped = (flips, cell) =>
  (flips.includes(cell) ? flips.filter((c) => c !== cell) : [...flips, cell]).slice(-6).join("_");
