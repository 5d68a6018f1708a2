import assert from "node:assert/strict";
import { test } from "node:test";

import { arcs } from "../../assets/live/marks/arcs.js";
import { label } from "../../assets/live/marks/points.js";
import { sifted } from "../../assets/live/sums/decode.js";

test("what is left out of the rows is counted", () => {
  const order = Uint32Array.of(2, 0, 1, 3);
  const rows = sifted({ order, after: [0.4, 0.1, 0.5, 0], warm: [0.3, 0.1, 0.4, 0.2] }, 1, 1);
  assert.deepEqual(rows, [{ id: 2 }, { says: "2 more kept: 50.0 %" }, { id: 3 }]);
});

test("the curves that are lit come last, and small weights get none", () => {
  const g = { beginPath() {}, moveTo() {}, bezierCurveTo() {}, stroke() {} };
  const drawn = [];
  const weights = [
    [0.5, 0.01],
    [0.9, 0.2],
  ];
  arcs(
    g,
    { from: [0, 1], to: [0, 1], start: 0, end: 9 },
    (a, b) => weights[a][b],
    0.1,
    (a) => a === 0,
    (w, lit) => drawn.push([w, lit]),
  );
  assert.deepEqual(drawn, [
    [0.9, false],
    [0.2, false],
    [0.5, true],
  ]);
});

test("a name takes no other's place, and none where there is no room", () => {
  const said = [];
  const g = {
    measureText: (text) => ({ width: 6 * text.length }),
    fillText: (text, x, y) => said.push([text, x, y]),
    strokeText() {},
  };
  const among = { placed: [], inside: [0, 0, 100, 100], ground: "white" };
  const beside = () => [
    [5, 0],
    [-40, 0],
  ];
  assert.ok(label(g, "first", 50, 50, beside, among));
  assert.ok(label(g, "other", 52, 50, beside, among));
  assert.ok(!label(g, "third", 51, 52, beside, among));
  assert.deepEqual(said, [
    ["first", 55, 50],
    ["other", 12, 50],
  ]);
});
