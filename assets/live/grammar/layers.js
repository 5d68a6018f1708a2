// The layers of a picture over tokens: each draws one thing at every column.

import { Scale, font } from "../drawing/canvas.js";
import { arch } from "../marks/arcs.js";
import { grid } from "../marks/grid.js";
import { dot } from "../marks/lines.js";
import { cut } from "../marks/strip.js";
import { fill, said } from "./template.js";

/** @import Over from "./over.js" */

const FAINTEST = 1e-7; // beside the strongest: a weaker link is not drawn
const NARROW = 34; // pixels of a column with no room for words over its bar
const LEAST = 0.005; // a weaker arc is not drawn

/** The longest words over each column, for the room that it needs. @param {Over} over */
export const heads = (over) =>
  over.drawing.layers
    .filter(({ kind }) => kind === "heads")
    .flatMap(({ lines: [[text]] }) =>
      Array.from({ length: over.source.count }, (_, t) => said(over.source, text, over.there(t))),
    );

/** A line that breaks where there is no number. @param {(t: number) => number} value */
function course(g, { box }, value, colour, width, dashes = []) {
  g.strokeStyle = g.fillStyle = colour;
  g.lineWidth = width;
  g.lineJoin = "round";
  g.setLineDash(dashes);
  g.beginPath();
  let on = false;
  for (let t = 0; t < box.count; t++) {
    const y = box.y(value(t));
    const there = Number.isFinite(y);
    if (there) g[on ? "lineTo" : "moveTo"](box.x(t), y);
    on = there;
  }
  g.stroke();
  g.setLineDash([]);
}

