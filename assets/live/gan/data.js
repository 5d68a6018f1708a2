// What a generator is to make: points of the plane, drawn anew for each step; and how near it comes.

import { normals } from "../sums/normals.js";
import { randoms } from "../sums/network.js";

const WIDE = 1.6; // the plane reaches so far from 0
const [CELLS, SPREAD, FAIR, NEAR] = [32, 0.05, 0.2, 4]; // a side of the grid; of a mode; of its fair share; in spreads
export const [LOW, HIGH, GRID] = [-WIDE, WIDE, CELLS];

const ring = (count) =>
  Array.from({ length: count }, (_, k) => [
    Math.cos((2 * Math.PI * k) / count),
    Math.sin((2 * Math.PI * k) / count),
  ]);
const square = [-1, 0, 1].flatMap((x) => [-1, 0, 1].map((y) => [x, y]));

/** The sets: modes, or a curve by its share. @type {Record<string, {modes?: number[][], curve?: (share: number) => number[]}>} */
const SETS = {
  ring: { modes: ring(8) },
  grid: { modes: square },
  two: {
    modes: [
      [-0.8, 0],
      [0.8, 0],
    ],
  },
  circle: { curve: (s) => [Math.cos(2 * Math.PI * s), Math.sin(2 * Math.PI * s)] },
  spiral: { curve: (s) => [s * 1.3 * Math.cos(9 * s), s * 1.3 * Math.sin(9 * s)] },
  line: { curve: (s) => [2.4 * s - 1.2, 0.6 * Math.sin(6 * (s - 0.5))] },
};

export class Data {
  /** @param {string} name @param {number[][]} own points drawn by hand */
  constructor(name, own) {
    this.modes = name === "own" ? own : SETS[name].modes;
    this.curve = SETS[name]?.curve;
    this.counts = name !== "own" && !!this.modes;
  }

  get empty() {
    return !this.curve && !this.modes.length;
  }

  /** So many points (2 each). @param {number} count @param {() => number} random */
  draw(count, random) {
    const x = new Float64Array(2 * count);
    const normal = normals(random);
    for (let n = 0; n < count; n++) {
      const [a, b] = this.curve ? this.curve(random()) : this.modes[Math.floor(random() * this.modes.length)];
      x[2 * n] = a + SPREAD * normal();
      x[2 * n + 1] = b + SPREAD * normal();
    }
    return x;
  }

  /** How many modes have a fifth of their fair share or more, and which share of points lies near any. @param {Float64Array} x */
  covered(x) {
    const found = this.modes.map(() => 0);
    const count = x.length / 2;
    for (let n = 0; n < count; n++) {
      const at = this.modes.findIndex(([a, b]) => Math.hypot(x[2 * n] - a, x[2 * n + 1] - b) < NEAR * SPREAD);
      if (at >= 0) found[at]++;
    }
    const fair = (FAIR * count) / this.modes.length;
    return {
      modes: found.filter((n) => n >= fair).length,
      near: found.reduce((a, b) => a + b, 0) / count,
    };
  }
}

/** Shares of points in the cells of the plane, each spread over its neighbours (a smoothed histogram); what lies beyond counts at the edge. @param {Float64Array} x */
export function shares(x) {
  const rough = new Float64Array(CELLS * CELLS);
  const cell = (v) => Math.max(0, Math.min(CELLS - 1, Math.floor(((v - LOW) / (HIGH - LOW)) * CELLS)));
  for (let n = 0; n < x.length; n += 2)
    rough[(CELLS - 1 - cell(x[n + 1])) * CELLS + cell(x[n])] += 2 / x.length;
  const smooth = new Float64Array(CELLS * CELLS);
  for (let r = 0; r < CELLS; r++)
    for (let c = 0; c < CELLS; c++)
      for (let dr = -1; dr <= 1; dr++)
        for (let dc = -1; dc <= 1; dc++) {
          const [row, column] = [
            Math.max(0, Math.min(CELLS - 1, r + dr)),
            Math.max(0, Math.min(CELLS - 1, c + dc)),
          ];
          smooth[row * CELLS + column] += (rough[r * CELLS + c] * (dr ? 1 : 2) * (dc ? 1 : 2)) / 16;
        }
  return smooth;
}

/** Jensen-Shannon divergence in nats: 0 for the same shares, ln 2 where nothing is shared. @param {Float64Array} p @param {Float64Array} q */
export function divergence(p, q) {
  let sum = 0;
  for (let k = 0; k < p.length; k++) {
    const middle = (p[k] + q[k]) / 2;
    if (p[k]) sum += (p[k] * Math.log(p[k] / middle)) / 2;
    if (q[k]) sum += (q[k] * Math.log(q[k] / middle)) / 2;
  }
  return sum;
}

/** The discriminator that loses least: p / (p + q); NaN where nothing is. @param {Float64Array} p @param {Float64Array} q */
export const best = (p, q) => Float32Array.from(p, (v, k) => (v + q[k] ? v / (v + q[k]) : NaN));

/** The same points each time. @param {Data} data @param {number} count @param {number} seed */
export const fixed = (data, count, seed) => data.draw(count, randoms(seed));

const CODE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const FINE = CODE.length - 1;
const code = (v) => CODE[Math.max(0, Math.min(FINE, Math.round(((v - LOW) / (HIGH - LOW)) * FINE)))];

/** Points of one's own as a link holds them: two letters each. @param {number[][]} own */
export const written = (own) => own.map(([x, y]) => code(x) + code(y)).join("");

/** The same back. @param {string} text @param {number} most @returns {number[][]} */
export const understood = (text, most) =>
  (text.match(/[\w-]{2}/g) ?? [])
    .slice(0, most)
    .map((two) => Array.from(two, (letter) => LOW + (CODE.indexOf(letter) / FINE) * (HIGH - LOW)));
