import { test } from "node:test";
import assert from "node:assert/strict";

import { flipped, may, reach, readFlips, readRules, writeRules } from "../../assets/live/sums/masks.js";
import { close, golden } from "./golden.js";

test("patterns, and how far they reach through layers", () => {
  for (const [name, n, size, open, far] of golden("masks").rows) {
    const mine = may(name, n, size);
    close(Array.from(mine), open.flat(), name, 0);
    close(Array.from(reach(mine, n, 3)), far.flat(), `reach of ${name}`, 0);
  }
});

test("what the address holds", () => {
  const first = "below.4.e9";
  assert.equal(writeRules(readRules("window.7.inf", first)), "window.7.inf");
  assert.equal(writeRules(readRules("<script>", first)), first);
  assert.deepEqual(readFlips("3.5_x_4.2_99"), ["3.5", "4.2"]);
  assert.equal(flipped(["3.5", "4.2"], "3.5"), "4.2");
  assert.equal(flipped([], "1.0"), "1.0");
});
