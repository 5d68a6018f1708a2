// The text between the places where all readers cut, and the bits that each of them spent on it
// (engine/lessons/compare/alignment.py).

import { digits, raised } from "../dom.js";

/** @import { Segment } from "../types.js" */
/** @import { Reader } from "../wire.js" */

const BLANK = /^[\p{White_Space}\x1c-\x1f]$/u; // what Python calls white space: \s leaves out some and has one more
const IMPOSSIBLE = 1e8; // bits of what has probability 0 come as a large number

/**
 * With `words` only cuts at the ends of words.
 * @param {Pick<Reader, "spans" | "bits" | "unknown" | "lost">[]} readers @param {string[]} points characters @param
 *   {boolean} words
 * @returns {Segment[]} bits and unknown per reader
 */
export function segments(readers, points, words) {
  const firsts = readers.map((r) => (r.spans.length ? r.spans[0][1] : 0));
  const first = Math.max(0, ...firsts);
  const cuts = readers.map((r, m) => new Set([firsts[m], ...r.spans.slice(1).map((s) => s[1])]));
  /** @param {number} c */
  const blank = (c) => BLANK.test(points[c] ?? "");
  /** @param {number} c */
  const end = (c) => c === 0 || c === points.length || blank(c) || points[c - 1] === "\n";
  const common = Array.from(cuts[0] ?? [])
    .filter((c) => c >= first && cuts.every((other) => other.has(c)) && (!words || end(c)))
    .sort((a, b) => a - b);
  const found = common.slice(1).map((stop, s) => ({
    start: common[s],
    stop,
    text: points.slice(common[s], stop).join(""),
    bits: readers.map(() => 0),
    unknown: readers.map(() => false),
  }));
  readers.forEach((reader, m) => {
    let s = 0;
    reader.spans.forEach(([, stop], t) => {
      if (!t || !found.length || stop <= found[0].start || stop > found.at(-1).stop) return;
      while (stop > found[s].stop) s += 1;
      found[s].bits[m] += reader.bits[t] >= IMPOSSIBLE ? Infinity : reader.bits[t];
      if (reader.unknown.has(t)) found[s].unknown[m] = true;
    });
    for (const [start] of reader.lost)
      for (const of of found) if (start >= of.start && start < of.stop) of.unknown[m] = true;
  });
  return found;
}

/**
 * Which of the texts between two cuts cost reader r most; undefined where it knows none.
 * @param {Segment[]} found @param {number} r
 */
export function dearest(found, r) {
  const known = found.filter((of) => Number.isFinite(of.bits[r]) && !of.unknown[r]);
  return known.reduce((a, b) => (b.bits[r] > a.bits[r] ? b : a), known[0]);
}

/**
 * How many times as likely so many bits make something; a power of ten where that is a long number.
 * @param {number} bits
 */
export function times(bits) {
  const power = bits * Math.log10(2);
  return power < 5 || !Number.isFinite(power)
    ? digits(10 ** power)
    : `${(10 ** (power % 1)).toFixed(1)} × 10${raised(Math.floor(power))}`;
}
