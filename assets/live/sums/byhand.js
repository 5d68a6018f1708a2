// Forward and backward through a small network for one point, number by number: what each is made of, and the finite
// difference beside each gradient.

/** @import { Network } from "./network.js" */

/**
 * A number of the graph.  `z` a sum, `a` what the unit makes of it, `loss`; gradients of the loss: `da`, `dz` of those, `dw`
 * of the weight from unit `i`, `db` of the bias.
 * @typedef {{kind: "z" | "a" | "loss" | "da" | "dz" | "dw" | "db", layer: number, unit: number, i?: number}} Place
 */

/** A product, of which a number is the sum; `what` names its factors. @typedef {{factors: number[], what: (Place | string)[]}} Term */

/** All numbers, each behind those that it is made of. @param {Network} net @returns {Place[]} */
export function order(net) {
  /** @type {Place[]} */
  const found = [];
  const units = (layer) => Array.from({ length: net.sizes[layer] }, (_, unit) => unit);
  for (let layer = 1; layer <= net.last; layer++)
    for (const unit of units(layer))
      for (const kind of /** @type {const} */ (["z", "a"])) found.push({ kind, layer, unit });
  found.push({ kind: "loss", layer: net.last, unit: 0 });
  for (let layer = net.last; layer >= 1; layer--)
    for (const unit of units(layer)) {
      found.push({ kind: "da", layer, unit }, { kind: "dz", layer, unit });
      for (const i of units(layer - 1)) found.push({ kind: "dw", layer, unit, i });
      found.push({ kind: "db", layer, unit });
    }
  return found;
}

/** The graph for one point: every number, and what it is made of. */
export class Graph {
  /** @param {Network} net @param {number[]} x @param {number[]} t */
  constructor(net, x, t) {
    Object.assign(this, { net, x, t });
    this.net = net;
    this.x = x;
    this.t = t;
    this.g = new Float64Array(net.count);
    this.run();
  }

  run() {
    this.g.fill(0);
    this.net.forward(this.x);
    this.loss = this.net.lossOf(this.t);
    this.net.backward(this.t, 0, this.g);
  }

  /** @param {Place} place @returns {number} */
  value({ kind, layer, unit, i }) {
    const { net, g } = this;
    if (kind === "loss") return this.loss;
    if (kind === "dw") return g[net.weight(layer, unit, i)];
    if (kind === "db") return g[net.b[layer] + unit];
    return net[kind][layer][unit];
  }

  /** The products whose sum it is; none where it is no sum. @param {Place} place @returns {Term[]} */
  terms({ kind, layer, unit, i }) {
    const { net } = this;
    const { p, sizes } = net;
    const all = (n) => Array.from({ length: n }, (_, k) => k);
    if (kind === "z")
      return [
        ...all(sizes[layer - 1]).map((k) => ({
          factors: [p[net.weight(layer, unit, k)], net.a[layer - 1][k]],
          what: ["w", /** @type {Place} */ ({ kind: "a", layer: layer - 1, unit: k })],
        })),
        { factors: [p[net.b[layer] + unit]], what: ["b"] },
      ];
    if (kind === "da" && layer < net.last)
      return all(sizes[layer + 1]).map((k) => ({
        factors: [p[net.weight(layer + 1, k, unit)], net.dz[layer + 1][k]],
        what: ["w", /** @type {Place} */ ({ kind: "dz", layer: layer + 1, unit: k })],
      }));
    if (kind === "dz" && layer < net.last)
      return [
        {
          factors: [net.da[layer][unit], net.slope(net.a[layer][unit])],
          what: [/** @type {Place} */ ({ kind: "da", layer, unit }), "slope"],
        },
      ];
    if (kind === "dw")
      return [
        {
          factors: [net.dz[layer][unit], net.a[layer - 1][i]],
          what: [
            /** @type {Place} */ ({ kind: "dz", layer, unit }),
            /** @type {Place} */ ({ kind: "a", layer: layer - 1, unit: i }),
          ],
        },
      ];
    if (kind === "db")
      return [{ factors: [net.dz[layer][unit]], what: [/** @type {Place} */ ({ kind: "dz", layer, unit })] }];
    return [];
  }

  /** The same gradient by moving the number a little both ways; NaN where it is none, or where the loss does not follow from it alone. @param {Place} place */
  check({ kind, layer, unit, i }) {
    const { net, x, t } = this;
    if (kind === "dw") return this.moved(net.weight(layer, unit, i));
    if (kind === "db") return this.moved(net.b[layer] + unit);
    if (kind === "dz") return this.moved({ kind: "z", layer, unit, by: 0 });
    if (kind !== "da") return NaN;
    if (layer < net.last) return this.moved({ kind: "a", layer, unit, by: 0 });
    const [y, by] = [net.a[layer][unit], 1e-6];
    const at = (/** @type {number} */ p) =>
      net.loss === "squared"
        ? ((p - t[unit]) * (p - t[unit])) / 2
        : -(t[unit] * Math.log(p) + (1 - t[unit]) * Math.log(1 - p));
    return x ? (at(y + by) - at(y - by)) / (2 * by) : NaN;
  }

  moved(what) {
    const found = this.net.difference(this.x, this.t, what);
    this.run(); // the numbers of the point again
    return found;
  }

  /** How far the gradient of any weight or bias is from its finite difference, at most. */
  furthest() {
    let most = 0;
    for (let k = 0; k < this.net.count; k++)
      most = Math.max(most, Math.abs(this.net.difference(this.x, this.t, k) - this.g[k]));
    this.run();
    return most;
  }
}
