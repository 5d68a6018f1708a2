// What several classifiers would answer had the text ended at each word: the probability of the right label.

import { Surface, ink } from "../drawing/canvas.js";
import { element, percent, visible } from "../dom.js";
import { rules } from "../marks/axes.js";
import { course } from "../marks/lines.js";
import { along } from "../marks/pointer.js";
import { strip } from "../marks/strip.js";
import { bar, keyItem } from "../parts/controls.js";
import { marked, said } from "../sums/marked.js";

const [TOP, HIGH, LEFT, WIDEST] = [12, 120, 112, 74];

export default class Prefix {
  constructor(panel) {
    this.panel = panel;
    this.key = element("span", "un-key");
    Object.values(panel.spec.called).forEach((title, i) =>
      this.key.append(keyItem(`var(--un-reader-${i})`, title)),
    );
    panel.body.append(bar(this.key));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    along(this, LEFT);
  }

  // The label that is right at the end, or the one that the first reader gives where none is known.
  right(reader) {
    const { mark, kinds } = this.panel.spec;
    const last = reader.labels.length - 1;
    return marked(reader.labels, mark, kinds, last)?.kind || said(reader, last).label;
  }

  curves() {
    return Object.entries(this.panel.spec.called).map(([way, title]) => {
      const reader = this.panel.reader(way);
      return { title, reader };
    });
  }

  draw() {
    const { panel } = this;
    const { app, selection, spec } = panel;
    const curves = this.curves();
    const [{ reader }] = curves;
    const count = reader.labels.length;
    panel.say(spec.title, spec.says);
    if (!count) {
      this.surface.begin(1, 1);
      return panel.read("");
    }
    const width = panel.body.clientWidth;
    const step = (this.step = Math.min(WIDEST, (width - LEFT - 4) / count));
    const g = this.surface.begin(width, TOP + HIGH + 26);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const now = selection.token(reader);
    const y = (p) => TOP + HIGH * (1 - p);
    rules(
      g,
      [0, 0.5, 1].map((p) => [y(p), `${100 * p} %`]),
      { left: LEFT, right: LEFT + step * count, colours },
    );
    const name = this.right(reader);
    const label = reader.spec.labels.label.indexOf(name);
    const p = (reader, t) => reader.value("label", { token: t, label });
    curves.forEach(({ reader }, i) =>
      course(
        g,
        count,
        (t) => LEFT + (t + 0.5) * step,
        (t) => y(p(reader, t)),
        style.getPropertyValue(`--un-reader-${i}`),
        2,
      ),
    );
    g.strokeStyle = colours.accent;
    g.lineWidth = 1;
    g.strokeRect(LEFT + (now + 0.5) * step - 0.5, TOP, 1, HIGH);
    strip(g, reader.labels, { left: LEFT, step, y: TOP + HIGH + 14, now, colours });
    const parts = curves.map(({ title, reader }) => `${title} ${percent(p(reader, now))}`);
    panel.read(`After “${visible(reader.labels[now])}” the probability of “${name}”: ${parts.join(", ")}.`);
  }

  table() {
    const curves = this.curves();
    const [{ reader }] = curves;
    if (!reader.labels.length) return { columns: [], rows: [] };
    const label = reader.spec.labels.label.indexOf(this.right(reader));
    return {
      columns: ["word", ...curves.map(({ title }) => title)],
      rows: reader.labels.map((word, t) => [
        visible(word),
        ...curves.map(({ reader }) => percent(reader.value("label", { token: t, label }))),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
