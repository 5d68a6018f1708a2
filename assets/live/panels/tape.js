// An external memory over the text: a row for each slot, a column for each token, a square where it is written, a dot where
// it is read.  Below, what each model says comes next behind the mark, where only one answer is right.

import { Surface, font, ink } from "../drawing/canvas.js";
import { element, percent, small, visible } from "../dom.js";
import { along } from "../marks/pointer.js";
import { strip } from "../marks/strip.js";
import { bar, keyItem } from "../parts/controls.js";
import { due } from "../sums/copy.js";

const [TOP, LEFT, ANSWER, LEAST] = [26, 74, 24, 0.05]; // a slot with less weight than that all along has no row
const [FEWEST, WIDEST] = [6, 34];

export default class Tape {
  constructor(panel) {
    this.panel = panel;
    const key = element("span", "un-key");
    key.append(
      keyItem("var(--un-line-0)", small("written")),
      keyItem("var(--un-line-1)", small("read")),
      keyItem("var(--un-line-2)", "says it right"),
      keyItem("var(--un-line-3)", "says it wrong"),
    );
    panel.body.append(bar(key));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    along(this, LEFT);
  }

  // The slots up to the last one that any token writes or reads.
  rows(reader) {
    const [write, read] = ["write.address", "read.address"].map((name) => reader.fields.get(name));
    const N = write.shape[1];
    let last = FEWEST - 1;
    for (let i = 0; i < write.values.length; i++)
      if (write.values[i] > LEAST || read.values[i] > LEAST) last = Math.max(last, i % N);
    return { N, rows: Math.min(N, last + 1) };
  }

  // The label that is right behind each token; null where none is. Of a long text the beginning, which is copied, may stand
  // before what is shown.
  right(reader) {
    return reader.offset ? reader.labels.map(() => null) : due(reader.labels, this.panel.spec.mark);
  }

  // What each model says behind each token from the mark on: its label, its probability, whether it is right.
  answers(reader) {
    const right = this.right(reader);
    return Object.entries(this.panel.spec.readers).map(([id, title]) => {
      const of = this.panel.reader(id);
      const said = right.map((label, t) => {
        const [top, p] = (label !== null && of.top[t]?.[0]) || [null, NaN];
        return top === null ? null : { label: top, p, right: top === label };
      });
      const all = said.filter(Boolean);
      return { id, title, said, right: all.filter((one) => one.right).length, all: all.length };
    });
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const count = reader.labels.length;
    if (!count) {
      this.surface.begin(1, 1);
      panel.say(panel.spec.title, panel.spec.says);
      return panel.read("Type some letters, the mark =, and the letters again.");
    }
    const { N, rows } = this.rows(reader);
    const answers = this.answers(reader);
    const width = panel.body.clientWidth;
    const step = (this.step = Math.min(WIDEST, (width - LEFT - 2) / count));
    const tall = Math.max(9, Math.min(22, step, 300 / rows));
    const under = TOP + rows * tall;
    const g = this.surface.begin(width, under + 8 + answers.length * ANSWER);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const [written, read] = [0, 1].map((i) => style.getPropertyValue(`--un-line-${i}`));
    const now = selection.token(reader);
    g.fillStyle = colours.accent;
    g.globalAlpha = 0.09;
    g.fillRect(LEFT + now * step, 0, step, under);
    g.globalAlpha = 1;
    strip(g, reader.labels, { left: LEFT, step, y: TOP - 12, now, colours });
    this.lines(g, rows, tall, step * count, colours);
    const most = Math.min(tall, step) - 1;
    for (let t = 0; t < count; t++)
      for (let n = 0; n < rows; n++) {
        const [x, y] = [LEFT + (t + 0.5) * step, TOP + (n + 0.5) * tall];
        const [w, r] = ["write.address", "read.address"].map((name) =>
          reader.value(name, { token: t, slot: n }),
        );
        const side = most * Math.sqrt(w);
        g.fillStyle = written;
        if (side > 0.7) g.fillRect(x - side / 2, y - side / 2, side, side);
        const radius = 0.32 * most * Math.sqrt(r);
        if (radius < 0.5) continue;
        g.fillStyle = read;
        g.beginPath();
        g.arc(x, y, radius, 0, 2 * Math.PI);
        g.fill();
      }
    answers.forEach((answer, i) =>
      this.answer(g, answer, under + 8 + (i + 0.5) * ANSWER, now, colours, style),
    );
    panel.say(this.title(answers), panel.spec.says);
    panel.read(this.words(reader, now, N, rows));
  }

