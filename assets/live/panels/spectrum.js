// What one step does to a small change of the state, and what all steps do up to the loss looked at: eigenvalues on the
// complex plane, singular values on a scale of powers of ten.  Computed in a moment of rest.

import { Surface, font, ink, inside } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { rules } from "../marks/axes.js";
import { broken, dot } from "../marks/lines.js";
import { Resting } from "../parts/resting.js";
import { power } from "../sums/backpropagation.js";

const TOP = 42,
  HIGH = 210,
  LOWEST = -9;

export default class Spectrum {
  constructor(panel) {
    this.panel = panel;
    const { selection } = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.resting = new Resting(panel, "spectrum", () => {
      const { begin, end } = this.span;
      const { layers } = /** @type {any} */ (panel.reader().spec);
      const layer = Math.min(layers - 1, selection.kept.layer ?? selection.defaults.layer ?? 0);
      return begin < end ? { layer, span: [begin, end] } : null;
    });
  }

  // From the state that is kept to the one that the loss is read off; with nothing kept ten steps.
  get span() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const end = selection.keptToken(reader) - 1;
    const { other } = selection.kept;
    const begin = other === undefined ? end - 10 : Math.min(end - 1, other - reader.offset);
    return { begin: Math.max(0, begin), end };
  }

  rest() {
    this.resting.rest();
  }

  ask() {
    return this.resting.ask();
  }

  draw() {
    const { panel } = this;
    const found = this.resting.said;
    const { fresh } = this.resting;
    this.canvas.classList.toggle("un-old", !fresh);
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, found?.eigen ? TOP + HIGH + 30 : 20);
    if (!found || !this.resting.wish()) return panel.read(found ? "" : "Computed when you pause.");
    if (!found.eigen) return panel.read(this.without(found));
    const colours = ink(panel.app.root);
    const style = getComputedStyle(panel.app.root);
    /** @type {[string, string]} */
    const lines = [style.getPropertyValue("--un-line-0"), style.getPropertyValue("--un-line-1")];
    const half = Math.min(HIGH, width * 0.44);
    this.plane(g, found.eigen, half, lines[0], colours);
    this.values(g, found, half + 54, width, lines, colours);
    this.words(found);
  }

  without({ size, most, broken: bad }) {
    if (bad) return "The states are not finite here: a step has no Jacobian.";
    if (most)
      return `The state has ${size} numbers; spectra are found of up to ${most} while you type. Choose a smaller model above.`;
    return "";
  }

  plane(g, eigen, side, colour, colours) {
    const reach = 1.08 * Math.max(1, ...eigen.map(([a, b]) => Math.hypot(a, b)));
    const [x, y, r] = [side / 2, TOP + side / 2, side / 2 / reach];
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    for (const [a, b, c, d] of [
      [0, y, side, y],
      [x, TOP, x, TOP + side],
    ]) {
      // prettier-ignore
      g.beginPath();
      g.moveTo(a, b);
      g.lineTo(c, d);
      g.stroke();
    }
    g.strokeStyle = colours.faint;
    g.setLineDash([4, 4]);
    g.beginPath();
    g.arc(x, y, r, 0, 2 * Math.PI);
    g.stroke();
    g.setLineDash([]);
    g.fillStyle = colour;
    g.globalAlpha = 0.8;
    for (const [a, b] of eigen) dot(g, x + a * r, y - b * r, 3);
    g.globalAlpha = 1;
    g.font = font(12, 600);
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillText("eigenvalues of one step", 0, 9);
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.fillText("dashed: length 1", 0, TOP + side + 14);
  }

  values(g, found, left, width, [first, second], colours) {
    const series = [found.step, found.product].map((list) => list.map((v) => Math.log10(v)));
    const all = series.flat().filter(Number.isFinite);
    const low = Math.max(LOWEST, Math.floor(Math.min(-1, ...all)));
    const high = Math.max(1, Math.ceil(Math.max(...all)));
    const y = (v) => TOP + HIGH * (1 - (Math.max(low, v) - low) / (high - low));
    const x = (i) => left + ((width - left - 6) * (i + 0.5)) / found.step.length;
    const marks = [];
    for (let e = low; e <= high; e += Math.max(1, Math.ceil((high - low) / 6))) marks.push([y(e), power(e)]);
    rules(g, marks, { left, right: width - 4, colours });
    g.fillStyle = colours.faint;
    g.fillRect(left, y(0), width - 4 - left, 1.5);
    series.forEach((values, n) => {
      g.strokeStyle = n ? second : first;
      g.lineWidth = 2;
      broken(g, values.length, x, (i) => (values[i] >= low ? y(values[i]) : NaN));
    });
    g.font = font(12, 600);
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillStyle = first;
    inside(g, "singular values: one step", left, 9);
    g.fillStyle = second;
    inside(g, this.many(found), left, 26);
    g.font = font(11);
    g.fillStyle = colours.faint;
    inside(g, "from the largest to the smallest", left, TOP + HIGH + 14);
  }

  many({ span: [begin, end] }) {
    return end - begin === 1 ? "that step alone" : `all ${end - begin} steps`;
  }

  words(found) {
    const { labels } = this.panel.reader();
    const [begin, end] = found.span;
    const largest = Math.max(...found.eigen.map(([a, b]) => Math.hypot(a, b)));
    const first = `“${visible(labels[begin + 1] ?? "")}”`;
    this.panel.say(
      this.panel.spec.title,
      "A Jacobian says how the state after a step changes with the state before it. Eigenvalues inside the circle promise that many equal steps shrink a change in the end; the largest singular value bounds each step. The product over all steps, each with its own Jacobian, is what a gradient goes through.",
    );
    this.panel.read(
      `Reading ${first}: largest eigenvalue ${digits(largest)}, largest singular value ${digits(found.step[0])}. From the state before ${first} to the one after “${visible(labels[end] ?? "")}” a change grows at most ${digits(found.product[0])} times.`,
    );
  }

  table() {
    const found = this.resting.said;
    return {
      columns: [
        "number",
        "singular value, one step",
        "singular value, all steps",
        "eigenvalue, real",
        "imaginary",
      ],
      rows: (found?.step ?? []).map((v, i) => [
        i + 1,
        digits(v),
        digits(found.product[i]),
        digits(found.eigen[i][0]),
        digits(found.eigen[i][1]),
      ]),
    };
  }
}
