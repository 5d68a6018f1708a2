// Two small nets against each other: a generator G of points of the plane, and a discriminator D whose output f is a
// logit, D = σ(f), or for the Wasserstein loss a score.
//
// Both are leaky ReLU nets with linear outputs.  All draws come from outside, so that a step is the same again.

import { Network, update } from "./network.js";

/** @typedef {{loss: string, penalty: number, spectral: boolean, rate: number}} Settings */

const sigmoid = (/** @type {number} */ z) => 1 / (1 + Math.exp(-z));
const softplus = (/** @type {number} */ z) => Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
const [POWER, EXACT, TINY] = [500, 1e-14, 1e-12]; // turns of the power method at most, and when it has arrived; no length

/** Adam as GANs have it, with β₁ = 0.5. */
const BETA = 0.5;

export class Adversaries {
  /** @param {number} noise dimensions of z @param {number} hidden units of each of two layers @param {boolean} batchStatistics D also reads how far the batch is spread */
  constructor(noise, hidden, batchStatistics = false) {
    this.noise = noise;
    this.statistics = batchStatistics;
    const inputs = batchStatistics ? 4 : 2;
    this.G = new Network([noise, hidden, hidden, 2], "leaky", "entropy", true);
    this.D = new Network([inputs, hidden, hidden, 1], "leaky", "entropy", true);
    this.gG = new Float64Array(this.G.count);
    this.gD = new Float64Array(this.D.count);
    this.fresh();
  }

  fresh() {
    const moments = (count) => ({ m: new Float64Array(count), v: new Float64Array(count), t: 0, beta: BETA });
    this.stateG = moments(this.G.count);
    this.stateD = moments(this.D.count);
    this.u = this.D.sizes.slice(1).map((n) => new Float64Array(n).fill(1 / Math.sqrt(n)));
  }

  /** Points of the generator (2 each). @param {Float64Array} z */
  made(z) {
    const { G, noise } = this;
    const count = z.length / noise;
    const x = new Float64Array(2 * count);
    for (let n = 0; n < count; n++) x.set(G.forward(z, n * noise), 2 * n);
    return x;
  }

  /** What D reads of points: themselves, and where it is asked for how far all of them are spread. @param {Float64Array} x */
  read(x) {
    if (!this.statistics) return { inputs: x, spread: null };
    const count = x.length / 2;
    const spread = [0, 1].map((axis) => {
      let [sum, squares] = [0, 0];
      for (let n = 0; n < count; n++) {
        sum += x[2 * n + axis];
        squares += x[2 * n + axis] ** 2;
      }
      const mean = sum / count;
      return { mean, size: Math.sqrt(Math.max(squares / count - mean * mean, 0) + 1e-8) };
    });
    const inputs = new Float64Array(4 * count);
    for (let n = 0; n < count; n++)
      inputs.set([x[2 * n], x[2 * n + 1], spread[0].size, spread[1].size], 4 * n);
    return { inputs, spread };
  }

  /** f of points. @param {Float64Array} x */
  scores(x) {
    const { inputs } = this.read(x);
    const per = this.D.sizes[0];
    return Float64Array.from({ length: x.length / 2 }, (_, n) => this.D.forward(inputs, n * per)[0]);
  }

  /** What D loses: cross-entropy over real and made, or what their mean scores differ by. @param {string} loss */
  lossD(loss, real, made) {
    const [r, f] = [this.scores(real), this.scores(made)];
    const mean = (values, of) => values.reduce((sum, v) => sum + of(v), 0) / values.length;
    if (loss === "wasserstein") return mean(f, (v) => v) - mean(r, (v) => v);
    return mean(r, (v) => softplus(-v)) + mean(f, softplus);
  }

  /** What G loses. @param {string} loss @param {Float64Array} made */
  lossG(loss, made) {
    const f = this.scores(made);
    const of = { saturating: (v) => -softplus(v), wasserstein: (v) => -v }[loss] ?? ((v) => softplus(-v));
    return f.reduce((sum, v) => sum + of(v), 0) / f.length;
  }

  /** Adds the gradient of a mean over points whose slope along f is `slope`; gives that along the points. @param {Float64Array} x @param {(f: number) => number} slope @param {Float64Array} g */
  along(x, slope, g) {
    const { D } = this;
    const { inputs, spread } = this.read(x);
    const [per, count] = [D.sizes[0], x.length / 2];
    const back = new Float64Array(x.length);
    const sums = [0, 0];
    for (let n = 0; n < count; n++) {
      const [f] = D.forward(inputs, n * per);
      D.dz[D.last][0] = slope(f) / count;
      D.spread(g);
      back[2 * n] = D.da[0][0];
      back[2 * n + 1] = D.da[0][1];
      if (spread) for (const axis of [0, 1]) sums[axis] += D.da[0][2 + axis];
    }
    if (spread)
      for (let n = 0; n < count; n++)
        for (const axis of [0, 1]) {
          const { mean, size } = spread[axis];
          back[2 * n + axis] += (sums[axis] * (x[2 * n + axis] - mean)) / (count * size);
        }
    return back;
  }

