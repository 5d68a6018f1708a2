// What hard attention learns from one word: the twin of engine/analysis/hard_choice.py and engine/nn/hard.py.

import { randoms } from "./network.js";

/** The mean reward. @param {number[]} look @param {number[]} reward */
export const mean = (look, reward) => look.reduce((sum, a, s) => sum + (a ? a * reward[s] : 0), 0);

/** Slope of the mean reward along the scores. @param {number[]} look @param {number[]} reward */
export function expected(look, reward) {
  const middle = mean(look, reward);
  return look.map((a, s) => a * (reward[s] - middle));
}

/** Slope of the log probability of the word, whatever is taken. @param {number[]} look @param {number[]} reward */
export function marginal(look, reward) {
  const highest = Math.max(...reward);
  const joint = look.map((a, s) => a * Math.exp(reward[s] - highest));
  const sum = joint.reduce((a, b) => a + b, 0);
  return look.map((a, s) => joint[s] / sum - a);
}

/** The slope that drawing token z gives. @param {number[]} look @param {number[]} reward @param {number} z @param {number} baseline */
export const reinforced = (look, reward, z, baseline) =>
  look.map((a, s) => (reward[z] - baseline) * ((s === z ? 1 : 0) - a));

/** @param {number[]} look |1{z} - a|² for each z */
function norms(look) {
  const square = look.reduce((sum, a) => sum + a * a, 0);
  return look.map((a) => 1 - 2 * a + square);
}

/** How far one such slope lies from their mean, squared, on average. @param {number[]} look @param {number[]} reward @param {number} baseline */
export function scatter(look, reward, baseline) {
  const away = norms(look);
  const square = look.reduce((sum, a, z) => sum + a * (reward[z] - baseline) ** 2 * away[z], 0);
  return Math.max(0, square - expected(look, reward).reduce((sum, g) => sum + g * g, 0));
}

/** The mean slope of the straight-through estimator and its scatter. @param {number[]} look @param {ArrayLike<number>[]} pull
 * for each token that may be drawn, how its reward pulls at each weight */
export function straight(look, pull) {
  const drawn = pull.map((row) => {
    const middle = look.reduce((sum, a, s) => sum + a * row[s], 0);
    return look.map((a, s) => a * (row[s] - middle));
  });
  const slope = look.map((_, s) => look.reduce((sum, a, z) => sum + a * drawn[z][s], 0));
  const away = drawn.map((g) => g.reduce((sum, v, s) => sum + (v - slope[s]) ** 2, 0));
  return { slope, scatter: look.reduce((sum, a, z) => sum + a * away[z], 0) };
}

/** Chances from scores. @param {number[]} score @param {number} temperature */
export function chances(score, temperature) {
  const highest = Math.max(...score);
  const power = score.map((e) => Math.exp((e - highest) / temperature));
  const sum = power.reduce((a, b) => a + b, 0);
  return power.map((v) => v / sum);
}

/** The baseline of least scatter. @param {number[]} look @param {number[]} reward */
export function bestBaseline(look, reward) {
  const heavy = norms(look).map((n, z) => n * look[z]);
  const all = heavy.reduce((a, b) => a + b, 0);
  return heavy.reduce((sum, h, z) => sum + h * reward[z], 0) / Math.max(all, 1e-30);
}

/** The mean slope of the first `count` draws, and how often each token was drawn. @param {number[]} look @param {number[]} reward
 * @param {number} baseline @param {number} count @param {number} seed */
export function drawnSlopes(look, reward, baseline, count, seed) {
  const random = randoms(seed);
  const times = look.map(() => 0);
  for (let n = 0; n < count; n++) {
    let [u, z] = [random(), 0];
    while (z < look.length - 1 && u >= look[z]) u -= look[z++];
    times[z]++;
  }
  const slope = look.map(() => 0);
  times.forEach((t, z) => {
    if (t) reinforced(look, reward, z, baseline).forEach((g, s) => (slope[s] += (t / count) * g));
  });
  return { slope, times };
}