  lines(g, rows, tall, wide, colours) {
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.strokeRect(LEFT - 0.5, TOP - 0.5, wide + 1, rows * tall + 1);
    g.textAlign = "right";
    g.textBaseline = "middle";
    g.font = font(11);
    g.fillStyle = colours.faint;
    const every = tall >= 12 ? 1 : 4;
    for (let n = 0; n < rows; n += every) g.fillText(n ? `${n}` : "slot 0", LEFT - 8, TOP + (n + 0.5) * tall);
  }

  answer(g, { id, said }, y, now, colours, style) {
    const [good, bad] = [2, 3].map((i) => style.getPropertyValue(`--un-line-${i}`));
    g.textAlign = "right";
    g.textBaseline = "middle";
    g.font = font(12);
    g.fillStyle = colours.text;
    g.fillText(id.toUpperCase(), LEFT - 8, y);
    g.textAlign = "center";
    said.forEach((one, t) => {
      if (!one) return;
      const x = LEFT + (t + 0.5) * this.step;
      const side = Math.min(this.step - 1, ANSWER - 4);
      g.fillStyle = one.right ? good : bad;
      g.globalAlpha = 0.22;
      g.fillRect(x - side / 2, y - ANSWER / 2 + 2, side, ANSWER - 4);
      g.globalAlpha = 1;
      g.font = font(Math.max(7, Math.min(13, this.step * 0.75)), one.right ? 400 : 700);
      g.fillStyle = t === now ? colours.accent : colours.text;
      g.fillText(visible(one.label), x, y);
      if (!one.right) g.fillRect(x - side / 2, y + ANSWER / 2 - 4, side, 2);
    });
  }

  title(answers) {
    const { title } = this.panel.spec;
    if (!answers[0].all) return title;
    const said = answers.map(({ id, right, all }) => `${id.toUpperCase()} ${right} of ${all} right`);
    return `${title}: ${said.join(", ")}`;
  }

  most(reader, name, t) {
    const N = reader.fields.get(name).shape[1];
    let best = 0;
    for (let n = 1; n < N; n++)
      if (reader.value(name, { token: t, slot: n }) > reader.value(name, { token: t, slot: best })) best = n;
    return `slot ${best} (${percent(reader.value(name, { token: t, slot: best }))})`;
  }

  words(reader, t, N, rows) {
    const untouched = N > rows ? ` ${N - rows} more slots are hardly touched.` : "";
    return `At “${visible(reader.labels[t])}” it writes most to ${this.most(reader, "write.address", t)} and reads most of ${this.most(reader, "read.address", t)}.${untouched}`;
  }

  table() {
    const reader = this.panel.reader();
    if (!reader.labels.length) return { columns: [], rows: [] };
    const [answers, right] = [this.answers(reader), this.right(reader)];
    return {
      columns: [
        small("token"),
        "writes most to",
        "reads most of",
        ...answers.map(({ title }) => title),
        small("right"),
      ],
      rows: reader.labels.map((label, t) => [
        visible(label),
        this.most(reader, "write.address", t),
        this.most(reader, "read.address", t),
        ...answers.map(({ said }) => (said[t] ? `${visible(said[t].label)} ${percent(said[t].p)}` : "")),
        visible(right[t] ?? ""),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
