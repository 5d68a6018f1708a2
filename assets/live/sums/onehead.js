// One head over the tokens shown, step by step.  As the model does it every number is the model's own; with another choice
// (no division, no mask, softmax down the columns) the steps from there on are computed here from its queries and keys.
// Shapes: x (T, D); q, k, v, reading (T, d); squares (T, T), row = the token that looks, column = the token looked at.

/** @import { Selection } from "../selection.js" */
/** @import { Numbers } from "../types.js" */

/** What was computed is kept with the reader. @typedef {import("../wire.js").Reader & {oneHead?: any, projection?: any}} HeadReader */
/** A cell of the chain: its step, the token that looks, the one looked at, the number of the vector. @typedef {{stage: string, i: number, j: number, u: number}} Cell */
/** A cell, a row or a column of a step. @typedef {{stage: string, row?: number, column?: number}} Spot */

export const SQUARES = ["product", "scaled", "masked", "attention"];
export const STAGES = ["input", "query", "key", "value", ...SQUARES, "weighted", "reading"];

/** What is switched on: kept in the address with the other settings. @param {Selection} selection */
export function choices(selection) {
  const on = String(selection.get("with") ?? "scale.mask").split(".");
  return { scale: on.includes("scale"), mask: on.includes("mask"), column: selection.get("by") === "column" };
}

/** @param {{scale: boolean, mask: boolean}} choice */
export const written = ({ scale, mask }) =>
  [scale && "scale", mask && "mask"].filter(Boolean).join(".") || "none";

/** @param {HeadReader} reader @param {Selection} selection */
export function oneHead(reader, selection) {
  const choice = choices(selection);
  const of = [
    reader.labels.length,
    reader.fields.get("query"),
    reader.fields.get("score"),
    choice.scale,
    choice.mask,
    choice.column,
  ];
  if (reader.oneHead?.of.every((/** @type {any} */ part, /** @type {number} */ n) => part === of[n]))
    return reader.oneHead;
  return (reader.oneHead = { of, ...compute(reader, choice) });
}

/** @param {HeadReader} reader @param {any} choice */
function compute(reader, choice) {
  const T = reader.fields.get("query") ? reader.labels.length : 0;
  const own = choice.scale && choice.mask && !choice.column;
  if (!T) return { T, own, choice };
  /** @param {string} name */
  const of = (name) => reader.fields.get(name).values;
  const { head } = reader.spec;
  const [d, D] = [reader.fields.get("query").shape[1], reader.fields.get("residual.before").shape[1]];
  const [q, k, v, score] = ["query", "key", "value", "score"].map(of);
  const product = new Float32Array(T * T),
    scaled = new Float32Array(T * T),
    masked = new Float32Array(T * T);
  let biased = 0;
  for (let i = 0, n = 0; i < T; i++)
    for (let j = 0; j < T; j++, n++) {
      let sum = 0;
      for (let u = 0; u < d; u++) sum += q[i * d + u] * k[j * d + u];
      product[n] = sum;
      const seen = Number.isFinite(score[n]);
      if (seen) biased = Math.max(biased, Math.abs(score[n] - sum * head.factor) / (1 + Math.abs(score[n])));
      scaled[n] = !choice.scale ? sum : seen ? score[n] : sum * head.factor;
      masked[n] = choice.mask && !seen ? -Infinity : scaled[n];
    }
  const attention = own ? of("attention") : soften(masked, T, choice.column);
  let reading = of("reading");
  if (!own) {
    reading = new Float32Array(T * d);
    for (let i = 0; i < T; i++)
      for (let j = 0; j < T; j++)
        for (let u = 0; u < d; u++) reading[i * d + u] += attention[i * T + j] * v[j * d + u];
  }
  const rowSums = new Float64Array(T),
    columnSums = new Float64Array(T);
  attention.forEach((a, n) => {
    rowSums[Math.floor(n / T)] += a;
    columnSums[n % T] += a;
  });
  /** @param {number} i @param {number} j */
  const hidden = (i, j) => !Number.isFinite(score[i * T + j]);
  return {
    T,
    d,
    D,
    own,
    choice,
    hidden,
    biased: biased > 1e-4,
    rowSums,
    columnSums,
    input: of("residual.before"),
    query: q,
    key: k,
    value: v,
    product,
    scaled,
    masked,
    attention,
    reading,
  };
}

/**
 * Softmax along the rows, or down the columns, of (T, T); 0 where nothing is to be seen.
 * @param {Numbers} score @param {any} T @param {boolean} column
 */
