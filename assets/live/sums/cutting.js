// A new text cut with what was learned: BPE replays its merges in their order, WordPiece takes the longest piece that fits
// (engine/text/subword/bpe.py, wordpiece.py and words.py).

import { join, letters } from "./merging.js";

const GPT2 = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
export const UNKNOWN = "[UNK]";

/** @type {Record<string, (text: string) => string[][]>} a text as words of first symbols */
const FIRST = {
  chars: (text) => (text.match(/\s?\S+|\s/gu) ?? []).map((word) => Array.from(word)),
  whole: (text) => (text ? [Array.from(text)] : []),
  classic: (text) => spaced(text).map((word) => [...word, "</w>"]),
  bytes: (text) => (text.match(GPT2) ?? []).map(letters),
  wordpiece: (text) => spaced(text).map((word) => Array.from(word, (c, i) => (i ? `##${c}` : c))),
};

/** @param {string} text */
const spaced = (text) => text.split(/\s+/u).filter(Boolean);

/** The symbols that a text is made of before anything is merged. @param {string} kind @param {string} text */
export const symbols = (kind, text) => FIRST[kind](text).flat();

/**
 * The text after each merge that it needs, in words; first as it was, with no merge.
 * @param {string} kind @param {string} text @param {[string, string, ...any[]][]} merges pairs in the order in which they were learned
 * @returns {{merge: number, words: string[][]}[]} `merge` counts from 0; -1 for none
 */
export function replayed(kind, text, merges) {
  /** @type {Map<string, number>} */
  const order = new Map();
  merges.forEach(([a, b], i) => {
    const pair = JSON.stringify([a, b]);
    if (!order.has(pair)) order.set(pair, i);
  });
  let words = FIRST[kind](text);
  const steps = [{ merge: -1, words }];
  for (;;) {
    let best = Infinity;
    for (const word of words)
      for (let i = 1; i < word.length; i++)
        best = Math.min(best, order.get(JSON.stringify([word[i - 1], word[i]])) ?? Infinity);
    if (best === Infinity) return steps;
    const [a, b] = merges[best];
    words = words.map((word) => merged(kind, word, a, b));
    steps.push({ merge: best, words });
  }
}

/** @param {string} kind @param {string[]} word @param {string} a @param {string} b */
function merged(kind, word, a, b) {
  const found = [...word];
  for (let i = 1; i < found.length; i++)
    if (found[i - 1] === a && found[i] === b) found.splice(i - 1, 2, join(kind, a, b));
  return found;
}

/**
 * Each word with its pieces; the whole word is unknown where none fits at some place.
 * @param {string} text @param {(piece: string) => boolean} has whether a piece is in the vocabulary @returns {[string, string[]][]}
 */
export function longest(text, has) {
  return spaced(text).map((word) => {
    const letters = Array.from(word);
    const pieces = [];
    for (let at = 0, stop = 0; at < letters.length; at = stop) {
      const piece = () => (at ? "##" : "") + letters.slice(at, stop).join("");
      for (stop = letters.length; stop > at && !has(piece());) stop--;
      if (stop === at) return [word, [UNKNOWN]];
      pieces.push(piece());
    }
    return [word, pieces];
  });
}
