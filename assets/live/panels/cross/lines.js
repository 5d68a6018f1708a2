// Cross-attention as lines: the words of the source above, what each step writes below, a curve for each weight.

import { font } from "../../drawing/canvas.js";
import { short } from "../../dom.js";
import { arcs } from "../../marks/arcs.js";
import { fitted } from "../../marks/strip.js";

const HIGH = 104,
  WORD = 22,
  LEAST = 0.04, // weights below it get no line
  MUCH = 0.3;

export const TALL = HIGH + 2 * WORD;

export class CrossLines {
  // what: {reader, T, S, weight, ends, said, now, other, colours}
  constructor(g, what, width, edge) {
    const { reader, ends } = what;
    this.above = spread(g, reader.source.labels, width, edge);
    this.below = spread(
      g,
      ends.map((e) => e.label),
      width,
      edge,
    );
    this.lines(g, what);
    this.words(g, what);
  }

  lines(g, { weight, now, other, colours }) {
    const { above, below } = this;
    const lit = other === undefined ? (t) => t === now : (t, s) => s === other;
    const where = { from: below.at, to: above.at, start: WORD + HIGH, end: WORD, upright: true };
    arcs(g, where, weight, LEAST, lit, (w, strong) => {
      g.globalAlpha = Math.min(1, strong ? 0.25 + w : 0.75 * w);
      g.strokeStyle = strong ? colours.accent : colours.faint;
      g.lineWidth = 0.6 + 3 * w;
    });
  }

  words(g, { reader, T, S, weight, ends, said, now, other, colours }) {
    const free = other === undefined;
    g.textAlign = "center";
    g.textBaseline = "middle";
    const put = ({ at, size, room }, i, label, y, on, faint) => {
      g.font = font(size, on ? 700 : 400);
      g.fillStyle = on ? colours.accent : faint ? colours.faint : colours.text;
      g.fillText(fitted(g, label, room), at[i], y);
    };
    const { labels, unknown } = reader.source;
    for (let s = 0; s < S; s++) {
      const on = free ? weight(now, s) >= MUCH : s === other;
      put(this.above, s, labels[s], WORD / 2, on, unknown.includes(s) || s === S - 1);
    }
    for (let t = 0; t < T; t++) {
      const on = free ? t === now : weight(t, other) >= MUCH;
      put(this.below, t, said[t], WORD * 1.5 + HIGH, on, !ends[t].typed);
    }
  }

  find(x, y) {
    const near = ({ at }) =>
      at.reduce((best, p, i) => (Math.abs(p - x) < Math.abs(at[best] - x) ? i : best), 0);
    if (y < WORD * 1.5) return { s: near(this.above) };
    return y > HIGH / 2 + WORD ? { t: near(this.below) } : null;
  }
}

// Words in a row over the whole width: their middles, the size of their letters, the room of each.
function spread(g, labels, width, edge) {
  const size = labels.length * 46 > width ? 11 : 14;
  g.font = font(size, 700);
  const wide = labels.map((label) => Math.min(120, g.measureText(short(label, 16)).width + 4));
  const whole = wide.reduce((a, b) => a + b, 0),
    gap = (width - 2 * edge - whole) / Math.max(1, labels.length);
  if (gap < 3) {
    const room = (width - 2 * edge) / labels.length;
    return { at: labels.map((_, i) => edge + (i + 0.5) * room), size, room };
  }
  let x = edge + gap / 2;
  const at = wide.map((w) => {
    const middle = x + w / 2;
    x += w + gap;
    return middle;
  });
  return { at, size, room: 130 };
}
