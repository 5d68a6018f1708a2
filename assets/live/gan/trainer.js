// The two nets of the board: what they are set against, their training, and how near the generator has come.

import { Training } from "../descend/training.js";
import { Adversaries } from "../sums/adversarial.js";
import { randoms } from "../sums/network.js";
import { normals } from "../sums/normals.js";
import { Data, best, divergence, fixed, shares, understood, written } from "./data.js";

const [STEPS, BATCH, MEASURED, UNROLLED, PENALTY, MOST] = [100_000, 64, 2000, 5, 1, 60];
export const NOISE = 2;

/** What can be chosen, and what counts before anybody has: the first. @type {Record<string, (string | number)[]>} */
export const CHOICES = {
  points: ["ring", "grid", "two", "circle", "spiral", "line", "own"],
  loss: ["plain", "saturating", "wasserstein"],
  cure: ["none", "penalty", "spectral", "statistics", "unrolled"],
  rate: [0.002, 0.0005, 0.001, 0.005, 0.01],
  turns: [1, 2, 3, 5], // steps of D, and then of G
  pushes: [1, 2, 5, 10],
  hidden: [32, 8, 16],
  speed: [0, 1, 10, 50], // steps a second; 0: as fast as it goes
};

export class Trainer extends Training {
  anew = new Set(["points", "hidden", "seed", "own", "cure"]);

  constructor() {
    super("gan", "gan_", STEPS);
    this.read(new URLSearchParams(location.search));
  }

  usual() {
    const first = Object.entries(CHOICES).map(([name, [value]]) => [name, value]);
    return { ...Object.fromEntries(first), seed: 1, own: [] };
  }

  understand(get) {
    const settings = this.usual();
    for (const [name, values] of Object.entries(CHOICES)) {
      const found = values.find((value) => String(value) === get(name));
      if (found !== undefined) settings[name] = found;
    }
    if (/^\d{1,6}$/.test(get("seed") ?? "")) settings.seed = Number(get("seed"));
    if (get("own")) settings.own = understood(get("own"), MOST);
    return settings;
  }

  written(name, value) {
    return name === "own" ? written(value) : String(value);
  }

  // The gradient penalty is that of the Wasserstein loss.
  agree(more) {
    if (more.cure === "penalty") return { ...more, loss: "wasserstein" };
    if (more.loss && more.loss !== "wasserstein" && this.settings.cure === "penalty")
      return { ...more, cure: "none" };
    return more;
  }

  get ready() {
    return !this.data.empty;
  }

  begin() {
    const { settings } = this;
    if (settings.cure === "penalty") settings.loss = "wasserstein";
    this.data = new Data(settings.points, settings.own);
    this.nets = new Adversaries(NOISE, settings.hidden, settings.cure === "statistics");
    const random = randoms(settings.seed);
    this.nets.G.begin(random);
    this.nets.D.begin(random);
    if (settings.cure === "spectral") this.nets.normalise();
    this.z = this.noise(MEASURED, randoms(31 * settings.seed + 7));
    this.real = this.ready ? fixed(this.data, MEASURED, 17) : new Float64Array(0);
    this.p = shares(this.real);
    this.least = this.ready ? divergence(this.p, shares(fixed(this.data, MEASURED, 18))) : NaN;
  }

  /** @param {number} count @param {() => number} random */
  noise(count, random) {
    const normal = normals(random);
    return Float64Array.from({ length: NOISE * count }, normal);
  }

  /** Of a step: its settings as the nets take them. */
  taken({ loss, cure, rate }) {
    return { loss, rate, penalty: cure === "penalty" ? PENALTY : 0, spectral: cure === "spectral" };
  }

  learn(settings) {
    const { nets, data } = this;
    const of = this.taken(settings);
    const random = randoms(7919 * settings.seed + 104_729 * this.step + 11);
    const turn = () => nets.stepD(of, data.draw(BATCH, random), nets.made(this.noise(BATCH, random)), random);
    for (let n = 0; n < settings.turns; n++) turn();
    const push = () => {
      for (let n = 0; n < settings.pushes; n++) nets.stepG(of, this.noise(BATCH, random));
    };
    if (settings.cure !== "unrolled") push();
    else {
      // D goes on for some steps, G learns against what it becomes, and D comes back
      const kept = this.held(nets.D, nets.stateD);
      for (let n = 0; n < UNROLLED; n++) turn();
      push();
      nets.D.p.set(kept.p);
      nets.stateD = kept.state;
    }
  }

  /** Copies of the weights of a net, and of the moments of its optimiser. */
  held(net, { m, v, t, beta }) {
    return { p: net.p.slice(), state: { m: m.slice(), v: v.slice(), t, beta } };
  }

  moment() {
    const { nets } = this;
    const u = nets.u.map((one) => one.slice());
    return { ...this.measured(), G: this.held(nets.G, nets.stateG), D: this.held(nets.D, nets.stateD), u };
  }

  restore({ G, D, u }) {
    const { nets } = this;
    nets.G.p.set(G.p);
    nets.D.p.set(D.p);
    nets.stateG = this.held({ p: G.p }, G.state).state;
    nets.stateD = this.held({ p: D.p }, D.state).state;
    nets.u = u.map((one) => one.slice());
  }

  sound({ d, g }) {
    return !this.ready || (Number.isFinite(d) && Number.isFinite(g));
  }

  /** Of this very step: what D and G lose, the divergence of what G makes from the data, and the modes it covers. */
  measured() {
    const { nets, data, settings } = this;
    const made = nets.made(this.z);
    if (!this.ready) return { d: NaN, g: NaN, js: NaN, modes: NaN, near: NaN };
    const { modes, near } = data.counts ? data.covered(made) : { modes: NaN, near: NaN };
    return {
      d: nets.lossD(settings.loss, this.real, made),
      g: nets.lossG(settings.loss, made),
      js: divergence(this.p, shares(made)),
      ...{ modes, near },
    };
  }

  /** What was measured at this step. */
  get here() {
    return this.records.find((record) => record.step === this.step) ?? (this.late ??= this.measured());
  }

  tell() {
    this.late = undefined;
    super.tell();
  }

  /** The best discriminator for what G makes now, on the grid. */
  best() {
    return best(this.p, shares(this.nets.made(this.z)));
  }

  /** A point of one's own. @param {number} x @param {number} y */
  add(x, y) {
    const own = this.settings.points === "own" ? this.settings.own : [];
    this.choose({ points: "own", own: [...own, [x, y]].slice(-MOST) });
  }
}

/** @type {Trainer} */
let one;
/** The one of this page. */
export const trainer = () => (one ??= new Trainer());
