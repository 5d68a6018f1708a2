// The chain of matrices of one head, the cell of it that is opened, and what that is made of.

/** @import { Selection } from "../../selection.js" */
/** @import { Reader } from "../../wire.js" */

/** A cell of the chain: its step, the token that looks, the one looked at, the number of the vector. @typedef {{stage: string, i: number, j: number, u: number}} Cell */
/** A cell, a row or a column of a step. @typedef {{stage: string, row?: number, column?: number}} Spot */

export const SQUARES = ["product", "scaled", "masked", "attention"];
export const STAGES = ["input", "query", "key", "value", ...SQUARES, "weighted", "reading"];
export const BY_KEY = new Set(["key", "value", "weighted"]); // their rows are the tokens looked at

/** All numbers of the head, by step; T tokens, d numbers of a vector, D of an input. @param {Reader} reader @returns {any} */
export function numbers(reader) {
  const of = (name) => reader.fields.get(name);
  if (!of("masked") || !reader.labels.length) return { T: 0 };
  const names = { ...Object.fromEntries(STAGES.map((name) => [name, name])), input: "residual.before" };
  const all = Object.entries(names).map(([stage, name]) => [stage, of(name)?.values]);
  const [d, D] = [of("query").shape[1], of("residual.before").shape[1]];
  return { T: reader.labels.length, d, D, how: reader.said.at[2], ...Object.fromEntries(all) };
}

/** What weight times value adds, key by key, to the reading of token i: (T, d). @param {any} n @param {number} i */
export const weighted = (n, i) =>
  Float32Array.from(n.value, (x, at) => x * n.attention[i * n.T + Math.floor(at / n.d)]);

/** The cell that is opened. @param {Reader} reader @param {Selection} selection @param {any} n @returns {Cell} */
export function cell(reader, selection, n) {
  const stage = STAGES.includes(selection.get("field")) ? selection.get("field") : "attention";
  const i = selection.token(reader);
  const j = (selection.get("other") ?? -1) - reader.offset;
  const there = j >= 0 && j < n.T;
  const u = Math.min(selection.get("unit") ?? 0, (stage === "input" ? n.D : n.d) - 1);
  return { stage, i, j: there ? j : reader.fields.get("most").values[i], u };
}

/** Row and column of a cell in the picture of its step. @param {Cell} cell */
export function spot({ stage, i, j, u }) {
  return SQUARES.includes(stage) ? [i, j] : [BY_KEY.has(stage) ? j : i, u];
}

/** What a cell is made of, as rows and columns of earlier pictures. @param {Cell} cell @param {string} how @returns {Spot[]} */
export function sources({ stage, i, j, u }, how) {
  const pair = { row: i, column: j };
  return {
    input: [],
    query: [{ stage: "input", row: i }],
    key: [{ stage: "input", row: j }],
    value: [{ stage: "input", row: j }],
    product: [
      { stage: "query", row: i },
      { stage: "key", row: j },
    ],
    scaled: [{ stage: "product", ...pair }],
    masked: [{ stage: "scaled", ...pair }],
    attention: [{ stage: "masked", ...(how === "column" ? { column: j } : { row: i }) }],
    weighted: [
      { stage: "attention", ...pair },
      { stage: "value", row: j, column: u },
    ],
    reading: [
      { stage: "attention", row: i },
      { stage: "value", column: u },
      { stage: "weighted", column: u },
    ],
  }[stage];
}
