// The same picture once for each place of an axis, or of two: numbers over two other axes, small.

import { Scale, font, legend, raster } from "../drawing/canvas.js";
import { thumbnail } from "../marks/thumbnail.js";
import { cut } from "../marks/strip.js";
import { Pointed } from "./picture.js";
import { fill } from "./template.js";

const [GAP, NAME, LEGEND, LEAST, MOST] = [8, 18, 34, 44, 150];

export default class Multiples extends Pointed {
  stores = {};

  find(x, y) {
    return this.spots?.find((s) => x >= s.x && x < s.x + s.w && y >= s.y && y < s.y + s.h)?.place;
  }

  paint(source) {
    const { panel, drawing, colours } = this;
    const { over, rows, columns, field, legend: words } = drawing;
    const [first, second] = over;
    const sizes = over.map((axis) => source.size(axis));
    this.spots = [];
    const plane = source.count && sizes[0] && source.plane(field, rows, columns);
    if (!plane || !plane.rows || !plane.columns) return this.surface.begin(1, 1);
    const width = panel.body.clientWidth;
    const fits = Math.max(1, Math.floor((width + GAP) / (LEAST + GAP)));
    const across = Math.min(fits, second ? sizes[1] : Math.max(4, Math.ceil(Math.sqrt(2 * sizes[0]))));
    const w = Math.min(MOST, (width - 2) / across - GAP);
    const h = Math.max(18, Math.min(w, (w * plane.rows) / plane.columns));
    const each = second ? Math.ceil(sizes[1] / across) : 1; // lines for a place of the first axis
    const lines = second ? sizes[0] * each : Math.ceil(sizes[0] / across);
    const high = lines * (h + NAME + GAP);
    const g = this.surface.begin(width, high + (words ? LEGEND : 0));
    const scale = new Scale(source.shade(drawing), panel.app.dark);
    g.textBaseline = "middle";
    g.textAlign = "left";
    for (let i = 0; i < sizes[0]; i++)
      for (let j = 0; j < (second ? sizes[1] : 1); j++) {
        const at = { ...source.at, [first]: i, ...(second && { [second]: j }) };
        const [n, line] = second
          ? [j % across, i * each + Math.floor(j / across)]
          : [i % across, Math.floor(i / across)];
        const spot = { x: 1 + n * (w + GAP), y: line * (h + NAME + GAP) + NAME, w, h };
        const part = source.plane(field, rows, columns, at);
        const store = (this.stores[`${i} ${j}`] ??= {});
        const { values, start, down, across: step } = part;
        const picture = raster(store, values, part.rows, part.columns, start, down, step, scale);
        const open = over.every((axis) => at[axis] === source.at[axis]);
        thumbnail(g, picture, spot, open, part.columns > w, colours);
        g.font = font(11, open ? 700 : 400);
        g.fillStyle = open ? colours.accent : colours.text;
        const labels = () => over.map((axis) => source.label(axis, at[axis]) ?? String(at[axis] + 1));
        const name = drawing.name ? fill(source, drawing.name, at) : labels().join(" · ");
        g.fillText(cut(g, name ?? "", w), spot.x, spot.y - 9);
        const place = Object.assign({}, ...over.map((axis) => source.place(axis, at[axis])));
        this.spots.push({ ...spot, place });
      }
    if (words) legend(g, 1, high + 6, 150, scale, words, colours);
  }
}