export function soften(score, T, column) {
  const out = new Float32Array(T * T);
  const [outer, inner] = column ? [1, T] : [T, 1];
  for (let a = 0; a < T; a++) {
    let most = -Infinity,
      sum = 0;
    for (let b = 0; b < T; b++) most = Math.max(most, score[a * outer + b * inner]);
    if (most === -Infinity) continue;
    for (let b = 0; b < T; b++) sum += Math.exp(score[a * outer + b * inner] - most);
    for (let b = 0; b < T; b++)
      out[a * outer + b * inner] = Math.exp(score[a * outer + b * inner] - most) / sum;
  }
  return out;
}

/** What weight times value adds, key by key, to the reading of token i: (T, d). @param {any} n @param {number} i */
export function weighted(n, i) {
  if (n.weightedOf !== i) {
    n.weightedOf = i;
    n.weighted = Float32Array.from(n.value, (x, at) => x * n.attention[i * n.T + Math.floor(at / n.d)]);
  }
  return n.weighted;
}

/**
 * The cell that is opened: its step, the token that looks (i), the token looked at (j), the number of the vector (u).
 * @param {HeadReader} reader @param {Selection} selection @param {any} n
 */
export function cell(reader, selection, n) {
  const stage = STAGES.includes(selection.get("field")) ? selection.get("field") : "attention";
  const i = selection.token(reader);
  const other = selection.get("other");
  let j = other === undefined ? -1 : other - reader.offset;
  if (!(j >= 0 && j < n.T)) {
    j = 0;
    for (let b = 1; b < n.T; b++) if (n.attention[i * n.T + b] > n.attention[i * n.T + j]) j = b;
  }
  const u = Math.min(selection.get("unit") ?? 0, (stage === "input" ? n.D : n.d) - 1);
  return { stage, i, j, u };
}

/** Row and column of a cell in the picture of its step. @param {Cell} cell */
export function spot({ stage, i, j, u }) {
  if (SQUARES.includes(stage)) return [i, j];
  return [["key", "value", "weighted"].includes(stage) ? j : i, u];
}

/** What a cell is made of, as rows and columns of earlier pictures. @param {Cell} cell @param {{column: boolean}} choice @returns {Spot[]} */
export function sources({ stage, i, j, u }, { column }) {
  switch (stage) {
    case "query":
      return [{ stage: "input", row: i }];
    case "key":
    case "value":
      return [{ stage: "input", row: j }];
    case "product":
      return [
        { stage: "query", row: i },
        { stage: "key", row: j },
      ];
    case "scaled":
      return [{ stage: "product", row: i, column: j }];
    case "masked":
      return [{ stage: "scaled", row: i, column: j }];
    case "attention":
      return [column ? { stage: "masked", column: j } : { stage: "masked", row: i }];
    case "weighted":
      return [
        { stage: "attention", row: i, column: j },
        { stage: "value", row: j, column: u },
      ];
    case "reading":
      return [
        { stage: "attention", row: i },
        { stage: "value", column: u },
        { stage: "weighted", column: u },
      ];
    default:
      return [];
  }
}

/**
 * The weights that make this head's q, k and v: sent with the head.  Null where this model does not show them.
 * @param {HeadReader} reader
 */
export function projection(reader) {
  const { weights } = reader.said;
  if (!weights) return null;
  if (reader.projection?.of === weights.numbers) return reader.projection;
  const all = new Float32Array(Uint8Array.from(atob(weights.numbers), (c) => c.charCodeAt(0)).buffer);
  const { dim, width } = weights;
  let at = 0;
  /** @param {number} count */
  const take = (count) => all.subarray(at, (at += count));
  const matrices = { query: take(dim * width), key: take(dim * width), value: take(dim * width) };
  const biases = { query: take(dim), key: take(dim), value: take(dim) };
  return (reader.projection = {
    of: weights.numbers,
    dim,
    width,
    matrices,
    biases,
    gain: take(width),
    shift: take(width),
  });
}

/**
 * The input of token t as the projections read it: after the norm, where the norm comes first.
 * @param {HeadReader} reader @param {any} n @param {number} t
 */
export function normed(reader, n, t) {
  const x = n.input.subarray(t * n.D, (t + 1) * n.D);
  const { norm, epsilon } = reader.spec.head;
  const p = projection(reader);
  if (!norm || !p) return x;
  const mean = reader.value("attention.norm.mean", { token: t });
  const by = Math.sqrt(reader.value("attention.norm.deviation", { token: t }) ** 2 + epsilon);
  return Float64Array.from(x, (value, u) => ((value - mean) / by) * p.gain[u] + p.shift[u]);
}
