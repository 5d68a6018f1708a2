// A beam search row by row: its candidates, where each comes from and the text that leads to it; and what was found by score.

/**
 * @typedef {{s: number, i: number, above: number, label: string, text: string, one: number, total: number, fate: string}} Candidate
 *   row i of step s; `above` is the place of its parent in the list, or -1
 */

/**
 * @param {[number, string, number, number, string][][]} steps of each candidate: which of the kept ones it goes on from, token,
 *   ln P of the token, ln P so far, fate
 */
export function beams(steps) {
  /** @type {Candidate[]} */
  const all = [];
  let kept = []; // places of the candidates that are kept at the step before
  steps.forEach((row, s) => {
    const before = kept;
    kept = [];
    row.forEach(([parent, label, one, total, fate], i) => {
      const above = s ? before[parent] : -1;
      if (fate === "kept") kept.push(all.length);
      all.push({ s, i, above, label, text: (all[above]?.text ?? "") + label, one, total, fate });
    });
  });
  return all;
}

/**
 * ln P over the length to the power alpha: 0 prefers short texts.
 * @param {any} total @param {number} length @param {number} alpha
 */
export const score = (total, length, alpha) => total / length ** alpha;

/**
 * Best first. @param {[string, number, number, boolean, number[]][]} found text, ln P, length, whether it has ended, its rows
 * @param {number} alpha
 */
export const ranked = (found, alpha) =>
  found
    .map(([text, total, length, ended, path]) => {
      return { text, total, length, ended, path, score: score(total, length, alpha) };
    })
    .sort((a, b) => b.score - a.score);