/** @type {Record<string, (g: CanvasRenderingContext2D, over: any, layer: any) => void>} */
export const LAYERS = {
  dots(g, over, { size, colours }) {
    const { box, source, drawing, now } = over;
    const { axis } = drawing.rows;
    const most = Math.min(box.row * (box.row < 26 ? 0.6 : 0.44), box.step * 0.45);
    const [of, colour] = [source.numbers(size), over.coloured(colours)];
    for (let t = 0; t < box.count; t++) {
      const at = over.there(t);
      for (const i of box.rows) {
        at[axis] = i;
        g.fillStyle = colour(at);
        dot(g, box.x(t), box.y(i), Math.max(1.2, most * Math.sqrt(of(at))));
        if (t !== now || i !== source.at[axis]) continue;
        g.strokeStyle = over.colours.text;
        g.lineWidth = 2;
        g.beginPath();
        g.arc(box.x(t), box.y(i), most, 0, 2 * Math.PI);
        g.stroke();
      }
    }
  },

  links(g, over, { back, strength }) {
    const { box, source, drawing, colours } = over;
    const { axis } = drawing.rows;
    const [from, strong] = [source.numbers(back), source.numbers(strength)];
    g.lineWidth = 1;
    g.strokeStyle = colours.text;
    for (let t = 1; t < box.count; t++) {
      const at = over.there(t);
      for (const i of box.rows) {
        at[axis] = i;
        const share = strong(at);
        const y = share >= FAINTEST ? box.y(from(at)) : NaN;
        if (Number.isNaN(y)) continue;
        g.globalAlpha = 0.1 + 0.5 * (1 - Math.log(share) / Math.log(FAINTEST));
        g.beginPath();
        g.moveTo(box.x(t - 1), y);
        g.lineTo(box.x(t), box.y(i));
        g.stroke();
      }
    }
    g.globalAlpha = 1;
  },

  trail(g, over, { back, but }) {
    const { source, drawing, colours, now } = over;
    const { axis } = drawing.rows;
    if (source.at[axis] === source.number(but)) return;
    const path = [];
    let i = source.at[axis];
    for (let t = now; t >= 0; t--) {
      path[t] = i;
      i = source.number(back, { token: t, [axis]: i });
    }
    course(g, over, (t) => path[t] ?? NaN, colours.text, 2);
  },

  line(g, over, { value, colour, width, dots = 0, dashes, each }) {
    const { box, source, drawing } = over;
    const of = source.numbers(value);
    const draw = (at, ink, wide) => {
      const there = (t) => of(Object.assign(at, over.where(t)));
      course(g, over, there, ink, wide, dashes);
      for (let t = 0; dots && t < box.count; t++) {
        const y = box.y(there(t));
        if (Number.isFinite(y)) dot(g, box.x(t), y, dots);
      }
    };
    if (!each) return draw({ ...source.at }, over.colour(colour), width);
    for (const i of source.places(each)) {
      const on = source.shared(each) && i === source.at[each] && each !== drawing.across;
      draw({ ...source.at, [each]: i }, over.colour(`line-${i % 8}`), on ? width + 2 : width);
    }
  },

  cells(g, over, layer) {
    const { box, source, drawing, panel } = over;
    const { axis } = drawing.rows;
    const { value } = layer;
    const scale = new Scale(source.shade(layer), panel.app.dark);
    const where = { x: box.left, y: box.top, w: box.step * box.count, h: box.high };
    const whole = box.rows.length === source.size(axis);
    let numbers = whole && source.plane(value, axis, drawing.across);
    if (!numbers) {
      const of = source.numbers(value);
      const values = new Float32Array(box.rows.length * box.count);
      box.rows.forEach((i, r) => {
        for (let t = 0; t < box.count; t++) values[r * box.count + t] = of({ ...over.there(t), [axis]: i });
      });
      numbers = { values, start: 0, down: box.count, across: 1 };
    }
    const lie = { ...where, rows: box.rows.length, columns: box.count };
    grid(
      g,
      (over.stores[value] ??= {}),
      lie,
      { ...numbers, rows: lie.rows, columns: lie.columns },
      scale,
      over.colours,
    );
  },

  band(g, over, { middle, half, colour }) {
    const { box, source } = over;
    const [centre, away] = [source.numbers(middle), source.numbers(half)];
    g.strokeStyle = over.colour(colour);
    g.lineWidth = 1.4;
    for (let t = 0; t < box.count; t++) {
      const at = over.there(t);
      const ends = [-1, 1].map((side) => box.y(centre(at) + side * away(at)));
      const [low, high] = ends.map((y) => Math.max(box.top, Math.min(box.top + box.high, y)));
      if (Number.isFinite(high - low))
        g.strokeRect(box.x(t) - box.step / 2 + 1.5, low, box.step - 3, high - low);
    }
  },

  arcs(g, over, { strength, colours, all }) {
    const { box, source, now } = over;
    const [of, colour] = [source.numbers(strength), over.coloured(colours)];
    const base = box.top + box.high;
    for (const on of [false, true])
      for (let t = 0; t < box.count; t++)
        for (let k = 0; k < box.count; k++) {
          const lit = t === now;
          if (k === t || lit !== on || !(all || lit)) continue;
          const at = { ...over.there(t), key: k };
          const weight = of(at);
          if (!(weight >= LEAST)) continue;
          g.strokeStyle = colour(at);
          g.globalAlpha = Math.min(1, lit ? 0.25 + weight : 0.5 * weight);
          g.lineWidth = 1 + 4 * weight * Number(lit);
          arch(g, box.x(t), box.x(k), base, Math.min(box.high, 14 + 0.4 * Math.abs(box.x(t) - box.x(k))));
        }
    g.globalAlpha = 1;
  },

  bars(g, over, { value, colours, above = [], test }) {
    const { box, source } = over;
    const { left, step } = box;
    const colour = over.coloured(colours);
    const high = (t) => box.y(source.number(value, over.there(t)));
    for (let t = 0; t < box.count; t++) {
      const at = over.there(t);
      const [y, base] = [high(t), box.y(Math.max(0, box.low))];
      if (!Number.isFinite(y)) continue;
      g.fillStyle = colour(at);
      g.fillRect(
        left + t * step + 2,
        Math.min(y, base),
        Math.max(1, step - 4),
        Math.max(1, Math.abs(base - y)),
      );
      if (step < NARROW || (test && !source.test(test, at))) continue;
      const alone = ![t - 1, t + 1].some((n) => box.count > n && n >= 0 && Number.isFinite(high(n)));
      g.textAlign = "center";
      g.font = font(11, 600);
      above.forEach((text, n) => {
        const down = y - 9 - 13 * (above.length - 1 - n);
        g.fillText(cut(g, fill(source, text, at) ?? "", alone ? 2 * step : step), box.x(t), down);
      });
    }
  },

  heads(g, over, { lines }) {
    const { box, source } = over;
    g.textBaseline = "middle";
    g.textAlign = "center";
    g.font = font(11, 600);
    for (let t = 0; t < box.count; t++) {
      const at = over.there(t);
      lines.forEach(([text, colour], n) => {
        const words = said(source, text, at);
        if (!words) return;
        g.fillStyle = over.colour(colour);
        g.fillText(cut(g, words, box.step - 3), box.x(t), 26 + 13 * n);
      });
    }
  },
};
