// One loss on its way back: how long its gradient still is at each earlier step, in every layer, on a scale of powers of
// ten; and, for a plain recurrent net, the bound that it can't pass.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, small, visible } from "../dom.js";
import { rules, shade } from "../marks/axes.js";
import { broken, dot } from "../marks/lines.js";
import { pointing } from "../marks/pointer.js";
import { strip } from "../marks/strip.js";
import { chosen, power, size } from "../sums/backpropagation.js";

const LEFT = 44,
  TOP = 26,
  HIGH = 190,
  BELOW = 26,
  LOWEST = -9;

export default class Decay {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x) => {
      const reader = panel.reader();
      const { q } = chosen(panel.selection, reader);
      if (!this.step || q < 1) return null;
      const k = Math.max(0, Math.min(q - 1, Math.floor((x - LEFT) / this.step)));
      return { ...reader.place(q), other: k + reader.offset };
    });
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const { q, k, layer } = chosen(selection, reader);
    const { layers, bounds } = /** @type {any} */ (reader.spec);
    const g = this.surface.begin(panel.body.clientWidth, TOP + HIGH + BELOW);
    if (q < 1 || reader.labels.length < 2) return panel.read("");
    const width = panel.body.clientWidth;
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const step = (this.step = (width - LEFT - 6) / Math.max(q, 6));
    const value = (n, t) => Math.log10(size(reader, "gradient.state", n, q, t));
    const bound = (t) =>
      Math.log10(size(reader, "gradient.state", layer, q, q - 1) * bounds[layer] ** (q - 1 - t));
    let [low, high] = [Infinity, -Infinity];
    for (let n = 0; n < layers; n++)
      for (let t = 0; t < q; t++) {
        const v = value(n, t);
        if (Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
      }
    low = Math.max(LOWEST, Math.floor(low));
    high = Math.ceil(high + 0.1);
    if (!(high > low)) [low, high] = [-3, 1];
    const y = (v) => TOP + HIGH * (1 - (Math.max(low, Math.min(high, v)) - low) / (high - low));
    const x = (t) => LEFT + (t + 0.5) * step;
    const every = Math.max(1, Math.ceil((high - low) / 6));
    const marks = [];
    for (let e = low; e <= high; e += every) marks.push([y(e), power(e)]);
    rules(g, marks, { left: LEFT, right: width - 4, colours });
    shade(g, { x: LEFT + k * step, y: TOP, w: Math.max(1, step), h: HIGH }, colours, 0.22);
    let at = LEFT;
    const name = (text, colour) => {
      g.font = font(12, 600);
      g.textAlign = "left";
      g.textBaseline = "middle";
      g.fillStyle = colour;
      g.fillText(text, at, 11);
      at += g.measureText(text).width + 14;
    };
    for (let n = 0; n < layers; n++) {
      const colour = style.getPropertyValue(`--un-line-${n % 8}`);
      g.strokeStyle = g.fillStyle = colour;
      g.lineWidth = n === layer ? 2.2 : 1.4;
      broken(g, q, x, (t) => (Number.isFinite(value(n, t)) ? y(value(n, t)) : NaN));
      if (step > 5)
        for (let t = 0; t < q; t++) if (Number.isFinite(value(n, t))) dot(g, x(t), y(value(n, t)), 2);
      name(layers > 1 ? `layer ${n + 1}` : small("measured"), colour);
    }
    // below the top layer a gradient comes back through the layers above as well
    const bounded = bounds.length > 0 && layer === layers - 1;
    if (bounded) {
      g.setLineDash([4, 4]);
      g.strokeStyle = colours.faint;
      g.lineWidth = 1.5;
      broken(g, q, x, (t) => (bound(t) <= high ? y(bound(t)) : NaN));
      g.setLineDash([]);
      name(
        width < 420 ? `bound ${digits(bounds[layer])}ⁿ` : `bound: ${digits(bounds[layer])} per step`,
        colours.faint,
      );
    }
    strip(g, reader.labels.slice(0, q), { left: LEFT, step, y: TOP + HIGH + 13, now: k, colours });
    const word = `“${visible(reader.labels[q])}”`;
    const [near, far] = [q - 1, k].map((t) => size(reader, "gradient.state", layer, q, t));
    const half = this.half(reader, layer, q);
    panel.say(
      `The loss of ${word}, step by step back`,
      `${half === null ? "It never falls to half on this text." : `It falls to half within ${half === 1 ? "1 step" : `${half} steps`}.`}${bounded ? " Behind a plain recurrent step the gradient is at most the largest singular value of the weights times as long; a value below 1 would make it vanish for certain, one above 1 only allows it to explode." : ""}`,
    );
    panel.read(
      `State after “${visible(reader.labels[k])}”, ${q - k === 1 ? "1 step back" : `${q - k} steps back`}: ${digits(far)}; one step back: ${digits(near)}; ratio ${digits(far / near)}`,
    );
  }

  /** After how many steps the gradient is half as long as one step back, for good. */
  half(reader, layer, q) {
    const near = size(reader, "gradient.state", layer, q, q - 1);
    let t = 0;
    while (t < q && size(reader, "gradient.state", layer, q, t) < near / 2) t++;
    return t ? q - t : null;
  }

  table() {
    const reader = this.panel.reader();
    const { q } = chosen(this.panel.selection, reader);
    const { layers } = /** @type {any} */ (reader.spec);
    const every = Array.from({ length: layers }, (_, n) => n);
    return {
      columns: ["state after", "steps back", ...every.map((n) => `layer ${n + 1}`)],
      rows: Array.from({ length: q }, (_, t) => [
        visible(reader.labels[t]),
        q - t,
        ...every.map((n) => digits(size(reader, "gradient.state", n, q, t))),
      ]),
    };
  }
}
