import assert from "node:assert/strict";
import { test } from "node:test";

import { arcs } from "../../assets/live/marks/arcs.js";
import { label } from "../../assets/live/marks/points.js";
import { beams, ranked } from "../../assets/live/sums/beams.js";
import { counted, sifted } from "../../assets/live/sums/decode.js";
import { futureTree } from "../../assets/live/sums/tree.js";
import { close } from "./golden.js";

test("futures: what begins alike shares a branch, and chances multiply", () => {
  const { nodes, rows, deepest } = futureTree([
    [-1, "a", 0.25, 0.2, 1],
    [-1, "b", 0.5, 0.4, 3],
    [1, "c", 0.5, 0.5, 1],
    [1, "d", 0.75, 0.5, 2],
  ]);
  assert.deepEqual(
    nodes.map((n) => n.text),
    ["a", "b", "bc", "bd"],
  );
  close(
    nodes.map((n) => n.whole),
    [0.25, 0.5, 0.25, 0.375],
  );
  assert.deepEqual([rows, deepest], [3, 1]);
  assert.deepEqual(
    nodes.map(({ at, depth }) => [at, depth]),
    [
      [2.5, 0],
      [1, 0],
      [1.5, 1],
      [0.5, 1],
    ],
    "a parent is in the middle of its children",
  );
  assert.ok(nodes[3].at < nodes[2].at && nodes[2].at < nodes[0].at, "likeliest first");
  assert.deepEqual(futureTree([]).nodes, []);
});

test("beams: each candidate knows where it comes from; a longer text may win", () => {
  const all = beams([
    [
      [0, "x", -1, -1, "kept"],
      [0, "y", -2, -2, "dropped"],
      [0, "z", -1.5, -1.5, "kept"],
    ],
    [
      [1, "u", -1, -2.5, "kept"],
      [0, "v", -3, -4, "ended"],
    ],
  ]);
  assert.deepEqual(
    all.map(({ text, above }) => [text, above]),
    [
      ["x", -1],
      ["y", -1],
      ["z", -1],
      ["zu", 2],
      ["xv", 0],
    ],
  );
  const found = [
    ["short", -2, 2, true, []],
    ["longer", -3, 4, true, []],
  ];
  assert.deepEqual(
    [0, 1].map((alpha) => ranked(found, alpha)[0].text),
    ["short", "longer"],
  );
});

test("draws follow the shares, and the same seed draws the same", () => {
  const shares = [0.5, 0, 0.3, 0.2];
  const counts = counted(shares, 20_000, 1);
  assert.deepEqual(counted(shares, 20_000, 1), counts);
  assert.ok(!counts.has(1));
  shares.forEach((p, id) => assert.ok(Math.abs((counts.get(id) ?? 0) / 20_000 - p) < 0.02));
});

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
