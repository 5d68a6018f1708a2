// The units of a layer in the order chosen: one order for every picture.  A statistic is taken over the tokens shown;
// equal units stand by number, those without a value last.  engine/lessons/lstm/order.py says the same in Python.
// Shapes: values of a field are (layer, token, unit); T tokens, U units.

import { small } from "../dom.js";

export const STATISTICS = {
  mean: small("mean"),
  range: "range",
  last: "last value",
  change: "change at the chosen token",
  half_life: "half-life",
  correlation: "correlation",
  similar: "similarity of shape",
};
const ROUNDS = 8;

// What the statistic is of, and with: names of fields; [] where the link or the model names none.
export function chosen(reader, selection) {
  const { names, keeps } = reader.spec.units;
  const order = selection.get("order");
  const among = order === "half_life" ? Object.keys(keeps) : names;
  if (!(order in STATISTICS) || !among.length) return { order: "", among: names };
  const by = among.includes(selection.get("by")) ? selection.get("by") : among[0];
  return {
    order,
    among,
    by,
    other: names.includes(selection.get("with")) ? selection.get("with") : names[0],
  };
}

// Unit numbers of a layer from the top down; null where they stand by number, or where a field has not these `count` units.
export function order(reader, selection, layer, count) {
  const units = whole(reader, selection, layer);
  return units?.length === count ? units : null;
}

function whole(reader, selection, layer) {
  if (!reader.spec.units) return null;
  const { order: name, by, other } = chosen(reader, selection);
  const field = reader.fields.get(by);
  if (!name || !field) return null;
  const against = name === "correlation" ? reader.fields.get(other) : null;
  const token = name === "change" ? selection.keptToken(reader) : 0;
  const up = !!selection.get("up");
  const cache = (reader.orders ??= []);
  const found = cache[layer];
  const of = [field, against, name, token, up];
  if (found && found.of.every((part, i) => part === of[i])) return found.units;
  let x = series(field, layer);
  // the gate of the first token of a text acted on an empty memory
  if (name === "half_life" && !reader.offset && x.T > 1)
    x = { ...x, T: x.T - 1, values: x.values.subarray(x.U) };
  const value = statistic(name, x, against && series(against, layer), reader.spec.units.keeps[by], token);
  const units = sorted(value, up);
  cache[layer] = { of, units };
  return units;
}

function series(field, layer) {
  const [, T, U] = field.shape;
  return { T, U, values: field.values.subarray(layer * T * U, (layer + 1) * T * U) };
}

// One number per unit.
export function statistic(name, { T, U, values }, against, complement, token) {
  const out = new Float32Array(U);
  const each = (f) => {
    for (let u = 0; u < U; u++) out[u] = f(u);
  };
  const over = (f) => (u) => {
    let sum = 0;
    for (let t = 0; t < T; t++) sum += f(values[t * U + u]);
    return sum / T;
  };
  if (!T) return out;
  if (name === "mean") each(over((v) => v));
  else if (name === "range")
    each((u) => {
      let low = Infinity,
        high = -Infinity;
      for (let t = 0; t < T; t++) {
        const v = values[t * U + u];
        if (v < low) low = v;
        if (v > high) high = v;
      }
      return high - low;
    });
  else if (name === "last") each((u) => values[(T - 1) * U + u]);
  else if (name === "change")
    each((u) => (token > 0 ? Math.abs(values[token * U + u] - values[(token - 1) * U + u]) : 0));
  else if (name === "half_life")
    each((u) => {
      const m = over((v) => Math.log(complement ? 1 - v : v))(u);
      return m < 0 ? Math.LN2 / -m : Infinity;
    });
  else if (name === "correlation") each((u) => correlation(values, against.values, T, U, u));
  else out.set(likeness(values, T, U));
  return out;
}

