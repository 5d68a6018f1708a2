import assert from "node:assert/strict";
import { test } from "node:test";

import { short } from "../../assets/live/dom.js";
import { nearest } from "../../assets/live/knownwords.js";
import { clusters, first } from "../../assets/live/segmentation.js";
import { golden } from "./golden.js";

const { cut, first: begun, shown } = golden("segmented");

test("characters are those of Python", () => {
  for (const [text, characters] of cut) assert.deepEqual(clusters(text), characters, text);
});

test("a beginning has whole characters", () => {
  for (const [text, some] of begun) assert.equal(first(text, 3), some, text);
});

test("a label that is shortened has whole characters", () => {
  for (const [label, text] of shown) assert.equal(short(label, 14), text);
});

test("a known word looks like another by its syllables", () => {
  assert.deepEqual(nearest("తాగు", ["పాడు", "తాగి", "తాడు"]).slice(0, 2), ["తాగి", "తాడు"]);
});
