// The weight of every key over the temperature: one key has all on the left, all have the same on the right.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, percent } from "../dom.js";
import { rules as across, ticks } from "../marks/axes.js";
import { course } from "../marks/lines.js";
import { halo } from "../marks/words.js";
import { entropy, heat, looked, stepOf, weights, writeRules } from "../sums/lookup.js";

const [LEFT, RIGHT, TOP, HIGH, BELOW] = [44, 12, 12, 250, 40];
const LAST = 80;

export default class LookupHeat {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      () => {},
      (x) => {
        const step = Math.round(((x - LEFT) / (this.wide || 1)) * LAST);
        const rules = { ...looked(panel).rules, step: Math.max(0, Math.min(LAST, step)) };
        panel.selection.keep({ rules: writeRules(rules) }, panel.app);
      },
      () => {},
    );
  }

  draw() {
    const { panel } = this;
    const { library, score, weight, t, rules } = looked(panel);
    const n = library.keys.length;
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, TOP + HIGH + BELOW);
    if (!n) return panel.read("");
    const colours = ink(panel.app.root);
    const style = getComputedStyle(panel.app.root);
    const wide = (this.wide = width - LEFT - RIGHT);
    const x = (step) => LEFT + (wide * step) / LAST;
    const y = (w) => TOP + HIGH * (1 - w);
    across(
      g,
      [0, 0.25, 0.5, 0.75, 1].map((w) => [y(w), `${100 * w} %`]),
      { left: LEFT, right: LEFT + wide, colours },
    );
    ticks(
      g,
      [0.01, 0.1, 1, 10, 100].map((v) => [x(stepOf(v)), String(v)]),
      TOP + HIGH + 13,
      colours,
    );
    g.fillText("temperature T", LEFT + wide / 2, TOP + HIGH + 30);
    const rows = Array.from({ length: LAST + 1 }, (_, step) => weights(score, heat(step)));
    for (let m = 0; m < n; m++)
      course(
        g,
        LAST + 1,
        x,
        (step) => y(rows[step][m]),
        style.getPropertyValue(`--un-line-${m % 8}`) || colours.accent,
        m === panel.selection.get("unit") ? 3.5 : 2,
      );
    g.fillStyle = colours.accent;
    g.fillRect(x(rules.step) - 1, TOP, 2, HIGH);
    g.font = font(12, 600);
    const right = rules.step > LAST / 2;
    halo(g, `T = ${t}`, x(rules.step) + (right ? -6 : 6), TOP + 10, right ? "right" : "left", colours);
    panel.read(
      `At T = ${t} the weights hold ${digits(entropy(weight))} bits of entropy; hard lookup has 0, ${n} equal weights ${digits(Math.log2(n))}. The largest is ${percent(Math.max(...weight))}.`,
    );
  }

  table() {
    const { library, score } = looked(this.panel);
    const steps = [0, 20, 40, 60, 80];
    return {
      columns: ["key", ...steps.map((step) => `T = ${heat(step)}`)],
      rows: library.keys.map((key, m) => [
        key,
        ...steps.map((step) => digits(weights(score, heat(step))[m])),
      ]),
    };
  }
}
