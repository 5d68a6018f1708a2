// A restricted Boltzmann machine of binary units, with few enough hidden ones that all their states can be summed.
//
// E(v, h) = −b·v − c·h − v·W·h, P(v, h) = exp(−E) / Z.  All numbers lie in one array `p`: W row by row (a row is a
// visible unit), then b, then c.  Statistics are arrays of that size, too: the means of v h, of v and of h.

const sigmoid = (/** @type {number} */ z) => 1 / (1 + Math.exp(-z));
const softplus = (/** @type {number} */ z) => Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
const SPREAD = 0.01; // of the first weights
const [NEGLIGIBLE, LARGE, FRESH] = [1e-14, 1e150, 256]; // a share of Z; a product; so many states

export class Machine {
  /** @param {number} n visible units @param {number} m hidden units, 16 at most */
  constructor(n, m) {
    this.n = n;
    this.m = m;
    this.count = n * m + n + m;
    this.b = n * m; // where the biases begin in `p`
    this.c = n * m + n;
    this.p = new Float64Array(this.count);
    this.x = new Float64Array(n);
    this.v = new Float64Array(n);
    this.h = new Float64Array(m);
    this.ph = new Float64Array(m);
    this.states = new Float64Array(2 ** m);
    this.on = new Float64Array(2 ** m * n);
    this.factor = new Float64Array(n * m);
    this.e = new Float64Array(n);
  }

  /** Small random weights; a visible unit begins as often on as it is in the patterns. @param {() => number} random @param {Float64Array[]} rows */
  begin(random, rows) {
    const { n, b, p } = this;
    p.fill(0);
    for (let k = 0; k < b; k++) {
      const far = Math.sqrt(-2 * Math.log(1 - random()));
      p[k] = SPREAD * far * Math.cos(2 * Math.PI * random());
    }
    for (let i = 0; i < n; i++) {
      const on = rows.reduce((sum, v) => sum + v[i], 0);
      const share = (on + 1) / (rows.length + 2);
      p[b + i] = Math.log(share / (1 - share));
    }
  }

  /** P(h = 1 | v) of each hidden unit. @param {ArrayLike<number>} v @param {Float64Array} into */
  hidden(v, into) {
    const { n, m, c, p } = this;
    for (let j = 0; j < m; j++) into[j] = p[c + j];
    for (let i = 0; i < n; i++) {
      if (!v[i]) continue;
      for (let j = 0, k = i * m; j < m; j++, k++) into[j] += v[i] * p[k];
    }
    for (let j = 0; j < m; j++) into[j] = sigmoid(into[j]);
    return into;
  }

  /** P(v = 1 | h) of each visible unit. @param {ArrayLike<number>} h @param {Float64Array} into */
  visible(h, into) {
    const { n, m, b, p } = this;
    for (let i = 0, k = 0; i < n; i++) {
      let sum = p[b + i];
      for (let j = 0; j < m; j++, k++) sum += p[k] * h[j];
      into[i] = sigmoid(sum);
    }
    return into;
  }

  /** −b·v, −c·h and −v·W·h. @param {ArrayLike<number>} v @param {ArrayLike<number>} h @returns {[number, number, number]} */
  energy(v, h) {
    const { n, m, b, c, p } = this;
    const parts = /** @type {[number, number, number]} */ ([0, 0, 0]);
    for (let i = 0; i < n; i++) {
      if (!v[i]) continue;
      parts[0] -= p[b + i];
      for (let j = 0; j < m; j++) parts[2] -= h[j] * p[i * m + j];
    }
    for (let j = 0; j < m; j++) parts[1] -= h[j] * p[c + j];
    return parts;
  }

  /** F(v) = −b·v − Σ ln(1 + exp(c + v·W)): exp(−F) is the sum over all hidden states. @param {ArrayLike<number>} v */
  freeEnergy(v) {
    const { n, m, b, c, p, ph } = this;
    let sum = 0;
    for (let j = 0; j < m; j++) ph[j] = p[c + j];
    for (let i = 0; i < n; i++) {
      if (!v[i]) continue;
      sum -= p[b + i];
      for (let j = 0, k = i * m; j < m; j++, k++) ph[j] += p[k];
    }
    for (let j = 0; j < m; j++) sum -= softplus(ph[j]);
    return sum;
  }

