// The unrolled net: a box for the state after each token, in every layer, below the loss of the next token.  The gradient
// of one loss flows back from box to box; how long it still is, is the colour of the box and the width of the arrow.

import { Scale, Surface, font, ink, inside, legend } from "../drawing/canvas.js";
import { digits, short, small, visible } from "../dom.js";
import { head } from "../marks/arrow.js";
import { pointing } from "../marks/pointer.js";
import { cut } from "../marks/strip.js";
import { bar } from "../parts/controls.js";
import { Player } from "../parts/player.js";

const LEFT = 62,
  NARROWEST = 26,
  WIDEST = 92,
  LOSSES = 104, // room for the bars of the losses
  TOKENS = 30;

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

  // The loss looked at (of token q), and the step k before it.
  get at() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const q = Math.max(Math.min(1, this.last), selection.token(reader));
    const other = selection.get("other");
    return { q, k: other === undefined ? q - 1 : Math.max(0, Math.min(q - 1, other - reader.offset)) };
  }

  get last() {
    return Math.max(0, this.panel.reader().labels.length - 1);
  }

  size(layer, query, key) {
    return this.panel.reader().value("gradient.state", { layer, query, key });
  }

  spotOf(q, k) {
    const reader = this.panel.reader();
    return { ...reader.place(q), other: k + reader.offset };
  }

  // Over a loss: that loss; over a state: the step there, of the loss that is kept or of the next.
  spot(x, y) {
    const { first, step, count, last, panel } = this;
    const k = first + Math.floor((x - LEFT) / step);
    if (!step || x < LEFT || k < first || k >= first + count) return null;
    if (y < LOSSES) return k < last ? this.spotOf(k + 1, k) : null;
    const q = Math.max(Math.min(1, last), panel.selection.keptToken(panel.reader()));
    return k < q ? this.spotOf(q, k) : this.spotOf(Math.min(last, k + 1), Math.min(last - 1, k));
  }

  draw() {
    const { panel, player } = this;
    const { app, spec } = panel;
    const reader = panel.reader();
    const n = reader.labels.length;
    player.draw();
    const width = panel.body.clientWidth;
    if (n < 2) {
      this.step = 0;
      this.surface.begin(width, 40);
      return panel.read("Type something: the first token that is predicted has the first loss.");
    }
    const { q, k } = this.at;
    const { layers } = spec;
    const shades = /** @type {any} */ (reader.spec).shades.power;
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
    const value = (l, t) => (t < q && t >= from ? this.size(l, q, t) : 0);
    const colour = (v) => scale.css(Math.log10(v));
    const wide = (v) => Math.max(0.8, 7 * Math.min(1, 1 - (shades.high - Math.log10(v)) / (shades.high - shades.low))); // prettier-ignore
    const word = (text, x, y, ink, size = 11, weight = 400) => {
      g.font = font(size, weight);
      g.fillStyle = ink;
      g.fillText(text, x, y);
    };
    g.textBaseline = "middle";
    g.textAlign = "left";
    word("loss, bits", 0, LOSSES / 2, colours.faint);
    for (let l = 0; l < layers; l++)
      word(layers > 1 ? `layer ${l + 1}` : small("state"), 0, top(l) + tall / 2, colours.faint);
    word(small("token"), 0, high - 14, colours.faint);
    g.textAlign = "center";
    for (let t = first; t < first + count; t++) {
      const x = middle(t);
      const [on, back] = [t + 1 === q, t === k && t < q];
      this.loss(g, reader, { t, x, step, on, colours, word });
      for (let l = 0; l < layers; l++) {
        const [y, v] = [top(l), value(l, t)];
        const lit = v > 0;
        if (t + 1 < first + count)
          this.arrow(g, x + step - box / 2 - 1, x + box / 2 + 1, y + tall / 2, value(l, t + 1) > 0 && lit ? wide(v) : 0, lit ? colour(v) : colours.line); // prettier-ignore
        g.fillStyle = lit ? colour(v) : colours.ground;
        g.strokeStyle = back ? colours.accent : colours.line;
        g.lineWidth = back ? 2.5 : 1;
        g.beginPath();
        g.roundRect(x - box / 2, y, box, tall, 6);
        g.fill();
        g.stroke();
        if (step >= 52 && lit) word(digits(v).replace(" × 10", "e"), x, y + tall + 9, colours.faint, 10);
      }
      const ink = back ? colours.accent : t < q ? colours.text : colours.faint;
      word(cut(g, visible(short(reader.labels[t], 16)), step - 2), x, high - 14, ink, 13, back ? 700 : 400);
    }
    g.lineWidth = 1;
    legend(g, LEFT, high + 12, 130, scale, "power of ten", colours);
    g.textAlign = "left";
    if (first && width > 640) word(cut(g, `${first} earlier tokens are not shown`, width - LEFT - 250), LEFT + 246, high + 16, colours.faint); // prettier-ignore
    panel.read(this.told(q, k));
  }

  // The loss of the next token, over the state that predicts it.
  loss(g, reader, { t, x, step, on, colours, word }) {
    const bits = reader.bits[t + 1];
    const h = Number.isFinite(bits) ? Math.min(64, bits * 6) : 64;
    const w = Math.min(30, step - 8);
    g.fillStyle = on ? colours.accent : colours.line;
    g.fillRect(x - w / 2, LOSSES - 16 - h, w, Math.max(1, h));
    const label = cut(g, visible(short(reader.labels[t + 1], 12)), step - 2);
    word(label, x, LOSSES - 8, on ? colours.accent : colours.faint, 11, on ? 700 : 400);
    if (on || (step >= 52 && !Number.isFinite(bits))) inside(g, digits(bits), x, LOSSES - 22 - h);
  }

  // From right to left: the way back; dotted where nothing flows.
  arrow(g, x, to, y, width, colour) {
    g.strokeStyle = colour;
    g.lineWidth = width || 1;
    if (!width) g.setLineDash([2, 3]);
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(to + (width ? 3 : 0), y);
    g.stroke();
    g.setLineDash([]);
    if (width) head(g, to, y, -1, 0, colour);
  }

  told(q, k) {
    if (q < 1 || k >= q) return "";
    const { labels } = this.panel.reader();
    const top = this.panel.spec.layers - 1;
    const [loss, state] = [q, k].map((t) => `“${visible(labels[t] ?? "")}”`);
    const back = q - k === 1 ? "1 step back" : `${q - k} steps back`;
    const [near, far] = [q - 1, k].map((t) => this.size(top, q, t));
    if (!far) return `Loss of ${loss}, ${back}: behind a wall, nothing comes through`;
    const share = k < q - 1 ? `, ${digits(far / near)} of what it was one step back` : "";
    return `Loss of ${loss}, ${back}, at the state after ${state}: gradient ${digits(far)}${share}`;
  }

  table() {
    const { q } = this.at;
    const { labels, bits } = this.panel.reader();
    const every = Array.from({ length: this.panel.spec.layers }, (_, l) => l);
    return {
      columns: ["state after", "steps back", ...every.map((l) => `gradient, layer ${l + 1}`), "loss of the next"], // prettier-ignore
      rows: Array.from({ length: q }, (_, t) => [
        visible(labels[t]),
        q - t,
        ...every.map((l) => digits(this.size(l, q, t))),
        digits(bits[t + 1]),
      ]),
    };
  }
}
