import assert from "node:assert/strict";
import { test } from "node:test";

import * as ledger from "../../assets/live/sums/ledger.js";
import { order } from "../../assets/live/sums/order.js";
import { SQUASH, logits, terms } from "../../assets/live/sums/weights.js";
import { softmax } from "../../assets/live/sums/decode.js";
import { close, golden, looking, reading } from "./golden.js";

test("units in the order of a statistic", () => {
  for (const { units, wishes, found, ...fields } of golden("orders").cases) {
    wishes.forEach((wish, i) => {
      const reader = reading(fields, { units });
      const layers = found[i].length ? found[i] : [null, null];
      layers.forEach((expected, layer) => {
        const ours = order(reader, looking(wish), layer, 9);
        assert.deepEqual(
          ours,
          expected,
          `${JSON.stringify(wish)}, ${fields.labels.length} tokens, layer ${layer}`,
        );
      });
    });
  }
});

test("the account of a memory", () => {
  for (const { memory, books, ...fields } of golden("account").cases)
    for (const want of books) {
      const reader = reading(fields);
      const selection = looking({ layer: want.layer, unit: want.unit });
      const book = ledger.account({ spec: { memories: [memory] }, selection }, reader);
      const what = JSON.stringify({ ...memory, layer: want.layer, unit: want.unit });
      fields.labels.forEach((_, t) => {
        const found = ledger.parts(book, t);
        close(Array.from(found.kept), want.kept[t].slice(0, t + 1), `${what}: kept at ${t}`);
        close(Array.from(found.parts), want.parts[t].slice(0, t + 1), `${what}: parts at ${t}`);
        close([found.before, found.sum], [want.before[t], want.sum[t]], `${what}: sum at ${t}`);
        const [n, longer] = ledger.after(book, t);
        close([n, longer], [want.after[0][t], want.after[1][t]], `${what}: half after ${t}`);
        close(ledger.back(book, t), [want.back[0][t], want.back[1][t]], `${what}: half back from ${t}`);
        assert.equal(
          ledger.source(book, looking({}), reader, t),
          want.largest[t],
          `${what}: largest at ${t}`,
        );
      });
      close(Array.from(ledger.grid(book).values), want.grid, `${what}: grid`);
    }
});

test("half-lives of the units of a layer", () => {
  for (const { memory, lives, ...fields } of golden("account").cases)
    lives.forEach(([tokens, longer], layer) => {
      const found = ledger.halfLives(reading(fields), memory, layer);
      close(Array.from(found.tokens), tokens, JSON.stringify(memory));
      close(found.longer, longer, JSON.stringify(memory));
    });
});

test("the weights that were sent give the states and the probabilities of the model", () => {
  const { weights, probability, ...fields } = golden("elman");
  const reader = reading(fields, { weights });
  const hidden = reader.fields.get("hidden").values;
  const before = reader.fields.get("preactivation").values;
  const { units, layers, vocabulary, activation } = weights;
  const T = fields.labels.length;
  for (let layer = 0; layer < layers; layer++)
    for (let t = 0; t < T; t++)
      for (let unit = 0; unit < units; unit += 7) {
        const at = (layer * T + t) * units + unit;
        const { sum } = terms(reader, layer, unit, t);
        close(sum, before[at], `layer ${layer}, token ${t}, unit ${unit}`, 1e-5);
        close(
          SQUASH[activation].of(sum),
          hidden[at],
          `squashed: layer ${layer}, token ${t}, unit ${unit}`,
          1e-5,
        );
      }
  const p = probability.values.flat(Infinity);
  for (let t = 0; t < T; t++)
    close(
      Array.from(softmax(logits(reader, t))),
      p.slice(t * vocabulary, (t + 1) * vocabulary),
      `after token ${t}`,
    );
});
