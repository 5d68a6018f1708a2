// How surprising each token of the text is, as it is (grey) and edited, and the bits of all together.

import { Surface, ink } from "../drawing/canvas.js";
import { rules, shade } from "../marks/axes.js";
import { course } from "../marks/lines.js";
import { along } from "../marks/pointer.js";
import { strip } from "../marks/strip.js";
import { digits, visible } from "../dom.js";

const LEFT = 34,
  HIGH = 110,
  TOP = 14,
  FOOT = 24;

export default class Surprisal {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    along(this, LEFT);
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const [reader, plain] = [panel.reader(), panel.reader("plain")];
    const count = reader.labels.length;
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, TOP + HIGH + FOOT);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const finite = [...plain.bits, ...reader.bits].filter(Number.isFinite);
    const most = Math.max(8, 4 * Math.ceil(Math.max(0, ...finite) / 4));
    this.step = (width - LEFT - 4) / Math.max(count, 8);
    const x = (t) => LEFT + (t + 0.5) * this.step;
    const y = (v) => TOP + HIGH * (1 - Math.min(v, most) / most);
    const ticks = [0, most / 2, most].map((tick) => [y(tick), String(tick)]);
    rules(g, ticks, { left: LEFT, right: width, colours });
    const now = selection.token(reader);
    const of = (who) => style.getPropertyValue(`--un-reader-${who.spec.colour}`);
    course(g, count, x, (t) => y(plain.bits[t]), of(plain), 1.2);
    course(g, count, x, (t) => y(reader.bits[t]), of(reader), 2, this.step > 8 ? 2 : 0);
    const column = { x: LEFT + now * this.step, y: TOP, w: Math.max(1, this.step), h: HIGH };
    shade(g, column, colours, 0.18);
    strip(g, reader.labels, { left: LEFT, step: this.step, y: TOP + HIGH + 14, now, colours });
    const part = count < reader.total ? " (of what is shown)" : "";
    panel.say(
      panel.spec.title,
      `Bits of each token: grey original, colour edited. ${this.total(plain, reader)}${part} Model: ${plain.spec.title}.`,
    );
    const [was, is] = [plain.bits[now], reader.bits[now]];
    panel.read(
      Number.isFinite(was)
        ? `“${visible(reader.labels[now])}”: ${digits(was)} bits originally, ${digits(is)} edited (${signed(is - was)}).`
        : `“${visible(reader.labels[now] ?? "")}” is given.`,
    );
  }

  total(plain, reader) {
    const sum = (bits) => bits.reduce((a, b) => a + (Number.isNaN(b) ? 0 : b), 0);
    const [was, is] = [sum(plain.bits), sum(reader.bits)];
    return `In total: ${digits(was)} bits originally, ${digits(is)} edited, a change of ${signed(is - was)}.`;
  }

  table() {
    const [reader, plain] = [this.panel.reader(), this.panel.reader("plain")];
    return {
      columns: ["token", "bits, original", "bits, edited", "change"],
      rows: reader.labels.map((label, t) => [
        visible(label),
        digits(plain.bits[t]),
        digits(reader.bits[t]),
        signed(reader.bits[t] - plain.bits[t]),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}

const signed = (x) => (x > 0 ? `+${digits(x)}` : digits(x));
