// How what a token wrote fades: one line for each token, the one looked at in colour, and where half of it is
// gone.

import { Surface, ink } from "../drawing/canvas.js";
import { digits, short, visible } from "../dom.js";
import { account, after, back, lasting, shares, source } from "../sums/ledger.js";
import { rules, shade } from "../marks/axes.js";
import { dot } from "../marks/lines.js";
import { strip } from "../marks/strip.js";
import { pointing } from "../marks/pointer.js";

const LEFT = 42,
  HIGH = 150,
  TOP = 12,
  LABELS = 22;

export default class Fading {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x) => this.at(x));
  }

  at(x) {
    const reader = this.panel.reader();
    if (!reader.labels.length) return null;
    const t = Math.max(0, Math.min(reader.labels.length - 1, Math.floor((x - LEFT) / this.step)));
    const now = this.panel.selection.keptToken(reader);
    return { other: Math.min(t, now) + reader.offset };
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const book = account(panel, reader);
    this.canvas.hidden = !book;
    if (!book) return panel.read("");
    const { T, keep } = book;
    const now = selection.token(reader);
    const from = source(book, selection, reader, now);
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, TOP + HIGH + LABELS);
    const colours = ink(app.root);
    this.step = Math.min(60, (width - LEFT - 4) / Math.max(T, 8));
    const x = (t) => LEFT + (t + 0.5) * this.step;
    const y = (share) => TOP + HIGH * (1 - share);
    panel.say(
      `How the value written by “${short(reader.labels[from], 14)}” fades: unit ${book.unit} of layer ${book.layer + 1}`,
      panel.spec.says,
    );
    const marks = [0, 0.5, 1].map((v) => [y(v), `${100 * v} %`]);
    rules(g, marks, { left: LEFT, right: width, colours, gap: 4 });
    const curve = (k) => {
      let share = 1;
      g.beginPath();
      g.moveTo(x(k), y(1));
      for (let t = k + 1; t < T; t++) {
        share *= keep[t];
        g.lineTo(x(t), y(share));
        if (share < 1e-3) break;
      }
      g.stroke();
    };
    g.strokeStyle = colours.faint;
    g.globalAlpha = 0.35;
    g.lineWidth = 1;
    for (let k = 0; k < T; k++) curve(k);
    g.globalAlpha = 1;
    g.strokeStyle = g.fillStyle = colours.accent;
    g.lineWidth = 2.5;
    curve(from);
    const [n, longer] = /** @type {[number, boolean]} */ (after(book, from));
    let share = 1;
    for (let t = from; t < T; t++) {
      if (t > from) share *= keep[t];
      if (this.step > 6 || t === from || t === from + n)
        dot(g, x(t), y(share), t === from + n && !longer ? 5 : 2.5);
    }
    shade(g, { x: LEFT + now * this.step, y: TOP, w: Math.max(1, this.step), h: HIGH }, colours);
    strip(g, reader.labels, { left: LEFT, step: this.step, y: TOP + HIGH + 12, now: from, colours });
    const word = (t) => `“${visible(reader.labels[t] ?? "")}”`;
    const left = shares(book, now)[from];
    panel.read(
      `Of what ${word(from)} wrote, ${digits(100 * left)} % is left at ${word(now)}. ${n ? `Half of it is gone after ${told(n, longer)}.` : "No token follows it yet."} Looking back from ${word(now)}, half is gone after ${told(...back(book, now))}.`,
    );
  }

  table() {
    const { panel } = this;
    const reader = panel.reader();
    const book = account(panel, reader);
    if (!book) return { columns: ["token"], rows: [] };
    const last = shares(book, panel.selection.token(reader));
    return {
      columns: ["token", "left at this moment", "half-life"],
      rows: reader.labels.map((l, k) => [
        visible(l),
        k < last.length ? `${digits(100 * last[k])} %` : "",
        lasting(...after(book, k)),
      ]),
    };
  }
}

const told = (n, longer) =>
  longer ? `more than the ${n === 1 ? "1 token" : `${n} tokens`} shown` : lasting(n, false);
