import assert from "node:assert/strict";
import { test } from "node:test";

import { filled, total } from "../../assets/live/marks/equation.js";
import { covering, hues, lay, over, part } from "../../assets/live/sums/overlap.js";
import { reading } from "./golden.js";

const named = (segment) => ({ " ": "·", "\n": "⏎" })[segment] ?? segment;
const lines = (text, room) =>
  lay(text, 0, room, named, () => 10).map((cells) => cells.map(({ label }) => label).join(""));

test("a text is broken before a blank where there is one, else where the room ends, and at each line end", () => {
  assert.deepEqual(lines("one two three", 80), ["one·two", "·three"]);
  assert.deepEqual(lines("abcdefghij", 40), ["abcd", "efgh", "ij"]);
  assert.deepEqual(lines("a\nbc", 400), ["a⏎", "bc"]);
  assert.deepEqual(lines("", 40), []);
});

test("a sign of several code points is one cell", () => {
  const [cells] = lay("a👩‍🚀b", 5, 100, named, () => 10);
  assert.deepEqual(
    cells.map(({ at, size, x }) => [at, size, x]),
    [
      [5, 1, 0],
      [6, 3, 10],
      [9, 1, 20],
    ],
  );
});

test("which tokens of other readers lie over the characters of one", () => {
  const labels = ["the", "re", "d"];
  const one = reading({
    labels: ["th", "ered"],
    spans: [
      [0, 2],
      [2, 6],
    ],
  });
  const other = reading({
    labels,
    spans: [
      [0, 3],
      [3, 5],
      [5, 6],
    ],
  });
  const look = { reader: one, t: 1, span: [2, 6] };
  assert.deepEqual(over(other, look), [0, 1, 2]);
  assert.deepEqual(over(one, look), [1]);
  assert.deepEqual(over(other, { ...look, span: undefined }), []);
});

test("bytes of one character share its cell", () => {
  const spans = [
    [0, 1],
    [1, 2],
    [1, 2],
  ];
  const shared = covering(reading({ labels: ["a", "<C3>", "<A9>"], spans }));
  const cell = { at: 1, size: 1 };
  assert.deepEqual([part(shared, cell, 1, 1, 0), part(shared, cell, 1, 1, 1)], [0, 0.5]);
  assert.deepEqual([part(shared, cell, 2, 1, 0), part(shared, cell, 2, 1, 1)], [0.5, 1]);
});

test("a number has the same colour wherever it comes again", () => {
  const fields = { id: { axes: ["token"], shape: [4], values: [7, 3, 7, 9] } };
  assert.deepEqual(hues(reading({ labels: [..."abca"], fields })), [0, 1, 0, 2]);
});

test("a formula with its numbers put in, and the sum of its terms", () => {
  assert.equal(
    filled("{a} + {b@-1}", (name) => name.length),
    "1 + 4",
  );
  assert.equal(
    total([
      { name: "", value: 2 },
      { name: "", value: -0.5 },
    ]),
    1.5,
  );
});
