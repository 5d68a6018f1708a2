import { test } from "node:test";
import assert from "node:assert/strict";

import { due } from "../../assets/live/sums/copy.js";

const line = (text) => ["\n", ...text];

test("what has to come behind the mark, letter by letter, then the end", () => {
  assert.deepEqual(due(line("ab=ab"), "="), [null, null, null, "a", "b", "\n"]);
  assert.deepEqual(due(line("ab=x"), "="), [null, null, null, "a", "b"]); // by its place, whatever was typed
  assert.deepEqual(due(line("a=abc"), "="), [null, null, "a", "\n", null, null]);
  assert.deepEqual(due(line("="), "="), [null, "\n"]);
  assert.deepEqual(due(line("abc"), "="), [null, null, null, null]);
  assert.deepEqual(due([], "="), []);
});
