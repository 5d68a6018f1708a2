// What a chat template adds to a text: the tokens that cover no character of it, in groups.

/** @import { Span } from "./types.js" */

// A mark, and the role whose turn it begins, inside it or behind it: <|im_start|>user, <|user|>, <start_of_turn>model.
const TURN =
  /(?:<[^<>\s]{1,40}>|\[[^[\]\s]{1,20}\])\s*(system|user|assistant|model)(?![a-z])|<\|?(system|user|assistant)\|?>/gi;

/**
 * `role`: whose turn it begins; "" where it names none.  What ends a turn goes with the next one, so that a group stands
 * between two texts that were typed, or two where a role begins in its middle.
 * @typedef {{start: number, stop: number, role: string}} Group
 */

/** @param {string[]} labels @param {Span[]} spans @returns {Group[]} */
export function groups(labels, spans) {
  /** @type {Group[]} */
  const found = [];
  for (let start = 0; start < labels.length; start++) {
    if (!adds(spans[start])) continue;
    let stop = start;
    while (stop < labels.length && adds(spans[stop])) stop++;
    found.push(...divide(labels, start, stop));
    start = stop;
  }
  return found;
}

/** @param {Span} span */
const adds = ([start, stop]) => start === stop;

/** @param {string[]} labels @param {number} start @param {number} stop */
function divide(labels, start, stop) {
  const begins = [0]; // where in their text each of these tokens begins
  for (const label of labels.slice(start, stop)) begins.push(begins[begins.length - 1] + label.length);
  /** @type {Group[]} */
  const found = [];
  for (const match of labels.slice(start, stop).join("").matchAll(TURN)) {
    const first = found.length ? start + begins.findLastIndex((at) => at <= match.index) : start;
    if (found.length) found[found.length - 1].stop = first;
    found.push({ start: first, stop, role: (match[1] ?? match[2]).toLowerCase() });
  }
  return found.length ? found : [{ start, stop, role: "" }];
}
