import assert from "node:assert/strict";
import { test } from "node:test";

import { cut, read } from "../../assets/live/sums/patches.js";
import { close, golden } from "./golden.js";

const { nets, rows } = golden("patches");

test("patches are read as torch reads them", () => {
  for (const row of rows) {
    const tokens = row.order.map((patch) => cut(row.cells, patch));
    const found = read(nets[row.net], tokens, row.placed);
    for (const name of ["logit", "p"]) close(found[name], row[name], `${row.net}: ${name}`, 1e-9);
    close(found.attention.flat(3), row.attention.flat(3), `${row.net}: attention`, 1e-9);
  }
});

test("attention of each head adds up to 1", () => {
  const { net, placed, cells, order } = rows[0];
  const { attention } = read(
    nets[net],
    order.map((patch) => cut(cells, patch)),
    placed,
  );
  for (const weight of attention.flat(2)) close([weight.reduce((a, b) => a + b)], [1], "sum", 1e-12);
  assert.equal(attention.flat(2).length, 2 * 4 * 17);
});
