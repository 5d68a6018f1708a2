// Which stops of a forward pass have a column, and where.  Of many layers one is open; each other is folded to its last
// stop, the stream as it leaves it, in a narrow column.

const MANY = 8; // layers that are shown whole
const WIDER = 3.2; // than a folded layer: a stop by itself

/** @typedef {{n: number, x: number, w: number, whole: boolean}} Column of stop n; `whole`: of a layer that is not folded, or of none */

/** Whether there are too many layers to show each whole. @param {{layer?: number}[]} stops */
export const folds = (stops) => stops.some(({ layer }) => (layer ?? 0) >= MANY);

/**
 * @param {{layer?: number}[]} stops @param {number} open the layer that is not folded @param {number} left @param {number} width
 * @returns {Column[]}
 */
export function columnsOf(stops, open, left, width) {
  const folded = folds(stops);
  const whole = stops.map(({ layer }) => !folded || layer === undefined || layer === open);
  const shown = Array.from(stops.keys()).filter((n) => whole[n] || stops[n].layer !== stops[n + 1]?.layer);
  const shares = shown.map((n) => (whole[n] ? WIDER : 1));
  const one = width / shares.reduce((sum, share) => sum + share, 0);
  let x = left;
  return shown.map((n, i) => {
    const column = { n, x, w: shares[i] * one, whole: whole[n] };
    x += column.w;
    return column;
  });
}

/** As many columns of one width. @param {number} count @param {number} left @param {number} w @returns {Column[]} */
export const evenly = (count, left, w) =>
  Array.from({ length: count }, (_, n) => ({ n, x: left + n * w, w, whole: true }));

/** The column under a place across; the first or the last beside all of them. @param {Column[]} columns @param {number} x */
export const columnAt = (columns, x) =>
  columns[
    Math.max(
      0,
      columns.findLastIndex((one) => x >= one.x),
    )
  ];
