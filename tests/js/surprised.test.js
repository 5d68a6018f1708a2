// Which word a reader was most surprised by: the word whose bits are printed, whatever its letters cost.

import assert from "node:assert/strict";
import { test } from "node:test";

import { surprised } from "../../assets/live/panels/ribbon/sentence.js";

// Two readers of "ab a": letters, the dearest of which is in "a", and words.
const reader = (title, labels, spans, bits) => ({
  spec: { title },
  labels,
  spans,
  bits,
  unknown: new Set(),
  lost: [],
});
const starts = [0, 0];
const letters = reader(
  "letters",
  ["", "a", "b", " ", "a"],
  [starts, [0, 1], [1, 2], [2, 3], [3, 4]],
  [0, 3, 4, 1, 5],
);
const words = reader("words", ["", "ab", "a"], [starts, [0, 2], [2, 4]], [0, 9, 2]);
const app = (selection) => ({
  points: [..."ab a"],
  readers: new Map([
    ["letters", letters],
    ["words", words],
  ]),
  selection: { hovered: {}, kept: {}, ...selection },
});

test("the bits that are ranked are the bits that are printed", () => {
  // letters: "ab" 3 + 4 = 7, " a" 1 + 5 = 6, though the last letter alone is the dearest of all
  assert.equal(
    surprised(app({}), [letters, words]),
    "Most surprised by “ab”: letters 7.00 bits, words 9.00 bits",
  );
  assert.equal(
    surprised(app({ kept: { token: 4, span: [3, 4] } }), [letters, words]),
    "“a”: letters 6.00 bits; words 2.00 bits",
  );
});
