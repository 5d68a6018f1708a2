import assert from "node:assert/strict";
import { test } from "node:test";

import { digits, percent } from "../../assets/live/dom.js";
import { Source } from "../../assets/live/grammar/source.js";
import { fill, said } from "../../assets/live/grammar/template.js";
import { close, golden, looking, reading } from "./golden.js";

const { cases } = golden("grammar");

/** A source that looks at token t, and at a state where one is kept. */
function source({ spec, ...more }, t, kept = {}, parts = {}) {
  const reader = reading(more, spec);
  reader.said = { numbers: more.numbers };
  const selection = { ...looking(kept), token: () => t };
  const found = new Source({ reader: () => reader, selection, spec: { drawing: {}, parts } });
  found.chosen = { by: "filter" };
  found.words = {};
  found.begin();
  return found;
}

test("a number at what is looked at, one token before, and at a place of an axis", () => {
  for (const one of cases)
    one.best.forEach((state, t) => {
      const here = source(one, t);
      const of = (name, at) => here.reader.value(name, at);
      assert.equal(here.at.state, state, "where nothing is kept, the likeliest path is followed");
      assert.equal(here.number("filter"), of("filter", { token: t, state }));
      assert.equal(here.number("&by"), here.number("filter"));
      close(here.number("filter@-1"), t ? of("filter", { token: t - 1, state }) : NaN);
      assert.equal(here.number("own.bits@last"), of("own.bits", { token: one.best.length - 1 }));
      assert.equal(here.number("filter[state=#token]"), of("filter", { token: t, state: t }));
      assert.equal(source(one, t, { unit: 2 }).number("smooth"), of("smooth", { token: t, state: 2 }));
      assert.equal(source(one, t, { unit: 99 }).at.state, state, "no such state");
    });
});

test("a table that came once is read like a field, and a sum has its largest terms", () => {
  const terms = { over: "source", join: " + ", most: 3 };
  const term = "{filter@-1[state=#source]:%} ({source}) × {transition[target=#state]:%}";
  for (const one of cases) {
    const { state } = one.spec.labels;
    one.parts.forEach((largest, i) => {
      const here = source(one, i + 1, {}, { terms: { ...terms, term } });
      const text = fill(here, "{terms}");
      one.from[i].forEach((s, n) => {
        const f = here.reader.value("filter", { token: i, state: s });
        const a = here.number("transition", { source: s, target: one.best[i + 1] });
        close(f * a, largest[n], `token ${i + 1}, term ${n}`);
        const said = `${percent(f)} (${state[s]}) × ${percent(a)}`;
        assert.ok(largest[n] < 1e-9 || text.split(" + ").includes(said), `${said} in ${text}`);
      });
    });
    assert.equal(fill(source(one, 0, {}, { terms: { ...terms, term } }), "a[ and {terms}]"), "a");
  }
});

test("a sentence falls away where something in it is none", () => {
  const [one] = cases;
  const first = source(one, 0);
  const here = source(one, 2, { unit: 1 });
  assert.equal(
    fill(here, "“{token}” in {state}, {#token} {#token|token|tokens} on"),
    `“${one.labels[2]}” in 1, 2 tokens on`,
  );
  assert.equal(fill(source(one, 1), "{#token} {#token|token|tokens}"), "1 token");
  assert.equal(fill(first, "{filter@-1}"), null);
  assert.equal(
    fill(first, "there[ {filter@-1} is none][ and {filter:%}]"),
    `there and ${percent(first.number("filter"))}`,
  );
  assert.equal(fill(here, "{likely}"), digits(here.number("likely")));
  assert.equal(fill(here, "{no.such.field}"), null);
  assert.equal(
    fill(here, "{viterbi:state} {state:called}"),
    `${one.spec.labels.state[one.best[2]]} ${one.spec.called.state[1]}`,
  );
  const product = (2 ** -here.number("own.bits")).toExponential(2).split("e")[0];
  assert.match(fill(here, "{own.bits:power}"), new RegExp(`^${product} × 10⁻`));
  assert.equal(
    said(first, ["{filter@-1}", { test: "!bent", say: "no" }, { test: "bent", say: "bent" }, "last"]),
    "bent",
  );
  assert.equal(said(first, ["{filter@-1}"]), "");
  for (const [text, holds] of [
    ["#token=2", true],
    ["#token>2", false],
    ["#token<3", true],
    ["#state!=1", false],
    ["token", true],
    ["!bent", false],
  ])
    assert.equal(here.test(text), holds, text);
});

test("of a long row of labels those that weigh most are left", async () => {
  const measureText = (text) => ({ width: 6 * text.length });
  globalThis.document ??= { createElement: () => ({ getContext: () => ({ measureText }) }) };
  const { Picture } = await import("../../assets/live/grammar/picture.js");
  for (const one of cases) {
    const here = source(one, 1);
    const rows = (most) =>
      Picture.prototype.rows.call(
        { source: here },
        { axis: "state", most, weight: "smooth", always: "viterbi" },
      );
    const count = one.spec.labels.state.length;
    assert.equal(rows(count).length, count);
    const path = new Set(one.best);
    const left = rows(path.size);
    assert.deepEqual(
      left,
      [...path].sort((a, b) => a - b),
      "the path has its rows first",
    );
    const more = rows(path.size + 1).filter((s) => !path.has(s));
    const weight = (s) =>
      Math.max(...one.labels.map((_, t) => here.number("smooth", { token: t, state: s })));
    if (count > path.size) {
      const others = Array.from({ length: count }, (_, s) => s).filter((s) => !path.has(s));
      assert.equal(weight(more[0]), Math.max(...others.map(weight)));
    }
  }
});

