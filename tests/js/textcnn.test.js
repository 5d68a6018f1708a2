import assert from "node:assert/strict";
import { test } from "node:test";

import {
  answer,
  covered,
  matchedAt,
  opened,
  strongest,
  switchedOff,
  tables,
} from "../../assets/live/sums/textcnn.js";
import { close, golden, reading } from "./golden.js";

const { texts, spec, switches } = golden("textcnn");
const readers = texts.map((text) => reading(text, spec));

test("the answer is the model's own, at every word, with filters on and off", () => {
  texts.forEach(({ labels, answers }, i) => {
    for (const [n, off] of switches.entries())
      labels.forEach((_, t) =>
        close(answer(readers[i], t, new Set(off)).p, answers[n][t], `${i} ${off} ${t}`, 1e-5),
      );
  });
});

test("what filters add is the difference of two scores", () => {
  const { p, each, start, sides } = answer(readers[0], readers[0].labels.length - 1, new Set());
  const odds = Array.from(each).reduce((a, b) => a + b, start);
  close(Math.log(p[sides[1]] / p[sides[0]]), odds, "log-odds", 1e-5);
});

test("the products of a match add up to what the model found there", () => {
  const [reader] = readers;
  const last = reader.labels.length - 1;
  const { count } = tables(reader);
  for (let unit = 0; unit < count; unit += 7)
    for (let t = 0; t <= last; t++) {
      const { words, sum } = opened(reader, unit, t);
      assert.equal(words.length, covered(tables(reader), unit));
      close(Math.max(0, sum), reader.value("response", { token: t, unit }), `${unit} at ${t}`, 1e-4);
    }
});

test("a best match is found where it is", () => {
  const [reader] = readers;
  const last = reader.labels.length - 1;
  for (let unit = 0; unit < tables(reader).count; unit++) {
    const at = matchedAt(reader, unit, last);
    const all = reader.labels.map((_, t) => reader.value("response", { token: t, unit }));
    const most = Math.max(...all);
    assert.equal(at, most ? all.indexOf(most) : -1, `${unit}`);
  }
});

test("what an address says is off, and which filters are shown", () => {
  assert.deepEqual([...switchedOff("3,99,x,-1,5,3", 50)], [3, 5]);
  assert.deepEqual([...switchedOff(undefined, 50)], []);
  const each = Float32Array.from([0.5, -3, 2, -1, 4, 0.1]);
  assert.deepEqual(strongest(each, 4), [4, 1, 2, 3]);
  assert.deepEqual(strongest(each, 5), [4, 1, 2, 3, 0]);
  assert.deepEqual(strongest(Float32Array.from([1, 2, 0, 3]), 2), [3, 1]);
  assert.deepEqual(strongest(Float32Array.from([0, 0, 2]), 2), [2], "what adds nothing is not shown");
});
