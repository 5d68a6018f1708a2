// Small squares of coloured cells, with their numbers where there is room.

import { font, luminance } from "../drawing/canvas.js";

/** Two digits behind the point. @param {number} value */
export const full = (value) => {
  const said = value.toFixed(2).replace("-", "−");
  return said === "−0.00" || said === "0.00" ? "0" : said;
};

/** The same without a zero in front, where there is little room. @param {number} value */
export const brief = (value) => full(value).replace(/^(−?)0\./, "$1.");

/**
 * @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {number} cell its side
 * @param {number} across cells of a row @param {ArrayLike<number>} values @param {import("../drawing/canvas.js").Scale} scale
 * @param {{numbers?: boolean, shown?: number, gap?: number}} more how many are drawn; the others stay empty
 */
export function square(
  g,
  x,
  y,
  cell,
  across,
  values,
  scale,
  { numbers = false, shown = Infinity, gap = 1 } = {},
) {
  const inner = Math.max(1, cell - gap);
  if (numbers) {
    g.font = font(Math.min(13, cell * 0.31));
    g.textAlign = "center";
    g.textBaseline = "middle";
  }
  for (let n = 0; n < values.length; n++) {
    const [left, top] = [x + (n % across) * cell, y + Math.floor(n / across) * cell];
    if (n >= shown) continue;
    g.fillStyle = scale.css(values[n]);
    g.fillRect(left, top, inner, inner);
    if (!numbers) continue;
    g.fillStyle = luminance(scale.packed(values[n])) < 128 ? "#ffffff" : "#111111";
    g.fillText(brief(values[n]), left + inner / 2, top + inner / 2 + 0.5);
  }
}

/** A frame around cells. @param {CanvasRenderingContext2D} g */
export function frame(g, x, y, wide, high, colour, width = 2) {
  g.strokeStyle = colour;
  g.lineWidth = width;
  g.strokeRect(x, y, wide, high);
}

/** A heading over a square. @param {CanvasRenderingContext2D} g @param {string} words */
export function heading(g, words, x, y, colour, size = 13) {
  g.font = font(size, 600);
  g.fillStyle = colour;
  g.textAlign = "left";
  g.textBaseline = "middle";
  g.fillText(words, x, y);
}

/** Words in lines of a width; returns where the next line would be. @param {CanvasRenderingContext2D} g @param {string[]} parts @returns {number} */
export function flowing(g, parts, x, y, room, high) {
  let [left, top] = [x, y];
  for (const part of parts) {
    const wide = g.measureText(part).width;
    if (left > x && left + wide > x + room) [left, top] = [x, top + high];
    g.fillText(part, left, top);
    left += wide;
  }
  return top + high;
}
