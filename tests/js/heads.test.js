import assert from "node:assert/strict";
import { test } from "node:test";

import { said, weights } from "../../assets/live/sums/heads.js";
import { close, golden, looking, reading } from "./golden.js";

const { weight, kept, without } = golden("heads");
const labels = kept.map((_, t) => `t${t}`);

test("special tokens dropped, and the rest of each row shares out 1 again", () => {
  const fields = {
    attention: { axes: ["layer", "head", "query", "key"], shape: [2, 3, 6, 6], values: weight },
  };
  const spans = kept.map((stays, t) => (stays ? [t, t + 1] : [t, t]));
  const reader = reading({ labels, fields, spans }, { layers: 2, heads: 3 });
  for (let layer = 0; layer < 2; layer++)
    for (let head = 0; head < 3; head++) {
      const { values } = weights(reader, looking({ with: "no_marks" }), layer, head);
      close(Array.from(values), without[layer][head], `layer ${layer}, head ${head}`);
    }
});

test("a weight that came as a byte is said to be about so much", () => {
  const reader = reading({ labels }, { layers: 1, heads: 1 });
  const square = { values: [0.4321, 0.001, 0, 0], start: 0, size: 2, places: [0, 1, 2, 3], cell: 2 };
  const ends = (rough, c) =>
    said(reader, { ...square, rough }, 0, 0, 0, c)
      .split(" is ")
      .at(-1);
  assert.deepEqual([ends(true, 0), ends(true, 1), ends(false, 0)], ["about 43 %", "less than 1 %", "43.2 %"]);
});
