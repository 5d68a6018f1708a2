// The words of the text, as far as all readers cut there, and which of them is looked at: what one reader has in one token
// is several of another.

import { segments } from "./segments.js";

/** @import { Segment, Span } from "../types.js" */

const kept = new WeakMap(); // per page what was found last

/** All words, with the bits of each reader. @param {any} app @returns {Segment[]} */
export function words(app) {
  const readers = [...app.readers.values()];
  const of = [app.points, ...readers.map((r) => r.bits)];
  const last = kept.get(app);
  if (last?.of.length === of.length && last.of.every((/** @type {any} */ x, i) => x === of[i]))
    return last.found;
  const found = segments(readers, app.points, false);
  kept.set(app, { of, found });
  return found;
}

/** The characters that are looked at; null where nothing is. @param {any} app @returns {Span | null} */
export function span({ selection }) {
  const { hovered, kept: chosen } = selection;
  const place = hovered.token !== undefined ? hovered : chosen.token !== undefined ? chosen : null;
  return place?.span ?? null;
}

/** The word looked at, the last one where nothing is; undefined where there is none. @param {any} app @returns {Segment | undefined} */
export function word(app) {
  const found = words(app);
  const at = span(app);
  return at ? found.find((w) => w.start < at[1] && at[1] <= w.stop) : found.at(-1);
}

/**
 * The tokens of a reader that the word is made of, without the blanks before it: [first, last]; [-1, -1] where it has none.
 * @param {import("../wire.js").Reader} reader @param {Segment | undefined} of
 */
export function tokens(reader, of) {
  const blanks = of?.text.trim() ? of.text.length - of.text.trimStart().length : 0;
  const inside = (/** @type {Span} */ [a, b]) => b > 0 && a < of.stop && b > of.start + blanks;
  return of ? [reader.spans.findIndex(inside), reader.spans.findLastIndex(inside)] : [-1, -1];
}

/** As it is written in a sentence. @param {{text: string} | undefined} of */
export const quoted = (of) => `“${of?.text.trim() || of?.text || ""}”`;
