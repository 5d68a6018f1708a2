import assert from "node:assert/strict";
import { test } from "node:test";

import * as edits from "../../assets/live/sums/edits.js";
import { pathOf } from "../../assets/live/place.js";
import { NAMES, NUMBERS, Selection } from "../../assets/live/selection.js";
import { golden } from "./golden.js";

const taken = (link) => {
  const selection = new Selection(() => {});
  selection.take(link);
  return selection.kept;
};

test("a link chooses the same in the browser and in Python", () => {
  for (const [link, kept] of golden("selection").rows) assert.deepEqual(taken(link), kept, link);
});

test("the address has the name of the page that is shown", () => {
  assert.equal(pathOf("/map", "smoothing"), "/smoothing");
  assert.equal(pathOf("/behind/a/proxy/map", "smoothing"), "/behind/a/proxy/smoothing");
  assert.equal(pathOf("/smoothing", "smoothing"), "/smoothing");
  assert.equal(pathOf("/", ""), "/"); // the first page has no name
});

test("both know the same names", () => {
  assert.deepEqual([...NUMBERS, ...NAMES].sort(), golden("selection").names);
});

test("an address that was written is read as the same selection", () => {
  const address = { href: "http://localhost/page?run=lstm&layer=7" };
  globalThis.location = address;
  globalThis.history = {
    state: null,
    replaceState: (_, __, url) => {
      address.href = url.href;
    },
  };
  const selection = new Selection(() => {});
  selection.kept = { token: 3, layer: 0, next: "1984", edits: "cell:0:0:2:add:1", rules: "t0.8_p0.9", up: 1 };
  selection.toAddress("two 👩‍🚀 words");
  const params = new URL(address.href).searchParams;
  const { run, text, ...kept } = taken(params.toString());
  assert.deepEqual({ run, text }, { run: "lstm", text: "two 👩‍🚀 words" });
  assert.deepEqual(kept, selection.kept);
});

test("edits are read as Python reads them", () => {
  const { rows, most } = golden("edits");
  assert.equal(edits.MOST, most);
  for (const row of rows) {
    const found = edits.parse(row.text);
    assert.equal(found.length, row.edits.length, row.text);
    found.forEach((edit, i) => {
      const want = row.edits[i];
      assert.equal(edit.field, want.field);
      assert.equal(edit.how, want.how);
      if (want.to !== null) assert.equal(Number(edit.value), want.to);
      const places = { layer: edit.layer, [want.head ? "head" : "unit"]: edit.unit };
      if (edit.keys === undefined) places.token = edit.tokens;
      else Object.assign(places, { query: edit.tokens, key: edit.keys });
      for (const [axis, range] of Object.entries(places)) {
        const inside = Array.from({ length: 12 }, (_, n) => n).filter((n) => edits.covers(range, n));
        assert.deepEqual(inside, want[axis], `${axis} of ${row.text}`);
      }
    });
    assert.deepEqual(edits.parse(edits.format(found)), found, row.text);
    assert.deepEqual(edits.parse(row.written).length, found.length);
  }
});

test("undo and redo", () => {
  const history = new edits.History();
  history.did("");
  history.did("a");
  assert.equal(history.undo("b"), "a");
  assert.equal(history.undo("a"), "");
  assert.equal(history.undo(""), undefined);
  assert.equal(history.redo(""), "a");
  history.did("a");
  assert.equal(history.redo("c"), undefined);
});
