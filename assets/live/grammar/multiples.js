// The same picture once for each place of an axis, or of two: numbers over two other axes, small.  Of many heads, say, those
// that its fold leaves stand side by side; all of them have a line, or more, for each layer.

import { Scale, font, legend, raster } from "../drawing/canvas.js";
import { thumbnail } from "../marks/thumbnail.js";
import { cut } from "../marks/strip.js";
import { Pointed } from "./picture.js";
import { fill } from "./template.js";

const [GAP, NAME, LEGEND, LEAST, MANY, MOST] = [8, 18, 34, 44, 30, 150]; // MANY: the least width where there are many

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
    const all = source
      .places(first)
      .flatMap((i) =>
        second ? source.places(second).map((j) => ({ [first]: i, [second]: j })) : { [first]: i },
      );
    const items = this.fold?.drawn(all) ?? all;
    const byLine = second && items === all; // a line, or more, for each place of the first axis
    const many = byLine && all.length > drawing.fold?.above;
    const fits = Math.max(1, Math.floor((width + GAP) / ((many ? MANY : LEAST) + GAP)));
    const wanted = second
      ? Math.round(Math.sqrt(1.5 * items.length))
      : Math.ceil(Math.sqrt(2 * items.length));
    const own = byLine ? sizes[1] : items.length; // in lines of their own
    const across = byLine ? Math.ceil(own / Math.ceil(own / fits)) : Math.min(fits, Math.max(4, wanted));
    const w = Math.min(MOST, (width - 2) / across - GAP);
    const h = Math.max(18, Math.min(w, (w * plane.rows) / plane.columns));
    const each = Math.ceil(own / across);
    const lines = each * Math.ceil(items.length / own);
    const high = lines * (h + NAME + GAP);
    const g = this.surface.begin(width, high + (words ? LEGEND : 0));
    const scale = new Scale(source.shade(drawing), panel.app.dark);
    g.textBaseline = "middle";
    g.textAlign = "left";
    items.forEach((item, i) => {
      const at = { ...source.at, ...item };
      const n = i % own;
      const line = Math.floor(i / own) * each + Math.floor(n / across);
      const spot = { x: 1 + (n % across) * (w + GAP), y: line * (h + NAME + GAP) + NAME, w, h };
      const part = source.plane(field, rows, columns, at);
      const store = (this.stores[Object.values(item).join(" ")] ??= {});
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
    });
    if (words) legend(g, 1, high + 6, 150, scale, words, colours);
  }
}
