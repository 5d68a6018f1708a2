// A grid of numbers as colours: its picture, its labels, the numbers in its cells, what is framed, what is under the pointer.

import { font, luminance, raster } from "../drawing/canvas.js";
import { short } from "../dom.js";
import { fitted, sayThinned, thinned } from "./strip.js";

/** @import { Ink } from "../types.js" */
/** @import { Scale } from "../drawing/canvas.js" */

/**
 * Where a grid lies: `rows` times `columns` cells over w times h pixels.
 * @typedef {{x: number, y: number, w: number, h: number, rows: number, columns: number}} Grid
 */

const SLANT = -Math.PI / 3.2;

/**
 * The cells and the line around them.
 * @param {object} store keeps the picture until the numbers change
 * @param {{values: Float32Array, rows?: number, columns?: number, start?: number, down?: number, across?: number}} numbers
 *   what is drawn: steps `down` and `across`; by default row after row
 * @param {CanvasRenderingContext2D} g @param {Grid} box @param {Scale} scale @param {Ink} colours
 */
export function grid(g, store, box, numbers, scale, colours) {
  const { values, rows = box.rows, columns = box.columns, start = 0, down = columns, across = 1 } = numbers;
  g.imageSmoothingEnabled = columns > box.w * Math.min(3, window.devicePixelRatio || 1);
  g.drawImage(raster(store, values, rows, columns, start, down, across, scale), box.x, box.y, box.w, box.h);
  g.lineWidth = 1;
  g.strokeStyle = colours.line;
  g.strokeRect(box.x - 0.5, box.y - 0.5, box.w + 1, box.h + 1);
}

/**
 * The cell under the pointer: [row, column], or null beside the grid. @param {Grid | null} box @returns {[number, number] | null}
 * @param {number} px @param {number} py
 */
export function cellAt(box, px, py) {
  if (!box || px < box.x || py < box.y || px >= box.x + box.w || py >= box.y + box.h) return null;
  return [Math.floor(((py - box.y) / box.h) * box.rows), Math.floor(((px - box.x) / box.w) * box.columns)];
}

/** @param {CanvasRenderingContext2D} g @param {boolean} on @param {number} size @param {Ink} colours */
const styled = (g, on, size, colours) => {
  g.fillStyle = on ? colours.accent : colours.text;
  g.font = font(size, on ? 700 : 400);
};

/**
 * Names at the left of the rows, within `room` pixels. @param {Grid} box @param {string[]} names @param {number} marked @param {Ink} colours
 * @param {CanvasRenderingContext2D} g
 */
export function rowNames(g, box, names, marked, colours, room = box.x) {
  const step = box.h / box.rows;
  const every = thinned(step, 9);
  g.textBaseline = "middle";
  names.forEach((name, r) => {
    if (r % every && r !== marked) return;
    styled(g, r === marked, Math.max(9, Math.min(13, step * 0.8)), colours);
    g.textAlign = "right";
    g.fillText(fitted(g, name, room - 8), box.x - 6, box.y + (r + 0.5) * step);
  });
  sayThinned(g, every, box.x - 6, box.y - 8, colours);
}

/**
 * Names over the columns, slanted, within `room` pixels of height. @param {Grid} box @param {string[]} names @param {number} marked @param {Ink} colours
 * @param {CanvasRenderingContext2D} g
 */
export function columnNames(g, box, names, marked, colours, room = box.y, slant = SLANT) {
  const step = box.w / box.columns;
  const every = thinned(step, 9);
  const [size, most] = [Math.max(9, Math.min(13, step * 0.8)), (room - 8) / Math.sin(-slant)];
  g.textBaseline = "middle";
  names.forEach((name, c) => {
    if (c % every && c !== marked) return;
    styled(g, c === marked, size, colours);
    const long = g.measureText(short(name, 20)).width;
    if (long > most) styled(g, c === marked, Math.max(9, (size * most) / long), colours); // before it is cut
    g.save();
    g.translate(box.x + (c + 0.5) * step, box.y - 5);
    g.rotate(slant);
    g.textAlign = "left";
    g.fillText(fitted(g, name, most), 0, 0);
    g.restore();
  });
}

/**
 * The numbers in the cells, black or white; nothing where `write` gives nothing. @param {Grid} box
 * @param {CanvasRenderingContext2D} g @param {number} size @param {Scale} scale @param {any} value @param {any} write
 */
export function cellNumbers(g, box, size, scale, value, write) {
  const [w, h] = [box.w / box.columns, box.h / box.rows];
  g.font = font(size);
  g.textAlign = "center";
  g.textBaseline = "middle";
  for (let r = 0; r < box.rows; r++)
    for (let c = 0; c < box.columns; c++) {
      const v = value(r, c);
      const said = write(v, r, c);
      if (!said) continue;
      g.fillStyle = luminance(scale.packed(v)) < 128 ? "#ffffff" : "#111111";
      g.fillText(said, box.x + (c + 0.5) * w, box.y + (r + 0.5) * h, w - 2);
    }
}

/** A share of 1 in three letters: .07, 1. @param {number} v */
export const share = (v) => (v >= 0.995 ? "1" : v.toFixed(2).slice(1));

/**
 * A line around a row, a column, or the cell where they meet. @param {Grid} box @param {{row?: number, column?: number}} at
 * @param {CanvasRenderingContext2D} g @param {Ink} colours
 */
export function frame(g, box, at, colours, width = 1.5) {
  const { row, column } = at;
  const [w, h] = [box.w / box.columns, box.h / box.rows];
  const [x, wide] = column === undefined ? [box.x, box.w] : [box.x + column * w, w];
  const [y, high] = row === undefined ? [box.y, box.h] : [box.y + row * h, h];
  g.strokeStyle = colours.accent;
  g.lineWidth = width;
  g.strokeRect(x - 1, y - 1, Math.max(3, wide + 2), Math.max(3, high + 2));
}
