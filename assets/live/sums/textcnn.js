// The sums of a sentence classifier by convolution that the browser makes itself: what each best match adds to the answer, with
// some filters off, and one match opened to its products.  Shapes: K labels, U filters, w words a filter covers, D channels.

/** @import { Reader } from "../wire.js" */

/** @param {string} sent */
const numbers = (sent) => new Float32Array(Uint8Array.from(atob(sent), (c) => c.charCodeAt(0)).buffer);

/**
 * What the model has learned, unpacked once.
 * @param {any} reader
 */
export function tables(reader) {
  if (reader.textcnn) return reader.textcnn;
  const { filters, head, ...more } = reader.spec.textcnn;
  const names = reader.spec.labels.label;
  return (reader.textcnn = {
    ...more,
    names,
    count: more.covers.length * more.each,
    filters: numbers(filters),
    head: numbers(head),
  });
}

/** How many words a filter covers. @param {any} model @param {number} unit */
export const covered = (model, unit) => model.covers[Math.floor(unit / model.each)];

/** The weight of a channel of a word that a filter covers. @param {any} model @param {number} unit @param {number} word @param {number} channel */
function weight({ covers, each, width, filters }, unit, word, channel) {
  const bank = Math.floor(unit / each);
  let start = 0;
  for (let b = 0; b < bank; b++) start += covers[b] * each * width;
  return filters[start + ((unit % each) * width + channel) * covers[bank] + word];
}

/** The filters that are switched off, from the address. @param {string | undefined} said @param {number} count @returns {Set<number>} */
export const switchedOff = (said, count) =>
  new Set(
    (said ?? "")
      .split(",")
      .filter((one) => /^\d{1,4}$/.test(one))
      .map(Number)
      .filter((unit) => unit < count),
  );

/** The best match of each filter in the words up to token t: (U,). @param {Reader} reader @param {number} t @returns {Float32Array} */
export function largest(reader, t) {
  const field = reader.fields.get("largest");
  return field ? field.values.subarray(t * field.shape[1], (t + 1) * field.shape[1]) : new Float32Array();
}

/** The token at which a best match ends; -1 where nothing matches, or where it lies before what is shown. @param {Reader} reader @param {number} unit @param {number} t */
export function matchedAt(reader, unit, t) {
  const most = reader.value("largest", { token: t, unit });
  if (!most) return -1;
  for (let at = 0; at <= t; at++) if (reader.value("response", { token: at, unit }) === most) return at;
  return -1;
}

/**
 * The answer to the words up to token t: the probability of each label, the two likeliest (in the order of their
 * names), and what each filter adds to the score of the second, less what it adds to that of the first.
 * @param {any} reader @param {number} t @param {Set<number>} off
 * @returns {{p: number[], sides: number[], each: Float32Array, start: number}}
 */
export function answer(reader, t, off) {
  const model = tables(reader);
  const best = largest(reader, t);
  const { count, head, names } = model;
  const scores = names.map((_, k) => {
    let sum = model.start[k];
    for (let u = 0; u < count; u++) if (!off.has(u)) sum += head[k * count + u] * best[u];
    return sum;
  });
  const most = Math.max(...scores);
  const e = scores.map((score) => Math.exp(score - most));
  const total = e.reduce((a, b) => a + b, 0);
  const sides = names
    .map((_, k) => k)
    .sort((a, b) => scores[b] - scores[a] || a - b)
    .slice(0, 2)
    .sort((a, b) => a - b);
  const [a, b] = sides;
  const each = Float32Array.from(best, (m, u) => m * (head[b * count + u] - head[a * count + u]));
  return { p: e.map((one) => one / total), sides, each, start: model.start[b] - model.start[a] };
}

/**
 * One match opened: of each word that the filter covers its product per channel and their sum; then the bias and the
 * sum of all.  Before the first word there are zeros.
 * @param {any} reader @param {number} unit @param {number} t the last word
 */
export function opened(reader, unit, t) {
  const model = tables(reader);
  const w = covered(model, unit);
  const words = Array.from({ length: w }, (_, k) => {
    const token = t - w + 1 + k;
    const weights = Float32Array.from({ length: model.width }, (_, d) => weight(model, unit, k, d));
    const products = weights.map((w, d) => (token < 0 ? 0 : w * reader.value("vector", { token, dim: d })));
    return { token, weights, products, sum: products.reduce((a, b) => a + b, 0) };
  });
  const bias = model.bias[unit];
  return { words, bias, sum: words.reduce((a, { sum }) => a + sum, bias) };
}

/**
 * The filters that add most, half of them to each side as far as there are so many, the strongest first.
 * @param {Float32Array} each @param {number} most @returns {number[]}
 */
export function strongest(each, most) {
  const order = Array.from(each, (_, u) => u).sort((a, b) => Math.abs(each[b]) - Math.abs(each[a]) || a - b);
  const sides = [order.filter((u) => each[u] < 0), order.filter((u) => each[u] > 0)];
  const few = Math.floor(most / 2);
  const [a, b] = sides.map((side) => side.length);
  const found = new Set([
    ...sides[0].slice(0, Math.max(few, most - b)),
    ...sides[1].slice(0, Math.max(most - few, most - a)),
  ]);
  return order.filter((u) => found.has(u)).slice(0, most);
}
