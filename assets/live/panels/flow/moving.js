// A stop that is being made: the vectors that it is made of move to its place, and what they make comes there.

import { column } from "./marks.js";

/**
 * The stops that one is made of: a norm of the stream, a sum of all that was added to it, a block of what it reads.
 * @param {any[]} stops @param {number} at
 */
export function madeOf(stops, at) {
  const { of, stream } = stops[at];
  if (of !== undefined) return [of];
  if (!at) return [];
  if (!stream) return stops[at].name === "place" || stops[at].name === "segment" ? [] : [at - 1];
  const added = stops.findIndex((stop) => stop.then === at);
  return added < 0 ? Array.from({ length: at }, (_, n) => n) : [stops[added].adds, added];
}

/**
 * @param {CanvasRenderingContext2D} g @param {CanvasImageSource | null} picture all columns, of `grid` @param {any} grid
 * @param {any[]} stops @param {import("../../sums/folded.js").Column[]} columns @param {number} at
 * @param {number} share of the way that they have gone @param {any} where
 */
export function moving(g, picture, grid, stops, columns, at, share, where) {
  if (!picture) return;
  const to = columns.findIndex(({ n }) => n === at);
  const made = madeOf(stops, at);
  g.globalAlpha = 1 - 0.7 * share;
  columns.forEach(({ n, x, w }, i) => {
    const there = { x: x + (columns[to].x - x) * share, w: w + (columns[to].w - w) * share };
    if (made.includes(n)) column(g, picture, grid, i, there, where);
  });
  g.globalAlpha = share;
  column(g, picture, grid, to, columns[to], where);
  g.globalAlpha = 1;
}
