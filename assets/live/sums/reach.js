// Gradients of the words of a text with respect to the words before them: of what all tokens of a word lose together, which
// stands in the row of its last token, with respect to the vectors of all tokens of the other word.

import { tokens } from "./sameword.js";
import { segments } from "./segments.js";

/** @import { Reader } from "../wire.js" */
/** @import { Segment } from "../types.js" */

const cutter = new WeakMap(); // per page what was found last

/**
 * The words of the text at whose ends all readers cut, without blanks alone. @param {any} app @returns {Segment[]}
 */
export function named(app) {
  const readers = [...app.readers.values()];
  const of = [app.points, ...readers.map((r) => r.bits)];
  const last = cutter.get(app);
  if (last?.of.length === of.length && last.of.every((/** @type {any} */ x, i) => x === of[i]))
    return last.found;
  const found = segments(readers, app.points, true).filter((word) => word.text.trim());
  cutter.set(app, { of, found });
  return found;
}

const kept = new WeakMap(); // per reader

/**
 * [q][k]: the length of the gradient of word q with respect to word k, k < q.
 * @param {Reader} reader @param {Segment[]} of @returns {number[][]}
 */
export function blocks(reader, of) {
  const field = reader.fields.get("gradient.input");
  const last = kept.get(reader);
  if (
    last?.values === field?.values &&
    last?.of.length === of.length &&
    last.of.every((/** @type {any} */ w, i) => w === of[i])
  )
    return last.found;
  const places = of.map((word) => tokens(reader, word));
  const found = of.map((_, q) =>
    of.slice(0, q).map((__, k) => {
      const [[, b], [c, d]] = [places[q], places[k]];
      let sum = 0;
      if (b >= 0 && c >= 0)
        for (let j = c; j <= d; j++) sum += reader.value("gradient.input", { query: b, key: j }) ** 2;
      return Math.sqrt(sum);
    }),
  );
  kept.set(reader, { values: field?.values, of, found });
  return found;
}

/** The same of one word as shares of their sum. @param {number[]} row @returns {number[]} */
export function shares(row) {
  const sum = row.reduce((a, b) => a + b, 0);
  return row.map((v) => (sum ? v / sum : 0));
}

/**
 * By distance, from 1: the geometric mean, over all words that have one so far back, of the gradient beside that one word back.
 * @param {number[][]} found @returns {number[]}
 */
export function fall(found) {
  const means = [];
  for (let n = 1; n < found.length; n++) {
    let [sum, count] = [0, 0];
    for (let q = n; q < found.length; q++) {
      const [near, far] = [found[q][q - 1], found[q][q - n]];
      if (near > 0 && far > 0) [sum, count] = [sum + Math.log10(far / near), count + 1];
    }
    means.push(count ? sum / count : NaN);
  }
  return means;
}

/**
 * Tokens from one word of the text to the next, on average.
 * @param {Reader} reader @param {Segment[]} of
 */
export function pace(reader, of) {
  const ends = of.map((word) => tokens(reader, word)[1]);
  return ends.length > 1 ? (ends[ends.length - 1] - ends[0]) / (ends.length - 1) : 0;
}
