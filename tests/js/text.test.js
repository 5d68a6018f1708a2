import assert from "node:assert/strict";
import { test } from "node:test";

import { tokensAt } from "../../assets/live/sums/merging.js";
import * as nearby from "../../assets/live/sums/nearby.js";
import { segments } from "../../assets/live/sums/segments.js";
import * as typedwords from "../../assets/live/sums/typedwords.js";
import { close, golden, reading } from "./golden.js";

test("what stands near what", () => {
  for (const { name, words, tables, ...fields } of golden("nearby").cases) {
    const text = nearby.typed(reading(fields));
    assert.deepEqual(text.words, words, name);
    for (const [rules, values] of tables)
      close(Array.from(nearby.table(text, nearby.readRules(rules)).values), values, `${name}: ${rules}`);
  }
});

test("how is counted, as a link writes it", () => {
  for (const [text, rules] of golden("nearby").read) assert.deepEqual(nearby.readRules(text), rules, text);
});

test("the text between the places where all readers cut", () => {
  const { text, cases } = golden("segments");
  for (const { readers, words, start, stop, bits, unknown, labels } of cases) {
    const given = readers.map((one) => ({ ...one, unknown: new Set(one.unknown) }));
    const found = segments(given, Array.from(text), words);
    const what = `${readers.map((one) => one.spans.length)}, words ${words}`;
    close(
      found.map((one) => one.start),
      start,
      `${what}: start`,
    );
    close(
      found.map((one) => one.stop),
      stop,
      `${what}: stop`,
    );
    close(
      found.map((one) => one.text),
      labels,
      `${what}: text`,
    );
    close(
      found.map((one) => one.bits),
      bits,
      `${what}: bits`,
    );
    close(
      found.map((one) => one.unknown),
      unknown,
      `${what}: unknown`,
    );
  }
});

test("how alike the typed words are, and how well each fits", () => {
  for (const { name, vectors, count, cosines, scores } of golden("odd_one").rows) {
    const dims = count ? vectors.length / count : 4;
    const labels = Array.from({ length: count }, (_, i) => `w${i}`);
    const fields = { vector: { axes: ["token", "dim"], shape: [count, dims], values: vectors } };
    const { words } = typedwords.typed(reading({ labels, fields, spans: labels.map((_, i) => [i, i + 1]) }));
    const found = typedwords.cosines(words);
    close(Array.from(found), cosines, name);
    close(typedwords.fits(found, words.length), scores, name);
  }
});

test("the text after each merge of a training", () => {
  for (const { kind, symbols, gone, steps, tokens } of golden("merging").cases)
    for (let step = 0; step <= steps; step++) {
      const found = tokensAt({ labels: symbols, said: { gone, kind } }, step);
      assert.deepEqual(
        found.map(({ piece }) => piece),
        tokens[step],
        `${kind} after ${step}`,
      );
    }
});
