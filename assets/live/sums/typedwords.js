// The typed words that have a vector, each once, and how alike they are: cosines of the vectors that came with the reply.

export const MOST = 40;

/**
 * {t, label, unit} per word, in the order they were typed; `all` counts them, of which at most MOST are given.
 * @param {import("../wire.js").Reader} reader
 */
export function typed(reader) {
  const field = reader.fields.get("vector");
  const seen = new Map();
  if (!field) return { words: [], all: 0 };
  const dims = field.shape[1];
  reader.labels.forEach((label, t) => {
    if (reader.spans[t][1] === 0 || seen.has(label.toLowerCase())) return;
    const vector = field.values.subarray(t * dims, (t + 1) * dims);
    const length = Math.hypot(...vector);
    if (length > 0)
      seen.set(label.toLowerCase(), { t, label, unit: Float64Array.from(vector, (v) => v / length) });
  });
  const words = [...seen.values()];
  return { words: words.slice(0, MOST), all: words.length };
}

/** @param {any[]} words */
export function cosines(words) {
  const n = words.length;
  const found = new Float32Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let dot = 0;
      for (let d = 0; d < words[i].unit.length; d++) dot += words[i].unit[d] * words[j].unit[d];
      found[i * n + j] = found[j * n + i] = dot;
    }
  return found;
}

/**
 * Cosine of each word with the mean of all of them, from the cosines alone: the mean's length squared is their mean.
 * @param {Float32Array} values @param {number} n
 */
export function fits(values, n) {
  const sums = Array.from({ length: n }, (_, i) =>
    values.subarray(i * n, (i + 1) * n).reduce((a, b) => a + b, 0),
  );
  const length = Math.sqrt(
    Math.max(
      0,
      sums.reduce((a, b) => a + b, 0),
    ),
  );
  return sums.map((s) => (length > 1e-9 ? s / length : 0));
}

/**
 * Which of the words is looked at, as a position among them; -1 when it is none of them.
 * @param {any[]} words @param {import("../wire.js").Reader} reader @param {number} t
 */
export function lookedAt(words, reader, t) {
  const label = reader.labels[t]?.toLowerCase();
  return words.findIndex((w) => w.label.toLowerCase() === label);
}
