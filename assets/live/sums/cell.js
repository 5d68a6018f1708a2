// What a recurrent cell does in one step, from the memories of its model: state_t = keep_t · state_t-1 + what
// is written.

import { small } from "../dom.js";

/** @import { Memory } from "../types.js" */

/**
 * Every number of the step by name, each for one unit: [symbol, value(unit)].  NaN where the step before is
 * not shown.
 * @param {any} reader @param {{memories: Memory[], shown?: string, terms?: [string, number][]}} cell
 * @param {number} layer @param {number} token @returns {Map<string, [string, (unit: number) => number]>}
 */
function amounts(reader, { memories, shown, terms }, layer, token) {
  const at =
    (name, t = token) =>
    (unit) =>
      t >= 0 ? reader.value(name, { layer, unit, token: t }) : reader.offset > 0 ? NaN : 0;
  const symbol = (name) => reader.spec.fields[name].symbol;
  const before = (name) => symbol(name).replace(/_t$/, "_t−1");
  const found = new Map();
  for (const name of reader.fields.keys())
    if (reader.spec.fields[name]) found.set(name, [symbol(name), at(name)]);
  for (const { state, keep, complement, write } of memories) {
    const last = at(state, token - 1);
    const keeps = keep ? (u) => (complement ? 1 - at(keep)(u) : at(keep)(u)) : () => 1;
    const added = (u) => write.reduce((product, name) => product * at(name)(u), 1);
    if (keep) found.set(`keep ${state}`, [complement ? `1 − ${symbol(keep)}` : symbol(keep), keeps]);
    found.set(`before ${state}`, [before(state), last]);
    found.set(`kept ${state}`, [small("kept"), (u) => (keep ? keeps(u) * last(u) : last(u))]);
    found.set(`added ${state}`, [small("added"), added]);
  }
  if (shown) {
    const through = (u) =>
      terms.length
        ? Math.tanh(terms.reduce((sum, [name, weight]) => sum + weight * at(name)(u), 0))
        : at("hidden")(u) / at("gate.output")(u);
    const named = shown.replace(/\{\$([^}]+)\}/g, (_, name) => symbol(name));
    found.set("shown", [`tanh(${terms.length > 1 ? "both" : named})`, through]);
  }
  found.set("before hidden", [before("hidden"), at("hidden", token - 1)]);
  return found;
}

/** The same of one unit. @returns {Map<string, {symbol: string, value: number}>} */
export function numbers(reader, cell, layer, token, unit) {
  const found = amounts(reader, cell, layer, token);
  return new Map(Array.from(found, ([name, [symbol, of]]) => [name, { symbol, value: of(unit) }]));
}
