// Gradient descent on the typed text: the surprisal of each token before and after so many steps, for the learning rate
// that is chosen; what truncation leaves of the gradient, and what one pass over the chunks does.  Computed in a moment
// of rest.

import { Surface, ink } from "../drawing/canvas.js";
import { digits, element, percent, small, visible } from "../dom.js";
import { rules } from "../marks/axes.js";
import { pointing } from "../marks/pointer.js";
import { strip } from "../marks/strip.js";
import { bar, button, slider } from "../parts/controls.js";
import { Resting } from "../parts/resting.js";

const LEFT = 34,
  TOP = 10,
  HIGH = 120,
  MOST = 20, // steps
  FIRST = 20; // tenths of a power of ten above 0.001: 0.1

export default class Descent {
  constructor(panel) {
    this.panel = panel;
    this.says = element("span", "un-search-label");
    this.slider = slider(
      (rate) => panel.selection.keep({ rate }, panel.app),
      { min: 0, max: 40, step: 1 },
      "Learning rate",
    );
    panel.body.append(
      bar(element("span", "un-search-label", { textContent: "Learning rate" }), this.slider, this.says),
    );
    this.more = button("Take a step", () => this.keep(this.times + 1), {
      title: "One more step of learning",
    });
    this.back = button("Start again", () => this.keep(1), { title: "Back to one step" });
    panel.body.append(bar(this.more, this.back));
    this.resting = new Resting(panel, "descent", () => this.wish);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x) => {
      const reader = panel.reader();
      const t = Math.floor((x - LEFT) / this.step);
      return this.step && t >= 0 && t < reader.labels.length ? reader.place(t) : null;
    });
  }

  get rate() {
    return this.panel.selection.get("rate") ?? FIRST;
  }

  get times() {
    return Math.max(1, Math.min(MOST, this.panel.selection.get("times") ?? 1));
  }

  keep(times) {
    this.panel.selection.keep({ times }, this.panel.app);
  }

  get wish() {
    return { rate: this.rate, chunk: this.panel.selection.get("chunk") ?? 0, steps: this.times };
  }

  rest() {
    this.resting.rest();
  }

  ask() {
    return this.resting.ask();
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const found = this.resting.said;
    const fresh = this.resting.fresh?.before.length === reader.labels.length;
    this.more.disabled = this.times >= MOST;
    this.back.disabled = this.times < 2;
    this.slider.value = String(this.rate);
    this.says.textContent = String(Number((10 ** (this.rate / 10 - 3)).toPrecision(2)));
    this.canvas.classList.toggle("un-old", !fresh);
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, TOP + HIGH + 26);
    if (!fresh || found.before.length < 2) return panel.read(found ? "" : "Computed when you pause.");
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const [old, fresher] = [colours.faint, style.getPropertyValue("--un-line-0")];
    const count = found.before.length;
    const step = (this.step = (width - LEFT - 4) / Math.max(count, 8));
    const most = Math.max(4, ...found.before, ...found.after);
    const y = (v) => TOP + HIGH * (1 - Math.min(1, (v ?? most) / most));
    const unit = most > 16 ? 8 : most > 8 ? 4 : 2;
    const marks = [];
    for (let v = 0; v <= most; v += unit) marks.push([y(v), String(v)]);
    rules(g, marks, { left: LEFT, right: width - 4, colours });
    for (let t = 1; t < count; t++) {
      const x = LEFT + t * step;
      g.fillStyle = old;
      g.globalAlpha = 0.45;
      g.fillRect(x + step * 0.1, y(found.before[t]), step * 0.8, TOP + HIGH - y(found.before[t]));
      g.globalAlpha = 1;
      g.fillStyle = fresher;
      g.fillRect(x + step * 0.28, y(found.after[t]), step * 0.44, TOP + HIGH - y(found.after[t]));
    }
    const now = selection.token(reader);
    strip(g, reader.labels, { left: LEFT, step, y: TOP + HIGH + 13, now, colours });
    panel.say(
      panel.spec.title,
      "Pale: the surprisal of each token in bits; coloured: after gradient descent on this text alone, of all weights. The model itself stays as it is.",
    );
    panel.read([this.learned(found), this.changed(found), this.truncated(found)].join(" "));
  }

  learned(found) {
    const count = found.before.length - 1;
    const mean = (list) => list.slice(1).reduce((sum, v) => sum + (v ?? NaN), 0) / count;
    const [before, after] = [found.before, found.after].map(mean);
    const steps = found.steps === 1 ? "1 step" : `${found.steps} steps`;
    if (found.broke) {
      const t = found.after.findIndex((v, i) => i && v === null);
      const where = t < 0 ? "" : `, first at “${visible(this.panel.reader().labels[t] ?? "")}”`;
      return `${digits(before)} bits a token; after step ${found.broke} the loss is no finite number any more${where}: the steps are too long, it diverges.`;
    }
    const norm = found.norm === null ? "not finite" : digits(found.norm);
    return after <= before
      ? `${digits(before)} → ${digits(after)} bits a token after ${steps} (better). Length of the whole gradient: ${norm}.`
      : `${digits(before)} → ${digits(after)} bits a token after ${steps} (worse: the step was too long). Length of the whole gradient: ${norm}.`;
  }

  changed(found) {
    const most = [...found.changed].sort((a, b) => (b[1] ?? Infinity) - (a[1] ?? Infinity))[0];
    if (!most) return "";
    return `Changed most: ${most[0]}, by ${most[1] === null ? digits(Infinity) : percent(most[1])} of its length.`;
  }

  truncated(found) {
    if (!found.kept) return "";
    const [share, cosine] = found.kept[found.kept.length - 1].map((v) => v ?? NaN);
    const [handed, reset, each, once] = found.passes.map((v) => digits(v ?? NaN));
    const updates = found.updates === 1 ? "1 update" : `${found.updates} updates`;
    return `Truncated, the gradient of the recurrent weights is ${digits(100 * share)} % as long, at a cosine of ${digits(cosine)}. The state handed on at the walls: ${handed} bits a token; reset to zeros: ${reset}. One pass with an update after each chunk (${updates}): ${each}; with the gradients of all chunks accumulated for one: ${once}.`;
  }

  table() {
    const reader = this.panel.reader();
    const found = this.resting.said ?? { before: [], after: [] };
    return {
      columns: [small("token"), "bits before", "bits after"],
      rows: found.before.map((v, t) => [visible(reader.labels[t] ?? ""), digits(v), digits(found.after[t])]),
    };
  }
}
