// Below the words: their vectors side by side, a band from each to the hidden layer, and from there the next words.

import { Scale, font, legend, raster } from "../../drawing/canvas.js";
import { named, percent } from "../../dom.js";
import { arrow } from "../../marks/arrow.js";
import { cut } from "../../marks/strip.js";

const VECTORS = 82,
  CELLS = 22, // high
  NAMES = VECTORS + CELLS + 11,
  BANDS = VECTORS + CELLS + 36,
  HIDDEN = 196,
  OUT = 240, // top of the bars
  TALL = 44,
  LEGEND = 328;
export const HIGH = 354;

/** How much of the lengths each place adds. @param {import("../../wire.js").Reader} reader @param {number} t @returns {number[]} */
export function shares(reader, t) {
  const { sees } = reader.spec;
  const push = Array.from({ length: sees }, (_, step) => reader.value("push", { token: t, step }));
  const sum = push.reduce((a, b) => a + (b || 0), 0);
  return push.map((x) => (sum ? (x || 0) / sum : 0));
}

export class Layers {
  g;
  what;
  width;
  colours;
  dark;
  over;
  stores;

  /** @param {CanvasRenderingContext2D} g @param {any} what @param {{width: number, colours: any, dark: boolean, over: number | null, stores: any[]}} how */
  constructor(g, what, how) {
    Object.assign(this, { g, what, ...how });
    const { window, hidden } = what.reader.spec.scales;
    this.scales = [new Scale(window, how.dark), new Scale(hidden, how.dark)];
  }

  /** Returns the boxes of the places. @param {any[]} words */
  draw(words) {
    const { what, width } = this;
    const { sees, places } = what;
    const gap = width < 500 ? 3 : Math.max(2, Math.min(14, 60 / sees));
    const wide = (width - gap * (sees - 1)) / sees;
    const blocks = places.map((place) => ({
      ...place,
      x: place.i * (wide + gap),
      y: VECTORS - 4,
      w: wide,
      h: BANDS - VECTORS,
    }));
    for (const block of blocks) this.down(block, words);
    this.bands(blocks);
    for (const block of blocks) this.vector(block);
    this.hidden();
    this.next();
    this.legends();
    return blocks;
  }

  // From the word to its vector.
  down({ i, token, inside, x, w }, words) {
    const { g, colours, width } = this;
    const word = inside && words[token];
    if (!word) return;
    const from = Math.max(0, Math.min(width, word.x + word.w / 2));
    g.strokeStyle = i === this.over ? colours.accent : colours.faint;
    g.lineWidth = i === this.over ? 2 : 1;
    g.beginPath();
    g.moveTo(from, 51);
    g.bezierCurveTo(from, 66, x + w / 2, 64, x + w / 2, VECTORS - 3);
    g.stroke();
  }

  vector({ i, inside, label, share, x, w }) {
    const { g, what, colours, stores } = this;
    const { reader, now, sees } = what;
    const { width: numbers } = reader.spec;
    const on = i === this.over;
    if (inside) {
      const { values } = reader.fields.get("window");
      const start = (now * sees + i) * numbers;
      const picture = raster((stores[i] ??= {}), values, 1, numbers, start, 0, 1, this.scales[0]);
      g.imageSmoothingEnabled = false;
      g.drawImage(picture, x, VECTORS, w, CELLS);
    }
    g.strokeStyle = on ? colours.accent : colours.line;
    g.lineWidth = on ? 2 : 1;
    g.setLineDash(inside ? [] : [3, 3]);
    g.strokeRect(x + 0.5, VECTORS + 0.5, w - 1, CELLS - 1);
    g.setLineDash([]);
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.font = font(12, on ? 700 : 600);
    g.fillStyle = inside ? (on ? colours.accent : colours.text) : colours.faint;
    const room = w - 2;
    if (w > 22) g.fillText(cut(g, inside ? label : "nothing", room), x + w / 2, NAMES);
    g.font = font(11);
    g.fillStyle = colours.faint;
    const back = sees - 1 - i;
    const place = back ? `w_t−${back}` : "w_t";
    const said = inside && w > 110 ? `${place}: ${percent(share)}` : inside ? percent(share) : place;
    if (w > 30) g.fillText(cut(g, said, room), x + w / 2, NAMES + 15);
  }

