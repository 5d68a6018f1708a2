// A soft lookup: what the browser makes of scores that came with the reply, as engine/analysis/soft_lookup.py does.

import { softmax } from "./softmax.js";

const STEPS = 80, // of the temperature, twenty to a power of ten
  FIRST = 20;
const RULES = /^\d{1,2}\.(cosine|dot)$/;

/** How is matched and how warm, as the address holds it: "20.cosine". @param {any} text */
export function readRules(text) {
  const [step, score] = (RULES.test(text ?? "") ? text : `${FIRST}.cosine`).split(".");
  return { step: Math.min(STEPS, Number(step)), score };
}

/** @param {{step: number, score: string}} rules */
export const writeRules = ({ step, score }) => `${step}.${score}`;

/** From 0.01 to 100. @param {number} step */
export const heat = (step) => Number((10 ** (step / 20 - 2)).toPrecision(2));

/** The step whose temperature is nearest. @param {number} t */
export const stepOf = (t) => Math.max(0, Math.min(STEPS, Math.round(20 * (Math.log10(t) + 2))));

/** @param {any} library @param {string} score @returns {number[]} */
export const scores = (library, score) =>
  score === "cosine" ? library.cosine : library.dot.map((v) => v / Math.sqrt(library.width));

/** Of each key. @param {number[]} score @param {number} t @returns {number[]} */
export const weights = (score, t) => (score.length ? softmax(score, t) : []);

/** The place of the best key, the first of several; -1 of none. @param {number[]} score */
export const best = (score) => score.reduce((b, v, i) => (b < 0 || v > score[b] ? i : b), -1);

/** In bits. @param {number[]} weight */
export const entropy = (weight) => -weight.reduce((sum, w) => sum + (w > 0 ? w * Math.log2(w) : 0), 0) + 0;

/** Rows, each as heavy as its weight. @param {number[][]} rows @param {number[]} weight @returns {number[]} */
export const mixed = (rows, weight) =>
  (rows[0] ?? []).map((_, k) => rows.reduce((sum, row, m) => sum + weight[m] * row[k], 0));

/** Words that a mixture of values is most alike to: [word, cosine]. @param {any} library @param {number[]} weight @returns {any[][]} */
export function nearest({ words, along, gram }, weight, most = 5) {
  const far = mixed(along, weight);
  const squared = mixed(gram, weight).reduce((sum, v, m) => sum + v * weight[m], 0);
  const length = Math.sqrt(Math.max(0, squared));
  if (length < 1e-9) return [];
  return words
    .map((/** @type {string} */ word, /** @type {number} */ i) => [word, far[i] / length])
    .sort((a, b) => b[1] - a[1])
    .slice(0, most);
}

/** A library that a panel draws, with its scores and weights. @param {any} panel */
export function looked(panel) {
  const library = panel.reader().said.library ?? { keys: [], values: [], known: [], left: [], words: [] };
  const rules = readRules(panel.selection.get("rules"));
  const t = heat(rules.step);
  const score = library.keys.length ? scores(library, rules.score) : [];
  const weight = weights(score, t);
  const exact = library.keys.findIndex(
    (/** @type {string} */ key) => key.toLowerCase() === library.query.toLowerCase(),
  );
  return { library, rules, t, score, weight, best: best(score), exact };
}
