// The weights of an Elman network, sent once a run as one piece of base64, and what they make of the states on the screen.
// Shapes: xh (H, D), above the first layer (H, H); hh (H, H); hy (V, H).  H units, D numbers in the input, V tokens.

export const MATRICES = {
  xh: { name: "W_xh", says: "from the token's vector into the state" },
  hh: { name: "W_hh", says: "from the previous state into the state" },
  hy: { name: "W_hy", says: "from the state to the next token" },
};

export function weights(reader) {
  if (reader.weights) return reader.weights;
  const { units: H, width: D, layers, vocabulary: V, numbers } = reader.spec.weights;
  const all = new Float32Array(Uint8Array.from(atob(numbers), (c) => c.charCodeAt(0)).buffer);
  let at = 0;
  const take = (rows, columns) => ({ rows, columns, values: all.subarray(at, (at += rows * columns)) });
  const stack = Array.from({ length: layers }, (_, n) => ({
    xh: take(H, n ? H : D),
    hh: take(H, H),
    b: take(H, 1).values,
  }));
  return (reader.weights = { layers: stack, hy: take(V, H), by: take(V, 1).values });
}

export const chosenLayer = (reader, selection) =>
  Math.min(selection.get("layer") ?? 0, reader.spec.weights.layers - 1);
export const chosenUnit = (reader, selection) =>
  Math.min(selection.get("unit") ?? 0, reader.spec.weights.units - 1);

// The state after token t; zeros before the text, null where it is not on the screen.
export function state(reader, layer, t) {
  const { units: H } = reader.spec.weights;
  if (t < 0) return reader.offset > 0 ? null : new Float32Array(H);
  const { shape, values } = reader.fields.get("hidden");
  return values.subarray((layer * shape[1] + t) * H, (layer * shape[1] + t + 1) * H);
}

// What a layer reads at token t: the token's vector, or the state of the layer below.
export function input(reader, layer, t) {
  if (layer) return state(reader, layer - 1, t);
  const { width: D } = reader.spec.weights;
  return reader.fields.get("input").values.subarray(t * D, (t + 1) * D);
}

const products = (matrix, row, x) =>
  Array.from(x, (value, i) => ({
    i,
    value,
    weight: matrix.values[row * x.length + i],
    product: matrix.values[row * x.length + i] * value,
  }));
const total = (terms) => terms.reduce((sum, { product }) => sum + product, 0);

// All that adds up to the pre-activation of one unit; `state` is null where the state before is not on the screen.
export function terms(reader, layer, unit, t) {
  const { hh, xh, b } = weights(reader).layers[layer];
  const before = state(reader, layer, t - 1);
  const fromState = before && products(hh, unit, before);
  const fromInput = products(xh, unit, input(reader, layer, t));
  const found = {
    state: fromState,
    input: fromInput,
    bias: b[unit],
    stateSum: before ? total(fromState) : NaN,
    inputSum: total(fromInput),
  };
  return { ...found, sum: found.stateSum + found.inputSum + found.bias };
}

// W_hy h + b_y of the last layer after token t.
export function logits(reader, t) {
  const { hy, by } = weights(reader);
  const h = state(reader, reader.spec.weights.layers - 1, t);
  const found = Float64Array.from(by);
  for (let v = 0, i = 0; v < hy.rows; v++)
    for (let u = 0; u < hy.columns; u++, i++) found[v] += hy.values[i] * h[u];
  return found;
}

// What squashes the state, and its slope.
export const SQUASH = {
  tanh: {
    of: Math.tanh,
    slope: (a) => 1 - Math.tanh(a) ** 2,
    said: (x) => `tanh(${x})`,
    slopeSaid: "1 − tanh²(a)",
  },
  relu: {
    of: (a) => Math.max(0, a),
    slope: (a) => (a > 0 ? 1 : 0),
    said: (x) => `max(0, ${x})`,
    slopeSaid: "1 above 0, else 0",
  },
};
export const squash = (reader) => SQUASH[reader.spec.weights.activation];
