// What stands near what in the typed text: counted here, in the browser, the way engine/vectors/cooccurrence.py counts.

import { digits } from "../dom.js";

export const STEPS = {
  count: "Counts",
  log: "Logarithm",
  ppmi: "PPMI",
  cosine: "Cosines of rows",
};
// A number as a sentence says it: whole ones whole, others with three digits.
export const value = (v) => (Number.isInteger(v) ? String(v).replace("-", "−") : digits(v));

// Two decimals, as a cell has room for; nothing where there is no number.
export const signed = (v) =>
  Number.isFinite(v)
    ? v
        .toFixed(2)
        .replace(/^-0\.00$/, "0.00")
        .replace("-", "−")
    : "";

const FIRST = "4.f.b.count.100.1"; // window, flat or by distance, sides, step, smoothing in hundredths, shift

const RULES = /^\d{1,3}\.[fd]\.[blr]\.(count|log|ppmi|cosine)\.\d{1,3}\.\d{1,3}$/;

export function readRules(text) {
  const [window, weight, sides, step, alpha, shift] = (RULES.test(text ?? "") ? text : FIRST).split(".");
  return {
    window: Math.max(1, Math.min(20, Number(window))),
    flat: weight === "f",
    sides,
    step,
    alpha: Math.max(0.01, Math.min(1, Number(alpha) / 100)),
    shift: Math.max(1, Math.min(50, Number(shift))),
  };
}

export const writeRules = ({ window, flat, sides, step, alpha, shift }) =>
  `${window}.${flat ? "f" : "d"}.${sides}.${step}.${Math.round(alpha * 100)}.${shift}`;

// The words of the shown text without repetition, in the order in which they appear.
// at: per token its word, -1 for a mark or a line end; first: per word its first token; line: per token its line
export function typed(reader) {
  const words = [],
    at = [],
    first = [],
    times = [],
    line = [],
    known = new Map();
  let lines = 0;
  reader.labels.forEach((label, t) => {
    const mark = reader.spans[t][1] === 0,
      end = label === "</s>";
    if (end) lines += 1;
    line.push(lines);
    if (mark || end) return at.push(-1);
    const word = label.toLowerCase();
    if (!known.has(word)) {
      known.set(word, words.length);
      words.push(word);
      first.push(t);
      times.push(0);
    }
    times[known.get(word)] += 1;
    at.push(known.get(word));
  });
  return { words, at, first, times, line };
}

// Every pair of places that counts for the window around token t: [place, what it counts].
export function around(text, t, { window, flat, sides }) {
  const found = [];
  if (text.at[t] < 0) return found;
  for (let d = -window; d <= window; d++) {
    const other = t + d;
    if (!d || (d < 0 && sides === "r") || (d > 0 && sides === "l")) continue;
    if (text.at[other] === undefined || text.at[other] < 0 || text.line[other] !== text.line[t]) continue;
    found.push([other, flat ? 1 : 1 / Math.abs(d)]);
  }
  return found;
}

export function count(text, rules) {
  const n = text.words.length;
  const values = new Float64Array(n * n);
  text.at.forEach((row, t) => {
    for (const [other, one] of around(text, t, rules)) values[row * n + text.at[other]] += one;
  });
  return values;
}

// Sums that a cell's formula needs.
export function sums(values, n, alpha) {
  const row = new Float64Array(n),
    column = new Float64Array(n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      row[i] += values[i * n + j];
      column[j] += values[i * n + j];
    }
  const total = row.reduce((a, b) => a + b, 0);
  const smooth = column.map((c) => (c > 0 ? c ** alpha : 0));
  return { row, column, total, smooth, smoothTotal: smooth.reduce((a, b) => a + b, 0) };
}

export const pmi = (x, { row, smooth, smoothTotal }, i, j, shift) =>
  x > 0 ? Math.log((x * smoothTotal) / (row[i] * smooth[j])) - Math.log(shift) : -Infinity;

export function cosine(values, n, i, j) {
  let dot = 0,
    a = 0,
    b = 0;
  for (let k = 0; k < n; k++) {
    const x = values[i * n + k],
      y = values[j * n + k];
    dot += x * y;
    a += x * x;
    b += y * y;
  }
  return a && b ? dot / Math.sqrt(a * b) : NaN;
}

// The table after the step chosen; ln 0 and the cosine with a row of zeros are NaN.
export function table(text, rules) {
  const n = text.words.length;
  const counts = count(text, rules);
  const all = sums(counts, n, rules.alpha);
  const cell = {
    count: (i, j) => counts[i * n + j],
    log: (i, j) => (counts[i * n + j] > 0 ? Math.log(counts[i * n + j]) : NaN),
    ppmi: (i, j) => Math.max(0, pmi(counts[i * n + j], all, i, j, rules.shift)),
    cosine: (i, j) => cosine(counts, n, i, j),
  }[rules.step];
  const values = new Float32Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) values[i * n + j] = cell(i, j);
  return { n, counts, all, values };
}
