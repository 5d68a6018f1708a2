// The gradient of one matrix as a sum: what each step at which the matrix was used adds to it, and each loss.  Computed in
// a moment of rest.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, percent, visible } from "../dom.js";
import { pointing } from "../marks/pointer.js";
import { strip } from "../marks/strip.js";
import { bar, select } from "../parts/controls.js";
import { Resting } from "../parts/resting.js";
import { chosen } from "../sums/backpropagation.js";

const MATRICES = [
  ["recurrent", "recurrent weights, W_hh"],
  ["input", "input weights, W_xh"],
  ["output", "output weights, W_hy"],
];
const LEFT = 8,
  HIGH = 76, // of one row of bars
  GAP = 24;

export default class GradientSums {
  constructor(panel) {
    this.panel = panel;
    const { selection, app } = panel;
    this.what = select(MATRICES, (matrix) => selection.keep({ matrix }, app), "Gradient of");
    panel.body.append(bar(this.what));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.resting = new Resting(panel, "sums", () => ({
      layer: Math.min(this.layers - 1, selection.kept.layer ?? selection.defaults.layer ?? 0),
    }));
    pointing(this, (x, y) => {
      const reader = panel.reader();
      const { q } = chosen(selection, reader);
      const t = Math.floor((x - LEFT) / this.step);
      if (!this.step || t < 0 || t >= reader.labels.length) return null;
      if (y < GAP + HIGH + 20) return t < q ? { ...reader.place(q), other: t + reader.offset } : null;
      return t ? reader.place(t) : null;
    });
  }

  get layers() {
    return /** @type {any} */ (this.panel.reader().spec).layers;
  }

  get matrix() {
    return this.panel.selection.get("matrix") ?? "recurrent";
  }

  rest() {
    this.resting.rest();
  }

  ask() {
    return this.resting.ask();
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { labels } = reader;
    const found = this.resting.said?.[this.matrix];
    const fresh = this.resting.fresh && found?.steps.length === labels.length;
    this.what.value = this.matrix;
    this.canvas.classList.toggle("un-old", !fresh);
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, fresh ? 2 * (GAP + HIGH) + 46 : 40);
    if (!fresh) {
      const none = this.resting.fresh && labels.length > 1;
      return panel.read(
        none
          ? "This cell does more to its input than multiply: no sum of products."
          : "Computed when you pause.",
      );
    }
    const colours = ink(panel.app.root);
    const style = getComputedStyle(panel.app.root);
    const { q, k } = chosen(panel.selection, reader);
    this.step = (width - LEFT - 4) / Math.max(labels.length, 8);
    const rows = [
      ["by the step at which it is used", found.steps, k, "--un-line-0"],
      ["by the loss", found.losses, q, "--un-line-1"],
    ];
    const most = Math.max(0.01, ...found.steps.map((v) => Math.abs(v ?? 0)), ...found.losses.map((v) => Math.abs(v ?? 0))); // prettier-ignore
    rows.forEach(([name, shares, now, colour], n) => {
      const y = n * (GAP + HIGH + 20);
      const low = Math.min(0, ...shares.map((v) => v ?? 0));
      const zero = y + GAP + HIGH * (1 - Math.min(0.4, -low / most));
      g.font = font(12, 600);
      g.textAlign = "left";
      g.textBaseline = "middle";
      g.fillStyle = colours.faint;
      g.fillText(name, LEFT, y + 9);
      g.fillStyle = colours.line;
      g.fillRect(LEFT, zero, width - LEFT - 4, 1);
      shares.forEach((share, t) => {
        const h = ((share ?? 0) / most) * (zero - y - GAP);
        g.fillStyle = t === now ? colours.accent : style.getPropertyValue(colour);
        g.fillRect(LEFT + (t + 0.12) * this.step, Math.min(zero, zero - h), 0.76 * this.step, Math.abs(h));
      });
      strip(g, labels, { left: LEFT, step: this.step, y: y + GAP + HIGH + 10, now, colours });
    });
    const [loss, step] = [q, k].map((t) => `“${visible(labels[t])}”`);
    panel.read(
      `Length of the whole gradient: ${found.norm === null ? "not finite" : digits(found.norm)}. The use at ${step} adds ${this.share(found.steps[k])}, the loss of ${loss} ${this.share(found.losses[q])}.`,
    );
  }

  share(value) {
    return value === null ? "no number" : value < 0 ? `−${percent(-value)}` : percent(value);
  }

  table() {
    const { labels } = this.panel.reader();
    const found = this.resting.said?.[this.matrix];
    return {
      columns: ["token", "share of its step", "share of its loss"],
      rows: (found?.steps ?? []).map((v, t) => [
        visible(labels[t] ?? ""),
        this.share(v),
        this.share(found.losses[t]),
      ]),
    };
  }
}
