// The loss around the weights of a small network: a plane through them, along two directions.

import { randoms } from "./network.js";

/** @import { Network } from "./network.js" */

/**
 * A random direction in which every unit's weights move by as much as they are long, so that wide and narrow layers count alike
 * (Li et al. 2018). @param {Network} net @param {number} seed
 */
export function random(net, seed) {
  const draw = randoms(seed);
  const d = Float64Array.from({ length: net.count }, () => draw() + draw() + draw() - 1.5);
  for (let l = 1; l <= net.last; l++) {
    const n = net.sizes[l - 1];
    for (let j = 0; j < net.sizes[l]; j++) {
      const at = net.weight(l, j, 0);
      const [own, its] = [net.p, d].map((v) => Math.hypot(...v.subarray(at, at + n)));
      for (let k = at; k < at + n; k++) d[k] *= own / (its || 1);
      d[net.b[l] + j] = 0; // biases stay
    }
  }
  return d;
}

/** The direction between two states, and a random one across it that is as long. @param {Float64Array} from @param {Float64Array} to @param {number} seed */
export function along(from, to, seed) {
  const draw = randoms(seed);
  const way = to.map((v, k) => v - from[k]);
  const long = Math.hypot(...way) || 1;
  const side = Float64Array.from(way, () => draw() + draw() + draw() - 1.5);
  const dot = side.reduce((sum, v, k) => sum + v * way[k], 0) / (long * long);
  for (let k = 0; k < side.length; k++) side[k] -= dot * way[k];
  const its = Math.hypot(...side) || 1;
  return [way, side.map((v) => (v * long) / its)];
}

/** Where a state lies on the plane through `p`. @param {Float64Array} state @param {Float64Array} p @param {Float64Array[]} directions @returns {[number, number]} */
export function projected(state, p, [a, b]) {
  let [aa, bb, ab, da, db] = [0, 0, 0, 0, 0];
  for (let k = 0; k < p.length; k++) {
    const d = state[k] - p[k];
    aa += a[k] * a[k];
    bb += b[k] * b[k];
    ab += a[k] * b[k];
    da += d * a[k];
    db += d * b[k];
  }
  const whole = aa * bb - ab * ab || 1;
  return [(da * bb - db * ab) / whole, (db * aa - da * ab) / whole];
}
