import assert from "node:assert/strict";
import { test } from "node:test";

import { Difference } from "../../assets/live/difference.js";
import { Reader, decode } from "../../assets/live/wire.js";
import { bytes, close, golden, reading } from "./golden.js";

for (const [name, replies] of Object.entries(golden("wire")))
  test(`replies to a text that is typed, glued together: ${name}`, () => {
    const reader = new Reader({ id: name, labels: {}, fields: {} });
    for (const reply of replies) {
      const { header, numbers } = decode(bytes(reply.data));
      const [part] = header.readings;
      assert.equal(part.keep, reply.keep);
      assert.ok(reader.accepts(part), header.text);
      reader.take(part, numbers, header.text);
      assert.deepEqual(
        reader.labels.map((label) => label.replace(/[\ud800-\udfff]/gu, "?")),
        reply.labels,
      );
      assert.deepEqual(reader.spans, reply.spans);
      assert.deepEqual([...reader.fields.keys()].sort(), Object.keys(reply.fields).sort(), header.text);
      for (const [field, text] of Object.entries(reply.fields)) {
        const ours = reader.fields.get(field);
        assert.deepEqual(ours.shape, reply.shapes[field]);
        close(Array.from(ours.values), Array.from(new Float32Array(bytes(text).buffer)), field, 1e-5);
      }
    }
  });

test("a reply is refused that goes on from a text that is not here", () => {
  const reader = new Reader({ id: "x", labels: {}, fields: {} });
  assert.ok(reader.accepts({ keep: 0, offset: 9, fields: [] }));
  assert.ok(!reader.accepts({ keep: 1, offset: 0, fields: [] }));
});

test("one number of a field, and none beside it", () => {
  const field = { axes: ["layer", "token"], shape: [2, 3], values: [0, 1, 2, 3, 4, 5] };
  const reader = reading({ labels: ["a", "b", "c"], fields: { x: field } });
  assert.equal(reader.value("x", { layer: 1, token: 2 }), 5);
  for (const at of [{ layer: 2, token: 0 }, { layer: 0, token: -1 }, { layer: 0 }])
    assert.ok(Number.isNaN(reader.value("x", at)), JSON.stringify(at));
  assert.ok(Number.isNaN(reader.value("y", { layer: 0, token: 0 })));
});

test("the change between two runs", () => {
  const { edited, plain, change } = golden("difference");
  const readers = new Map([
    ["edited", reading(edited)],
    ["plain", reading(plain)],
  ]);
  const found = new Difference({ id: "change", of: ["edited", "plain"] });
  found.follow(readers);
  close(Array.from(found.fields.get("score").values), change, "change");
  assert.equal(found.value("score", { layer: 0, token: 1, unit: 1 }), 0);
});
