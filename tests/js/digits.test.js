import assert from "node:assert/strict";
import { test } from "node:test";

import { Drawing } from "../../assets/live/convolution/drawing.js";
import { along, moved, opened, read, size, votes } from "../../assets/live/sums/digits.js";
import { close, golden } from "./golden.js";

const { rows, moved: pair, text, sizes } = golden("digits");

test("every network reads as torch does", () => {
  for (const row of rows) {
    const what = `stride ${row.net.stride}, padding ${row.net.padding}, ${row.net.pooling}`;
    const found = read(row.net, row.cells);
    for (const name of ["sum", "relu", "pooled", "logit", "p"])
      close(Array.from(found[name]), row[name], `${what}: ${name}`, 1e-9);
    close(votes(row.net, found.pooled, 3), row.votes, `${what}: votes`, 1e-9);
  }
});

test("a place that is opened adds up to its number in the map", () => {
  for (const { net, cells } of rows.slice(0, 12)) {
    const { side, sum } = read(net, cells);
    for (const [f, i, j] of [
      [0, 0, 0],
      [3, side - 1, 0],
      [7, side - 1, side - 1],
    ]) {
      const one = opened(net, cells, f, i, j);
      close(one.sum, sum[(f * side + i) * side + j], "sum", 1e-12);
      close(
        one.product.reduce((a, b) => a + b, one.bias),
        one.sum,
        "its products",
        1e-12,
      );
    }
  }
});

test("sizes", () => {
  for (const [n, k, stride, padding, expected] of sizes)
    assert.equal(size(n, k, stride, padding), expected, `${n} ${k} ${stride} ${padding}`);
});

test("a map moves along with the image, by whole places only", () => {
  assert.deepEqual([...moved(pair[0], 1, -2)], pair[1]);
  const [a, b] = [new Uint8Array(64), new Uint8Array(64)];
  a[8 * 3 + 3] = 16;
  b[8 * 4 + 3] = 16; // one cell further down
  const [plain, strided] = [rows[0].net, rows.find(({ net }) => net.stride === 2).net];
  assert.deepEqual(along(read(plain, a), read(plain, b), 0, 1, 1, 0), { count: 56, same: 56 });
  assert.equal(along(read(strided, a), read(strided, b), 0, 2, 1, 0).same, 0);
  const c = moved(a, 2, 0);
  const two = along(read(strided, a), read(strided, c), 0, 2, 2, 0);
  assert.equal(two.same, two.count);
});

test("a drawing: what was given, inked, erased, moved and brought back", () => {
  const drawing = new Drawing();
  drawing.set(text);
  assert.deepEqual([...drawing.cells], pair[0]);
  assert.equal(drawing.text, text);
  drawing.move(0, 3);
  drawing.move(1, -5);
  assert.deepEqual([...drawing.cells], pair[1]);
  drawing.move(-1, 2);
  assert.equal(drawing.text, text, "nothing was lost on the way");
  drawing.clear();
  drawing.stroke([4, 0.5], [4, 7.5]);
  const { cells } = drawing;
  assert.ok(cells.every((n, i) => (i % 8 === 3 || i % 8 === 4 ? n > 6 && n <= 16 : n === 0)));
  drawing.stroke([3.5, 0.5], [3.5, 7.5], true);
  assert.ok(drawing.cells.every((n, i) => n === 0 || i % 8 === 4));
  drawing.turn(0, 0);
  drawing.turn(4, 3);
  assert.deepEqual([drawing.cells[0], drawing.cells[8 * 3 + 4]], [16, 0]);
  drawing.stroke([-3, -3], [20, 20]);
  assert.equal(drawing.cells.length, 64);
  drawing.move(20, 0);
  assert.ok(drawing.cells.every((n) => n === 0));
});
