// A field as lines along the axis across, one for each position of the axis down.

import { font, ink } from "../../drawing/canvas.js";
import { digits } from "../../dom.js";
import { rules, shade, spaced, three } from "../../marks/axes.js";
import { cellAt } from "../../marks/grid.js";
import { broken, dot } from "../../marks/lines.js";
import { fitted } from "../../marks/strip.js";

const LEFT = 52,
  TOP = 10,
  HIGH = 200,
  DOTTED = 120; // columns at the most that get dots

// Draws and returns where: a box for nearest.
export function drawLines({ panel, surface, numbers, scale }, part) {
  const { down, across } = part.about;
  const { rows, columns } = part.slice;
  const width = panel.body.clientWidth;
  const g = surface.begin(width, TOP + HIGH + 26);
  const colours = ink(panel.app.root);
  const low = Math.min(0, part.ends ? scale.low : numbers[1]),
    high = Math.max(0, part.ends ? scale.high : numbers[3]) || 1;
  const step = (width - LEFT - 8) / Math.max(1, columns);
  const x = (c) => LEFT + (c + 0.5) * step,
    y = (v) => TOP + HIGH * (1 - (v - low) / (high - low || 1));
  const marks = three(low, high).map((v) => [y(v), digits(v)]);
  rules(g, marks, { left: LEFT, right: width - 6, colours, sharp: false });
  const now = rows > 1 ? part.chosen(down) : 0;
  const column = part.chosen(across);
  if (column >= 0 && column < columns)
    shade(g, { x: LEFT + column * step, y: TOP, w: Math.max(1, step), h: HIGH }, colours);
  const draw = (r) => broken(g, columns, x, (c) => y(part.value(r, c)));
  g.strokeStyle = colours.faint;
  g.lineWidth = 1;
  g.globalAlpha = Math.max(0.12, Math.min(0.5, 8 / rows));
  for (let r = 0; r < rows; r++) if (r !== now) draw(r);
  g.globalAlpha = 1;
  if (now >= 0 && now < rows) {
    g.strokeStyle = g.fillStyle = colours.accent;
    g.lineWidth = 2;
    draw(now);
    for (let c = 0; c < columns && columns <= DOTTED; c++)
      if (Number.isFinite(part.value(now, c))) dot(g, x(c), y(part.value(now, c)), 2.5);
  }
  const names = part.names(across, columns);
  g.textAlign = "center";
  spaced(columns, step, 10, column, (c) => {
    g.font = font(Math.max(10, Math.min(13, step)));
    g.fillStyle = c === column ? colours.accent : colours.text;
    g.fillText(fitted(g, names[c], Math.max(9, step - 2)), x(c), TOP + HIGH + 13);
  });
  return { x: LEFT, y: TOP, w: step * columns, h: HIGH, rows, columns, at: y };
}

// The place under the pointer, [row, column]: of all lines the one nearest to it.
export function nearest(box, part, px, py) {
  const found = cellAt(box, px, py);
  if (!found) return null;
  const c = found[1];
  const away = (r) => Math.abs(box.at(part.value(r, c)) - py);
  let best = 0;
  for (let r = 1; r < box.rows; r++) if (away(r) < away(best)) best = r;
  return [best, c];
}
