import assert from "node:assert/strict";
import { test } from "node:test";

import { Tables, words } from "../../assets/live/sums/bayes.js";
import { close, golden } from "./golden.js";

const { tables, bayes, cosines, words: cut } = golden("bag");
const made = (more = {}) =>
  new Tables({ ...tables, idf: tables.vocab.map(() => 1), centroid: tables.count, ...more });

for (const kind of ["multinomial", "bernoulli"])
  test(`naive Bayes: ${kind}`, () => {
    const table = made();
    for (const row of bayes.filter((one) => one.kind === kind)) {
      const what = `k = ${row.k}, priors ${row.priors}, “${row.text.slice(0, 20)}”`;
      const bag = table.bag(row.text);
      assert.deepEqual(bag.skipped, row.skipped, what);
      assert.deepEqual(
        [...bag.known.keys()].map((v) => tables.vocab[v]),
        row.words,
        what,
      );
      assert.deepEqual([...bag.known.values()], row.counts, what);
      const found = table.read(kind, row.k, row.priors, bag.known);
      close(
        found.rows.map(({ bits }) => bits),
        row.parts,
        `${what}: words`,
      );
      for (const name of ["rest", "joint", "evidence", "posterior"])
        close(found[name], row[name], `${what}: ${name}`);
      if (row.best < 0) assert.equal(found.best, -1, what);
      else
        close(row.posterior[found.best], row.posterior[row.best], `${what}: the likeliest, or one as likely`);
    }
  });

test("nearest centroid", () => {
  for (const row of cosines) {
    const table = made({ idf: row.idf, centroid: row.centroid });
    const { known } = table.bag(row.text);
    const found = table.read("tfidf", 1, [], known);
    assert.deepEqual(
      [...known.keys()].map((v) => tables.vocab[v]),
      row.words,
    );
    close(
      found.rows.map(({ bits }) => bits),
      row.parts,
      row.text,
    );
    assert.equal(found.best, row.best, row.text);
  }
});

test("the browser and Python see the same words", () => {
  for (const [text, expected] of cut) assert.deepEqual(words(text), expected, text);
});

test("with a prior of one class the others keep their proportions", () => {
  const table = made();
  const [a, b, c] = table.priors(0, null);
  const [x, y, z] = table.priors(0, 0.5);
  close([x, y / z, x + y + z], [0.5, b / c, 1]);
  close(a + b + c, 1);
});
