// The network that the board shows: its settings, its points, and its training.

import { Training } from "../descend/training.js";
import { Network, randoms, update } from "../sums/network.js";
import { Batches, MOST, pointsOf, rounded, understood, written } from "../sums/pointsets.js";

export const [UNITS, LAYERS, STEPS] = [8, 4, 1_000_000];

/** What can be chosen, and what counts before anybody has: name -> values, the first of which is that. @type {Record<string, (string | number)[]>} */
export const CHOICES = {
  points: ["xor", "corners", "moons", "circles", "spirals", "clouds", "own"],
  activation: ["tanh", "relu", "leaky", "sigmoid", "linear"],
  loss: ["entropy", "squared"],
  optimiser: ["sgd", "adam"],
  rate: [0.1, 0.001, 0.003, 0.01, 0.03, 0.3, 1, 3, 10],
  batch: [10, 1, 32, 1000],
  noise: [0.1, 0, 0.2, 0.3, 0.5],
  speed: [1000, 1, 10, 100, 0], // steps a second; 0: as fast as it goes
  start: ["random", "hand"],
};
// XOR put together from OR and NAND: a unit for each, and their AND
const BY_HAND = [20, 20, -20, -20, -10, 30, 20, 20, -30];

export class Trainer extends Training {
  anew = new Set(["points", "activation", "loss", "noise", "start", "units", "seed", "own"]);

  constructor() {
    super("network", "net_", STEPS);
    this.read(new URLSearchParams(location.search));
  }

  usual() {
    const first = Object.entries(CHOICES).map(([name, [value]]) => [name, value]);
    return { ...Object.fromEntries(first), units: [4, 3], seed: 1, own: [] };
  }

  understand(get) {
    const settings = this.usual();
    for (const [name, values] of Object.entries(CHOICES)) {
      const found = values.find((value) => String(value) === get(name) || Number(get(name)) === value);
      if (get(name) !== undefined && found !== undefined) settings[name] = found;
    }
    if (/^[1-8](-[1-8]){0,3}$/.test(get("units") ?? "")) settings.units = get("units").split("-").map(Number);
    if (get("units") === "none") settings.units = [];
    if (/^\d{1,6}$/.test(get("seed") ?? "")) settings.seed = Number(get("seed"));
    if (get("own")) settings.own = understood(get("own"));
    return settings;
  }

  written(name, value) {
    if (name === "own") return written(value);
    return name === "units" ? value.join("-") || "none" : String(value);
  }

  agree(more) {
    return "points" in more || "units" in more || "activation" in more ? { start: "random", ...more } : more;
  }

  get ready() {
    return this.data.train.length > 0;
  }

  /** A network of these settings, and whatever examples are made of. @param {Record<string, any>} settings */
  open(settings) {
    this.choose({ ...this.usual(), speed: this.settings.speed, ...settings });
  }

  begin() {
    const { settings } = this;
    if (settings.start === "hand")
      Object.assign(settings, { points: "corners", units: [2], activation: "sigmoid" });
    this.data = pointsOf(settings.points, settings.noise, settings.seed, settings.own);
    this.net = new Network([2, ...settings.units, 1], settings.activation, settings.loss);
    if (settings.start === "hand") this.net.p.set(BY_HAND);
    else this.net.begin(randoms(settings.seed));
    this.batches = new Batches(this.data.train, settings.seed);
    this.g = new Float64Array(this.net.count);
    this.state = { m: new Float64Array(this.net.count), v: new Float64Array(this.net.count), t: 0 };
  }

  moment() {
    const { net, state } = this;
    return {
      ...this.losses(),
      ...{ p: net.p.slice(), m: state.m.slice(), v: state.v.slice(), t: state.t },
    };
  }

  restore({ p, m, v, t }) {
    this.net.p.set(p);
    this.state = { m: m.slice(), v: v.slice(), t };
  }

  sound({ train }) {
    return !this.ready || Number.isFinite(train.loss);
  }

  losses() {
    const { net, data } = this;
    return { train: net.measure(data, data.train), held: net.measure(data, data.held) };
  }

  /** Loss and share of this very step. */
  measure() {
    return this.records.find((record) => record.step === this.step) ?? this.losses();
  }

  learn({ rate, optimiser, batch }) {
    this.net.gradient(this.data, this.batches.at(this.step, batch), this.g);
    update(optimiser, this.net.p, this.g, this.state, rate);
  }

  /** Sets a weight by hand; learning goes on from there. @param {number} k @param {number} value */
  bend(k, value) {
    this.pause();
    this.net.p[k] = value;
    this.cut();
    this.tell();
  }

  /** A point more, or the nearest one gone; what there was before becomes one's own. @param {number} x @param {number} y @param {number} t its class; −1 takes away */
  draw(x, y, t) {
    const { data } = this;
    const own = Array.from(data.t, (kind, n) => [rounded(data.x[2 * n]), rounded(data.x[2 * n + 1]), kind]);
    if (t < 0) {
      const n = this.nearest(x, y);
      if (n >= 0 && Math.hypot(data.x[2 * n] - x, data.x[2 * n + 1] - y) < 0.15) own.splice(n, 1);
    } else {
      if (own.length >= MOST) own.shift(); // the oldest makes room
      own.push([rounded(x), rounded(y), t]);
    }
    this.choose({ points: "own", own });
  }

  /** The number of the point that is nearest, −1 where there is none. @param {number} x @param {number} y */
  nearest(x, y) {
    let [best, least] = [-1, Infinity];
    for (let n = 0; n < this.data.t.length; n++) {
      const away = Math.hypot(this.data.x[2 * n] - x, this.data.x[2 * n + 1] - y);
      if (away < least) [best, least] = [n, away];
    }
    return best;
  }
}

/** @type {Trainer} */
let one;
/** The one of this page. */
export const trainer = () => (one ??= new Trainer());
