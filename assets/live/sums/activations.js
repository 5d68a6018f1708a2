// Activation functions with their slopes, and one neuron that learns: the twin of engine/analysis/activations.py and
// engine/analysis/one_neuron.py.

const LEAK = 0.01;
export const FARTHEST = 15; // of a weight or a bias
export const CORNERS = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
];
export const TASKS = { and: [0, 0, 0, 1], or: [0, 1, 1, 1], xor: [0, 1, 1, 0] };

/** @param {number} z */
const sigmoid = (z) => 1 / (1 + Math.exp(-z));
/** @param {number} z */
const sigmoidSlope = (z) => sigmoid(z) * sigmoid(-z);

/** The normal distribution function, by a series whose terms all have one sign. @param {number} z */
export function normal(z) {
  if (Math.abs(z) > 9) return z > 0 ? 1 : 0;
  let term = z,
    sum = z;
  for (let n = 3; Math.abs(term) > 1e-17 * Math.abs(sum); n += 2) sum += term *= (z * z) / n;
  return 0.5 + (sum * Math.exp(-0.5 * z * z)) / Math.sqrt(2 * Math.PI);
}

/** @param {number} z */
const softplus = (z) => Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));

/** @type {Record<string, {of: (z: number) => number, slope: (z: number) => number, low: number, high: number}>} */
export const ACTIVATIONS = {
  sigmoid: { of: sigmoid, slope: sigmoidSlope, low: 0, high: 1 },
  tanh: { of: Math.tanh, slope: (z) => 4 * sigmoidSlope(2 * z), low: -1, high: 1 },
  relu: { of: (z) => Math.max(0, z), slope: (z) => (z > 0 ? 1 : 0), low: 0, high: Infinity },
  leaky: {
    of: (z) => (z > 0 ? z : LEAK * z),
    slope: (z) => (z > 0 ? 1 : LEAK),
    low: -Infinity,
    high: Infinity,
  },
  elu: {
    of: (z) => (z > 0 ? z : Math.expm1(z)),
    slope: (z) => (z > 0 ? 1 : Math.exp(z)),
    low: -1,
    high: Infinity,
  },
  hard: {
    of: (z) => Math.min(1, Math.max(0, z / 6 + 0.5)),
    slope: (z) => (z > -3 && z < 3 ? 1 / 6 : 0),
    low: 0,
    high: 1,
  },
  softplus: { of: softplus, slope: sigmoid, low: 0, high: Infinity },
  gelu: {
    of: (z) => z * normal(z),
    slope: (z) => normal(z) + (z * Math.exp(-0.5 * z * z)) / Math.sqrt(2 * Math.PI),
    low: -0.17,
    high: Infinity,
  },
};

/**
 * One step of gradient descent on half the squared error at all four corners, in place.
 * @param {{w1: number, w2: number, b: number}} of @param {string} f @param {number[]} wanted @param {number} rate
 */
export function step(of, f, wanted, rate) {
  const { of: squash, slope } = ACTIVATIONS[f];
  let [d1, d2, d] = [0, 0, 0];
  CORNERS.forEach(([x1, x2], n) => {
    const z = of.w1 * x1 + of.w2 * x2 + of.b;
    const error = (squash(z) - wanted[n]) * slope(z);
    d1 += error * x1;
    d2 += error * x2;
    d += error;
  });
  const held = (/** @type {number} */ v) => Math.min(FARTHEST, Math.max(-FARTHEST, v));
  of.w1 = held(of.w1 - rate * d1);
  of.w2 = held(of.w2 - rate * d2);
  of.b = held(of.b - rate * d);
}

/** @param {{w1: number, w2: number, b: number}} of @param {string} f @param {number[]} wanted */
export const loss = (of, f, wanted) =>
  0.5 *
  CORNERS.reduce(
    (sum, [x1, x2], n) => sum + (ACTIVATIONS[f].of(of.w1 * x1 + of.w2 * x2 + of.b) - wanted[n]) ** 2,
    0,
  );

/** How many corners stand on their side of 1/2. @param {{w1: number, w2: number, b: number}} of @param {string} f @param {number[]} wanted */
export const right = (of, f, wanted) =>
  CORNERS.filter(
    ([x1, x2], n) => ACTIVATIONS[f].of(of.w1 * x1 + of.w2 * x2 + of.b) > 0.5 === (wanted[n] === 1),
  ).length;
