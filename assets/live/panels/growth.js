// The curve of a training: how many tokens the vocabulary has against how many the text has; a click goes to that merge.

import { Surface, ink } from "../drawing/canvas.js";
import { rules, ticks } from "../marks/axes.js";
import { course, dot } from "../marks/lines.js";
import { stepOf } from "../sums/merging.js";

const HEIGHT = 220,
  LEFT = 46,
  BOTTOM = 40,
  TOP = 12,
  RIGHT = 16;

export default class Growth {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x) => this.read((this.over = this.nearest(x))),
      (x) => this.go(this.nearest(x)),
      () => this.read((this.over = null)),
    );
    this.canvas.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (!by) return;
      this.go(stepOf(panel) + by);
      e.preventDefault();
      e.stopPropagation();
    });
  }

  go(step) {
    const { selection, app } = this.panel;
    const last = (this.panel.reader().said.sizes?.length ?? 1) - 1;
    selection.kept.stop = Math.max(0, Math.min(last, step));
    selection.soon();
    app.restSoon();
  }

  nearest(x) {
    const xs = this.points ?? [];
    return xs.reduce(
      (best, [px], i) => (Math.abs(px - x) < Math.abs((xs[best]?.[0] ?? 1e9) - x) ? i : best),
      0,
    );
  }

  draw() {
    const { sizes, lengths } = this.panel.reader().said;
    if (!sizes) return;
    const width = Math.max(240, this.panel.body.clientWidth);
    const g = this.surface.begin(width, HEIGHT);
    const c = ink(this.panel.app.root);
    const [low, high] = [sizes[0], Math.max(sizes[sizes.length - 1], sizes[0] + 1)];
    const top = Math.max(lengths[0], 1);
    const x = (v) => LEFT + ((v - low) / (high - low)) * (width - LEFT - RIGHT);
    const y = (v) => HEIGHT - BOTTOM - (v / top) * (HEIGHT - BOTTOM - TOP);
    this.points = sizes.map((s, i) => [x(s), y(lengths[i])]);
    const said = (v) => v.toLocaleString("en");
    rules(
      g,
      round(top).map((v) => [y(v), said(v)]),
      { left: LEFT, right: width - RIGHT, gap: 6, colours: c },
    );
    const across = round(high, high - low).filter((v) => v >= low);
    ticks(
      g,
      across.map((v) => [x(v), said(v)]),
      HEIGHT - BOTTOM + 12,
      c,
    );
    g.fillText("tokens in the vocabulary", (LEFT + width - RIGHT) / 2, HEIGHT - 10);
    g.save();
    g.translate(10, (TOP + HEIGHT - BOTTOM) / 2);
    g.rotate(-Math.PI / 2);
    g.fillText("tokens in the text", 0, 0);
    g.restore();
    const { points } = this;
    course(
      g,
      points.length,
      (i) => points[i][0],
      (i) => points[i][1],
      c.accent,
      2,
      points.length < 60 ? 2.5 : 0,
    );
    const [px, py] = points[stepOf(this.panel)];
    dot(g, px, py, 6);
    g.strokeStyle = c.ground;
    g.stroke();
    this.read();
  }

  read(over = this.over) {
    const { sizes, lengths } = this.panel.reader().said;
    if (!sizes) return;
    const step = Math.min(over ?? stepOf(this.panel), sizes.length - 1);
    const n = (v, one, many) => `${v.toLocaleString("en")} ${v === 1 ? one : many}`;
    const tokens = (v) => n(v, "token", "tokens");
    this.panel.read(
      `After ${n(step, "merge", "merges")}: ${tokens(sizes[step])} in the vocabulary, ${tokens(lengths[step])} in the text${lengths[step] ? `, ${(lengths[0] / lengths[step]).toFixed(2)} symbols a token` : ""}.`,
    );
  }

  table() {
    const { sizes = [], lengths = [] } = this.panel.reader().said;
    return {
      columns: ["merges", "tokens in the vocabulary", "tokens in the text"],
      rows: sizes.map((s, i) => [i, s, lengths[i]]),
    };
  }

  drawn() {
    const { sizes, lengths } = this.panel.reader().said;
    if (!sizes) return {};
    const labels = [sizes.map((_, i) => String(i))];
    return {
      vocabulary: { axes: ["step"], labels, values: Float32Array.from(sizes) },
      text: { axes: ["step"], labels, values: Float32Array.from(lengths) },
    };
  }

  alt() {
    return `Vocabulary against length. ${this.panel.readout.textContent}`;
  }
}

// Round numbers from 0 up, a few of them within `span`.
function round(top, span = top) {
  const rough = span / 4;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = Math.max(1, [1, 2, 5, 10].find((m) => m * power >= rough) * power);
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, i) => i * step);
}
