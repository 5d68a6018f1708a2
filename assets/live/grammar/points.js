// Points in a plane: sets of them, each over an axis, as large as a number; drawn together, or drawn to one point.

import { Surface, font } from "../drawing/canvas.js";
import { circle } from "../marks/graph.js";
import { Picture } from "./picture.js";

const [HIGH, EDGE, NEAR, SMALL, LARGE] = [330, 46, 22, 3, 11];

export default class Points extends Picture {
  constructor(panel) {
    super(panel);
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

  // What lies nearest to the pointer.
  find(x, y) {
    let [best, far] = [null, NEAR];
    for (const spot of this.spots ?? []) {
      const away = Math.hypot(spot.x - x, spot.y - y);
      if (away < far) [best, far] = [spot.place, away];
    }
    return best;
  }

  paint(source) {
    const { panel, drawing, colours } = this;
    const at = ({ axis, place }, i) =>
      [0, 1].map((coordinate) => source.number(place, { ...source.at, [axis]: i, coordinate }));
    const sets = drawing.sets.map((set) => ({
      ...set,
      of: source.count ? source.places(set.axis).map((i) => at(set, i)) : [],
    }));
    this.spots = [];
    const all = sets.flatMap(({ of }) => of).filter(([x]) => Number.isFinite(x));
    if (!all.length) return this.surface.begin(1, 1);
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, HIGH);
    const to = this.fit(all, width);
    g.textBaseline = "middle";
    for (const set of sets) this.set(g, set, to);
    for (const { axis, of, label, size } of sets)
      of.forEach((point, i) => {
        if (!label) return;
        const [x, y] = to(point);
        const on = i === source.at[axis];
        const big = size ? source.number(size, { ...source.at, [axis]: i }) : 0;
        g.font = font(13, on || big > 0.5 ? 700 : 400);
        g.textAlign = x > width / 2 ? "right" : "left";
        g.fillStyle = on ? colours.accent : colours.text;
        const away = 6 + LARGE * Math.sqrt(Math.max(0, big));
        g.fillText(source.label(axis, i) ?? "", x + (x > width / 2 ? -away : away), y - 9);
      });
  }

  set(g, { axis, of, size, joined, pulls }, to) {
    const { source, colours } = this;
    if (joined) {
      g.strokeStyle = colours.line;
      g.lineWidth = 1;
      g.beginPath();
      for (const point of of) g.lineTo(...to(point));
      g.stroke();
    }
    of.forEach((point, i) => {
      const [x, y] = to(point);
      const big = size ? Math.max(0, source.number(size, { ...source.at, [axis]: i })) : NaN;
      const on = i === source.at[axis];
      if (pulls) {
        const ends = [0, 1].map((coordinate) => source.number(pulls, { ...source.at, coordinate }));
        g.strokeStyle = colours.accent;
        g.lineWidth = Math.max(0.3, 6 * big);
        g.globalAlpha = 0.55;
        g.beginPath();
        g.moveTo(x, y);
        g.lineTo(...to(ends));
        g.stroke();
        g.globalAlpha = 1;
      }
      g.lineWidth = on ? 2.5 : 1.2;
      g.strokeStyle = on ? colours.accent : colours.text;
      g.fillStyle = size ? colours.ground : on ? colours.accent : colours.faint;
      if (size) circle(g, x, y, SMALL + LARGE * Math.sqrt(big));
      else this.square(g, x, y, on ? 7 : 3);
      this.spots.push({ x, y, place: source.place(axis, i) });
    });
  }

  // Upright where it is small, else on its tip.
  square(g, x, y, half) {
    g.beginPath();
    for (const [dx, dy] of half > 3
      ? [
          [0, -1],
          [1, 0],
          [0, 1],
          [-1, 0],
        ]
      : [
          [-1, -1],
          [1, -1],
          [1, 1],
          [-1, 1],
        ])
      g.lineTo(x + half * dx, y + half * dy);
    g.fill();
  }

  /** From the plane to the picture: the points fill it, and both ways a step is as long. @returns {(point: number[]) => [number, number]} */
  fit(all, width) {
    const ends = [0, 1].map((c) => {
      const along = all.map((point) => point[c]);
      return [Math.min(...along), Math.max(...along)];
    });
    const scale = Math.min(
      (width - 2 * EDGE) / Math.max(1e-6, ends[0][1] - ends[0][0]),
      (HIGH - 2 * EDGE) / Math.max(1e-6, ends[1][1] - ends[1][0]),
    );
    const [mx, my] = ends.map(([low, high]) => (low + high) / 2);
    return ([x, y]) => [width / 2 + (x - mx) * scale, HIGH / 2 - (y - my) * scale];
  }
}
