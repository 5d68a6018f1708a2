// A field as a grid of colours, with names along both axes and its numbers where there is room.

import { font, ink, legend } from "../../drawing/canvas.js";
import { spaced } from "../../marks/axes.js";
import { cellNumbers, frame, grid } from "../../marks/grid.js";
import { fitted } from "../../marks/strip.js";
import { ALONG_TEXT } from "../../parts/inspected.js";
import { first } from "../../segmentation.js";

const LEGEND = 30,
  FOURTEEN = 14; // letters of a name that ask for room

// Draws and returns where: a box for cellAt.
export function drawGrid({ panel, surface, store, scale }, part) {
  const { down, across } = part.about;
  const { rows, columns } = part.slice;
  const width = panel.body.clientWidth;
  const colours = ink(panel.app.root);
  let g = surface.begin(width, 50);
  g.font = font(12);
  const rowNames = part.names(down, rows),
    names = part.names(across, columns);
  const left = Math.max(34, roomFor(g, rowNames, Math.min(100, width * 0.24)));
  const square = ALONG_TEXT.has(down) && ALONG_TEXT.has(across);
  const cells = (right) =>
    Math.min((width - left - right) / Math.max(1, columns), square ? 40 : columns < 6 ? 90 : 64);
  const wide = cells(4);
  const long = names.some((n) => n.length > 1 && g.measureText(n).width > wide - 2);
  const numbered = names.every((n) => /^\d+$/.test(n));
  const slanted = long && !numbered;
  const top = slanted ? Math.min(76, roomFor(g, names, 80) * 0.85 + 8) : 20;
  const last = Math.min((top - 6) / 0.83, g.measureText(names.at(-1) ?? "").width);
  const cell = slanted ? cells(Math.max(4, last * 0.56 + 8 - wide / 2)) : wide; // the last name leans out
  const line = square ? cell : Math.max(rows > 200 ? 300 / rows : 1, Math.min(22, 300 / rows));
  const box = { x: left, y: top, w: cell * columns, h: line * rows, rows, columns };
  const height = top + box.h + LEGEND + 10;
  g = surface.begin(width, height);
  grid(g, store, box, part.slice, scale, colours);
  const row = part.chosen(down),
    column = part.chosen(across);
  g.textBaseline = "middle";
  g.textAlign = "right";
  g.font = font(Math.max(9, Math.min(12, line)));
  spaced(rows, line, 11, row, (r) => {
    g.fillStyle = r === row ? colours.accent : colours.text;
    g.fillText(fitted(g, rowNames[r], left - 8), left - 5, top + (r + 0.5) * line);
  });
  spaced(columns, cell, long ? (numbered ? 34 : 11) : 8, column, (c) => {
    g.fillStyle = c === column ? colours.accent : colours.text;
    g.font = font(Math.max(10, Math.min(13, cell)), c === column ? 700 : 400);
    g.textAlign = "center";
    if (!slanted) return g.fillText(names[c], left + (c + 0.5) * cell, top - 9);
    g.save();
    g.translate(left + (c + 0.5) * cell, top - 5);
    g.rotate(-Math.PI / 3.2);
    g.textAlign = "left";
    g.fillText(fitted(g, names[c], (top - 6) / 0.83), 0, 0);
    g.restore();
  });
  if (cell >= 30 && line >= 12)
    cellNumbers(g, box, Math.min(12, cell * 0.3, line), scale, (r, c) => part.value(r, c), written);
  if (row >= 0 && row < rows) frame(g, box, { row }, colours);
  if (!square && column >= 0 && column < columns) frame(g, box, { column }, colours);
  const unit = part.spec.unit || part.spec.kind;
  legend(g, left, height - LEGEND + 2, Math.min(160, width - left - 80), scale, unit, colours);
  return box;
}

// Room for all names, or `most` where their beginnings need as much.
function roomFor(g, names, most) {
  const widest = (cut) => names.reduce((w, n) => Math.max(w, g.measureText(cut(n)).width), 0) + 10;
  return widest((n) => first(n, FOURTEEN)) > most ? most : widest((n) => n);
}

function written(v) {
  if (!Number.isFinite(v)) return "";
  const size = Math.abs(v);
  return size >= 100 ? v.toFixed(0) : size >= 10 ? v.toFixed(1) : v.toFixed(2).replace("-", "−");
}