test("several fields of one shape come one after another", () => {
  const reader = reading({ labels: [] });
  const part = {
    name: "",
    names: ["a", "b"],
    axes: ["token"],
    shape: [2],
    keep: 0,
    at: 1,
    count: 2,
    fill: null,
  };
  const lists = {
    labels: ["x", "y"],
    spans: [
      [0, 1],
      [1, 2],
    ],
    bits: [],
    top: [],
    unknown: [],
  };
  const take = (fresh, ...numbers) => {
    const reply = { keep: 0, offset: 0, total: 2, ...lists, fields: [{ ...part, ...fresh }] };
    assert.ok(reader.accepts(reply));
    reader.take(reply, Float32Array.of(9, ...numbers), "xy");
    return ["a", "b"].map((name) => [...reader.fields.get(name).values]);
  };
  const both = [
    [1, 2],
    [3, 4],
  ];
  assert.deepEqual(take({}, 1, 2, 3, 4), both);
  assert.equal(reader.value("b", { token: 1 }), 4);
  // they grow, by more places than the text has
  const grown = take({ axes: ["step"], shape: [4], keep: 2, grows: [0] }, 5, 6, 7, 8);
  assert.deepEqual(
    grown,
    both.map((of, n) => of.concat([5 + 2 * n, 6 + 2 * n])),
  );
  assert.deepEqual(take({ axes: ["step"], shape: [2], keep: 2, count: 0, grows: [0] }), both);
});

const square = (axes, size, of) => ({
  axes,
  shape: [size, size],
  values: Array.from({ length: size * size }, (_, i) => of(i)),
});

/** Two readers of one text and of one that is read beside it. */
function several(kept) {
  const spec = { places: { reader: { name: "by" }, source: { name: "other", follows: "most" } } };
  const readers = ["one", "two"].map((id, n) => {
    const fields = {
      weight: square(["token", "source"], 2, (i) => i + 10 * n),
      most: { axes: ["token"], shape: [2], values: [0, 1] },
    };
    const reader = reading({ labels: ["a", "b"], fields }, { ...spec, id, title: id.toUpperCase() });
    return Object.assign(reader, { source: { labels: ["x", "y"] }, top: [[], [["next", 0.5 + n / 4]]] });
  });
  const app = { readers: new Map(readers.map((one) => [one.spec.id, one])) };
  const parts = { each: { over: "reader", term: "{reader} {weight} {top}", join: "; " } };
  const selection = { ...looking(kept), token: () => 1 };
  const found = new Source({ app, reader: () => readers[0], selection, spec: { drawing: {}, parts } });
  found.begin();
  return found;
}

test("several readers are an axis, and the one that is chosen is read", () => {
  assert.equal(fill(several({}), "{reader} {source} {weight} {weight[reader=1]}"), "ONE y 3.00 13.0");
  assert.equal(fill(several({ by: "two" }), "{reader} {source} {weight} {top.p:%}"), "TWO y 13.0 75.0 %");
  assert.equal(fill(several({ by: "two", other: 0 }), "{source} {weight}"), "x 12.0");
  assert.equal(fill(several({}), "{each}"), "ONE 3.00 next; TWO 13.0 next");
  assert.deepEqual(several({}).place("reader", 1), { by: "two" });
});

test("numbers over two axes lie where they lie, either way", () => {
  const here = several({});
  const { start, down, across } = here.plane("weight", "source", "token");
  assert.deepEqual([start, down, across], [0, 1, 2]);
  assert.equal(here.plane("weight", "", "source").start, 2, "of the token looked at");
});

test("a sum says what is left of it, and a bracket can be written", () => {
  const series = {
    over: "state",
    term: "{filter}",
    join: " + ",
    most: 1,
    rest: " + {rest} of {others} others",
  };
  const [one] = cases;
  const here = source(one, 1, {}, { sum: series });
  const each = here.places("state").map((state) => here.number("filter", { ...here.at, state }));
  const most = Math.max(...each);
  const rest = each.reduce((a, b) => a + b, 0) - most;
  assert.equal(fill(here, "{sum}"), `${digits(most)} + ${digits(rest)} of ${each.length - 1} others`);
  assert.equal(fill(here, "\\[{#token}\\]"), "[1]");
});

test("words take the room that other words do not need, and together the columns are as wide as ever", async () => {
  const { default: Columns } = await import("../../assets/live/grammar/columns.js");
  const drawn = { cells: ({ cells }) => cells };
  const wides = (columns, room) => Columns.prototype.wides.call(drawn, columns, room);
  const words = (head, cell) => ({ kind: "words", head, cells: [cell] });
  const columns = [words("a", "50 %"), words("b", "1.37 × 10⁻²⁴"), { head: "bar", wide: 1 }];
  const [short, long, bar] = wides(columns, 180);
  assert.deepEqual(
    [bar, long, short + long + bar],
    [60, 78, 180],
    "12 letters and a gap; a bar keeps its own",
  );
  assert.deepEqual(wides(columns, 600), [200, 200, 200], "nothing is moved where all have room");
  const narrow = wides(columns, 90);
  close(narrow[0] + narrow[1], 60);
  assert.ok(narrow[0] <= 30 && narrow[1] >= 30);
});
