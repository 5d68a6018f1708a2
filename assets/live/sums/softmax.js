// Softmax, two losses behind it and their gradients: the twin of engine/analysis/softmax_loss.py.

export const FARTHEST = 10; // of a logit

/** @param {number[]} z @param {number} t the temperature */
export function softmax(z, t) {
  const highest = Math.max(...z);
  const power = z.map((v) => Math.exp((v - highest) / t));
  const sum = power.reduce((a, b) => a + b, 0);
  return power.map((v) => v / sum);
}

const wanted = (/** @type {number} */ k, /** @type {number} */ target) => (k === target ? 1 : 0);

/** @type {Record<string, (z: number[], target: number, t: number) => number>} */
export const LOSSES = {
  entropy: (z, target, t) => {
    const highest = Math.max(...z);
    const sum = z.reduce((all, v) => all + Math.exp((v - highest) / t), 0);
    return Math.log(sum) - (z[target] - highest) / t;
  },
  squared: (z, target, t) => 0.5 * softmax(z, t).reduce((sum, p, k) => sum + (p - wanted(k, target)) ** 2, 0),
};

/** By each logit. @param {string} kind @param {number[]} z @param {number} target @param {number} t */
export function gradient(kind, z, target, t) {
  const p = softmax(z, t);
  const off = p.map((v, k) => v - wanted(k, target));
  if (kind === "entropy") return off.map((v) => v / t);
  const mean = p.reduce((sum, v, k) => sum + v * off[k], 0);
  return p.map((v, k) => (v * (off[k] - mean)) / t);
}

/** One step of descent on the logits, in place. @param {string} kind @param {number[]} z @param {number} target @param {number} t @param {number} rate */
export function step(kind, z, target, t, rate) {
  gradient(kind, z, target, t).forEach((v, k) => {
    z[k] = Math.min(FARTHEST, Math.max(-FARTHEST, z[k] - rate * v));
  });
}
