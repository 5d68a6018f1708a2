// One step of a decoder that looks at its source: its scores, and each of them as the sum that it is.

/** @import { Reader } from "../wire.js" */

/** The score that is opened; the first where none is. @param {any} panel @returns {string} */
export function scoredBy(panel) {
  const kinds = Object.keys(panel.spec.called);
  const by = panel.selection.get("by");
  return kinds.includes(by) ? by : kinds[0];
}

/** The numbers of step t: how many source words, the score and the weight of each. @param {Reader} reader @param {number} t */
export function scoreOf(reader, t) {
  const field = reader.fields.get("cross.score");
  const S = field && reader.labels.length ? Math.min(field.shape[3], reader.source?.labels.length ?? 0) : 0;
  const at = (/** @type {string} */ name) => (/** @type {number} */ s) =>
    reader.value(name, { layer: 0, head: 0, query: t, source: s });
  return { t, S, score: at("cross.score"), weight: at("cross.attention") };
}

/** A row of a field, of its first axis. @param {Reader} reader @param {string} name @param {number} row @returns {Float32Array} */
export function row(reader, name, row) {
  const field = reader.fields.get(name);
  if (!field) return new Float32Array();
  const wide = field.shape[1];
  return field.values.subarray(row * wide, (row + 1) * wide);
}

/**
 * The score of source word s at step t from what it is made of: per unit its part, and their sum.  A location score
 * has one part, that of the place.
 * @param {Reader} reader @param {string} kind @param {number} t @param {number} s
 * @returns {{parts: Float32Array, sum: number, asked: Float32Array, offered: Float32Array}}
 */
export function summed(reader, kind, t, s) {
  const asked = row(reader, kind === "dot" ? "query" : "asked", t);
  const offered = row(reader, kind === "additive" ? "offered" : "key.state", s);
  const { read } = reader.spec;
  const parts =
    kind === "location"
      ? Float32Array.of(asked[s] ?? -Infinity)
      : Float32Array.from(offered, (k, u) =>
          kind === "additive" ? read[u] * Math.tanh(asked[u] + k) : asked[u] * k,
        );
  return { parts, sum: parts.reduce((sum, part) => sum + part, 0), asked, offered };
}
