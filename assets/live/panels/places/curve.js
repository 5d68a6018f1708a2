// What the places of two tokens alone say, as a curve over all earlier tokens, one for each head.

import { font } from "../../drawing/canvas.js";
import { digits, short } from "../../dom.js";
import { rules, shade } from "../../marks/axes.js";
import { course } from "../../marks/lines.js";

const TOP = 26,
  HIGH = 128;

export const ALL = TOP + HIGH + 62; // with the words below

export function placeCurve(g, where, { reader, heads, layers, query, key, layer }, field) {
  const { left, step, width, colours, style } = where;
  const value = (head, k) => reader.value("place", { layer, head, query, key: k });
  let low = 0,
    high = 0;
  for (const v of field.values)
    if (Number.isFinite(v)) {
      low = Math.min(low, v);
      high = Math.max(high, v);
    }
  if (high - low < 1e-6) high = low + 1;
  const y = (v) => TOP + HIGH * (1 - (v - low) / (high - low));
  const x = (t) => left + (t + 0.5) * step;
  const near = (tick) => tick === 0 && (y(0) - TOP < 12 || TOP + HIGH - y(0) < 12) && low !== 0 && high !== 0;
  const levels = [low, 0, high]
    .filter((tick) => !near(tick))
    .map((tick) => [y(tick), tick ? digits(tick) : "0"]);
  rules(g, levels, { left, right: width, gap: 6, colours });
  shade(g, { x: left + key * step, y: TOP, w: step, h: HIGH }, colours, 0.22);
  let at = left;
  for (let head = 0; head < heads; head++) {
    const colour = style.getPropertyValue(`--un-line-${head % 8}`);
    course(
      g,
      query + 1,
      x,
      (k) => y(value(head, k)),
      colour,
      2,
      (k) => (k === key ? 4 : 2),
    );
    if (heads === 1) continue;
    const name = `${layers > 1 && head === 0 ? `layer ${layer + 1}: ` : ""}head ${head + 1}`;
    g.font = font(12, 600);
    g.textAlign = "left";
    g.fillText(name, at, 9);
    at += g.measureText(name).width + 14;
  }
  const every = Math.max(1, Math.ceil(11 / step));
  reader.labels.forEach((label, t) => {
    if (t % every && t !== query && t !== key) return;
    g.save();
    g.translate(x(t), TOP + HIGH + 9);
    g.rotate(-Math.PI / 3.2);
    g.textAlign = "right";
    g.font = font(12, t === query || t === key ? 700 : 400);
    g.fillStyle = t === query ? colours.accent : t > query ? colours.faint : colours.text;
    g.fillText(short(label, 9), 0, 0);
    g.restore();
  });
}
