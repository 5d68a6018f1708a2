import { test } from "node:test";
import assert from "node:assert/strict";

import {
  entropy,
  heat,
  mixed,
  nearest,
  readRules,
  scores,
  stepOf,
  weights,
  writeRules,
} from "../../assets/live/sums/lookup.js";
import { close, golden } from "./golden.js";

test("weights, mixture, entropy and nearest words of a library", () => {
  for (const [library, score, t, weight, mixture, bits, near] of golden("lookup").rows) {
    const mine = weights(scores(library, score), t);
    close(mine, weight, "weights", 1e-9);
    close(entropy(mine), bits, "entropy", 1e-9);
    if (library.numbers) close(mixed(library.numbers, mine), mixture, "mixture", 1e-9);
    const found = nearest(library, mine, 3);
    assert.deepEqual(
      found.map(([word]) => word),
      near.map(([word]) => word),
    );
    close(
      found.map(([, cosine]) => cosine),
      near.map(([, cosine]) => cosine),
      "cosines",
      1e-4,
    );
  }
});

test("what the address holds", () => {
  assert.deepEqual(readRules("6.dot"), { step: 6, score: "dot" });
  assert.equal(writeRules(readRules("999.cosine")), writeRules(readRules(undefined)));
  assert.equal(heat(6), 0.02);
  for (const step of [0, 6, 20, 40, 80]) assert.equal(stepOf(heat(step)), step);
});
