// A network of few units: forward, backward, and a step of learning, on flat arrays of doubles.
//
// All weights lie in one array `p`, layer after layer: the matrix of a layer row by row (a row is a unit), then its
// biases.  The output units are sigmoids.

const sigmoid = (/** @type {number} */ z) => 1 / (1 + Math.exp(-z));

/** What a unit makes of its sum, and the slope there as it follows from what it made. @type {Record<string, [(z: number) => number, (a: number) => number]>} */
const ACTIVATIONS = {
  tanh: [Math.tanh, (a) => 1 - a * a],
  relu: [(z) => (z > 0 ? z : 0), (a) => (a > 0 ? 1 : 0)],
  leaky: [(z) => (z > 0 ? z : 0.01 * z), (a) => (a > 0 ? 1 : 0.01)],
  sigmoid: [sigmoid, (a) => a * (1 - a)],
  linear: [(z) => z, () => 1],
};

export class Network {
  /** @param {number[]} sizes inputs, units of each layer, outputs @param {string} activation @param {string} loss @param {boolean} linear whether the outputs are their sums */
  constructor(sizes, activation = "tanh", loss = "entropy", linear = false) {
    this.sizes = sizes;
    this.activation = activation;
    this.loss = loss;
    this.linear = linear;
    this.last = sizes.length - 1;
    this.w = [0]; // where the matrix and the biases of a layer begin in `p`
    this.b = [0];
    let at = 0;
    for (let l = 1; l <= this.last; l++) {
      this.w[l] = at;
      this.b[l] = at + sizes[l] * sizes[l - 1];
      at = this.b[l] + sizes[l];
    }
    this.count = at;
    this.p = new Float64Array(at);
    const each = () => sizes.map((n) => new Float64Array(n));
    this.z = each();
    this.a = each();
    this.dz = each();
    this.da = each();
    const [f, slope] = ACTIVATIONS[activation];
    this.f = f;
    this.slope = slope;
  }

  /** Where the weight from unit `i` of the layer before to unit `j` lies. */
  weight(layer, j, i) {
    return this.w[layer] + j * this.sizes[layer - 1] + i;
  }

  /** The outputs for one input. @param {ArrayLike<number>} x @param {number} at where it begins in `x` */
  forward(x, at = 0) {
    const { sizes, p, last, f } = this;
    const first = this.a[0];
    for (let i = 0; i < first.length; i++) first[i] = x[at + i];
    for (let l = 1; l <= last; l++) {
      const [before, z, a, n] = [this.a[l - 1], this.z[l], this.a[l], sizes[l - 1]];
      let k = this.w[l];
      const b = this.b[l];
      for (let j = 0; j < z.length; j++) {
        let sum = p[b + j];
        for (let i = 0; i < n; i++) sum += p[k++] * before[i];
        z[j] = sum;
        a[j] = l < last ? f(sum) : this.linear ? sum : sigmoid(sum);
      }
    }
    return this.a[last];
  }

  /** The loss of what `forward` has found: cross-entropy, or half the squares. @param {ArrayLike<number>} t @param {number} at */
  lossOf(t, at = 0) {
    const [z, y] = [this.z[this.last], this.a[this.last]];
    let sum = 0;
    for (let k = 0; k < z.length; k++) {
      const target = t[at + k];
      if (this.loss === "squared") sum += ((y[k] - target) * (y[k] - target)) / 2;
      else sum += Math.max(z[k], 0) - z[k] * target + Math.log1p(Math.exp(-Math.abs(z[k])));
    }
    return sum;
  }

  /**
   * The gradients of that loss: `dz` and `da` of every unit, and of every weight, which are added to `g`, times `share`.
   * @param {ArrayLike<number>} t @param {number} at @param {Float64Array} g @param {number} share
   */
  backward(t, at, g, share = 1) {
    const { last } = this;
    const y = this.a[last];
    for (let k = 0; k < y.length; k++) {
      const off = y[k] - t[at + k];
      const own = y[k] * (1 - y[k]);
      this.da[last][k] = this.loss === "squared" ? off : off / own;
      this.dz[last][k] = this.loss === "squared" ? off * own : off; // the slope of the sigmoid and that of ln cancel
    }
    this.spread(g, share);
  }

