// What a recurrent network is drawn with: its matrices, its states, and what comes in, one column a token.

import { Scale, raster } from "../../drawing/canvas.js";
import { weights } from "../../sums/weights.js";

/**
 * @param {Record<string, object>} stores keep the pictures until the numbers change
 * @returns {{scales: Record<string, Scale>, matrices: Record<string, any>, pictures: Record<string, any>, states: any, inputs: any}}
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
  return {
    scales,
    matrices,
    pictures: Object.fromEntries(Object.entries(matrices).map(large)),
    states: states("states", layer),
    inputs: layer ? states("below", layer - 1) : columns("input", "input", width, 0, scales.input),
  };
}
