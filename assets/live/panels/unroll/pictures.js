// What a recurrent network is drawn with: its matrices, its states, and what comes in, one column a token.

import { Scale, raster } from "../../drawing/canvas.js";
import { sorted, statistic } from "../../sums/order.js";
import { weights } from "../../sums/weights.js";

const FEW = 24; // units that are drawn

/**
 * The units of a layer that move most over the text, the most first, and their states, column after column.
 * @param {any} store keeps them until the numbers change @param {Float32Array} values (token, unit) @param {number} T @param {number} U
 */
function moving(store, values, T, U) {
  if (store.of !== values.buffer || store.at !== values.byteOffset || store.T !== T) {
    const order = sorted(statistic("range", { T, U, values }), false).slice(0, FEW);
    const few = new Float32Array(T * order.length);
    for (let t = 0; t < T; t++) order.forEach((u, r) => (few[t * order.length + r] = values[t * U + u]));
    Object.assign(store, { of: values.buffer, at: values.byteOffset, T, order, few });
  }
  return store;
}

/**
 * @param {Record<string, object>} stores keep the pictures until the numbers change
 * @returns {{matrices: Record<string, any>, pictures: Record<string, any>,
 *   states: any, inputs: any, order: number[] | null}} `order`: the units that are drawn, where not all are
 */
export function pictures(stores, reader, layer, dark) {
  const { spec, fields, labels } = reader;
  const { hy, layers } = weights(reader);
  const { units, width } = spec.weights;
  const count = labels.length;
  const scale = (of) => new Scale(of, dark);
  const scales = {
    weight: scale(spec.weights.scale),
    state: scale(spec.fields.hidden.scale),
    input: scale(spec.fields.input.scale),
  };
  const matrices = { xh: layers[layer].xh, hh: layers[layer].hh, hy };
  const store = (name) => (stores[name] ??= {});
  const large = ([key, m]) => [
    key,
    raster(store(key), m.values, m.rows, m.columns, 0, m.columns, 1, scales.weight),
  ];
  const columns = (name, field, rows, start, of) =>
    raster(store(name), fields.get(field).values, rows, count, start, 1, rows, of);
  const states = (name, n) => columns(name, "hidden", units, n * count * units, scales.state);
  const [start, size] = [layer * count * units, count * units];
  const hidden = fields.get("hidden").values.subarray(start, start + size);
  const few = units <= FEW ? null : moving((stores.moving ??= {}), hidden, count, units);
  const chosen = () =>
    raster(store("few"), few.few, few.order.length, count, 0, 1, few.order.length, scales.state);
  return {
    order: few && few.order,
    matrices,
    pictures: Object.fromEntries(Object.entries(matrices).map(large)),
    states: few ? chosen() : states("states", layer),
    inputs: layer ? states("below", layer - 1) : columns("input", "input", width, 0, scales.input),
  };
}
