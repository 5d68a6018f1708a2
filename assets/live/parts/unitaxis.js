// The numbers of the units at the left of a picture, the chosen one framed, and those that are dragged over.

import { font } from "../drawing/canvas.js";
import { shade } from "../marks/axes.js";
import { frame } from "../marks/grid.js";

/** Their numbers at the left: all where there is room, else the first, the last and the chosen one, framed. @param {import("./zoom.js").Zoom} axis */
export function unitNames(g, box, axis, colours, chosen) {
  const { x: left, y: top, h: high, rows } = box;
  const step = high / rows;
  const row = axis.rowOf(chosen);
  const there = row >= 0 && row < rows;
  g.font = font(11);
  g.textAlign = "right";
  g.fillStyle = colours.faint;
  const mine = there ? top + (row + 0.5) * step : -99;
  const put = (r, y) => Math.abs(y - mine) > 11 && g.fillText(String(axis.unitAt(r)), left - 5, y);
  if (step >= 12) for (let r = 0; r < rows; r++) put(r, top + (r + 0.5) * step);
  else {
    put(0, top + 6);
    put(rows - 1, top + high - 6);
  }
  if (there) {
    frame(g, box, { row }, colours);
    g.fillStyle = colours.accent;
    g.font = font(11, 600);
    g.fillText(`${chosen}`, left - 5, mine);
  }
  if (!axis.band) return;
  const [from, to] = axis.band;
  const held = { x: left - 40, y: top + from * step, w: box.w + 40, h: (to - from) * step };
  shade(g, held, colours, 0.3);
}