  // As wide as what a place adds, side by side at the hidden layer.
  bands(blocks) {
    const { g, width, colours } = this;
    const all = Math.min(220, width * 0.4);
    let at = (width - all) / 2;
    for (const { i, share, x, w } of blocks) {
      const wide = share * all;
      const left = x + w / 2 - wide / 2;
      const middle = (BANDS + HIDDEN) / 2;
      g.fillStyle = colours.accent;
      g.globalAlpha = this.over === null ? 0.4 : i === this.over ? 0.75 : 0.18;
      g.beginPath();
      g.moveTo(left, BANDS);
      g.bezierCurveTo(left, middle, at, middle, at, HIDDEN - 3);
      g.lineTo(at + Math.max(0, wide - 1), HIDDEN - 3);
      g.bezierCurveTo(at + wide, middle, left + wide, middle, left + wide, BANDS);
      g.fill();
      at += wide;
    }
    g.globalAlpha = 1;
  }

  hidden() {
    const { g, what, width, colours, stores } = this;
    const { reader, now, sees } = what;
    const { units, direct } = reader.spec;
    const { values } = reader.fields.get("hidden");
    const picture = raster((stores[sees] ??= {}), values, 1, units, now * units, 0, 1, this.scales[1]);
    g.imageSmoothingEnabled = false;
    g.drawImage(picture, 0, HIDDEN, width, CELLS);
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.strokeRect(0.5, HIDDEN + 0.5, width - 1, CELLS - 1);
    arrow(g, width / 2, HIDDEN + CELLS + 1, width / 2, OUT - 2, colours.text, 2);
    g.font = font(12, 600);
    g.textBaseline = "middle";
    g.textAlign = "left";
    g.fillStyle = colours.text;
    const name = width < 500 ? `h: ${units} units` : `h = tanh(H x + d): ${units} units`;
    g.fillText(name, 0, HIDDEN - 9);
    const output = direct ? "softmax(U h + W x + b)" : "softmax(U h + b)";
    g.fillText(output, width / 2 + 10, HIDDEN + CELLS + 11);
    if (direct) this.around(width / 2 + 18 + g.measureText("softmax(U h + W x + b)").width);
  }

  // The direct connections lead past the hidden layer.
  around(end) {
    const { g, what, width, colours } = this;
    g.strokeStyle = what.off ? colours.line : colours.accent;
    g.lineWidth = what.off ? 1 : 3;
    g.setLineDash(what.off ? [4, 4] : []);
    g.beginPath();
    g.moveTo(width - 8, VECTORS + CELLS + 2);
    g.lineTo(width - 8, HIDDEN - 6);
    g.lineTo(width - 2, HIDDEN - 6);
    g.lineTo(width - 2, HIDDEN + CELLS + 11);
    g.lineTo(Math.min(width - 2, end), HIDDEN + CELLS + 11);
    g.stroke();
    g.setLineDash([]);
    g.textAlign = "right";
    g.fillStyle = what.off ? colours.faint : colours.accent;
    g.fillText(what.off ? "W is off" : "W x", width - 14, HIDDEN - 20);
  }

  next() {
    const { g, what, width, colours } = this;
    const top = what.top.slice(0, width < 500 ? 4 : 8);
    const step = width / Math.max(1, top.length);
    const most = Math.max(0.02, ...top.map(([, p]) => p));
    top.forEach(([label, p], n) => {
      const [x, high] = [n * step + step / 2, Math.max(1, (TALL * p) / most)];
      g.fillStyle = colours.accent;
      g.fillRect(x - Math.min(30, step * 0.3), OUT + TALL - high, Math.min(60, step * 0.6), high);
      g.textAlign = "center";
      g.font = font(13, 600);
      g.fillStyle = colours.text;
      g.fillText(cut(g, named(label, 18), step - 4), x, OUT + TALL + 13);
      g.font = font(11);
      g.fillStyle = colours.faint;
      g.fillText(percent(p), x, OUT + TALL + 28);
    });
  }

  legends() {
    const { g, width, colours } = this;
    const bar = Math.min(130, width * 0.2);
    legend(g, 0, LEGEND, bar, this.scales[0], width < 500 ? "x" : "numbers of a word", colours);
    const right = width < 500 ? width / 2 : width * 0.36;
    legend(g, right, LEGEND, bar, this.scales[1], width < 500 ? "h" : "hidden units", colours);
  }
}