  /** From `dz` of the outputs back to the inputs, as `da` of layer 0. @param {Float64Array} g @param {number} share */
  spread(g, share = 1) {
    const { sizes, p, last, slope } = this;
    for (let l = last; l >= 1; l--) {
      const [before, back, dz, n] = [this.a[l - 1], this.da[l - 1], this.dz[l], sizes[l - 1]];
      back.fill(0);
      let k = this.w[l];
      for (let j = 0; j < dz.length; j++) {
        const d = dz[j];
        g[this.b[l] + j] += share * d;
        for (let i = 0; i < n; i++, k++) {
          g[k] += share * d * before[i];
          back[i] += p[k] * d;
        }
      }
      if (l > 1) for (let i = 0; i < n; i++) this.dz[l - 1][i] = back[i] * slope(before[i]);
    }
  }

  /** The gradient of the mean loss of some points. @param {{x: Float64Array, t: Float64Array}} data @param {ArrayLike<number>} which @param {Float64Array} g */
  gradient(data, which, g) {
    const [inputs, outputs] = [this.sizes[0], this.sizes[this.last]];
    g.fill(0);
    for (let n = 0; n < which.length; n++) {
      this.forward(data.x, which[n] * inputs);
      this.backward(data.t, which[n] * outputs, g, 1 / which.length);
    }
  }

  /** The mean loss of some points, and how many of them are on the right side. @param {{x: Float64Array, t: Float64Array}} data @param {ArrayLike<number>} which */
  measure(data, which) {
    let [loss, right] = [0, 0];
    for (let n = 0; n < which.length; n++) {
      const [y] = this.forward(data.x, which[n] * 2);
      loss += this.lossOf(data.t, which[n]);
      if (y > 0.5 === data.t[which[n]] > 0.5 && Number.isFinite(y)) right++;
    }
    return { loss: which.length ? loss / which.length : NaN, right };
  }

  /** Random weights, so that what comes through a layer is about as large as what goes in (Glorot; for ReLU He); biases 0. @param {() => number} random */
  begin(random) {
    this.p.fill(0);
    for (let l = 1; l <= this.last; l++) {
      const [n, m] = [this.sizes[l - 1], this.sizes[l]];
      const most = Math.sqrt(
        6 / ((this.activation === "relu" || this.activation === "leaky") && l < this.last ? n : n + m),
      );
      for (let k = this.w[l]; k < this.b[l]; k++) this.p[k] = most * (2 * random() - 1);
    }
  }
}

const [DECAY, SQUARES, SMALL] = [0.9, 0.999, 1e-8];

/** A step of an optimiser. @param {string} name @param {Float64Array} p @param {Float64Array} g @param {{m: Float64Array, v: Float64Array, t: number, beta?: number}} state @param {number} rate */
export function update(name, p, g, state, rate) {
  if (name !== "adam") {
    for (let k = 0; k < p.length; k++) p[k] -= rate * g[k];
    return;
  }
  const { m, v, beta = DECAY } = state;
  const t = ++state.t;
  const [first, second] = [1 - beta ** t, 1 - SQUARES ** t];
  for (let k = 0; k < p.length; k++) {
    m[k] = beta * m[k] + (1 - beta) * g[k];
    v[k] = SQUARES * v[k] + (1 - SQUARES) * g[k] * g[k];
    p[k] -= (rate * (m[k] / first)) / (Math.sqrt(v[k] / second) + SMALL);
  }
}

/** Random numbers in [0, 1) that are the same for the same seed (mulberry32). @param {number} seed */
export function randoms(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
