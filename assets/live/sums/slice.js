// How to walk over two axes of a field: the numbers of a picture.

/** @import { Field } from "../types.js" */

/**
 * Rows along the axis `down`, columns along `across` (one where there is no such axis), all others fixed by `place`.
 * @param {Field} field @param {string} down @param {string} across @param {Record<string, any>} place
 * @returns {{values: Float32Array, rows: number, columns: number, start: number, down: number, across: number}} what
 *   `grid` of marks/grid.js draws: sizes, and steps from row to row and from column to column
 */
export function slice({ axes, shape, values }, down, across, place = {}) {
  const found = { values, rows: 1, columns: 1, start: 0, down: 0, across: 0 };
  for (let a = axes.length - 1, step = 1; a >= 0; step *= shape[a--])
    if (axes[a] === down) [found.rows, found.down] = [shape[a], step];
    else if (axes[a] === across) [found.columns, found.across] = [shape[a], step];
    else found.start += (place[axes[a]] ?? 0) * step;
  return found;
}

/** Mean, least and most of a slice. @param {ReturnType<typeof slice>} of */
export function ends({ values, rows, columns, start, down, across }) {
  let sum = 0,
    low = Infinity,
    high = -Infinity;
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      const v = values[start + r * down + c * across];
      sum += v;
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  return { mean: sum / (rows * columns), low, high };
}
