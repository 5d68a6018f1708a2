// The unrolled net: a box for the state after each token, in every layer, below the loss of the next token.  The gradient
// of one loss flows back from box to box; how long it still is, is the colour of the box and the width of the arrow.

import { Scale, Surface, font, ink, inside, legend } from "../drawing/canvas.js";
import { digits, short, small, visible } from "../dom.js";
import { head } from "../marks/arrow.js";
import { pointing } from "../marks/pointer.js";
import { cut } from "../marks/strip.js";
import { bar } from "../parts/controls.js";
import { Player } from "../parts/player.js";
import { chosen, cutAt, power, size, totals } from "../sums/backpropagation.js";

const LEFT = 62,
  NARROWEST = 26,
  WIDEST = 92,
  LOSSES = 104, // room for the bars of the losses
  TOKENS = 30,
  STATE = "gradient.state";

export default class Unrolled {
  constructor(panel) {
    this.panel = panel;
    this.player = new Player(panel, {
      title: "Let the gradient flow back",
      label: "Step back",
      count: () => Math.max(1, this.at.q),
      where: () => this.at.q - 1 - this.at.k,
      place: (step) => this.spotOf(this.at.q, this.at.q - 1 - step),
      says: (step) => this.told(this.at.q, this.at.q - 1 - step),
    });
    panel.body.append(bar(this.player.node));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x, y) => this.spot(x, y));
  }

  destroy() {
    this.player.stop();
  }

  get at() {
    return chosen(this.panel.selection, this.panel.reader());
  }

  spotOf(q, k) {
    const reader = this.panel.reader();
    return { ...reader.place(q), other: k + reader.offset };
  }

  // Over a loss: that loss; over a state: the step there, of the loss looked at or of the next.
  spot(x, y) {
    const { first, step, count } = this;
    const k = first + Math.floor((x - LEFT) / step);
    if (!step || x < LEFT || k < first || k >= first + count) return null;
    const last = this.panel.reader().labels.length - 1;
    if (y < LOSSES) return k < last ? this.spotOf(k + 1, k) : null;
    const { q } = this.kept();
    return k < q ? this.spotOf(q, k) : this.spotOf(Math.min(last, k + 1), Math.min(last - 1, k));
  }

  // What is kept, while the pointer goes over other steps.
  kept() {
    const reader = this.panel.reader();
    const last = Math.max(0, reader.labels.length - 1);
    return { q: Math.max(Math.min(1, last), this.panel.selection.keptToken(reader)) };
  }

  draw() {
    const { panel, player } = this;
    const { app } = panel;
    const reader = panel.reader();
    const n = reader.labels.length;
    player.draw();
    const width = panel.body.clientWidth;
    if (n < 2) {
      this.step = 0;
      this.surface.begin(width, 40);
      return panel.read("Type something: the first token that is predicted has the first loss.");
    }
    const { q, k, layer, chunk } = this.at;
    const { layers, shades } = /** @type {any} */ (reader.spec);
    const count = (this.count = Math.max(2, Math.min(n - 1, Math.floor((width - LEFT) / NARROWEST))));
    const first = (this.first = Math.max(0, Math.min(n - 1 - count, q - count)));
    const step = (this.step = Math.min(WIDEST, (width - LEFT - 2) / count));
    const row = layers > 1 ? 84 : 124;
    const high = LOSSES + layers * row + TOKENS;
    const g = this.surface.begin(width, high + 34);
    const colours = ink(app.root);
    const scale = new Scale(shades, app.dark);
    const middle = (t) => LEFT + (t - first + 0.5) * step;
    const top = (l) => LOSSES + (layers - 1 - l) * row + 16;
    const [box, tall] = [Math.min(46, step - 10), row - 36];
    const from = player.at === null ? 0 : k; // how far back it has come
    const begin = cutAt(q, chunk);
    const value = (l, t) => (t < q && t >= from && t >= begin ? size(reader, STATE, l, q, t) : NaN);
    const wide = (v) => Math.max(0.8, 7 * Math.max(0, Math.min(1, (Math.log10(v) - shades.low) / (shades.high - shades.low)))); // prettier-ignore
    this.names(g, reader, { layers, top, tall, high, colours });
    for (let t = first; t < first + count; t++) {
      const x = middle(t);
      this.loss(g, reader, { t, x, step, on: t + 1 === q, colours });
      for (let l = 0; l < layers; l++) {
        const [y, v] = [top(l), value(l, t)];
        const lit = v > 0;
        g.lineWidth = 1;
        if (t + 1 < first + count) this.arrow(g, x + step - box / 2 - 1, x + box / 2 + 1, y + tall / 2, value(l, t + 1) > 0 && lit ? wide(v) : 0, scale.css(Math.log10(v)), colours); // prettier-ignore
        g.fillStyle = lit ? scale.css(Math.log10(v)) : colours.ground;
        g.strokeStyle = t === k && l === layer && t < q ? colours.accent : colours.line;
        g.lineWidth = t === k && t < q ? 2.5 : 1;
        g.beginPath();
        g.roundRect(x - box / 2, y, box, tall, 6);
        g.fill();
        g.stroke();
        if (lit && t + 1 === q && l === layers - 1) this.down(g, x, LOSSES - 2, y - 1, wide(v), scale.css(Math.log10(v))); // prettier-ignore
        if (step >= 52 && lit) {
          g.font = font(10);
          g.textAlign = "center";
          g.fillStyle = colours.faint;
          g.fillText(digits(v).replace(" × 10", "e"), x, y + tall + 9);
        }
      }
      g.font = font(13, t === k ? 700 : 400);
      g.textAlign = "center";
      g.textBaseline = "middle";
      g.fillStyle = t === k && t < q ? colours.accent : t < q ? colours.text : colours.faint;
      g.fillText(cut(g, visible(short(reader.labels[t], 16)), step - 2), x, high - 14);
    }
    if (chunk) this.walls(g, { chunk, middle, step, high, colours });
    this.total(g, totals(reader), { first, count, middle, colours });
    g.lineWidth = 1;
    legend(g, LEFT, high + 12, 150, scale, "", colours, power);
    g.font = font(11);
    g.textAlign = "left";
    g.fillStyle = colours.faint;
    const more = first ? `; ${first} earlier tokens are not shown` : "";
    g.fillText(cut(g, `length of the gradient${more}`, width - LEFT - 170), LEFT + 166, high + 16);
    panel.read(this.told(q, k));
  }

  names(g, _reader, { layers, top, tall, high, colours }) {
    g.font = font(11);
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillStyle = colours.faint;
    g.fillText("loss, bits", 0, LOSSES / 2);
    for (let l = 0; l < layers; l++)
      g.fillText(layers > 1 ? `layer ${l + 1}` : small("state"), 0, top(l) + tall / 2);
    g.fillText(small("token"), 0, high - 14);
  }

  // The loss of the next token, over the state that predicts it.
  loss(g, reader, { t, x, step, on, colours }) {
    const bits = reader.bits[t + 1];
    const h = Number.isFinite(bits) ? Math.min(64, bits * 6) : 64;
    const w = Math.min(30, step - 8);
    g.fillStyle = on ? colours.accent : colours.line;
    g.fillRect(x - w / 2, LOSSES - 16 - h, w, Math.max(1, h));
    g.font = font(11, on ? 700 : 400);
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.fillStyle = on ? colours.accent : colours.faint;
    g.fillText(cut(g, visible(short(reader.labels[t + 1], 12)), step - 2), x, LOSSES - 8);
    if (!on && (step < 52 || Number.isFinite(bits))) return;
    inside(g, digits(bits), x, LOSSES - 22 - h);
  }

  // The running total of the losses, on a scale of its own: where it is steep, the text surprised most.
  total(g, sums, { first, count, middle, colours }) {
    const whole = sums[sums.length - 1];
    if (!(whole > 0)) return;
    const height = (t) => LOSSES - 16 - (64 * sums[t + 1]) / whole;
    g.strokeStyle = g.fillStyle = colours.faint;
    g.lineWidth = 1;
    g.beginPath();
    for (let t = first; t < first + count; t++) g.lineTo(middle(t), height(t));
    g.stroke();
    g.font = font(10);
    g.textAlign = "right";
    g.fillText(`total ${digits(sums[first + count])}`, middle(first + count - 1) + 14, 8);
  }

  // From right to left: the way back; dotted where nothing flows.
  arrow(g, x, to, y, width, colour, colours) {
    g.strokeStyle = width ? colour : colours.line;
    g.fillStyle = g.strokeStyle;
    g.lineWidth = width || 1;
    if (!width) g.setLineDash([2, 3]);
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(to + (width ? 3 : 0), y);
    g.stroke();
    g.setLineDash([]);
    if (width) head(g, to, y, -1, 0, colour);
  }

  down(g, x, y, to, width, colour) {
    g.strokeStyle = g.fillStyle = colour;
    g.lineWidth = width;
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x, to - 4);
    g.stroke();
    head(g, x, to, 0, 1, colour);
  }

  walls(g, { chunk, middle, step, high, colours }) {
    for (let t = chunk; t < this.first + this.count; t += chunk) {
      if (t <= this.first) continue;
      g.fillStyle = colours.accent;
      g.fillRect(middle(t) - step / 2 - 1.5, LOSSES - 4, 3, high - LOSSES - TOKENS + 8);
    }
  }

  told(q, k) {
    const reader = this.panel.reader();
    const { layer, chunk } = this.at;
    if (q < 1 || k >= q) return "";
    const value = size(reader, STATE, layer, q, k);
    const [loss, state] = [q, k].map((t) => `“${visible(reader.labels[t] ?? "")}”`);
    const back = q - k === 1 ? "1 step back" : `${q - k} steps back`;
    if (chunk && k < cutAt(q, chunk)) return `Loss of ${loss}, ${back}: behind a wall, nothing comes through`;
    const near = size(reader, STATE, layer, q, q - 1);
    const share = near > 0 ? `, ${digits(value / near)} of what it was one step back` : "";
    const total = `; all losses up to ${loss}: ${digits(totals(reader)[q])} bits`;
    return `Loss of ${loss}, ${back}, at the state after ${state}: gradient ${digits(value)}${k < q - 1 ? share : ""}${total}`;
  }

  table() {
    const reader = this.panel.reader();
    const { q } = this.at;
    const { layers } = /** @type {any} */ (reader.spec);
    const every = Array.from({ length: layers }, (_, l) => l);
    const sums = totals(reader);
    return {
      columns: ["state after", "steps back", ...every.map((l) => `gradient, layer ${l + 1}`), "loss of the next", "total"], // prettier-ignore
      rows: Array.from({ length: q }, (_, t) => [
        visible(reader.labels[t]),
        q - t,
        ...every.map((l) => digits(size(reader, STATE, l, q, t))),
        digits(reader.bits[t + 1]),
        digits(sums[t + 1]),
      ]),
    };
  }
}
