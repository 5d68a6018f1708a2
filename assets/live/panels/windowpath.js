// All steps of one decoder: a row for each step, a column for each source word, the window of each step, and its middle
// from step to step.

import { Scale, Surface, ink, legend } from "../drawing/canvas.js";
import { digits, percent, visible } from "../dom.js";
import { cellAt, columnNames, frame, grid, rowNames } from "../marks/grid.js";
import { dot } from "../marks/lines.js";
import { scopeOf } from "../sums/scoped.js";
import { scoredBy } from "../sums/scored.js";

const [TOP, MOST, FOOT] = [66, 26, 34];

export default class WindowPath {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
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

  now() {
    const kind = scoredBy(this.panel);
    const reader = this.panel.reader(kind);
    return { kind, reader, steps: reader.labels.map((_, t) => scopeOf(reader, t)) };
  }

  find(x, y) {
    const cell = cellAt(this.box, x, y);
    return cell && { ...this.now().reader.place(cell[0]), other: cell[1] };
  }

  draw() {
    const { panel } = this;
    const { kind, reader, steps } = this.now();
    const name = panel.spec.called[kind];
    panel.say(`Step by step: ${name}`, panel.spec.says);
    this.box = null;
    const S = steps[0]?.S;
    if (!S) {
      this.surface.begin(1, 1);
      return panel.read("Type an English sentence.");
    }
    const width = panel.body.clientWidth;
    const left = Math.min(96, width * 0.24);
    const tall = Math.max(9, Math.min(MOST, 300 / steps.length));
    const box = {
      x: left,
      y: TOP,
      w: width - left - 14,
      h: steps.length * tall,
      rows: steps.length,
      columns: S,
    };
    this.box = box;
    const g = this.surface.begin(width, TOP + box.h + FOOT);
    const colours = ink(panel.app.root);
    const scale = new Scale(reader.spec.fields["cross.attention"].scale, panel.app.dark);
    const now = panel.selection.token(reader);
    const other = panel.selection.get("other") ?? -1;
    const values = Float32Array.from({ length: steps.length * S }, (_, i) =>
      steps[Math.floor(i / S)].weight(i % S),
    );
    grid(g, this.store, box, { values }, scale, colours);
    columnNames(g, box, reader.source.labels, other, colours);
    rowNames(g, box, reader.labels, now, colours);
    const step = box.w / S;
    const at = (/** @type {number} */ place) => box.x + Math.min(S, Math.max(0, place - 0.5)) * step;
    const ys = (/** @type {number} */ t) => box.y + (t + 0.5) * tall;
    g.lineWidth = 1.4;
    g.strokeStyle = g.fillStyle = colours.accent;
    const windowed = steps.filter(({ centre }) => !Number.isNaN(centre));
    for (const { t, centre, half } of windowed)
      g.strokeRect(
        at(centre - half),
        ys(t) - tall / 2 + 1.5,
        at(centre + half) - at(centre - half),
        tall - 3,
      );
    g.beginPath();
    for (const { t, centre } of windowed) g.lineTo(at(centre), ys(t));
    g.stroke();
    for (const { t, centre } of windowed) dot(g, at(centre), ys(t), 3);
    frame(g, box, { row: now, ...(other >= 0 && other < S ? { column: other } : {}) }, colours);
    legend(g, left, TOP + box.h + 8, 150, scale, "weight in the context", colours);
    panel.read(this.words(steps[now], reader, other));
  }

  words({ t, S, centre, weight, inside, half }, reader, other) {
    const row = `Behind “${visible(reader.labels[t])}”`;
    const place = Number.isNaN(centre)
      ? `${row} every word is open`
      : `${row} the window is ${digits(centre)} ± ${half}, of ${S} places`;
    if (other < 0 || other >= S) return `${place}.`;
    const word = `“${visible(reader.source.labels[other])}”`;
    return inside(other)
      ? `${place}; ${word}, place ${other + 1}, weighs ${percent(weight(other))}.`
      : `${place}; ${word}, place ${other + 1}, lies outside.`;
  }

  table() {
    const { reader, steps } = this.now();
    return {
      columns: ["behind", "middle of the window", ...(reader.source?.labels ?? []).map(visible)],
      rows: steps.map(({ t, S, centre, weight }) => [
        visible(reader.labels[t]),
        Number.isNaN(centre) ? "" : digits(centre),
        ...Array.from({ length: S }, (_, s) => digits(weight(s))),
      ]),
    };
  }
}
