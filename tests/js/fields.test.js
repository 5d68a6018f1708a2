// What the browser computes of fields of any axes: slices, statistics, edits as texts, the sums of a cell and
// of a ladder.

import assert from "node:assert/strict";
import { test } from "node:test";

import { formula, ladder, sum } from "../../assets/live/sums/backoff.js";
import { numbers } from "../../assets/live/sums/cell.js";
import { read, words, write } from "../../assets/live/sums/fieldedits.js";
import { ends, slice } from "../../assets/live/sums/slice.js";
import { exact, scaleOf, statistics } from "../../assets/live/sums/statistics.js";

const SITES = {
  "gate.forget": { layer: 2, token: 4, unit: 3 },
  score: { layer: 2, head: 2, query: 4, key: 4 },
};

test("a slice walks over the same numbers as an index of all axes", () => {
  const shape = [2, 3, 4];
  const values = Float32Array.from({ length: 24 }, (_, i) => i);
  const field = { axes: ["layer", "token", "unit"], shape, values };
  const of = slice(field, "unit", "token", { layer: 1 });
  assert.deepEqual([of.rows, of.columns], [4, 3]);
  for (let u = 0; u < 4; u++)
    for (let t = 0; t < 3; t++) assert.equal(values[of.start + u * of.down + t * of.across], 12 + t * 4 + u);
  assert.deepEqual(ends(of), { mean: 17.5, low: 12, high: 23 });
  assert.equal(slice(field, "", "unit", { layer: 1, token: 2 }).rows, 1);
});

test("statistics leave out what is no number", () => {
  assert.deepEqual(statistics([1, -3, NaN, -Infinity, 5], false), [5, -3, 1, 5, 1, 1]);
  assert.deepEqual(statistics([0.01, 0.99, 0.5, 0.5], true).slice(6), [0.25, 0.25]);
  assert.deepEqual(scaleOf({ low: -1, high: 1 }, [2, -1.4, 0, 0.2], false), { low: -1.5, high: 1.5 });
  assert.equal(exact(-0.5), "−0.5");
});

test("an edit that is written is read again, and impossible ones are none", () => {
  const text = write(
    "gate.forget",
    [
      ["layer", "1"],
      ["token", "2-"],
      ["unit", "*"],
    ],
    "set",
    "0.5",
    true,
  );
  assert.equal(text, "gate.forget:layer=1:token=2-:set:0.5");
  assert.deepEqual(read(text, SITES).at, { layer: "1", token: "2-" });
  assert.equal(words(text, SITES), "gate.forget at layer 2, token 2-: held at 0.5");
  assert.equal(write("gate.forget", [["unit", "x"]], "set", "0", true), null);
  assert.equal(write("gate.forget", [], "set", "2", true), null);
  assert.deepEqual(read("score:1:0:3:2:set:-1", SITES).at, { layer: "1", head: "0", query: "3", key: "2" });
});

test("the memory of a cell is what it keeps and what is added", () => {
  const at = {
    cell: [
      [1, 2],
      [3, 4],
    ],
    forget: [
      [0, 0],
      [0.5, 0.25],
    ],
    input: [
      [1, 1],
      [2, 4],
    ],
  };
  const field = (name) => ({ axes: ["token", "unit"], shape: [2, 2], values: at[name].flat() });
  const reader = {
    offset: 0,
    fields: new Map(Object.keys(at).map((name) => [name, field(name)])),
    value: (name, { token, unit }) => at[name]?.[token][unit] ?? 0,
    spec: {
      fields: Object.fromEntries([...Object.keys(at), "hidden"].map((n) => [n, { symbol: `${n}_t` }])),
    },
  };
  const cell = { memories: [{ state: "cell", keep: "forget", write: ["input"], complement: false }] };
  const one = numbers(reader, cell, 0, 1, 1);
  assert.deepEqual([one.get("kept cell").value, one.get("added cell").value], [0.5, 4]);
  assert.equal(numbers(reader, cell, 0, 0, 0).get("before cell").value, 0);
});

test("the rungs of a ladder add up to the probability", () => {
  const reader = {
    offset: 0,
    labels: ["<s>", "a", "b"],
    spans: [
      [0, 0],
      [0, 1],
      [2, 3],
    ],
    spec: {
      orders: ["uniform", "1 word", "2 words"],
      method: { adjusted: false, predicted: 10, cut: false },
    },
    value: (_, { order }) => [0, 0.5, 0.25][order],
  };
  const rungs = ladder(reader, 2, [
    [0.0125, 0, 0, 0],
    [0.05, 2, 10, 0],
    [0.6, 6, 10, 0],
  ]);
  assert.deepEqual(
    rungs.map(({ m, weight }) => [m, weight]),
    [
      [2, 1],
      [1, 0.25],
      [0, 0.125],
    ],
  );
  assert.equal(rungs[0].context, "b");
  assert.equal(formula(rungs[1], reader.spec.method), "2 / 10 × 0.250 = 0.0500");
  assert.match(sum(rungs, 0.6625), /^0\.600 \+ 0\.0500 \+ 0\.0125 = 0\.66/);
});