function correlation(x, y, T, U, u) {
  let a = 0,
    b = 0;
  for (let t = 0; t < T; t++) {
    a += x[t * U + u];
    b += y[t * U + u];
  }
  a /= T;
  b /= T;
  let xx = 0,
    yy = 0,
    xy = 0;
  for (let t = 0; t < T; t++) {
    const p = x[t * U + u] - a,
      q = y[t * U + u] - b;
    xx += p * p;
    yy += q * q;
    xy += p * q;
  }
  return xy / Math.sqrt(xx * yy);
}

// How much of the pattern that the units share most is in each: the first principal component of their courses,
// each less its mean, by power iteration from the course that moves most.
function likeness(values, T, U) {
  const x = Float64Array.from(values);
  const moves = new Float64Array(U);
  for (let u = 0; u < U; u++) {
    let mean = 0;
    for (let t = 0; t < T; t++) mean += x[t * U + u];
    mean /= T;
    for (let t = 0; t < T; t++) {
      x[t * U + u] -= mean;
      moves[u] += x[t * U + u] ** 2;
    }
  }
  let first = 0;
  for (let u = 1; u < U; u++) if (moves[u] > moves[first]) first = u;
  let pattern = Float64Array.from({ length: T }, (_, t) => x[t * U + first]);
  const share = new Float64Array(U);
  for (let round = 0; round <= ROUNDS; round++) {
    const length = Math.sqrt(pattern.reduce((sum, p) => sum + p * p, 0)) || 1;
    share.fill(0);
    for (let t = 0; t < T; t++) {
      const p = pattern[t] / length;
      for (let u = 0; u < U; u++) share[u] += x[t * U + u] * p;
    }
    pattern = pattern.map((_, t) => {
      let sum = 0;
      for (let u = 0; u < U; u++) sum += x[t * U + u] * share[u];
      return sum;
    });
  }
  return share;
}

export function sorted(value, up) {
  const before = (a, b) => (up ? a < b : a > b);
  return Array.from(value, (_, u) => u).sort((a, b) => {
    const [v, w] = [value[a], value[b]];
    if (Number.isNaN(v) || Number.isNaN(w)) return Number(Number.isNaN(v)) - Number(Number.isNaN(w)) || a - b;
    return before(v, w) ? -1 : before(w, v) ? 1 : a - b;
  });
}

// The rows of a picture: `count` units of the order from `first` on, several to one row where there are more than `most`.
// Then a row of gates is their mean, of other numbers the one farthest from 0.  Kept until something changes.
export function unitRows(store, field, start, order, first, count, most, gate) {
  const [, T, U] = field.shape;
  const of = [field, start, order, first, count, most];
  if (store.rowsOf?.every((part, i) => part === of[i])) return store.rows;
  store.rowsOf = of;
  if (!order && count <= most)
    return (store.rows = { values: field.values, n: count, T, start: start + first, step: U });
  const n = Math.min(count, most);
  const values = new Float32Array(n * T); // (token, row)
  const from = new Int32Array(n + 1);
  for (let r = 0; r <= n; r++) from[r] = Math.floor((r * count) / n);
  const unit = new Int32Array(count);
  for (let i = 0; i < count; i++) unit[i] = start + (order ? order[first + i] : first + i);
  const all = field.values;
  for (let t = 0, k = 0, at = 0; t < T; t++, at += U)
    for (let r = 0; r < n; r++, k++) {
      const end = from[r + 1];
      let v = all[at + unit[from[r]]];
      for (let i = from[r] + 1; i < end; i++) {
        const w = all[at + unit[i]];
        if (gate) v += w;
        else if (Math.abs(w) > Math.abs(v)) v = w;
      }
      values[k] = gate ? v / (end - from[r]) : v;
    }
  return (store.rows = { values, n, T, start: 0, step: n });
}

export const pooled = (count, most, gate) =>
  count > most
    ? ` One row of pixels holds up to ${Math.ceil(count / most)} units: ${gate ? "their mean" : "the value farthest from 0"}.`
    : "";

// [first, how many] places of the order that the opened picture shows.
export function shownRange(selection, count) {
  const shown = Math.max(1, Math.min(count, selection.get("shown") || count));
  return [Math.max(0, Math.min(count - shown, selection.get("first") ?? 0)), shown];
}
