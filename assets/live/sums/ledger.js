// The memory of a unit as an account: what each token wrote, and how much of it is left.  engine/analysis/ledger.py says the same
// in Python.  Shapes: values of a field are (layer, token, unit); T tokens, U units.

const SHUT = 2 ** -24,
  ROUNDING = 1e-9;

export const memoryOf = (spec, selection) =>
  spec.memories.find((m) => m.state === selection.get("field")) ?? spec.memories[0];

/** @import { Looking, Memory } from "../types.js" */
/** @import { Reader } from "../wire.js" */

// The account of the unit looked at; null where nothing is typed.  One for all panels, until something changes.
export function account({ spec, selection }, reader) {
  const memory = memoryOf(spec, selection);
  const state = reader.fields.get(memory.state);
  if (!state || !reader.labels.length) return null;
  const [L, T, U] = state.shape;
  const layer = Math.min(selection.get("layer") ?? 0, L - 1);
  const unit = Math.min(selection.get("unit") ?? 0, U - 1);
  const of = [state, memory, layer, unit];
  if (reader.account?.of.every((part, i) => part === of[i])) return reader.account.value;
  const series = (name) =>
    Float64Array.from({ length: T }, (_, t) => reader.fields.get(name).values[(layer * T + t) * U + unit]);
  const keep = memory.keep
    ? series(memory.keep).map((f) => (memory.complement ? 1 - f : f))
    : new Float64Array(T).fill(1);
  const factors = memory.write.map(series);
  const write = new Float64Array(T).map((_, t) => factors.reduce((product, f) => product * f[t], 1));
  const states = series(memory.state);
  const carried = reader.offset ? states[0] - write[0] : 0;
  const value = {
    memory,
    layer,
    layers: L,
    unit,
    units: U,
    T,
    keep,
    factors,
    write,
    state: states,
    cut: reader.offset > 0,
    carried,
  };
  reader.account = { of, value };
  return value;
}

// Shares that are left at moment t of what each token up to it wrote.
export function shares({ keep }, t) {
  const kept = new Float64Array(t + 1);
  kept[t] = 1;
  for (let k = t - 1; k >= 0; k--) kept[k] = kept[k + 1] * keep[k + 1];
  return kept;
}

// What each token up to moment t has in the memory then, and what was there before the first: {kept, parts, before, sum}.
export function parts(book, t) {
  const kept = shares(book, t);
  const own = new Float64Array(t + 1);
  const before = book.carried * kept[0];
  let sum = before;
  for (let k = 0; k <= t; k++) sum += own[k] = kept[k] * book.write[k];
  return { kept, parts: own, before, sum };
}

// Every moment (down) and every source (across); the first source is what was there before, in a text that is cut.
export function grid(book) {
  if (book.grid) return book.grid;
  const first = book.cut ? 1 : 0;
  const columns = book.T + first;
  const values = new Float32Array(book.T * columns);
  const row = new Float64Array(columns);
  row[0] = first ? book.carried : 0;
  for (let t = 0; t < book.T; t++) {
    for (let k = 0; t && k < t + first; k++) row[k] *= book.keep[t];
    row[t + first] = book.write[t];
    values.set(row, t * columns);
  }
  return (book.grid = { values, rows: book.T, columns, first });
}

// Among the tokens up to moment t the one looked at, else the one that has the most there.
export function source(book, selection, reader, t) {
  const other = selection.get("other") - reader.offset;
  if (other >= 0 && other <= t) return other;
  const { parts: own } = parts(book, t);
  let best = 0;
  own.forEach((x, k) => {
    if (Math.abs(x) > Math.abs(own[best])) best = k;
  });
  return best;
}

const fall = (keep) => -Math.log(Math.max(keep, SHUT));

// [tokens, whether it is longer]: until half of what token k wrote is gone; and at moment t, how far back half is gone.
export function after({ keep, T }, k) {
  let fallen = ROUNDING;
  for (let n = 1; k + n < T; n++) if ((fallen += fall(keep[k + n])) >= Math.LN2) return [n, false];
  return [T - 1 - k, true];
}

export function back({ keep }, t) {
  let fallen = ROUNDING;
  for (let n = 1; n <= t + 1; n++) if ((fallen += fall(keep[t + 1 - n])) >= Math.LN2) return [n, false];
  return [t + 1, true];
}

// Per unit of a layer the half-life of its mean logarithm over the tokens shown, and the units from shortest to longest.
// The gate of the first token of a text does not count: it acted on an empty memory.
export function halfLives(reader, memory, layer) {
  const field = reader.fields.get(memory.keep || memory.state);
  const of = [field, memory, layer];
  if (reader.halves?.of.every((part, i) => part === of[i])) return reader.halves.value;
  const [, T, U] = field.shape;
  const mean = new Float64Array(U);
  const first = reader.offset || T < 2 ? 0 : 1;
  const N = T - first;
  for (let t = first; memory.keep && t < T; t++)
    for (let u = 0; u < U; u++) {
      const f = field.values[(layer * T + t) * U + u];
      mean[u] += fall(memory.complement ? 1 - f : f) / N;
    }
  const tokens = mean.map((m) => Math.min(N, m > 0 ? Math.LN2 / m : N));
  const longer = Array.from(mean, (m) => !(Math.LN2 <= m * N));
  const order = Array.from(mean, (_, u) => u).sort((a, b) => mean[b] - mean[a] || a - b);
  const value = { T: N, tokens, longer, order };
  reader.halves = { of, value };
  return value;
}

// A half-life in words.
export function lasting(n, longer) {
  const said = Number.isInteger(n) || n >= 100 ? Math.round(n).toLocaleString("en") : n.toPrecision(3);
  return `${longer ? "longer than " : ""}${said} ${n === 1 ? "token" : "tokens"}`;
}
