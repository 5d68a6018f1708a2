import assert from "node:assert/strict";
import { test } from "node:test";

import { heads } from "../../assets/live/panels/flow/marks.js";
import { columnAt, columnsOf, folds } from "../../assets/live/sums/folded.js";
import { looking, reading } from "./golden.js";

globalThis.document ??= { createElement: () => ({ getContext: () => ({}) }) };
const { Fold, weightiest } = await import("../../assets/live/grammar/fold.js");

/** Three stops, `each` of every layer, and three more. */
function stopsOf(layers, each = 6) {
  const free = () => Array.from({ length: 3 }, () => ({ short: "token", letter: "e" }));
  const of = (layer) =>
    Array.from({ length: each }, () => ({ layer, short: "stream", letter: "x", stream: true }));
  return [...free(), ...Array.from({ length: layers }, (_, layer) => of(layer)).flat(), ...free()];
}

test("of many layers one has a column for each stop, each other one for its last; they tile the width", () => {
  for (const [layers, each] of [
    [4, 6],
    [8, 4],
    [9, 4],
    [12, 6],
    [30, 6],
    [96, 6],
  ]) {
    const stops = stopsOf(layers, each);
    assert.equal(folds(stops), layers > 8);
    for (const open of [0, 3, layers - 1]) {
      const columns = columnsOf(stops, open, 46, 316);
      const shown = stops.flatMap(({ layer }, n) => {
        const last = layer !== stops[n + 1]?.layer;
        return layer === undefined || layer === open || layers <= 8 || last ? [n] : [];
      });
      assert.deepEqual(
        columns.map(({ n }) => n),
        shown,
      );
      assert.equal(columns.length, layers > 8 ? 6 + each + layers - 1 : stops.length);
      columns.forEach(({ n, x, w, whole }, i) => {
        assert.ok(Math.abs((columns[i + 1]?.x ?? 362) - x - w) < 1e-6);
        assert.equal(whole, layers <= 8 || stops[n].layer === undefined || stops[n].layer === open);
        assert.equal(columnAt(columns, x + w / 2).n, n);
      });
      assert.equal(columnAt(columns, 0).n, 0);
      assert.equal(columnAt(columns, 999).n, stops.length - 1);
    }
  }
});

// A letter is 0.6 of its size wide.
class Sheet {
  said = [];
  font = "10px";
  measureText(text) {
    return { width: 0.6 * parseFloat(/([\d.]+)px/.exec(this.font)[1]) * text.length };
  }
  fillText(text, x, y, most = Infinity) {
    const width = Math.min(most, this.measureText(text).width);
    this.said.push({ text, y, from: x - width / 2, to: x + width / 2 });
  }
  beginPath() {}
  moveTo() {}
  lineTo() {}
  stroke() {}
}

test("no name of a layer or a stop touches another, on a telephone and on a desk", () => {
  for (const layers of [2, 5, 8, 12, 24, 30, 96])
    for (const width of [316, 936])
      for (const open of [0, 1, Math.floor(layers / 2), layers - 1]) {
        const g = new Sheet();
        const stops = stopsOf(layers);
        heads(g, stops, stops.length - 1, columnsOf(stops, open, 46, width), {});
        for (const row of [8, 27]) {
          const said = g.said.filter(({ y }) => y === row).sort((one, other) => one.from - other.from);
          said.forEach(({ text, from }, i) => {
            const before = said[i - 1];
            assert.ok(!before || from > before.to, `${layers}, ${width}: ${before?.text} and ${text}`);
          });
        }
        const name = new RegExp(`^(layer )?${open + 1}$`);
        assert.ok(g.said.some(({ text }) => name.test(text)));
      }
});

test("the heaviest places are left, in their order; the open one and the ends are among them", () => {
  const places = [3, 9, 1, 9, NaN, 4];
  const weight = (i) => places[i];
  const all = Array.from(places.keys());
  assert.deepEqual(weightiest(all, 3, weight), [1, 3, 5]);
  assert.deepEqual(
    weightiest(all, 3, weight, (i) => i === 4),
    [1, 3, 4],
  );
  const values = [1, 2, 9, 8, 1, 1, 1, 7, 5, 0];
  const fields = { of: { axes: ["layer", "token"], shape: [10, 1], values: values.map((v) => [v]) } };
  const reader = reading({ labels: ["a"], fields });
  const drawn = (spec, kept = {}, all = false) => {
    const source = { reader, at: { token: 0 }, extras: {}, kept: (axis) => axis };
    source.number = (name, at) => reader.value(name, at);
    const selection = { ...looking(kept), keptPlace: (name) => kept[name] };
    const fold = Object.create(Fold.prototype);
    Object.assign(fold, {
      all,
      button: { setAttribute() {} },
      node: { hidden: true },
      spec: { weight: "of", ...spec },
    });
    fold.picture = { source, panel: { selection } };
    const found = fold.drawn(values.map((_, layer) => ({ layer })));
    return [found.map(({ layer }) => layer), source.extras, fold];
  };
  const spec = { most: 3, above: 5 };
  assert.deepEqual(drawn(spec)[0], [2, 3, 7]);
  assert.deepEqual(drawn(spec)[1], { folded: 1, drawn: 3, places: 10 });
  assert.deepEqual(drawn(spec, { layer: 9 })[0], [2, 3, 9]);
  assert.deepEqual(drawn({ ...spec, ends: true })[0], [0, 2, 9]);
  assert.equal(drawn(spec, {}, true)[0].length, 10);
  assert.equal(drawn(spec, {}, true)[2].button.textContent, "Show only 3 of 10");
  const [few, extras, { node }] = drawn({ most: 3, above: 10 });
  assert.deepEqual([few.length, extras.folded, node.hidden], [10, 0, true]);
});
