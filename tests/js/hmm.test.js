import assert from "node:assert/strict";
import { test } from "node:test";

import * as hmm from "../../assets/live/sums/hmm.js";
import { close, golden, looking, reading } from "./golden.js";

const found = golden("hmm");
const cases = found.cases.map(({ spec, ...more }) => ({ reader: reading(more, spec), ...more }));

test("the product along a path, factor by factor", () => {
  for (const { reader, paths, bends } of cases) {
    const of = hmm.bends(hmm.written(new Map(Object.entries(bends).map(([t, s]) => [Number(t), s]))));
    const ours = [hmm.viterbi(reader), hmm.bent(reader, of)];
    paths.forEach(({ path, transition, emission, bits }, n) => {
      assert.deepEqual(ours[n], path);
      const factors = hmm.factors(reader, ours[n]);
      close(
        factors.map((f) => f.transition),
        transition,
        "transition",
      );
      close(
        factors.map((f) => f.emission),
        emission,
        "emission",
      );
      close(
        factors.map((f) => f.bits),
        bits,
        "bits",
        1e-5,
      );
    });
  }
});

test("a prediction in its parts, and the probability of a token", () => {
  for (const { reader, parts, evidence } of cases) {
    const path = hmm.viterbi(reader);
    assert.deepEqual(hmm.sources(reader, 0, 1), []);
    parts.forEach((part, i) => {
      const ours = hmm.sources(reader, i + 1, path[i + 1]).map(([, f, a]) => f * a);
      close(ours, part, `token ${i + 1}`);
      const sum = ours.reduce((x, y) => x + y, 0);
      close(sum, reader.value("predict", { token: i + 1, state: path[i + 1] }), `prediction ${i + 1}`);
    });
    evidence.forEach((p, t) => close(Math.log(hmm.evidence(reader, t)), Math.log(p), `P of token ${t}`));
  }
});

test("what the future moved", () => {
  for (const { reader, moved } of cases)
    moved.forEach((far, t) =>
      close(
        hmm.distance(hmm.belief(reader, "filter", t), hmm.belief(reader, "smooth", t)),
        far,
        `token ${t}`,
      ),
    );
});

test("how far two beginnings are apart", () => {
  for (const { reader, unread, read } of cases) {
    const { a, states } = hmm.tables(reader);
    const starts = [0, 1].map((s) => hmm.sure(states.length, s));
    const none = new Float32Array(states.length).fill(1);
    const without = hmm.apart(a, ...starts, unread.length, () => none);
    close(without.unread.slice(1), unread, "unread");
    close(without.read.slice(1), unread, "read of nothing");
    const ours = hmm.apart(a, ...starts, read.length, (n) => hmm.belief(reader, "likely", n));
    close(ours.read.slice(1), read, "read");
    assert.equal(ours.read[0], 1);
  }
});

test("two states, the same word again and again, worked out by hand", () => {
  const ours = hmm.apart(found.a, [1, 0], [0, 1], 5, () => found.b);
  close(ours.unread, [1, 0.3, 0.09, 0.027, 0.0081, 0.00243], "unread");
  close(ours.read, [1, 0.286169, 0.08021, 0.022337, 0.006209, 0.001725], "read", 2e-6);
  const kept = hmm.apart([1, 0, 0, 1], [0.9, 0.1], [0.1, 0.9], 4, () => found.b);
  close(kept.unread, [0.8, 0.8, 0.8, 0.8, 0.8], "a chain that never mixes");
});

test("a path in a link, and what is wrong in one", () => {
  assert.deepEqual(
    [...hmm.bends("3:7,5:2")],
    [
      [3, 7],
      [5, 2],
    ],
  );
  assert.deepEqual([...hmm.bends("3:7,5:2", 4)], [[5, 2]]);
  for (const odd of ["", undefined, "x", "3", ":,:", "layer:x"]) assert.equal(hmm.bends(odd).size, 0);
  assert.equal(
    hmm.written(
      new Map([
        [5, 2],
        [3, 7],
      ]),
    ),
    "3:7,5:2",
  );
});

test("a bend holds as long as its token is the same", () => {
  const { reader } = cases[1];
  const selection = looking({ picks: "2:1,99:1" });
  assert.deepEqual([...hmm.held(reader, selection)], [[2, 1]]);
  const { labels } = reader;
  reader.labels = labels.with(2, "another");
  assert.equal(hmm.held(reader, selection).size, 0);
  reader.labels = labels;
  assert.deepEqual([...hmm.held(reader, selection)], [[2, 1]]);
});

test("rows and names of states", () => {
  const [letters, tags] = cases.map(({ reader }) => reader);
  assert.deepEqual(hmm.rowsOf(letters, 24), [0, 1, 2, 3]);
  const path = new Set(hmm.viterbi(tags));
  const few = hmm.rowsOf(tags, path.size);
  assert.deepEqual(new Set(few), path);
  assert.equal(hmm.called(hmm.tables(tags), 1), "ADJ");
  assert.match(hmm.called(hmm.tables(letters), 2), /^2: e /);
  assert.equal(hmm.chosenState(tags, looking({ unit: 3 }), 2), 3);
  assert.equal(hmm.chosenState(tags, looking({ unit: 99 }), 2), hmm.viterbi(tags)[2]);
});
