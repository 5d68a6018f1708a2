// What one tokenizer makes of a line of the text: its name, and its pieces under their characters.

import { font } from "../../drawing/canvas.js";
import { part } from "../../sums/overlap.js";

export const ROW = 25;
export const NAME = 15; // over a row, where the page is narrow

export const mono = (size) =>
  `${size}px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace`;

/** How many pieces a tokenizer makes of the text, and what it is called. */
export function named(g, reader, colours, x, y, narrow) {
  const middle = y + (narrow ? NAME : ROW) / 2;
  const count = reader.labels.length.toLocaleString("en");
  g.textAlign = narrow ? "left" : "right";
  g.font = font(narrow ? 12 : 13, 700);
  g.fillStyle = colours.text;
  const wide = g.measureText("0000").width + 6;
  if (!narrow) g.fillText(count, x, middle);
  g.font = font(narrow ? 12 : 13);
  g.fillText(narrow ? `${reader.spec.title}: ${count}` : reader.spec.short, narrow ? x : x - wide, middle);
}

/** The pieces of one line; where each lies. */
export function pieces(g, { reader, hues, shared, lit }, cells, left, y, palette, chosen, colours) {
  const boxes = [];
  const first = cells[0].at,
    stop = cells.at(-1).at + cells.at(-1).size;
  const lost = reader.lost.map((span) => /** @type {const} */ ([span, -1]));
  for (const [[a, b], t] of [...reader.spans.map((span, t) => [span, t]), ...lost]) {
    if (a >= stop || b <= first) continue;
    const inside = cells.filter((c) => c.at + c.size > a && c.at < b);
    if (!inside.length) continue;
    const [p, q] = [inside[0], inside.at(-1)];
    const x = left + p.x + part(shared, p, t, a, 0) * p.width;
    const w = left + q.x + part(shared, q, t, b - 1, 1) * q.width - x;
    const unknown = t < 0 || reader.unknown.has(t);
    g.globalAlpha = chosen ? (lit.has(t) ? 0.8 : 0.2) : 0.42;
    g.fillStyle = palette[hues[t] % palette.length];
    g.beginPath();
    g.roundRect(x + 1, y + 2, Math.max(1, w - 2), ROW - 5, w > 8 ? 4 : 0);
    if (!unknown) g.fill();
    g.globalAlpha = 1;
    g.lineWidth = lit.has(t) ? 2 : 1.2;
    g.setLineDash(unknown ? [4, 3] : []);
    g.strokeStyle = lit.has(t) ? colours.accent : colours.text;
    if (unknown || lit.has(t)) g.stroke();
    g.setLineDash([]);
    if (t >= 0) boxes.push({ x, y, w, h: ROW, reader, t });
  }
  g.font = mono(13);
  g.textAlign = "center";
  g.fillStyle = colours.text;
  for (const c of cells) {
    const over = shared.get(c.at)?.length ?? +reader.lost.some(([a, b]) => a <= c.at && c.at < b);
    if (c.label === "·" || over !== 1) continue;
    g.fillText(c.label, left + c.x + c.width / 2, y + ROW / 2, c.width + 2);
  }
  return boxes;
}
