import assert from "node:assert/strict";
import { test } from "node:test";

import { OFF, choose, readRules, softmax, writeRules } from "../../assets/live/sums/decode.js";
import { close, golden } from "./golden.js";

const { logits, cases, read } = golden("decode");

for (const name of Object.keys(logits))
  test(`what is drawn from: ${name}`, () => {
    for (const { rules, seen, p, cuts, left } of cases.filter((one) => one.logits === name)) {
      const found = choose(logits[name], readRules(rules), seen);
      const what = `${rules} after [${seen}]`;
      close(Array.from(found.after), p, what);
      close(found.left, left, `${what}: what is left`);
      assert.deepEqual(
        found.cuts.map((cut) => cut.title),
        cuts.map(([title]) => title),
        what,
      );
      found.cuts.forEach((cut, i) => close([cut.mass, cut.left], cuts[i].slice(1), `${what}: ${cut.title}`));
    }
  });

test("a sorted order that is kept serves every setting of the sliders", () => {
  const sorted = {};
  for (const { rules, seen, p } of cases.filter((one) => one.logits === "ties" && !one.seen.length))
    close(Array.from(choose(logits.ties, readRules(rules), seen, sorted).after), p, rules);
});

test("rules as a link writes them", () => {
  for (const [text, rules] of read) assert.deepEqual(readRules(text), rules, JSON.stringify(text));
});

test("rules are read as they were written", () => {
  assert.equal(writeRules(OFF), "off");
  for (const [text] of read) {
    const rules = readRules(text);
    assert.deepEqual(readRules(writeRules(rules)), rules, text);
  }
});

test("nothing can follow where everything is impossible", () => {
  assert.equal(softmax([-Infinity, -Infinity]), null);
  assert.equal(choose([-Infinity], OFF, []), null);
});
