// Many points as a picture, written pixel by pixel, so that no graphics card is needed; and on top of them names where there
// is room, ellipses, and what the axes run between.

import { font } from "../drawing/canvas.js";
import { short } from "../dom.js";

/** @import { Ink } from "../types.js" */

/**
 * The points as squares with cut corners; in three dimensions what is nearer covers what is farther.
 * @param {any} store keeps the picture from one time to the next
 * @param {{count: number, dims: number, x: Float32Array, y: Float32Array, z: Float32Array}} cloud
 * @param {{width: number, high: number, ratio: number, size: number}} where @param {Uint32Array} colours packed
 */
export function scatter(store, cloud, { width, high, ratio, size }, colours) {
  const canvas = (store.canvas ??= document.createElement("canvas"));
  const [wide, tall] = [Math.max(1, Math.round(width * ratio)), Math.round(high * ratio)];
  if (canvas.width !== wide || canvas.height !== tall || !store.image) {
    canvas.width = wide;
    canvas.height = tall;
    store.g = canvas.getContext("2d");
    store.image = store.g.createImageData(wide, tall);
    store.pixels = new Uint32Array(store.image.data.buffer);
    store.depth = null;
  }
  const { pixels } = store;
  pixels.fill(0);
  const side = Math.max(1, Math.round(size * ratio)),
    half = side >> 1,
    round = side > 3 ? 1 : 0;
  const deep = cloud.dims === 3 ? (store.depth ??= new Float32Array(pixels.length)).fill(-Infinity) : null;
  const { count, x, y, z } = cloud;
  for (let i = 0; i < count; i++) {
    const x0 = Math.round(x[i] * ratio) - half,
      y0 = Math.round(y[i] * ratio) - half;
    if (x0 < 0 || y0 < 0 || x0 + side > wide || y0 + side > tall) continue;
    const colour = colours[i],
      near = z[i];
    for (let r = 0; r < side; r++) {
      const cut = r === 0 || r === side - 1 ? round : 0;
      for (let p = (y0 + r) * wide + x0 + cut, end = p + side - 2 * cut; p < end; p++) {
        if (deep) {
          if (deep[p] > near) continue;
          deep[p] = near;
        }
        pixels[p] = colour;
      }
    }
  }
  store.g.putImageData(store.image, 0, 0);
  return canvas;
}

/** A disc, or a ring where it is hollow; its edge in the colour `ground`, where there is one. */
export function dot(g, x, y, radius, colour, ground = "", hollow = false) {
  g.fillStyle = g.strokeStyle = colour;
  g.lineWidth = hollow ? 2 : 1.5;
  g.beginPath();
  g.arc(x, y, radius, 0, 7);
  if (!hollow) g.fill();
  if (ground && !hollow) g.strokeStyle = ground;
  if (ground || hollow) g.stroke();
}

/**
 * A text in the font and the colour of `g`, in the first of the places around (x, y) where it covers no other and is inside.
 * @param {CanvasRenderingContext2D} g @param {string} text
 * @param {(wide: number) => number[][]} places how far beside the point it may begin, best first
 * @param {{placed: number[][], inside: number[], ground: string, room?: number, always?: boolean}} among `placed` gets the box
 *   that it takes; `inside`: left, top, right, bottom; `always`: in the last place even if that is taken
 */
export function label(g, text, x, y, places, among) {
  const { placed, inside, ground, room = 1, always = false } = among;
  const wide = g.measureText(text).width;
  const tried = places(wide);
  g.textBaseline = "middle";
  g.textAlign = "left";
  for (const [dx, dy] of tried) {
    const box = [x + dx - room, y + dy - 7 - room, x + dx + wide + room, y + dy + 7 + room];
    const free =
      box[0] >= inside[0] &&
      box[1] >= inside[1] &&
      box[2] <= inside[2] &&
      box[3] <= inside[3] &&
      !placed.some((p) => box[0] < p[2] && box[2] > p[0] && box[1] < p[3] && box[3] > p[1]);
    if (!free && !(always && dy === tried.at(-1)[1])) continue;
    placed.push(box);
    g.lineWidth = 3;
    g.strokeStyle = ground;
    g.strokeText(text, x + dx, y + dy);
    g.fillText(text, x + dx, y + dy);
    return true;
  }
  return false;
}

/** Where a name may stand beside a dot of this radius. @param {number} radius */
export const around = (radius) => (wide) => [
  [radius + 4, 0],
  [-wide - radius - 4, 0],
  [-wide / 2, -15],
  [-wide / 2, 15],
  [radius, -13],
  [radius, 13],
];

/** Lines from one point to others. @param {number[][]} others */
export function star(g, x, y, others) {
  for (const [to, down] of others) {
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(to, down);
    g.stroke();
  }
}

/** What the axes run between, at the edges. @param {string[][]} pairs @param {Ink} colours */
export function ends(g, pairs, colours, width, high) {
  const [[left, right], [bottom, top]] = pairs.map((pair) =>
    pair.map((end) => short(end.replaceAll(" ", "\u2009"), 30)),
  );
  g.font = font(13, 600);
  g.fillStyle = colours.faint;
  g.textBaseline = "middle";
  for (const [text, align, x, y] of [
    [`← ${left}`, "left", 8, high / 2],
    [`${right} →`, "right", width - 8, high / 2],
    [`↑ ${top}`, "center", width / 2, 12],
    [`↓ ${bottom}`, "center", width / 2, high - 12],
  ]) {
    g.textAlign = align;
    g.fillText(text, x, y);
  }
}
