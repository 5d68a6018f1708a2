// The sums of a hidden Markov model that the browser makes itself: the product along a path, the parts of a prediction,
// how far two beginnings are apart.  Shapes: S states, T tokens shown; A is (S, S), row after row.

export const VIEWS = { predict: "Predicted", filter: "Filtered", smooth: "Smoothed" };

/** What the model has learned: {states, a: A, writes, second, named}. */
export function tables(reader) {
  if (reader.markov) return reader.markov;
  const { transition, ...more } = reader.spec.markov;
  const a = new Float32Array(Uint8Array.from(atob(transition), (c) => c.charCodeAt(0)).buffer);
  return (reader.markov = { states: reader.spec.labels.state, a, ...more });
}

/** A name that says something: of a state that has a number only, the tokens that it writes most. */
export function called(model, s) {
  const first = model.writes[s].filter(([label]) => label.trim()).slice(0, 4);
  return model.named || !s
    ? model.states[s]
    : `${model.states[s]}: ${first.map(([label]) => label).join(" ")}`;
}

/** The state looked at; at a token where none is, that of the likeliest path. */
export function chosenState(reader, selection, t) {
  const chosen = selection.get("unit");
  return chosen < tables(reader).states.length ? chosen : viterbi(reader)[t];
}

export const viterbi = (reader) => Array.from(reader.fields.get("viterbi")?.values ?? []);

/** One belief of a token: (S,). */
export function belief(reader, name, t) {
  const { values, shape } = reader.fields.get(name);
  return values.subarray(t * shape[1], (t + 1) * shape[1]);
}

/** The position of the largest number. */
export const largest = (values) => values.reduce((best, v, i) => (v > values[best] ? i : best), 0);

/** A path of one's own, written "3:7,5:2": from token 3 on its state is 7 ...; by token. @returns {Map<number, number>} */
export function bends(written = "", states = Infinity) {
  const found = new Map();
  for (const [, t, s] of String(written).matchAll(/(\d{1,6}):(\d{1,4})(?:,|$)/g))
    if (Number(s) < states) found.set(Number(t), Number(s));
  return found;
}

const at = new WeakMap(); // by reader: the tokens that its path was bent at, as they were then

/** The bends of the selection whose tokens are still the same. @param {any} reader @param {any} selection */
export function held(reader, selection) {
  const found = bends(selection.get("picks"), tables(reader).states.length);
  if (!at.has(reader)) at.set(reader, new Map());
  const labels = at.get(reader);
  for (const t of labels.keys()) if (!found.has(t)) labels.delete(t);
  for (const t of found.keys()) {
    const label = reader.labels[t - reader.offset];
    if (!labels.has(t) && label !== undefined) labels.set(t, label);
    if (label === undefined || labels.get(t) !== label) found.delete(t);
  }
  return found;
}

/** @param {Map<number, number>} of */
export const written = (of) =>
  Array.from(of)
    .sort(([a], [b]) => a - b)
    .map(([t, s]) => `${t}:${s}`)
    .join(",");

/** The likeliest path, bent through the states that are chosen. */
export function bent(reader, of) {
  return viterbi(reader).map((s, t) => of.get(t + reader.offset) ?? s);
}

/**
 * The factors of P(states and tokens) along a path: of each token but the first, which is given, the transition and what
 * the state writes; `bits` is -log2 of the product so far.
 */
export function factors(reader, path) {
  const { a, states } = tables(reader);
  let bits = 0;
  return path.slice(1).map((to, i) => {
    const from = path[i];
    const transition = a[from * states.length + to];
    const emission = reader.value("likely", { token: i + 1, state: to });
    bits -= Math.log2(transition) + Math.log2(emission);
    return { t: i + 1, from, to, transition, emission, bits };
  });
}

/** What each state before adds to the prediction of state s at token t, the largest first: [state, belief, transition]. */
export function sources(reader, t, s) {
  const { a, states } = tables(reader);
  if (!t) return [];
  return Array.from(belief(reader, "filter", t - 1), (f, i) => [i, f, a[i * states.length + s]]).sort(
    (one, other) => other[1] * other[2] - one[1] * one[2],
  );
}

/** P(token t | those before), as the model reads the token: the sum over its states. */
export function evidence(reader, t) {
  const likely = belief(reader, "likely", t);
  return belief(reader, "predict", t).reduce((sum, p, s) => sum + p * likely[s], 0);
}

/** Half of the sum of the differences of two beliefs. */
export const distance = (one, other) => one.reduce((sum, p, i) => sum + Math.abs(p - other[i]), 0) / 2;

const step = (p, a) =>
  Float64Array.from(p, (_, j) => p.reduce((sum, q, i) => sum + q * a[i * p.length + j], 0));

function correct(p, like) {
  const both = p.map((q, s) => q * like[s]);
  const sum = both.reduce((x, y) => x + y, 0);
  return sum > 0 ? both.map((x) => x / sum) : p;
}

/**
 * How far two beliefs are apart, at the start and after each of `count` steps, when nothing is read and when the tokens
 * are: `likes` gives the likelihoods of step n, counted from 1.
 */
export function apart(a, one, other, count, likes) {
  const found = { unread: [distance(one, other)], read: [distance(one, other)] };
  let [unread, read] = [
    [one, other].map((p) => Float64Array.from(p)),
    [one, other].map((p) => Float64Array.from(p)),
  ];
  for (let n = 1; n <= count; n++) {
    unread = unread.map((p) => step(p, a));
    read = read.map((p) => correct(step(p, a), likes(n)));
    found.unread.push(distance(unread[0], unread[1]));
    found.read.push(distance(read[0], read[1]));
  }
  return found;
}

/** A belief that is sure of one state. */
export const sure = (states, s) => Float64Array.from({ length: states }, (_, i) => Number(i === s));

/** The states with a row, in their order: at most `most`, those that some token is likeliest in. */
export function rowsOf(reader, most) {
  const { states } = tables(reader);
  const all = states.map((_, s) => s);
  const { values, shape } = reader.fields.get("smooth");
  if (all.length <= most) return all;
  const path = new Set(viterbi(reader));
  const weight = all.map((s) => {
    let best = path.has(s) ? 2 : 0;
    for (let t = 0; t < shape[0]; t++) best = Math.max(best, values[t * shape[1] + s]);
    return best;
  });
  return all
    .sort((one, other) => weight[other] - weight[one])
    .slice(0, most)
    .sort((one, other) => one - other);
}