  /** ln Z, by all hidden states, of which each differs from the one before by one bit (Gray code); of each, the logarithm of its sum over v stays in `states`, and P(v = 1 | h) in `on`. */
  logZ() {
    const { n, m, b, c, p, x, states, on, factor, e } = this;
    for (let k = 0; k < b; k++) factor[k] = Math.exp(p[k]);
    let [bias, most, h] = [0, -Infinity, 0];
    for (let i = 0; i < n; i++) x[i] = p[b + i];
    for (let at = 0; at < states.length; at++) {
      if (at) {
        const j = 31 - Math.clz32(at & -at);
        const [bit, isOn] = [1 << j, (h >> j) & 1];
        h ^= bit;
        bias += isOn ? -p[c + j] : p[c + j];
        for (let i = 0, k = j; i < n; i++, k += m) {
          x[i] += isOn ? -p[k] : p[k];
          e[i] *= isOn ? 1 / factor[k] : factor[k];
        }
      }
      if (at % FRESH === 0) for (let i = 0; i < n; i++) e[i] = Math.exp(x[i]); // before rounding adds up
      let [sum, product] = [bias, 1];
      for (let i = 0, k = at * n; i < n; i++, k++) {
        const both = 1 + e[i];
        on[k] = e[i] / both;
        product *= both;
        if (product > LARGE) {
          sum += Math.log(product);
          product = 1;
        }
      }
      states[at] = sum + Math.log(product);
      if (states[at] > most) most = states[at];
    }
    let total = 0;
    for (const sum of states) total += Math.exp(sum - most);
    return most + Math.log(total);
  }

  /** The exact statistics of the model; gives ln Z. @param {Float64Array} into */
  expected(into) {
    const { n, m, b, c, states, on } = this;
    const logZ = this.logZ();
    into.fill(0);
    for (let at = 0; at < states.length; at++) {
      const share = Math.exp(states[at] - logZ);
      if (share < NEGLIGIBLE) continue;
      const h = at ^ (at >> 1);
      const first = at * n;
      for (let i = 0; i < n; i++) into[b + i] += share * on[first + i];
      for (let j = 0; j < m; j++) {
        if (!((h >> j) & 1)) continue;
        into[c + j] += share;
        for (let i = 0, k = j; i < n; i++, k += m) into[k] += share * on[first + i];
      }
    }
    return logZ;
  }

  /** Adds the statistics of one pattern with these hidden probabilities. @param {ArrayLike<number>} v @param {Float64Array} ph @param {Float64Array} into @param {number} share */
  add(v, ph, into, share) {
    const { n, m, b, c } = this;
    for (let i = 0; i < n; i++) {
      if (!v[i]) continue;
      into[b + i] += share * v[i];
      for (let j = 0, k = i * m; j < m; j++, k++) into[k] += share * v[i] * ph[j];
    }
    for (let j = 0; j < m; j++) into[c + j] += share * ph[j];
  }

  /** The statistics of patterns. @param {Float64Array[]} rows @param {Float64Array} into */
  seen(rows, into) {
    into.fill(0);
    for (const v of rows) this.add(v, this.hidden(v, this.ph), into, 1 / rows.length);
  }

  /** From v to hidden states and back, `turns` times; v is changed. @param {Float64Array} v @param {number} turns @param {() => number} random */
  gibbs(v, turns, random) {
    const { m, h, ph } = this;
    for (let turn = 0; turn < turns; turn++) {
      this.hidden(v, ph);
      for (let j = 0; j < m; j++) h[j] = random() < ph[j] ? 1 : 0;
      this.visible(h, v);
      for (let i = 0; i < v.length; i++) v[i] = random() < v[i] ? 1 : 0;
    }
  }

  /** The statistics of chains that go `turns` times on from where they are; with probabilities for the last hidden states. @param {Float64Array[]} chains @param {number} turns @param {() => number} random @param {Float64Array} into */
  sampled(chains, turns, random, into) {
    into.fill(0);
    for (const v of chains) {
      this.gibbs(v, turns, random);
      this.add(v, this.hidden(v, this.ph), into, 1 / chains.length);
    }
  }

  /** Mean ln P(v) of patterns, given ln Z. @param {Float64Array[]} rows @param {number} logZ */
  likelihood(rows, logZ) {
    return -rows.reduce((sum, v) => sum + this.freeEnergy(v), 0) / rows.length - logZ;
  }
}

/** The angle between two arrows, in degrees. @param {Float64Array} a @param {Float64Array} b */
export function angle(a, b) {
  let [ab, aa, bb] = [0, 0, 0];
  for (let k = 0; k < a.length; k++) {
    ab += a[k] * b[k];
    aa += a[k] * a[k];
    bb += b[k] * b[k];
  }
  return (Math.acos(Math.max(-1, Math.min(1, ab / Math.sqrt(aa * bb)))) * 180) / Math.PI;
}
