// Curves from one row of words to another, as strong as their weights.

/**
 * A curve between two points, level at both ends, or upright at both.
 * @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {number} to @param {number} down
 */
export function curve(g, x, y, to, down, upright = false) {
  g.beginPath();
  g.moveTo(x, y);
  if (upright) g.bezierCurveTo(x, (y + down) / 2, to, (y + down) / 2, to, down);
  else g.bezierCurveTo((x + to) / 2, y, (x + to) / 2, down, to, down);
  g.stroke();
}

/**
 * Where the words of two rows stand, side by side (`upright`: one row over the other) or one below the other; `start` and
 * `end` are where the two rows lie.
 * @typedef {{from: ArrayLike<number>, to: ArrayLike<number>, start: number, end: number, upright?: boolean}} Ends
 */

/**
 * A curve for each weight of at least `least`; those that are lit come last, over the others.
 * @param {CanvasRenderingContext2D} g @param {Ends} ends
 * @param {(a: number, b: number) => number} weight from word a of the first row to word b of the second
 * @param {(a: number, b: number) => boolean} lit
 * @param {(weight: number, lit: boolean) => void} style sets the colour, opacity and width
 * @param {number} least
 */
export function arcs(g, { from, to, start, end, upright = false }, weight, least, lit, style) {
  for (const strong of [false, true])
    for (let a = 0; a < from.length; a++)
      for (let b = 0; b < to.length; b++) {
        const w = weight(a, b);
        if (!(w >= least) || lit(a, b) !== strong) continue;
        style(w, strong);
        if (upright) curve(g, from[a], start, to[b], end, true);
        else curve(g, start, from[a], end, to[b]);
      }
  g.globalAlpha = 1;
}

/**
 * A curve over a line of words, from one place on it to another.
 * @param {CanvasRenderingContext2D} g @param {number} x @param {number} to @param {number} base height of the line
 * @param {number} rise how high it reaches over it
 */
export function arch(g, x, to, base, rise) {
  g.beginPath();
  g.moveTo(x, base);
  g.bezierCurveTo(x, base - rise * 1.3, to, base - rise * 1.3, to, base);
  g.stroke();
}
