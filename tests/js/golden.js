// What Python computed (tests/js/golden.py), and how near a number of the browser has to come to it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { Reader } from "../../assets/live/wire.js";

const SIGNS = new Map([NaN, Infinity, -Infinity].map((x) => [String(x), x]));

export function golden(name) {
  const text = readFileSync(`${process.env.GOLDEN}/${name}.json`, "utf8");
  return JSON.parse(text, (key, value) => (typeof value === "string" ? (SIGNS.get(value) ?? value) : value));
}

export function close(actual, expected, what = "", tolerance = 1e-6) {
  if (typeof expected === "number") {
    const same =
      Object.is(actual, expected) ||
      actual === expected ||
      Math.abs(actual - expected) <= tolerance * Math.max(1, Math.abs(expected));
    assert.ok(same, `${what}: ${actual} and not ${expected}`);
  } else if (Array.isArray(expected)) {
    assert.equal(actual?.length, expected.length, `${what}: how many`);
    expected.forEach((value, i) => close(actual[i], value, `${what}[${i}]`, tolerance));
  } else assert.deepEqual(actual, expected, what);
}

// A reader that has these fields on the screen.
export function reading({ labels, offset = 0, fields = {}, spans = [] }, spec = {}) {
  const reader = new Reader({ id: "model", fields: {}, labels: {}, ...spec });
  Object.assign(reader, { labels, offset, spans, total: offset + labels.length });
  for (const [name, { axes, shape, values }] of Object.entries(fields))
    reader.fields.set(name, { axes, shape, values: Float32Array.from(values.flat(Infinity)) });
  return reader;
}

// A selection that answers with these.
export const looking = (kept) => ({
  kept,
  get: (name) => kept[name],
  keptToken: (reader) =>
    Math.max(0, Math.min(reader.labels.length - 1, (kept.token ?? Infinity) - reader.offset)),
});

export const bytes = (text) => Uint8Array.from(Buffer.from(text, "base64"));
