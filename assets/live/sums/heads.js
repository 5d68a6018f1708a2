// The heads of a run over the tokens shown: which are there, their weights, whole or as small pictures.
//
// Up to 48 tokens `attention` (layer, head, query, key) and `combined` hold every weight.  Beyond that `thumbnail` (layer,
// head, cell, cell) holds the largest weight of every cell, of all heads and the combined ones, and `opened` one head in full.

import { digits, percent, short, visible } from "../dom.js";

/** @import { Selection } from "../selection.js" */
/** @import { Numbers } from "../types.js" */

/** @typedef {import("../wire.js").Reader & {cut?: Map<string, any>}} HeadReader what was cut from its weights is kept with it */

export const COMBINED = ["average", "maximum", "rollout"];

/** @param {{get(name: string): any}} selection */
export const hides = (selection) => selection.get("with") === "no_marks";
/** @param {HeadReader} reader */
export const pooled = (reader) => (reader.said.cell ?? 1) > 1;
/** @param {HeadReader} reader @param {number} head */
export const name = (reader, head) =>
  head < reader.spec.heads ? `head ${head + 1}` : COMBINED[head - reader.spec.heads];
/** @param {HeadReader} reader */
export const scale = (reader) => reader.spec.fields.attention.scale;
/** @param {HeadReader} reader */
export const hasMarks = (reader) => reader.spans.some(([a, b]) => b <= a);

/**
 * What the last reply does not hold any more: after a longer text its small pictures have taken the place of the weights.
 * @param {HeadReader} reader
 */
export function tidy(reader) {
  for (const field of pooled(reader) ? ["attention", "combined"] : ["thumbnail", "opened"])
    reader.fields.delete(field);
}

/**
 * The head looked at; `kept` leaves out what the pointer is over. @returns {[number, number]}
 * @param {HeadReader} reader @param {Selection} selection
 */
export function chosen(reader, selection, kept = false) {
  /** @param {string} name */
  const of = (/** @type {"layer" | "head"} */ name) =>
    (kept ? (selection.kept[name] ?? selection.defaults[name]) : selection.get(name)) ?? 0;
  return [
    Math.max(0, Math.min(of("layer"), reader.spec.layers - 1)),
    Math.max(0, Math.min(of("head"), reader.spec.heads + COMBINED.length - 1)),
  ];
}

/**
 * Positions among the tokens shown that are drawn: all, or without special ones.
 * @param {HeadReader} reader @param {{get(name: string): any}} selection
 */
export function places(reader, selection) {
  const all = reader.labels.map((_, t) => t);
  if (!hides(selection)) return all;
  const left = all.filter((t) => reader.spans[t][1] > reader.spans[t][0]);
  return left.length ? left : all;
}

/**
 * A square of numbers: {values, start, size, places, cell}; row r, column c at start + r * size + c.  null while it is on its way.
 * @param {HeadReader} reader @param {Selection} selection @param {number} layer @param {number} head
 */
export function weights(reader, selection, layer, head) {
  const own = reader.said.open;
  const whole = pooled(reader)
    ? own?.[0] === layer && own[1] === head && reader.fields.get("opened")
    : reader.fields.get(head < reader.spec.heads ? "attention" : "combined");
  if (!whole) return null;
  const size = whole.shape.at(-1);
  const H = head < reader.spec.heads ? reader.spec.heads : COMBINED.length;
  const start = pooled(reader)
    ? 0
    : (layer * H + (head < reader.spec.heads ? head : head - reader.spec.heads)) * size * size;
  const kept = places(reader, selection);
  return kept.length === size
    ? { values: whole.values, start, size, places: kept, cell: 1 }
    : without(reader, `${layer}.${head}`, whole.values, start, size, kept);
}

/**
 * Rows and columns of special tokens dropped; what is left of a row shares out 1 again.
 * @param {HeadReader} reader @param {string} key @param {Numbers} values @param {number} start @param {number} size @param {number[]} kept
 */
function without(reader, key, values, start, size, kept) {
  const cache = (reader.cut ??= new Map());
  const found = cache.get(key);
  if (found && found.of === values && found.places.length === kept.length) return found;
  const n = kept.length;
  const cut = new Float32Array(n * n);
  for (let r = 0; r < n; r++) {
    const row = start + kept[r] * size;
    let sum = 0;
    for (let c = 0; c < n; c++) sum += cut[r * n + c] = values[row + kept[c]];
    if (sum > 0) for (let c = 0; c < n; c++) cut[r * n + c] /= sum;
  }
  const made = { values: cut, start: 0, size: n, places: kept, cell: 1, of: values };
  cache.set(key, made);
  return made;
}

/**
 * The small picture of a head: its weights, or cells that each hold the largest weight under them.
 * @param {HeadReader} reader @param {Selection} selection @param {number} layer @param {number} head
 */
