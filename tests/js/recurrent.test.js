import assert from "node:assert/strict";
import { test } from "node:test";

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
