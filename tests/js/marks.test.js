import assert from "node:assert/strict";
import { test } from "node:test";

import { cellAt, columnNames, share } from "../../assets/live/marks/grid.js";
import { pointing } from "../../assets/live/marks/pointer.js";
import { fitted, strip } from "../../assets/live/marks/strip.js";

// A canvas that only notes what is written on it; a letter is 0.6 of its size wide.
class Sheet {
  said = [];
  font = "10px";
  measureText(text) {
    return { width: 0.6 * parseFloat(/([\d.]+)px/.exec(this.font)[1]) * Array.from(text).length };
  }
  fillText(text, x) {
    this.said.push({ text, x, width: this.measureText(text).width });
  }
  fillRect() {}
}

const colours = { text: "black", faint: "grey", line: "grey", accent: "red", ground: "white" };
const where = (step, now) => ({ left: 50, step, y: 10, now, colours });

test("letters under narrow columns are all written", () => {
  const g = new Sheet();
  const letters = Array.from("the river 👩 runs");
  strip(g, letters, where(6, 3));
  assert.equal(g.said.length, letters.length);
  assert.deepEqual(
    g.said.map(({ text }) => text),
    letters.map((c) => (c === " " ? "·" : c)),
  );
});

test("letters without room for each are written as the words that they make", () => {
  const g = new Sheet();
  strip(g, Array.from("the old captain returned"), where(4, 20));
  const told = g.said.map(({ text }) => text);
  assert.equal(told.length, 4);
  "the old captain returned"
    .split(" ")
    .forEach((word, i) => assert.ok(word.startsWith(told[i].replace("…", "")), told[i]));
});

test("words have their columns to themselves, or the axis says that one in so many is named", () => {
  const words = "the old captain returned after seventeen extraordinarily stormy nights".split(" ");
  for (const step of [4, 8, 12, 20, 40, 90, 200])
    for (const now of [0, 5, words.length - 1]) {
      const g = new Sheet();
      strip(g, words, where(step, now));
      const note = g.said.find(({ text }) => /^1 in \d+$/.test(text));
      const names = g.said.filter((one) => one !== note);
      const every = note ? Number(note.text.slice(5)) : 1;
      assert.ok(names.length >= Math.ceil(words.length / every) - 1, `${step}: ${names.length} of ${every}`);
      const told = (word, { text }) =>
        text === word || (text.endsWith("…") && word.startsWith(text.slice(0, -1)));
      for (const name of names)
        assert.ok(
          words.some((word) => told(word, name)),
          name.text,
        );
      assert.ok(
        names.some((name) => told(words[now], name)),
        `${step}: ${words[now]}`,
      );
    }
});

test("of very many words none runs into how many are named, nor into the next one", () => {
  const words = Array.from({ length: 200 }, (_, i) => ["extraordinarily", "a", "captain", "sea"][i % 4]);
  for (const step of [2, 3.7, 5, 9, 14])
    for (const now of [0, 1, 7, 100, 199]) {
      const g = new Sheet();
      strip(g, words, where(step, now));
      const note = g.said.find(({ text }) => /^1 in \d+$/.test(text));
      const names = g.said.filter((one) => one !== note).sort((a, b) => a.x - b.x);
      const [from, to] = [({ x, width }) => x - width / 2, ({ x, width }) => x + width / 2];
      assert.ok(note.x < 50 && from(names[0]) >= 50 - 1e-9, `${step}, ${now}: ${from(names[0])}`);
      names
        .slice(1)
        .forEach((name, i) => assert.ok(to(names[i]) <= from(name), `${step}, ${now}: ${name.text}`));
    }
});

test("a name over a column is written smaller before it is cut", () => {
  const g = Object.assign(new Sheet(), { save() {}, restore() {}, translate() {}, rotate() {} });
  const box = { x: 60, y: 54, w: 320, h: 100, rows: 2, columns: 5 };
  const names = ["dot", "scaled dot", "general", "an extraordinarily long name", "é"];
  columnNames(g, box, names, 1, colours);
  assert.deepEqual(
    g.said.map(({ text }) => text.endsWith("…")),
    [false, false, false, true, false],
  );
  assert.equal(g.said[1].text, "scaled·dot");
});

test("nothing is written where nothing is typed", () => {
  const g = new Sheet();
  strip(g, [], where(Infinity, -1));
  assert.deepEqual(g.said, []);
});

test("a label is cut between characters, never inside one", () => {
  const g = new Sheet();
  assert.equal(fitted(g, "word", 100), "word");
  const cut = fitted(g, "👩👩👩👩👩👩", 25);
  assert.ok(
    cut.endsWith("…") &&
      Array.from(cut)
        .slice(0, -1)
        .every((c) => c === "👩"),
    cut,
  );
});

test("the cell under the pointer", () => {
  const box = { x: 10, y: 20, w: 40, h: 60, rows: 3, columns: 2 };
  assert.deepEqual(cellAt(box, 10, 20), [0, 0]);
  assert.deepEqual(cellAt(box, 49.9, 79.9), [2, 1]);
  for (const [x, y] of [
    [9.9, 30],
    [50, 30],
    [20, 19.9],
    [20, 80],
  ])
    assert.equal(cellAt(box, x, y), null);
  assert.equal(cellAt(null, 0, 0), null);
});

test("a share in the room of three letters", () => {
  assert.deepEqual([0, 0.07, 0.5, 0.996, 1].map(share), [".00", ".07", ".50", "1", "1"]);
});

test("pointing looks, a click keeps, beside everything nothing is looked at", () => {
  const calls = [];
  let handlers;
  const selection = {
    look: (place) => calls.push(["look", place]),
    keep: (place) => calls.push(["keep", place]),
    leave: () => calls.push(["leave"]),
  };
  const surface = { onPointer: (...all) => (handlers = all) };
  pointing({ panel: { selection, app: {} }, surface }, (x) => (x > 0 ? { token: x } : null));
  const [look, keep, leave] = handlers;
  look(3);
  look(-1);
  keep(4);
  keep(-1);
  leave();
  assert.deepEqual(calls, [["look", { token: 3 }], ["look", {}], ["keep", { token: 4 }], ["leave"]]);
});
