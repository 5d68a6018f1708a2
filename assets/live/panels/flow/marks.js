// What the picture of a forward pass is made of: names of stops, vectors as columns, shares of words, lengths, a list.

import { font, raster } from "../../drawing/canvas.js";
import { short } from "../../dom.js";
import { strip } from "../../marks/strip.js";

// The names of the stops, and over them the layers that they belong to.
export function heads(g, stops, at, { left, step }, colours) {
  g.textBaseline = "middle";
  g.textAlign = "center";
  const layers = [...new Set(stops.map((s) => s.layer))].filter((l) => l !== undefined);
  for (const layer of layers) {
    const first = stops.findIndex((s) => s.layer === layer);
    const last = stops.findLastIndex((s) => s.layer === layer);
    const [a, b] = [left + first * step + 2, left + (last + 1) * step - 2];
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(a, 17.5);
    g.lineTo(b, 17.5);
    g.stroke();
    g.fillStyle = colours.text;
    g.font = font(12, 600);
    g.fillText(b - a > 60 ? `layer ${layer + 1}` : String(layer + 1), (a + b) / 2, 8);
  }
  stops.forEach(({ short: name, letter, stream }, n) => {
    g.font = font(step > 38 ? 12 : 11, n === at || stream ? 650 : 400);
    g.fillStyle = n === at ? colours.accent : stream ? colours.text : colours.faint;
    if (step > 9 || n === at) g.fillText(step > 32 ? name : letter, left + (n + 0.5) * step, 27);
  });
}

// One picture a column, with a little space between them, `until` the last that is there; returns the picture of all.
export function vectors(g, store, grid, where, scale) {
  const count = grid.lengths.length;
  if (!grid.wide) return null;
  const picture = raster(store, grid.values, grid.wide, count, 0, 1, grid.wide, scale);
  g.imageSmoothingEnabled = grid.wide > where.high * where.ratio;
  for (let n = 0; n <= Math.min(count - 1, where.until ?? count); n++) column(g, picture, grid, n, n, where);
  return picture;
}

// The column of stop n at place `at`; what is no stop of the stream is narrower.
export function column(g, picture, grid, n, at, { left, step, top, high, thin }) {
  if (Number.isNaN(grid.lengths[n])) return;
  const space = step > 6 ? (thin(n) ? 0.2 : 0.06) * step : 0;
  g.drawImage(picture, n, 0, 1, grid.wide, left + at * step + space, top, step - 2 * space, high);
}

// The last stops hold one number a word: the likeliest as shares of a column.
export function wordColumns(g, stops, likeliest, { left, step, top, high, until }, colours) {
  stops.forEach((stop, n) => {
    if (!stop.words || n > until) return;
    let y = top;
    likeliest.forEach(([, p], i) => {
      const part = stop.words === "probability" ? p * high : high / likeliest.length;
      g.globalAlpha = stop.words === "probability" ? Math.max(0.25, 1 - i / 12) : 0.25;
      g.fillStyle = colours.accent;
      g.fillRect(left + n * step + 0.2 * step, y, 0.6 * step, Math.max(0.5, part - 0.5));
      y += part;
    });
    g.globalAlpha = 1;
    g.strokeStyle = colours.line;
    g.strokeRect(left + n * step + 0.2 * step, top, 0.6 * step, high);
  });
}

// Numbers as bars, the one looked at strong; `among` are those that the longest bar is of.
export function barsBelow(g, numbers, at, { left, step, top, high }, label, colours, among = numbers) {
  const most = Math.max(...among.filter(Number.isFinite), 1e-9);
  numbers.forEach((v, n) => {
    if (Number.isNaN(v)) return;
    g.fillStyle = n === at ? colours.accent : colours.faint;
    const h = Math.max(1, (high * v) / most);
    g.fillRect(left + (n + 0.25) * step, top + high - h, step * 0.5, h);
    g.font = font(10, n === at ? 650 : 400);
    g.textAlign = "center";
    if (step > 26 || n === at)
      g.fillText(v < 10 ? v.toFixed(1) : v.toFixed(0), left + (n + 0.5) * step, top + high + 8);
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
  vectors(g, store, grid, where, scale);
  g.strokeStyle = colours.accent;
  g.lineWidth = 2;
  g.strokeRect(left + now * step, top - 2, step, high + 4);
  strip(g, labels, { left, step, y: top + high + 13, now, colours });
}
