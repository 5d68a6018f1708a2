// Terms of a gradient over time: what is looked at, their sizes as powers of ten, where truncation cuts.

/** @import { Field } from "../types.js" */
/** @import { Reader } from "../wire.js" */
/** @import { Selection } from "../selection.js" */

/**
 * The loss looked at (of token q), the step k before it, the gradient that is shown, its layer, and after how many steps it
 * is truncated (0: never). @param {Selection} selection @param {Reader} reader
 */
export function chosen(selection, reader) {
  const last = Math.max(0, reader.labels.length - 1);
  const q = Math.max(Math.min(1, last), selection.token(reader));
  const other = selection.get("other");
  const k = other === undefined ? q - 1 : Math.max(0, Math.min(q - 1, other - reader.offset));
  const layers = /** @type {any} */ (reader.spec).layers;
  return {
    q,
    k,
    name: selection.get("field") ?? "gradient.state",
    layer: Math.min(layers - 1, selection.get("layer") ?? 0),
    chunk: Math.max(0, Math.min(last, selection.get("chunk") ?? 0)),
  };
}

/** The length of one term. @param {Reader} reader @param {string} name @param {number} layer @param {number} query @param {number} key */
export const size = (reader, name, layer, query, key) => reader.value(name, { layer, query, key });

/** The losses up to each token, added up; what nothing predicts adds nothing. @param {Reader} reader */
export function totals(reader) {
  let sum = 0;
  return reader.bits.map((bits) => (sum += Number.isFinite(bits) ? bits : 0));
}

/** The first step that the gradient of the loss of token q reaches, in chunks of so many steps. @param {number} q @param {number} chunk */
export const cutAt = (q, chunk) => (chunk ? Math.floor((q - 1) / chunk) * chunk : 0);

/**
 * The rows of one layer as powers of ten; no number where the gradient is 0 or nothing is there.
 * @param {any} kept what was made before @param {Field} field @param {number} layer
 */
export function logs(kept, field, layer) {
  const columns = field.shape[field.shape.length - 1];
  const start = field.axes[0] === "layer" ? layer * columns * columns : 0;
  if (kept.values === field.values && kept.start === start && kept.columns === columns) return kept.logs;
  const found = new Float32Array(columns * columns);
  for (let i = 0; i < found.length; i++) {
    const v = field.values[start + i];
    found[i] = v > 0 ? Math.log10(v) : NaN;
  }
  Object.assign(kept, { values: field.values, start, columns, logs: found });
  return found;
}

const UPPER = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];

/** A power of ten as an axis writes it: 10⁻³; what is no whole power by its number. @param {number} exponent */
export function power(exponent) {
  if (!Number.isInteger(exponent)) return String(Number((10 ** exponent).toPrecision(1)));
  if (exponent === 0) return "1";
  const digits = Array.from(String(Math.abs(exponent)), (d) => UPPER[Number(d)]).join("");
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}
