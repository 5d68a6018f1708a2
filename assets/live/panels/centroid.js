// The keys of a source as points of a plane, each as large as its weight, and the context vector: their centroid.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, percent, visible } from "../dom.js";
import { circle } from "../marks/graph.js";
import { scoreOf, scoredBy } from "../sums/scored.js";

const [HIGH, EDGE, NEAR] = [330, 46, 22];

export default class Centroid {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    const { selection, app } = panel;
    this.surface.onPointer(
      (x, y) => selection.look(this.find(x, y) ?? {}),
      (x, y) => {
        const place = this.find(x, y);
        if (place) selection.keep(place, app);
      },
      () => selection.leave(),
    );
  }

  // The word or the step whose mark is nearest to the pointer.
  find(x, y) {
    let [best, far] = [null, NEAR];
    for (const spot of this.spots ?? []) {
      const away = Math.hypot(spot.x - x, spot.y - y);
      if (away < far) [best, far] = [spot.place, away];
    }
    return best;
  }

  now() {
    const kind = scoredBy(this.panel);
    const reader = this.panel.reader(kind);
    const at = (name, axis, i) => [0, 1].map((coordinate) => reader.value(name, { [axis]: i, coordinate }));
    return {
      ...{ kind, reader, ...scoreOf(reader, this.panel.selection.token(reader)) },
      key: (s) => at("place", "source", s),
      centre: (t) => at("centre", "token", t),
    };
  }

  draw() {
    const { panel } = this;
    const n = this.now();
    const { reader, S, t } = n;
    panel.say(
      S ? `The context is a centroid: ${panel.spec.called[n.kind]} score` : panel.spec.title,
      panel.spec.says,
    );
    this.spots = [];
    if (!S) {
      this.surface.begin(1, 1);
      return panel.read("Type an English sentence.");
    }
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, HIGH);
    const colours = ink(panel.app.root);
    const keys = Array.from({ length: S }, (_, s) => n.key(s));
    const to = this.fit(keys, width);
    const [cx, cy] = to(n.centre(t));
    const other = panel.selection.get("other");
    g.textBaseline = "middle";
    // the contexts of all steps, one behind the other
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.beginPath();
    reader.labels.forEach((_, i) => g.lineTo(...to(n.centre(i))));
    g.stroke();
    reader.labels.forEach((_, i) => {
      const [x, y] = to(n.centre(i));
      g.fillStyle = colours.faint;
      g.fillRect(x - 2, y - 2, 4, 4);
      this.spots.push({ x, y, place: reader.place(i) });
    });
    keys.forEach((key, s) => {
      const [x, y] = to(key);
      g.strokeStyle = colours.accent;
      g.lineWidth = Math.max(0.3, 6 * n.weight(s));
      g.globalAlpha = 0.55;
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(cx, cy);
      g.stroke();
      g.globalAlpha = 1;
    });
    keys.forEach((key, s) => {
      const [x, y] = to(key);
      g.lineWidth = s === other ? 2.5 : 1.2;
      g.strokeStyle = s === other ? colours.accent : colours.text;
      g.fillStyle = colours.ground;
      circle(g, x, y, 3 + 11 * Math.sqrt(n.weight(s)));
      this.spots.push({ x, y, place: { other: s } });
    });
    g.fillStyle = g.strokeStyle = colours.accent;
    g.lineWidth = 1;
    g.beginPath();
    for (const [dx, dy] of [
      [0, -7],
      [7, 0],
      [0, 7],
      [-7, 0],
    ])
      g.lineTo(cx + dx, cy + dy);
    g.fill();
    keys.forEach((key, s) => {
      const [x, y] = to(key);
      g.font = font(13, s === other || n.weight(s) > 0.5 ? 700 : 400);
      g.textAlign = x > width / 2 ? "right" : "left";
      g.fillStyle = s === other ? colours.accent : colours.text;
      const away = 6 + 11 * Math.sqrt(n.weight(s));
      g.fillText(visible(reader.source.labels[s]), x + (x > width / 2 ? -away : away), y - 9);
    });
    panel.read(this.words(n, other));
  }

  // From the plane to the picture: the keys fill it, and both ways a step is as long.
  fit(keys, width) {
    const ends = [0, 1].map((c) => {
      const along = keys.map((key) => key[c]);
      return [Math.min(...along), Math.max(...along)];
    });
    const scale = Math.min(
      (width - 2 * EDGE) / Math.max(1e-6, ends[0][1] - ends[0][0]),
      (HIGH - 2 * EDGE) / Math.max(1e-6, ends[1][1] - ends[1][0]),
    );
    const [mx, my] = ends.map(([low, high]) => (low + high) / 2);
    /** @returns {[number, number]} */
    return (/** @type {number[]} */ [x, y]) => [width / 2 + (x - mx) * scale, HIGH / 2 - (y - my) * scale];
  }

  words({ reader, S, weight, key, centre, t }, other) {
    const share = [0, 1].reduce((sum, coordinate) => sum + reader.value("share", { coordinate }), 0);
    const order = Array.from({ length: S }, (_, s) => s).sort((a, b) => weight(b) - weight(a));
    const point = ([x, y]) => `(${digits(x)}, ${digits(y)})`;
    const first = other !== undefined && other < S ? other : order[0];
    return `Context ${point(centre(t))}. “${visible(reader.source.labels[first])}” stands at ${point(key(first))} and pulls with ${percent(weight(first))}. The plane holds ${percent(share)} of how the keys differ; the context is their centroid in every plane.`;
  }

  table() {
    const { reader, S, t, key, centre, weight } = this.now();
    const rows = Array.from({ length: S }, (_, s) => [
      visible(reader.source.labels[s]),
      digits(weight(s)),
      ...key(s).map(digits),
    ]);
    return {
      columns: ["what", "weight", "x", "y"],
      rows: S ? [...rows, ["context", "1", ...centre(t).map(digits)]] : [],
    };
  }
}
