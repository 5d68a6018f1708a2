// What the tokens that follow change of each belief: its distance to the one without them, and where another state has
// become the likeliest.

import { Surface, font, ink } from "../drawing/canvas.js";
import { percent, visible } from "../dom.js";
import { rules } from "../marks/axes.js";
import { along } from "../marks/pointer.js";
import { cut, strip } from "../marks/strip.js";
import * as hmm from "../sums/hmm.js";

const [TOP, HIGH, LEFT] = [40, 130, 48];

export default class Revised {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    along(this, LEFT);
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const count = reader.labels.length;
    if (!count) {
      this.found = null;
      this.surface.begin(1, 1);
      panel.say(panel.spec.title, panel.spec.says);
      return panel.read("");
    }
    const model = hmm.tables(reader);
    const width = panel.body.clientWidth;
    this.step = Math.min(90, (width - LEFT - 2) / count);
    const g = this.surface.begin(width, TOP + HIGH + 26);
    const colours = ink(app.root);
    const changed = getComputedStyle(app.root).getPropertyValue("--un-line-1");
    const now = selection.token(reader);
    rules(
      g,
      [0, 0.5, 1].map((p) => [TOP + HIGH * (1 - p), `${100 * p} %`]),
      { left: LEFT, right: width, colours },
    );
    this.found = reader.labels.map((label, t) => {
      const [filter, smooth] = ["filter", "smooth"].map((name) => hmm.belief(reader, name, t));
      const [before, after] = [filter, smooth].map((belief) => hmm.largest(belief));
      return {
        label,
        before,
        after,
        far: hmm.distance(filter, smooth),
        was: filter[before],
        is: smooth[after],
      };
    });
    this.found.forEach(({ far, before, after }, t) => {
      const x = LEFT + t * this.step;
      g.fillStyle = before !== after ? changed : colours.accent;
      g.fillRect(x + 2, TOP + HIGH * (1 - far), Math.max(1, this.step - 4), Math.max(1, HIGH * far));
      if (before === after || this.step < 34) return;
      g.textAlign = "center";
      g.font = font(11, 600);
      g.fillText(cut(g, model.states[before], this.step - 2), x + this.step / 2, TOP + HIGH * (1 - far) - 22);
      g.fillText(
        cut(g, `↓ ${model.states[after]}`, this.step),
        x + this.step / 2,
        TOP + HIGH * (1 - far) - 9,
      );
    });
    strip(g, reader.labels, { left: LEFT, step: this.step, y: TOP + HIGH + 14, now, colours });
    g.strokeStyle = colours.accent;
    g.lineWidth = 1.5;
    g.strokeRect(LEFT + now * this.step, TOP - 1, this.step, HIGH + 2);
    const at = this.found[now];
    const word = visible(at.label);
    const [before, after] = [at.before, at.after].map((s) => model.states[s]);
    panel.say(`What the future changed at “${word}”`, panel.spec.says);
    panel.read(
      `“${word}”, distance ${percent(at.far)}: filtered it was likeliest ${before} (${percent(at.was)}), with what follows ${after} (${percent(at.is)}).`,
    );
  }

  table() {
    const { states } = hmm.tables(this.panel.reader());
    const rows = (this.found ?? []).map(({ label, before, after, far, was, is }) => {
      return [visible(label), states[before], percent(was), states[after], percent(is), percent(far)];
    });
    return {
      columns: ["token", "filtered", "probability", "smoothed", "probability, smoothed", "distance"],
      rows,
    };
  }
}
