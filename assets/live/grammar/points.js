// Points in a plane: sets of them, each over an axis, as large as a number; drawn together, or drawn to one point.

import { Scale, font, legend } from "../drawing/canvas.js";
import { circle } from "../marks/graph.js";
import { around, label } from "../marks/points.js";
import { Pointed } from "./picture.js";
import { fill } from "./template.js";

const [HIGH, TALL, EDGE, NEAR, SMALL, LARGE, LEGEND] = [330, 540, 46, 22, 3, 11, 34];
const [MANY, TRIED] = [60, 400]; // names that are written of a set, points of which one looks whether there is room

export default class Points extends Pointed {
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
    const shaded = sets.find(({ shade }) => shade);
    const high = drawing.zoom ? Math.max(HIGH, Math.min(TALL, width)) : HIGH;
    const g = this.surface.begin(width, high + (shaded ? LEGEND : 0));
    const [{ axis, of }] = sets;
    // what is pointed at stays under the pointer
    if (!Object.keys(panel.selection.hovered).length) this.middle = of[source.at[axis]];
    this.box = [0, 0, width, high];
    const to = this.fit(all, source.extras[drawing.zoom] ?? 1);
    for (const set of sets) this.set(g, set, to);
    const among = { placed: [], inside: this.box, ground: colours.ground };
    for (const set of sets.toReversed()) if (set.label) this.names(g, set, to, among);
    if (!shaded) return;
    const scale = new Scale(source.shade({ field: shaded.shade }), panel.app.dark);
    legend(g, 2, high + 10, Math.min(150, width / 3), scale, fill(source, drawing.legend) ?? "", colours);
  }

  // Where there is room: of the point looked at first, of many the first ones.
  names(g, { axis, of, label: text, size }, to, among) {
    const { source, colours } = this;
    const now = source.at[axis];
    const order = [...of.keys()].sort((one, other) => Number(other === now) - Number(one === now));
    let written = 0;
    for (const i of order.slice(0, TRIED)) {
      const [x, y] = to(of[i]);
      const on = i === now;
      const words = Number.isFinite(x) && fill(source, text, { ...source.at, [axis]: i });
      if (!words || written > MANY) continue;
      const big = size ? Math.max(0, source.number(size, { ...source.at, [axis]: i })) : 0;
      const many = of.length > MANY;
      g.font = font(many && !on ? 11 : 13, on || big > 0.5 ? 700 : 400);
      g.fillStyle = on ? colours.accent : many ? colours.faint : colours.text;
      written += Number(label(g, words, x, y, around(SMALL + LARGE * Math.sqrt(big)), among));
    }
  }

  set(g, { axis, of, size, shade, joined, pulls }, to) {
    const { source, colours, panel, box } = this;
    const scale = shade && new Scale(source.shade({ field: shade }), panel.app.dark);
    if (joined) {
      g.strokeStyle = colours.line;
      g.lineWidth = 1;
      g.beginPath();
      for (const point of of) g.lineTo(...to(point));
      g.stroke();
    }
    of.forEach((point, i) => {
      const [x, y] = to(point);
      if (!(x >= 0 && x <= box[2] && y >= 0 && y <= box[3])) return;
      const big = size ? Math.max(0, source.number(size, { ...source.at, [axis]: i })) : NaN;
      const on = i === source.at[axis];
      if (pulls) {
        const ends = [0, 1].map((coordinate) => source.number(pulls, { ...source.at, coordinate }));
        g.strokeStyle = colours.accent;
        g.lineWidth = size ? Math.max(0.3, 6 * big) : 1;
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
      if (scale && !on) g.fillStyle = scale.css(source.number(shade, { ...source.at, [axis]: i }));
      if (size) circle(g, x, y, SMALL + LARGE * Math.sqrt(big));
      else this.square(g, x, y, on ? 7 : of.length > TRIED ? 2 : 3);
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

  /**
   * From the plane to the picture: the points fill it, and both ways a step is as long; `times` so long, around what is
   * looked at. @returns {(point: number[]) => [number, number]}
   */
  fit(all, times) {
    const [, , width, high] = this.box;
    const ends = [0, 1].map((c) => {
      const along = all.map((point) => point[c]);
      return [Math.min(...along), Math.max(...along)];
    });
    const scale = Math.min(
      (width - 2 * EDGE) / Math.max(1e-6, ends[0][1] - ends[0][0]),
      (high - 2 * EDGE) / Math.max(1e-6, ends[1][1] - ends[1][0]),
    );
    const [mx, my] = (times > 1 && this.middle) || ends.map(([low, high]) => (low + high) / 2);
    return ([x, y]) => [width / 2 + (x - mx) * scale * times, high / 2 - (y - my) * scale * times];
  }
}
