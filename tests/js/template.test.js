// What a chat template adds is found, and divided where it begins a turn.

import assert from "node:assert/strict";
import { test } from "node:test";

import { groups } from "../../assets/live/template.js";

/** Tokens that were typed are written with a dot before them. @param {string} words */
function tokens(words) {
  let at = 0;
  const labels = words.split(" ").map((word) => word.replaceAll("~", "\n"));
  const spans = labels.map((label) => [at, label.startsWith(".") ? (at += label.length - 1) : at]);
  return [labels.map((label) => label.replace(/^\./, "")), spans];
}

const named = (words) => groups(...tokens(words)).map(({ start, stop, role }) => [role, start, stop]);

test("the turns of ChatML, with a role in two pieces and one in what the system says", () => {
  const words =
    "<|im_start|> system ~ You assistant <|im_end|> ~ <|im_start|> user ~ .The .sea <|im_end|> ~ <|im_start|> ass istant ~";
  assert.deepEqual(named(words), [
    ["system", 0, 7],
    ["user", 7, 10],
    ["assistant", 12, 18],
  ]);
});

test("roles inside marks, and between two marks", () => {
  assert.deepEqual(named("<|user|> ~ .a <|end|> ~ <|assistant|> ~"), [
    ["user", 0, 2],
    ["assistant", 3, 7],
  ]);
  const llama = "<s> <|start_header_id|> user <|end_header_id|> .a <|eot_id|> <start_of_turn> model";
  assert.deepEqual(named(llama), [
    ["user", 0, 4],
    ["model", 5, 8],
  ]);
});

test("a template that names no role is one group between what was typed", () => {
  assert.deepEqual(named("<s> [INST] .a .b [/INST]"), [
    ["", 0, 2],
    ["", 4, 5],
  ]);
  assert.deepEqual(named(".a .user"), []);
  assert.deepEqual(groups([], []), []);
});