  /** Adds the gradient of `weight` times the mean of (‖∂f/∂x‖ − 1)² at points; gives that mean. As the activations bend nowhere but at 0, ∂f/∂x is a product of matrices, and the way of a change through them is that of a point without biases. */
  penalty(x, weight, g) {
    const { D } = this;
    const none = new Float64Array(D.count);
    const count = x.length / 2;
    let total = 0;
    for (let n = 0; n < count; n++) {
      D.forward(x, 2 * n);
      D.dz[D.last][0] = 1;
      D.spread(none);
      const [a, b] = D.da[0];
      const size = Math.sqrt(a * a + b * b + TINY);
      total += (size - 1) ** 2 / count;
      const by = (2 * weight * (size - 1)) / (size * count);
      let way = Float64Array.of(by * a, by * b);
      for (let l = 1; l <= D.last; l++) {
        const next = new Float64Array(D.sizes[l]);
        for (let j = 0; j < next.length; j++) {
          let sum = 0;
          for (let i = 0, k = D.weight(l, j, 0); i < way.length; i++, k++) {
            sum += D.p[k] * way[i];
            g[k] += D.dz[l][j] * way[i];
          }
          next[j] = l < D.last ? sum * D.slope(D.a[l][j]) : sum;
        }
        way = next;
      }
    }
    return total;
  }

  /** The largest singular value of each matrix of D, by the power method from where it was. */
  singular() {
    const { D, u } = this;
    return u.map((left, at) => {
      const l = at + 1;
      const [n, m] = [D.sizes[l - 1], D.sizes[l]];
      const right = new Float64Array(n);
      const unit = (of) => {
        const size = Math.sqrt(of.reduce((sum, v) => sum + v * v, TINY));
        for (let k = 0; k < of.length; k++) of[k] /= size;
        return size;
      };
      let size = 1;
      for (let turn = 0, before = -1; turn < POWER && Math.abs(size - before) > EXACT * size; turn++) {
        before = size;
        right.fill(0);
        for (let j = 0; j < m; j++)
          for (let i = 0, k = D.weight(l, j, 0); i < n; i++, k++) right[i] += D.p[k] * left[j];
        unit(right);
        for (let j = 0; j < m; j++) {
          left[j] = 0;
          for (let i = 0, k = D.weight(l, j, 0); i < n; i++, k++) left[j] += D.p[k] * right[i];
        }
        size = unit(left);
      }
      return { size, left, right };
    });
  }

  /** Divides each matrix of D by its largest singular value. */
  normalise() {
    const { D } = this;
    this.singular().forEach(({ size }, at) => {
      for (let k = D.w[at + 1]; k < D.b[at + 1]; k++) D.p[k] /= size;
    });
  }

  /** One step of D. @param {Settings} of @param {Float64Array} real @param {Float64Array} made @param {() => number} random for places between the two */
  stepD(of, real, made, random) {
    const { D, gD } = this;
    gD.fill(0);
    const wasserstein = of.loss === "wasserstein";
    this.along(real, wasserstein ? () => -1 : (f) => sigmoid(f) - 1, gD);
    this.along(made, wasserstein ? () => 1 : sigmoid, gD);
    if (wasserstein && of.penalty) {
      const between = new Float64Array(real.length);
      for (let n = 0; n < real.length / 2; n++) {
        const share = random();
        for (const k of [2 * n, 2 * n + 1]) between[k] = share * real[k] + (1 - share) * made[k];
      }
      this.penalty(between, of.penalty, gD);
    }
    update("adam", D.p, gD, this.stateD, of.rate);
    if (of.spectral) this.normalise();
  }

  /** Where the points of G would go to lose less: minus the slope of its loss at each. @param {string} loss @param {Float64Array} made */
  pulls(loss, made) {
    const of = { saturating: (f) => -sigmoid(f), wasserstein: () => -1 }[loss] ?? ((f) => sigmoid(f) - 1);
    const back = this.along(made, of, new Float64Array(this.D.count));
    return back.map((v) => -v);
  }

  /** One step of G. @param {Settings} of @param {Float64Array} z */
  stepG(of, z) {
    const { G, gG, noise } = this;
    gG.fill(0);
    const pull = this.pulls(of.loss, this.made(z));
    for (let n = 0; n < z.length / noise; n++) {
      G.forward(z, n * noise);
      G.dz[G.last].set([-pull[2 * n], -pull[2 * n + 1]]);
      G.spread(gG);
    }
    update("adam", G.p, gG, this.stateG, of.rate);
  }
}
