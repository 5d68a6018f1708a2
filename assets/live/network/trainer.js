// The network that the board shows: its settings, its points, its training, and every state it was in.
//
// A step depends on its settings, the seed and its number alone, so any earlier state is found again: the nearest one
// that was kept, and the steps from there once more.

import { Network, randoms, update } from "../sums/network.js";
import { Batches, MOST, pointsOf, rounded, understood, written } from "../sums/pointsets.js";

export const [UNITS, LAYERS, STEPS] = [8, 4, 1_000_000];
const [KEPT, SLICE_MS, PACE_MS, PREFIX] = [400, 9, 500, "net_"];

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
const ANEW = new Set(["points", "activation", "loss", "noise", "start", "units", "seed", "own"]);

const first = () => ({
  ...Object.fromEntries(Object.entries(CHOICES).map(([name, [value]]) => [name, value])),
  units: [4, 3],
  seed: 1,
  own: [],
});

export class Trainer {
  constructor() {
    /** @type {Set<() => void>} */
    this.listeners = new Set();
    /** @type {any} */
    this.settings = first();
    this.running = false;
    this.version = 0; // changes with every number
    this.asked = "{}";
    this.read(new URLSearchParams(location.search));
  }

  /** @param {() => void} listener called after every change; returns what ends that */
  hear(listener) {
    this.listeners.add(listener);
    this.writeSoon(); // whoever comes back to the page finds the network as it was
    return () => {
      this.listeners.delete(listener);
      if (!this.listeners.size) this.pause();
    };
  }

  tell() {
    this.version++;
    for (const listener of this.listeners) listener();
    this.writeSoon();
  }

