// What the picture of a forward pass is made of: names of stops, vectors as columns, shares of words, lengths, a list.

import { font, raster } from "../../drawing/canvas.js";
import { short } from "../../dom.js";
import { strip } from "../../marks/strip.js";
import { evenly } from "../../sums/folded.js";

const STRIDES = [1, 2, 5, 10, 20, 50, 100];
export const named = (w) => w > 32; // whether a stop has room for its name; else it has a letter

// The names of the stops, and over them those of the layers: of all that is shown whole; of the folded ones the number of
// every second, fifth ..., so that none touches another.
export function heads(g, stops, at, columns, colours) {
  g.textBaseline = "middle";
  g.textAlign = "center";
  const layers = [];
  for (const { n, x, w, whole } of columns) {
    const { layer } = stops[n];
    if (layer === undefined) continue;
    if (layers.at(-1)?.layer === layer) layers.at(-1).b = x + w - 2;
    else layers.push({ layer, whole, a: x + 2, b: x + w - 2 });
  }
  g.font = font(12, 600);
  const narrow = layers.find(({ whole }) => !whole);
  const room = g.measureText(String(layers.length)).width + 4;
  const every = narrow && STRIDES.find((stride) => stride * (narrow.b - narrow.a + 4) >= room);
  for (const one of layers) {
    one.middle = (one.a + one.b) / 2;
    one.said = one.whole && one.b - one.a > 60 ? `layer ${one.layer + 1}` : String(one.layer + 1);
    one.half = Math.max(g.measureText(one.said).width, one.whole ? one.b - one.a : 0) / 2;
  }
  const wholes = layers.filter(({ whole }) => whole);
  const meets = (one) =>
    wholes.some((other) => Math.abs(one.middle - other.middle) < one.half + other.half + 4);
  for (const one of layers) {
    const { whole, a, b, said, middle, layer } = one;
    if (!whole && ((layer + 1) % every || meets(one))) continue;
    g.fillStyle = whole ? colours.text : colours.faint;
    g.font = font(12, whole ? 600 : 400);
    g.fillText(said, middle, 8);
    if (!whole) continue;
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(a, 17.5);
    g.lineTo(b, 17.5);
    g.stroke();
  }
  for (const { n, x, w, whole } of columns) {
    const { short: name, letter, stream } = stops[n];
    const weight = n === at || stream ? 650 : 400;
    g.font = font(w > 48 ? 12 : 11, weight);
    g.fillStyle = n === at ? colours.accent : stream ? colours.text : colours.faint;
    if ((whole && w > 9) || n === at) g.fillText(named(w) ? name : letter, x + w / 2, 27, Math.max(8, w - 2));
  }
}

// One picture a column, with a little space between them, up to the stop `until`; returns the picture of all.
export function vectors(g, store, grid, columns, where, scale) {
  if (!grid.wide) return null;
  const picture = raster(store, grid.values, grid.wide, columns.length, 0, 1, grid.wide, scale);
  g.imageSmoothingEnabled = grid.wide > where.high * where.ratio;
  columns.forEach((at, i) => at.n <= (where.until ?? at.n) && column(g, picture, grid, i, at, where));
  return picture;
}

// Vector i of the picture, in the column of a place; what is no stop of the stream is narrower.
export function column(g, picture, grid, i, { x, w }, { top, high, thin }) {
  if (Number.isNaN(grid.lengths[i])) return;
  const space = w > 6 ? (thin(i) ? 0.2 : 0.06) * w : 0;
  g.drawImage(picture, i, 0, 1, grid.wide, x + space, top, w - 2 * space, high);
}

// The last stops hold one number a word: the likeliest as shares of a column.
export function wordColumns(g, stops, likeliest, columns, { top, high, until }, colours) {
  for (const { n, x, w } of columns) {
    const { words } = stops[n];
    if (!words || n > until) continue;
    let y = top;
    likeliest.forEach(([, p], i) => {
      const part = words === "probability" ? p * high : high / likeliest.length;
      g.globalAlpha = words === "probability" ? Math.max(0.25, 1 - i / 12) : 0.25;
      g.fillStyle = colours.accent;
      g.fillRect(x + 0.2 * w, y, 0.6 * w, Math.max(0.5, part - 0.5));
      y += part;
    });
    g.globalAlpha = 1;
    g.strokeStyle = colours.line;
    g.strokeRect(x + 0.2 * w, top, 0.6 * w, high);
  }
}

// The length of each vector as a bar, up to the stop `until`, that of the one looked at strong.
export function barsBelow(g, lengths, at, columns, { left, top, high, until }, label, colours) {
  const most = Math.max(...lengths.filter(Number.isFinite), 1e-9);
  columns.forEach(({ n, x, w }, i) => {
    const v = lengths[i];
    if (Number.isNaN(v) || n > until) return;
    g.fillStyle = n === at ? colours.accent : colours.faint;
    const h = Math.max(1, (high * v) / most);
    g.fillRect(x + 0.25 * w, top + high - h, w * 0.5, h);
    g.font = font(10, n === at ? 650 : 400);
    g.textAlign = "center";
    if (w > 26 || n === at) g.fillText(v < 10 ? v.toFixed(1) : v.toFixed(0), x + w / 2, top + high + 8);
  });
  g.fillStyle = colours.faint;
  g.font = font(11);
  g.textAlign = "right";
  g.fillText(label, left - 5, top + high / 2);
}

// Words with bars and what they say.
export function likeliest(g, rows, left, top, width, colours) {
  const most = Math.max(...rows.map((r) => r.value), 1e-9);
  rows.forEach(({ label, value, said }, i) => {
    const y = top + i * 19,
      long = Math.max(1, ((width - left - 190) * Math.max(0, value)) / most);
    g.fillStyle = colours.text;
    g.font = font(13);
    g.textAlign = "left";
    g.fillText(short(label, 16), left, y + 8);
    g.fillStyle = colours.accent;
    g.fillRect(left + 110, y + 2, long, 12);
    g.fillStyle = colours.text;
    g.fillText(said, left + 116 + long, y + 8);
  });
}

// A vector for each token, over its label.
export function tokensBelow(g, store, grid, where, labels, now, scale, colours) {
  const { left, step, top, high } = where;
  vectors(g, store, grid, evenly(labels.length, left, step), where, scale);
  g.strokeStyle = colours.accent;
  g.lineWidth = 2;
  g.strokeRect(left + now * step, top - 2, step, high + 4);
  strip(g, labels, { left, step, y: top + high + 13, now, colours });
}
