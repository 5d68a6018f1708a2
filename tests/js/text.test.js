import assert from "node:assert/strict";
import { test } from "node:test";

import { longest, replayed, symbols } from "../../assets/live/sums/cutting.js";
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

test("a new text cut with what was learned", () => {
  for (const { kind, learned, merges, text, symbols: first, words, used } of golden("cutting").cases) {
    const what = `${kind} after ${merges.length}: ${JSON.stringify(text)}`;
    assert.deepEqual(symbols(kind, text), first, what);
    if (kind === "wordpiece") {
      const known = new Set(learned);
      const found = longest(text, (piece) => known.has(piece));
      assert.deepEqual(
        found.map(([, pieces]) => pieces),
        words,
        what,
      );
    } else {
      const steps = replayed(kind, text, merges);
      assert.deepEqual(steps.at(-1).words, words, what);
      const done = steps.slice(1).map(({ merge }) => merge);
      assert.deepEqual(
        [...new Set(done)].sort((a, b) => a - b),
        used,
        what,
      );
    }
  }
});
