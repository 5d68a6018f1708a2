// A small Vision Transformer read as engine/lessons/pictures/patches.py reads it: patches, a class token, positions, layers
// of attention and a feed-forward net behind their norms.

import { softmax } from "./digits.js";

export const ACROSS = 4, // patches of a row
  PATCHES = ACROSS * ACROSS,
  PATCH = 2, // cells of a patch's side
  HEADS = 4,
  LAYERS = 2;

/** Weights by their names in torch. @typedef {Record<string, number[]>} Net */

/** The cells of a patch, from 0 to 1. @param {ArrayLike<number>} cells of 0 to 16 @param {number} patch */
export const cut = (cells, patch) =>
  [0, 1, 2, 3].map((n) => {
    const row = PATCH * Math.floor(patch / ACROSS) + Math.floor(n / PATCH);
    return cells[8 * row + PATCH * (patch % ACROSS) + (n % PATCH)] / 16;
  });

/** W x + b. @param {Net} net @param {string} name @param {number[]} x */
const linear = (net, name, x) =>
  net[`${name}.bias`].map((b, i) => {
    const w = net[`${name}.weight`];
    let sum = b;
    for (let j = 0; j < x.length; j++) sum += w[i * x.length + j] * x[j];
    return sum;
  });

/** To mean 0 and variance 1, then scaled and moved. @param {Net} net @param {string} name @param {number[]} x */
function normed(net, name, x) {
  const mean = x.reduce((a, b) => a + b) / x.length;
  const variance = x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length;
  const size = Math.sqrt(variance + 1e-5);
  return x.map((v, i) => ((v - mean) / size) * net[`${name}.weight`][i] + net[`${name}.bias`][i]);
}

const added = (a, b) => a.map((x, i) => x + b[i]);

/**
 * Logits, probabilities, and attention[layer][head][query][key], where 0 is the class token.
 * @param {Net} net @param {number[][]} patches @param {boolean} placed
 */
export function read(net, patches, placed) {
  const wide = net.token.length,
    deep = wide / HEADS;
  let z = [net.token, ...patches.map((one) => linear(net, "embed", one))];
  if (placed) z = z.map((x, n) => x.map((v, i) => v + net.place[n * wide + i]));
  const attention = [];
  for (let layer = 0; layer < LAYERS; layer++) {
    const of = `layers.${layer}`;
    const qkv = z.map((x) => linear(net, `${of}.qkv`, normed(net, `${of}.norm1`, x)));
    const mixed = z.map(() => /** @type {number[]} */ ([]));
    attention.push(
      Array.from({ length: HEADS }, (_, head) =>
        qkv.map((query, n) => {
          const from = head * deep;
          const weight = softmax(
            qkv.map((key) => {
              let sum = 0;
              for (let i = from; i < from + deep; i++) sum += query[i] * key[wide + i];
              return sum / Math.sqrt(deep);
            }),
          );
          for (let i = from; i < from + deep; i++)
            mixed[n].push(weight.reduce((sum, w, k) => sum + w * qkv[k][2 * wide + i], 0));
          return weight;
        }),
      ),
    );
    z = z.map((x, n) => added(x, linear(net, `${of}.out`, mixed[n])));
    z = z.map((x) => {
      const up = linear(net, `${of}.up`, normed(net, `${of}.norm2`, x));
      return added(
        x,
        linear(
          net,
          `${of}.down`,
          up.map((v) => Math.max(0, v)),
        ),
      );
    });
  }
  const logit = linear(net, "head", normed(net, "norm", z[0]));
  return { logit, p: softmax(logit), attention };
}