export function small(reader, selection, layer, head) {
  if (!pooled(reader)) return weights(reader, selection, layer, head);
  const field = reader.fields.get("thumbnail");
  if (!field) return null;
  const size = field.shape[3];
  const kept = reader.said.hides ? places(reader, { get: () => "no_marks" }) : reader.labels.map((_, t) => t);
  return {
    values: field.values,
    start: (layer * field.shape[1] + head) * size * size,
    size,
    places: kept,
    cell: Math.ceil(kept.length / 48),
    rough: field.rough,
  };
}

/** A weight that came as a 255th; the opened head has all digits. @param {number} value */
const roughly = (value) => (value < 0.005 ? "less than 1 %" : `about ${Math.round(100 * value)} %`);

/** @param {HeadReader} reader @param {number} t */
export const word = (reader, t) => `“${short(reader.labels[t] ?? "", 18)}”`;

/**
 * One number of a square in words.
 * @param {HeadReader} reader @param {any} square @param {number} layer @param {number} head @param {number} r @param {number} c
 */
export function said(reader, square, layer, head, r, c) {
  const { values, start, size, places: kept, cell, rough } = square;
  const value = values[start + r * size + c];
  const where = `layer ${layer + 1}, ${name(reader, head)}`;
  if (cell > 1) {
    /** @param {number} n */
    const span = (n) =>
      `${word(reader, kept[n * cell])} to ${word(reader, kept[Math.min((n + 1) * cell, kept.length) - 1])}`;
    return `${where}: the largest weight from ${span(r)} at ${span(c)} is ${rough ? roughly(value) : percent(value)}`;
  }
  if (reader.spec.causal && kept[c] > kept[r])
    return `${where}: ${word(reader, kept[r])} can't look ahead at ${word(reader, kept[c])}`;
  if (name(reader, head) === "maximum")
    return `${where}: some head of the layer puts ${percent(value)} of the weight of ${word(reader, kept[r])} on ${word(reader, kept[c])}`;
  return `${where}: ${word(reader, kept[r])} puts ${percent(value)} of its weight on ${word(reader, kept[c])}`;
}

/**
 * Where a click or the pointer is, for the page-wide selection.
 * @param {HeadReader} reader @param {any} square @param {number} r @param {number} c
 */
export function spot(reader, square, r, c) {
  const t = square.places[Math.min(square.places.length - 1, r * square.cell)];
  return {
    token: t + reader.offset,
    other: square.places[Math.min(square.places.length - 1, c * square.cell)] + reader.offset,
    reader: reader.spec.id,
    span: reader.spans[t],
  };
}

/**
 * Tags of a head, strongest first: [{id, says, score, baseline, z}].
 * @param {HeadReader} reader @param {number} layer @param {number} head
 */
export function tags(reader, layer, head) {
  const found = reader.said.tags;
  return (found?.given[layer]?.[head] ?? []).map((/** @type {number} */ r) =>
    relation(found, layer, head, r),
  );
}

/** @param {any} found @param {number} layer @param {number} head @param {number} r */
export function relation(found, layer, head, r) {
  return {
    ...found.relations[r],
    score: found.score[layer][head][r],
    baseline: found.baseline[layer][head][r],
    z: found.z[layer][head][r],
  };
}

export const SORTS = {
  entropy: "entropy",
  distance: "mean distance",
  first: "weight on the first token",
  tag: "tag",
};

/**
 * Layers and heads in the order chosen: rows by layer, or one flow.
 * @param {HeadReader} reader @param {Selection} selection
 */
export function ordered(reader, selection) {
  const { layers, heads } = reader.spec;
  /** @type {[number, number][]} */
  const all = Array.from({ length: layers * heads }, (_, i) => [Math.floor(i / heads), i % heads]);
  const sort = selection.get("order");
  if (!(sort in SORTS)) return all;
  const up = selection.get("up") ? 1 : -1;
  const numbers = reader.said.statistic?.[["entropy", "distance", "first"].indexOf(sort)];
  /** @param {[number, number]} of */
  const rank = ([l, h]) =>
    sort === "tag"
      ? (reader.said.tags?.given[l][h][0] ?? 99) * 10 - (tags(reader, l, h)[0]?.score ?? 0)
      : (numbers?.[l]?.[h] ?? 0);
  const sign = sort === "tag" ? -up : up;
  return all.sort((a, b) => sign * (rank(a) - rank(b)) || a[0] - b[0] || a[1] - b[1]);
}

/** @param {HeadReader} reader @param {number} layer @param {number} head */
export function statistic(reader, layer, head) {
  /** @param {number} n */
  const of = (n) => reader.said.statistic?.[n]?.[layer]?.[head] ?? NaN;
  return { entropy: of(0), distance: of(1), first: of(2) };
}

/** @param {string} sort @param {number} value */
export const statisticSaid = (sort, value) =>
  sort === "entropy"
    ? `${digits(value)} bits`
    : sort === "distance"
      ? `${digits(value)} tokens`
      : percent(value);
/** @param {HeadReader} reader @param {number} t */
export const label = (reader, t) => visible(reader.labels[t] ?? "");
