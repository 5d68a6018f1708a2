import assert from "node:assert/strict";
import { test } from "node:test";

import { heads } from "../../assets/live/sums/reshaped.js";
import { golden } from "./golden.js";

const { n, h, k, right, wrong } = golden("reshaped");

test("numbers stand where numpy puts them", () => {
  for (const [found, want] of [
    [heads(n, h, k), right],
    [heads(n, h, k, true), wrong],
  ])
    found.forEach(({ head, row, column }, at) => assert.equal(want[head][row][column], at));
});
