// The rules between a model's logits and the token that is drawn: the same sums as engine/analysis/decode/, on the full vocabulary.
// Logits come once a text; a slider never asks the model.

import { percent } from "../dom.js";

export const OFF = { t: 1, k: 0, p: 1, m: 0, y: 1, r: 1 };
const RANGES = { t: [0, 2], k: [0, 1e6], p: [0.01, 1], m: [0, 1], y: [0.01, 1], r: [0.5, 2] };
const ROUNDING = 1e-12;
const positive = (p) => p.reduce((n, x) => (x > 0 ? n + 1 : n), 0);
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

/** @import { Choice, Numbers, Rules } from "../types.js" */

/** "t0.8_p0.9" is temperature 0.8, top-p 0.9; what is not named is off. @param {unknown} text @returns {Rules} */
export function readRules(text) {
  const rules = { ...OFF };
  for (const part of String(text ?? "").split("_")) {
    const name = part[0];
    const said = part.slice(1).trim();
    if (!(name in OFF) || !NUMBER.test(said) || !Number.isFinite(Number(said))) continue;
    const [low, high] = RANGES[name];
    const value = Math.min(high, Math.max(low, Number(said)));
    rules[name] = name === "k" && value ? Math.max(1, Math.round(value)) : value; // a k that is on keeps one
  }
  return rules;
}

export const writeRules = (rules) =>
  Object.keys(OFF)
    .filter((name) => rules[name] !== OFF[name])
    .map((name) => `${name}${Number(rules[name].toFixed(2))}`)
    .join("_") || "off";

/** @param {Numbers} logits @returns {Float64Array | null} null where nothing has a chance */
export function softmax(logits, t = 1) {
  const out = new Float64Array(logits.length);
  let best = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i;
  if (logits[best] === -Infinity) return null; // nothing has a chance
  if (t === 0) {
    out[best] = 1;
    return out;
  }
  let sum = 0;
  for (let i = 0; i < logits.length; i++) sum += out[i] = Math.exp((logits[i] - logits[best]) / t);
  for (let i = 0; i < logits.length; i++) out[i] /= sum;
  return out;
}

/** @param {Numbers} logits @param {Iterable<number>} seen */
export function penalised(logits, seen, r) {
  const out = Float64Array.from(logits);
  if (r !== 1) for (const id of new Set(seen)) out[id] = out[id] > 0 ? out[id] / r : out[id] * r;
  return out;
}

// Ids, largest first; of equals the smaller id.
const ranked = (values) =>
  Uint32Array.from(values, (_, i) => i).sort((a, b) => values[b] - values[a] || a - b);

function reaching(p, order, share) {
  let whole = 0;
  for (const id of order) whole += p[id];
  let sum = 0,
    n = 0;
  while (n < order.length && (n === 0 || sum < share * whole - ROUNDING)) sum += p[order[n++]];
  return order.subarray(0, n);
}

function typical(p, order, y) {
  const some = order.filter((id) => p[id] > 0);
  let entropy = 0;
  for (const id of some) entropy -= p[id] * Math.log(p[id]);
  const away = new Float64Array(p.length);
  for (const id of some) away[id] = Math.abs(-Math.log(p[id]) - entropy);
  return reaching(
    p,
    some.slice().sort((a, b) => away[a] - away[b] || p[b] - p[a] || a - b),
    y,
  );
}

/** @type {[keyof Rules, string, (p: Float64Array, order: Uint32Array, limit: number) => Uint32Array][]} */
const CUTS = [
  ["k", "top-k", (p, order, k) => order.subarray(0, k)],
  ["p", "top-p", reaching],
  ["m", "min-p", (p, order, m) => order.filter((id) => p[id] >= m * p[order[0]])],
  ["y", "typical", typical],
];

// before: what the model says; warm: after penalty and temperature; after: what is drawn from; by: which rule cut a token.
/**
 * @param {Numbers} logits @param {Rules} rules @param {Iterable<number>} seen ids that count as repeated
 * @param {{r?: number, order?: Uint32Array}} sorted what may be kept between two calls with the same logits
 * @returns {Choice | null} null where nothing can follow
 */
export function choose(logits, rules, seen, sorted = {}) {
  const before = softmax(logits);
  if (!before) return null;
  const z = penalised(logits, seen, rules.r);
  if (sorted.r !== rules.r) Object.assign(sorted, { r: rules.r, order: ranked(z) });
  const warm = softmax(z, rules.t);
  let p = warm,
    left = 1;
  const cuts = [],
    by = new Array(logits.length);
  for (const [name, title, rule] of CUTS) {
    if (rules[name] === OFF[name]) continue;
    const kept = rule(p, sorted.order, rules[name]);
    const next = new Float64Array(p.length);
    let mass = 0,
      all = 0;
    for (const id of kept) mass += p[id];
    for (let i = 0; i < p.length; i++) all += p[i];
    for (const id of kept) next[id] = p[id] / mass;
    for (let i = 0; i < p.length; i++) if (p[i] > 0 && !(next[i] > 0)) by[i] ??= title;
    const lost = left * Math.max(0, 1 - mass / all);
    left -= lost;
    p = next;
    cuts.push({ name, title, mass: lost, left: positive(next) });
  }
  return {
    before,
    z,
    warm,
    after: p,
    cuts,
    by,
    left,
    order: sorted.order,
    kept: positive(p),
  };
}

const known = new WeakMap(); // per logits what was sorted and chosen last

// What the rules of the page make of a reader's logits.
export function decoded(reader, text) {
  const logits = reader.fields.get("logits")?.values;
  if (!logits?.length) return null;
  const seen = reader.fields
    .get("id")
    .values.subarray(0, (reader.said.after ?? Infinity) - reader.offset + 1);
  let kept = known.get(logits);
  if (!kept) known.set(logits, (kept = { sorted: {} }));
  if (kept.text !== text)
    Object.assign(kept, { text, found: choose(logits, readRules(text), seen, kept.sorted) });
  return kept.found;
}

/** The first of those kept and of those cut in the order of the logits, with a line for each stretch left out. @param {Choice} found */
export function sifted({ order, after, warm }, most, mostStruck) {
  const out = [];
  let kept = 0,
    struck = 0,
    skipped = [0, 0, 0, 0]; // tokens kept, their mass, tokens cut, their mass
  const flush = () => {
    const [n, mass, m, lost] = skipped;
    if (n + m)
      out.push({
        says: [
          n && `${n.toLocaleString("en")} more kept: ${percent(mass)}`,
          m && `${m.toLocaleString("en")} more cut: ${percent(lost)}`,
        ]
          .filter(Boolean)
          .join("; "),
      });
    skipped = [0, 0, 0, 0];
  };
  for (const id of order) {
    const is = after[id] > 0;
    if (is ? kept++ < most : struck++ < mostStruck) {
      flush();
      out.push({ id });
      continue;
    }
    const at = is ? 0 : 2;
    skipped[at]++;
    skipped[at + 1] += is ? after[id] : warm[id];
  }
  flush();
  return out;
}
