import assert from "node:assert/strict";
import { test } from "node:test";

import { tokensAt } from "../../assets/live/sums/merging.js";
import { segments } from "../../assets/live/sums/segments.js";
import { close, golden } from "./golden.js";

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
