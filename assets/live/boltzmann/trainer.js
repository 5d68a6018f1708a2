// The machine that the board shows: its patterns, its training, and the chain that it draws by itself.

import { Training } from "../descend/training.js";
import { Machine, angle } from "../sums/boltzmann.js";
import { randoms } from "../sums/network.js";
import { Batches } from "../sums/pointsets.js";
import { MOST, patternsOf, understood, written } from "./patterns.js";

export const [HIDDEN, CHAINS] = [12, 20];
const [STEPS, LOOKED] = [200_000, 300]; // chains whose mean is compared with the exact gradient

/** What can be chosen, and what counts before anybody has: the first. @type {Record<string, (string | number)[]>} */
export const CHOICES = {
  patterns: ["bars", "letters", "digits", "words", "own"],
  method: ["cd1", "cd5", "cd20", "pcd", "exact"],
  rate: [0.3, 0.01, 0.03, 0.1, 1, 3],
  batch: [10, 1, 100, 10_000],
  speed: [100, 1, 10, 1000, 0], // steps a second; 0: as fast as it goes
};
/** Turns between visible and hidden units that a method takes in a step. @type {Record<string, number>} */
const TURNS = { cd1: 1, cd5: 5, cd20: 20, pcd: 1 };

export class Trainer extends Training {
  anew = new Set(["patterns", "hidden", "seed", "own"]);
  /** @type {Record<string, any>} what Python sent */
  sent = {};

  constructor() {
    super("boltzmann", "bm_", STEPS);
    this.read(new URLSearchParams(location.search));
  }

  usual() {
    const first = Object.entries(CHOICES).map(([name, [value]]) => [name, value]);
    return { ...Object.fromEntries(first), hidden: HIDDEN, seed: 1, own: [] };
  }

  understand(get) {
    const settings = this.usual();
    for (const [name, values] of Object.entries(CHOICES)) {
      const found = values.find((value) => String(value) === get(name));
      if (found !== undefined) settings[name] = found;
    }
    const hidden = Number(get("hidden"));
    if (Number.isInteger(hidden) && hidden >= 1 && hidden <= HIDDEN) settings.hidden = hidden;
    if (/^\d{1,6}$/.test(get("seed") ?? "")) settings.seed = Number(get("seed"));
    if (get("own")) settings.own = understood(get("own"));
    return settings;
  }

  written(name, value) {
    return name === "own" ? written(value) : String(value);
  }

  /** Patterns from Python; those that are shown begin anew where they are others. @param {Record<string, any>} sent */
  take(sent) {
    const name = this.settings.patterns;
    const same = JSON.stringify(sent[name]) === JSON.stringify(this.sent[name]);
    this.sent = sent;
    if (same) return;
    this.pause();
    this.read(this.wanted ?? this.address());
    this.tell();
  }

  read(asked) {
    super.read(asked);
    this.wanted = this.ready ? null : asked; // digits and words are Python's: they come later than an address
  }

  get ready() {
    return this.data.rows.length > 0;
  }

  begin() {
    const { settings } = this;
    this.data = patternsOf(settings.patterns, settings.own, this.sent);
    const { rows } = this.data;
    this.machine = new Machine(rows[0]?.length ?? 16, settings.hidden);
    this.machine.begin(randoms(settings.seed), rows);
    this.batches = new Batches([...rows.keys()], settings.seed);
    this.exact = new Float64Array(this.machine.count);
    this.seen = new Float64Array(this.machine.count);
    this.found = new Float64Array(this.machine.count);
    const random = randoms(7 * settings.seed + 3);
    this.chains = Array.from({ length: CHAINS }, () => this.noise(random));
    this.distinct = [...new Map(rows.map((v) => [v.join(""), v])).values()];
    this.best = this.limit();
  }

  /** @param {() => number} random */
  noise(random) {
    return Float64Array.from({ length: this.machine.n }, () => (random() < 0.5 ? 1 : 0));
  }

  /** The mean ln P that no model of these patterns exceeds: minus their entropy. */
  limit() {
    const counts = new Map();
    for (const v of this.data.rows) counts.set(v.join(""), (counts.get(v.join("")) ?? 0) + 1);
    let sum = 0;
    for (const count of counts.values())
      sum += (count / this.data.rows.length) * Math.log(count / this.data.rows.length);
    return sum;
  }

  random(step) {
    return randoms(7919 * this.settings.seed + 104_729 * step + 11);
  }

  /** The statistics that a method takes for those of the model. @param {string} method @param {Float64Array[]} rows @param {() => number} random @param {Float64Array} into */
  modelled(method, rows, random, into) {
    const { machine } = this;
    if (method === "exact") machine.expected(into);
    else {
      const chains = method === "pcd" ? this.chains : rows.map((v) => v.slice());
      machine.sampled(chains, TURNS[method], random, into);
    }
  }

  learn({ rate, batch, method }) {
    const { machine, data } = this;
    const rows = this.batches.at(this.step, batch).map((n) => data.rows[n]);
    machine.seen(rows, this.seen);
    this.modelled(method, rows, this.random(this.step), this.found);
    for (let k = 0; k < machine.count; k++) machine.p[k] += rate * (this.seen[k] - this.found[k]);
  }

  moment() {
    return { ...this.measured(), p: this.machine.p.slice(), chains: this.chains.map((v) => v.slice()) };
  }

  /** Of this very step: mean ln P of the patterns and of those held out, the share of all probability that the patterns have, ln Z, and how far the mean of many gradients of the method points from the exact one, in degrees. */
  measured() {
    const { machine, data, settings } = this;
    if (!this.ready) return { train: NaN, held: NaN, off: NaN, logZ: NaN, mass: NaN };
    const logZ = machine.expected(this.exact);
    const rows = data.rows.slice(0, LOOKED);
    machine.seen(rows, this.seen);
    const chains = this.chains;
    this.chains = chains.map((v) => v.slice());
    const often = Math.max(1, Math.floor(LOOKED / rows.length)); // so that its error is seen, and less of its noise
    const many = Array.from({ length: often }, () => rows).flat();
    this.modelled(settings.method, many, this.random(-this.step - 1), this.found);
    this.chains = chains;
    for (let k = 0; k < machine.count; k++) {
      this.found[k] = this.seen[k] - this.found[k];
      this.exact[k] = this.seen[k] - this.exact[k];
    }
    return {
      train: machine.likelihood(data.rows, logZ),
      held: data.held.length ? machine.likelihood(data.held, logZ) : NaN,
      off: angle(this.found, this.exact),
      logZ,
      mass: this.distinct.reduce((sum, v) => sum + Math.exp(-machine.freeEnergy(v) - logZ), 0),
    };
  }

  /** What was measured at this step. */
  get here() {
    return this.records.find((record) => record.step === this.step) ?? (this.late ??= this.lately());
  }

  lately() {
    return { ...this.measured(), step: this.step };
  }

  tell() {
    this.late = undefined;
    super.tell();
  }

  restore({ p, chains }) {
    this.machine.p.set(p);
    this.chains = chains.map((v) => v.slice());
  }

  sound({ train }) {
    return !this.ready || Number.isFinite(train);
  }

  /** A pattern more among one's own; what was there of 4 × 4 cells becomes one's own. @param {ArrayLike<number>} v */
  add(v) {
    const had = this.data.across === 4 && !this.data.names ? this.data.rows.map((row) => row.join("")) : [];
    const own = [...had, Array.from(v).join("")].slice(-MOST);
    this.choose({ patterns: "own", own });
  }
}

/** @type {Trainer} */
let one;
/** The one of this page. */
export const trainer = () => (one ??= new Trainer());