  writeSoon() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.write(), 300);
  }

  /** Other settings, as an address or Python writes them: every name with `PREFIX`. */
  read(asked) {
    const given = Object.fromEntries(asked instanceof URLSearchParams ? asked : Object.entries(asked));
    const get = (name) => (given[PREFIX + name] === undefined ? undefined : String(given[PREFIX + name]));
    const settings = first();
    for (const [name, values] of Object.entries(CHOICES)) {
      const found = values.find((value) => String(value) === get(name) || Number(get(name)) === value);
      if (get(name) !== undefined && found !== undefined) settings[name] = found;
    }
    if (/^[1-8](-[1-8]){0,3}$/.test(get("units") ?? "")) settings.units = get("units").split("-").map(Number);
    if (get("units") === "none") settings.units = [];
    if (/^\d{1,6}$/.test(get("seed") ?? "")) settings.seed = Number(get("seed"));
    if (get("own")) settings.own = understood(get("own"));
    this.settings = settings;
    this.again();
    const steps = Number(get("steps"));
    if (steps > 0) this.reach(Math.min(steps, 20_000));
  }

  /** What Python asks for, when it is something new: `read` of that, and of what was there before once nothing is asked. */
  ask(asked) {
    const told = JSON.stringify(asked ?? {});
    if (told === this.asked) return;
    const begins = this.asked === "{}";
    if (begins) this.before = this.address();
    this.asked = told;
    this.pause();
    this.read(told === "{}" ? this.before : asked);
    this.tell();
  }

  /** @returns {Record<string, string>} the settings that are not the usual ones */
  address() {
    const usual = first();
    const { units, own, ...others } = this.settings;
    const found = Object.entries(others).filter(([name, value]) => usual[name] !== value);
    if (units.join() !== usual.units.join()) found.push(["units", units.join("-") || "none"]);
    if (own.length) found.push(["own", written(own)]);
    if (this.step) found.push(["steps", this.step]);
    return Object.fromEntries(found.map(([name, value]) => [PREFIX + name, String(value)]));
  }

  write() {
    if (!this.listeners.size || !location.pathname.endsWith("/network") || this.running) return;
    const url = new URL(location.href);
    for (const name of [...url.searchParams.keys()])
      if (name.startsWith(PREFIX)) url.searchParams.delete(name);
    for (const [name, value] of Object.entries(this.address())) url.searchParams.set(name, value);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  /** Chooses something; what changes the net or its points begins anew. @param {Record<string, any>} more */
  choose(more) {
    if ("points" in more || "units" in more || "activation" in more) more = { start: "random", ...more };
    this.settings = { ...this.settings, ...more };
    if (Object.keys(more).some((name) => ANEW.has(name))) {
      this.pause();
      this.again();
    } else if (!("speed" in more)) this.cut();
    this.tell();
  }

  /** A network of these settings, and whatever examples are made of. @param {Record<string, any>} settings */
  open(settings) {
    this.choose({ ...first(), speed: this.settings.speed, ...settings });
  }

  again() {
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
    this.step = 0;
    this.every = 1;
    /** @type {any[]} */
    this.records = [];
    this.lost = false;
    this.keep();
  }

  /** Forgets what came after this step: from here on it goes on otherwise. */
  cut() {
    this.records = this.records.filter((record) => record.step < this.step);
    this.keep(true);
  }

  /** Keeps the state of this moment. @param {boolean} fixed also when every second one goes */
  keep(fixed = false) {
    const { net, state, data, step } = this;
    const { rate, optimiser, batch } = this.settings;
    const [train, held] = [net.measure(data, data.train), net.measure(data, data.held)];
    this.records.push({
      ...{ step, fixed, rate, optimiser, batch, train, held },
      ...{ p: net.p.slice(), m: state.m.slice(), v: state.v.slice(), t: state.t },
    });
    this.lost = data.train.length > 0 && !Number.isFinite(train.loss);
    if (this.records.length <= KEPT) return;
    this.every *= 2;
    this.records = this.records.filter(
      (one, n) => one.fixed || one.step % this.every === 0 || n === this.records.length - 1,
    );
  }

  /** Loss and share of this very step. */
  measure() {
    const found = this.records.find((record) => record.step === this.step);
    if (found) return found;
    return {
      train: this.net.measure(this.data, this.data.train),
      held: this.net.measure(this.data, this.data.held),
    };
  }

  get end() {
    return Math.max(this.step, this.records.at(-1).step);
  }

  /** One step of learning. */
  learn({ rate, optimiser, batch }) {
    this.net.gradient(this.data, this.batches.at(this.step, batch), this.g);
    update(optimiser, this.net.p, this.g, this.state, rate);
    this.step++;
  }

  /** So many steps on, or as many as there is time for. @param {number} count @param {number} until a time in ms */
  train(count, until = Infinity) {
    if (this.step < this.records.at(-1).step) this.cut();
    for (let n = 0; n < count && this.step < STEPS && !this.lost; n++) {
      this.learn(this.settings);
      if (this.step % this.every === 0) this.keep();
      if ((n & 7) === 7 && performance.now() > until) break;
    }
    if (this.lost || this.step >= STEPS) this.running = false;
  }

  /** Trains up to a step that was not reached yet, at once. @param {number} step */
  reach(step) {
    if (this.data.train.length) this.train(step - this.step);
    if (this.records.at(-1).step !== this.step) this.keep();
  }

  /** The state after a step that was there already. @param {number} step */
  go(step) {
    this.pause();
    const asked = Math.max(0, Math.min(step, this.end));
    const last = this.records.at(-1);
    if (this.step > last.step) this.keep();
    const found = this.records.findLast((record) => record.step <= asked);
    this.net.p.set(found.p);
    this.state = { m: found.m.slice(), v: found.v.slice(), t: found.t };
    this.step = found.step;
    this.lost = false;
    while (this.step < asked) this.learn(found);
    this.tell();
  }

  /** Sets a weight by hand; learning goes on from there. @param {number} k @param {number} value */
  bend(k, value) {
    this.pause();
    this.net.p[k] = value;
    this.cut();
    this.tell();
  }

  play() {
    if (this.running || !this.data.train.length) return;
    this.running = true;
    this.last = performance.now();
    this.since = { at: this.last, step: this.step }; // from where the pace is counted
    this.pace = 0;
    this.due = 0;
    this.frame = requestAnimationFrame((now) => this.tick(now));
    this.tell();
  }

  pause() {
    if (!this.running) return;
    this.running = false;
    cancelAnimationFrame(this.frame);
    this.tell();
  }

  tick(now) {
    if (!this.running) return;
    const { speed } = this.settings;
    const before = this.step;
    this.due += (Math.min(200, now - this.last) * speed) / 1000;
    this.last = now;
    if (speed) this.train(Math.floor(this.due), performance.now() + 3 * SLICE_MS);
    else this.train(Infinity, performance.now() + SLICE_MS);
    this.due -= Math.floor(this.due);
    if (now - this.since.at >= PACE_MS) {
      this.pace = ((this.step - this.since.step) * 1000) / (now - this.since.at);
      this.since = { at: now, step: this.step };
    }
    if (this.step !== before || !this.running) this.tell();
    if (this.running) this.frame = requestAnimationFrame((next) => this.tick(next));
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
