// Points of two classes on a plane: drawn by a rule, or by hand.

import { randoms } from "./network.js";

/** @typedef {{x: Float64Array, t: Float64Array, train: number[], held: number[], box: [number, number]}} Points */

const MANY = 200; // points that are drawn; every second one is held out
const FEW = 12; // of so many points of one's own every fourth is held out
const WIDE = /** @type {[number, number]} */ ([-1.3, 1.3]);
const CODE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const FINE = 64 * 64 - 1; // places along an axis that a link tells apart
export const MOST = 200; // points of one's own

/** A rule: the n-th of `of` points of a class before noise, and how much the noise counts. @type {Record<string, [(random: () => number, t: number, share: number) => [number, number], number]>} */
const RULES = {
  xor: [
    (random, t) => {
      const [x, y] = [0.1 + 0.85 * random(), 0.1 + 0.85 * random()];
      const side = random() < 0.5 ? 1 : -1;
      return [side * x, (t ? -1 : 1) * side * y];
    },
    1,
  ],
  clouds: [
    (random, t) => {
      const [x, y] = normal(random);
      return [(t ? 0.5 : -0.5) + 0.2 * x, (t ? 0.4 : -0.4) + 0.2 * y];
    },
    1,
  ],
  moons: [
    (random, t, share) => {
      const angle = Math.PI * share;
      const [x, y] = t ? [1 - Math.cos(angle), 0.5 - Math.sin(angle)] : [Math.cos(angle), Math.sin(angle)];
      return [(x - 0.5) / 1.5, (y - 0.25) / 1.2];
    },
    0.7,
  ],
  circles: [
    (random, t) => {
      const [angle, away] = [2 * Math.PI * random(), t ? 0.45 * Math.sqrt(random()) : 0.75 + 0.25 * random()];
      return [away * Math.cos(angle), away * Math.sin(angle)];
    },
    1,
  ],
  spirals: [
    (random, t, share) => {
      const angle = 2.4 * Math.PI * share + (t ? Math.PI : 0);
      const away = 0.08 + 0.92 * share;
      return [away * Math.sin(angle), away * Math.cos(angle)];
    },
    0.3,
  ],
};

function normal(random) {
  const away = Math.sqrt(-2 * Math.log(1 - random()));
  const angle = 2 * Math.PI * random();
  return [away * Math.cos(angle), away * Math.sin(angle)];
}

/** @param {[number, number, number][]} all x, y and class of each @param {(n: number) => boolean} isHeld @param {[number, number]} box @returns {Points} */
function gathered(all, isHeld, box = WIDE) {
  const numbers = all.map((_, n) => n);
  return {
    x: Float64Array.from(all.flatMap(([x, y]) => [x, y])),
    t: Float64Array.from(all, ([, , t]) => t),
    train: numbers.filter((n) => !isHeld(n)),
    held: numbers.filter(isHeld),
    box,
  };
}

/** The points of a set. @param {string} name @param {number} noise standard deviation @param {number} seed @param {[number, number, number][]} own those drawn by hand @returns {Points} */
export function pointsOf(name, noise, seed, own = []) {
  if (name === "own") return gathered(own, (n) => own.length >= FEW && n % 4 === 3);
  if (name === "corners")
    return gathered(
      [0, 1, 2, 3].map((n) => [n >> 1, n & 1, (n >> 1) ^ (n & 1)]),
      () => false,
      [-0.5, 1.5],
    );
  const random = randoms(1000 + seed);
  const [rule, counts] = RULES[name];
  const all = [];
  for (let n = 0; n < MANY; n++) {
    const t = n % 2;
    const [x, y] = rule(random, t, (n >> 1) / (MANY / 2 - 1));
    const [dx, dy] = normal(random);
    all.push([x + counts * noise * dx, y + counts * noise * dy, t]);
  }
  return gathered(all, (n) => (n >> 1) % 2 === 1);
}

const ends = ([low, high]) => high - low;
const pair = (/** @type {number} */ v) => CODE[v >> 6] + CODE[v & 63];

/** Points of one's own as a link holds them: five letters each. @param {[number, number, number][]} own */
export const written = (own) =>
  own
    .map(([x, y, t]) => {
      const at = (v) => pair(Math.round(((v - WIDE[0]) / ends(WIDE)) * FINE));
      return at(x) + at(y) + CODE[t];
    })
    .join("");

/** The same back; what is no point is left out. @param {string} text @returns {[number, number, number][]} */
export function understood(text) {
  const found = [];
  for (const [five] of text.matchAll(/.{5}/gs)) {
    const [a, b, c, d, t] = Array.from(five, (letter) => CODE.indexOf(letter));
    if (Math.min(a, b, c, d) < 0 || t < 0 || t > 1) continue;
    const at = (v) => WIDE[0] + (v / FINE) * ends(WIDE);
    found.push([at(64 * a + b), at(64 * c + d), t]);
  }
  return found.slice(0, MOST);
}

/** Where a number lies on the grid of a link, so that a point stays where it was put. @param {number} v */
export const rounded = (v) =>
  WIDE[0] +
  (Math.round(((Math.min(WIDE[1], Math.max(WIDE[0], v)) - WIDE[0]) / ends(WIDE)) * FINE) / FINE) * ends(WIDE);

/** The points of a batch: shuffled anew for each pass, the same for the same seed. */
export class Batches {
  /** @param {number[]} train @param {number} seed */
  constructor(train, seed) {
    this.train = train;
    this.seed = seed;
    this.epoch = -1;
    /** @type {number[]} */
    this.order = [];
  }

  /** Those of a step that is counted from 0. @param {number} step @param {number} size */
  at(step, size) {
    const n = this.train.length;
    if (size >= n) return this.train;
    return Array.from({ length: size }, (_, j) => {
      const k = step * size + j;
      this.shuffle(Math.floor(k / n));
      return this.order[k % n];
    });
  }

  shuffle(epoch) {
    if (epoch === this.epoch) return;
    this.epoch = epoch;
    const random = randoms(7919 * this.seed + 31 * epoch + 5);
    this.order = [...this.train];
    for (let i = this.order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [this.order[i], this.order[j]] = [this.order[j], this.order[i]];
    }
  }
}
