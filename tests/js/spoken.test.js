import assert from "node:assert/strict";
import { test } from "node:test";

import { Spoken } from "../../assets/live/spoken.js";

// A page of two panels, and a reader of three words that follow the first forty.
function page() {
  globalThis.document = { createElement: () => ({ textContent: "", setAttribute: () => {}, dataset: {} }) };
  const panels = ["a", "b"].map((name) => {
    const root = { contains: (/** @type {any} */ node) => node === name };
    return { root, says: "", spoken: () => {}, readout: { textContent: "" } };
  });
  for (const panel of panels) panel.spoken = () => panel.says;
  const reader = { labels: ["the", "cat", "sat"], offset: 40 };
  const selection = { at: 2, lead: () => reader, token: () => selection.at };
  const walk = { at: /** @type {any} */ (null), row: /** @type {string | null} */ (null) };
  const spoken = new Spoken({ panels, selection, walk });
  return { spoken, panels, selection, walk, said: () => spoken.root.textContent };
}

test("the panel that the focus is in speaks, else the first; only after a key, and once", () => {
  const { spoken, panels, said } = page();
  [panels[0].says, panels[1].says] = ["1 bit", "2 bits"];
  spoken.rest();
  assert.equal(said(), "");
  spoken.moved("b");
  spoken.rest();
  assert.equal(said(), "2 bits");
  spoken.moved("elsewhere");
  spoken.rest();
  assert.equal(said(), "1 bit");
  panels[0].says = "3 bits";
  spoken.rest();
  assert.equal(said(), "1 bit");
});

test("where a panel has nothing new, or no number, it is said what has moved", () => {
  const { spoken, panels, selection, said } = page();
  const move = (at) => {
    selection.at = at;
    spoken.moved("a");
    spoken.rest();
    return said();
  };
  panels[0].says = "6 words";
  assert.equal(move(2), "6 words");
  assert.equal(move(1), "“cat”, token 41. 6 words");
  assert.equal(move(0), "“the”, token 40. 6 words");
  panels[0].says = "No change.";
  assert.equal(move(1), "“cat”, token 41. No change.");
  panels[0].says = "";
  assert.equal(move(2), "“sat”, token 42");
});

test("on a walk over a picture the number of the place is said, and of a list its row", () => {
  const { spoken, panels, walk, said } = page();
  const move = (/** @type {string} */ read) => {
    panels[0].readout.textContent = read;
    spoken.moved("a");
    spoken.rest();
    return said();
  };
  panels[0].says = "head 1: 61 % from “the”";
  walk.at = {};
  assert.equal(move("4 % of “cat”"), "head 1: 61 % from “the”");
  assert.equal(move("7 % of “sat”"), "7 % of “sat”");
  walk.row = "dog, 3 %";
  assert.equal(move("7 % of “sat”"), "dog, 3 %");
});

test("what is on its way is said when it is there, unless somebody types", () => {
  const { spoken, panels, said } = page();
  panels[0].says = null;
  spoken.moved("a");
  spoken.rest();
  assert.equal(said(), "");
  panels[0].says = "90 % in 12 words";
  spoken.rest();
  assert.equal(said(), "90 % in 12 words");
  panels[0].says = null;
  spoken.moved("a");
  spoken.rest();
  spoken.typed();
  panels[0].says = "91 % in 12 words";
  spoken.rest();
  assert.equal(said(), "90 % in 12 words");
});
