// Boxes and arrows: how something is wired, with what each part holds where one looks.

import { Surface, font } from "../drawing/canvas.js";
import { arrow, card } from "../marks/graph.js";
import { cut } from "../marks/strip.js";
import { Picture } from "./picture.js";
import { said } from "./template.js";

const [BOX, NARROW, MOST] = [56, 80, 118];

export default class Boxes extends Picture {
  constructor(panel) {
    super(panel);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
  }

  // Those that are there now, with their words.
  boxes() {
    const { source, drawing } = this;
    return drawing.boxes
      .filter(({ when }) => !when || source.test(when))
      .map((box) => ({ ...box, lines: box.lines.map((line) => said(source, line)).filter(Boolean) }));
  }

  paint(source) {
    const { panel, drawing, colours } = this;
    const { high, arrows, wide: share, least = "0" } = drawing;
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, high);
    const wide = Math.min(MOST, width * share);
    const boxes = this.boxes();
    const at = new Map(boxes.map(({ id, x, y }) => [id, [x * width, y * high]]));
    for (const { start, end, by, dashed, strength } of arrows) {
      const strong = strength ? source.number(strength) : 0;
      const drawn = !strength || Math.abs(strong) * 100 >= source.number(least);
      if (!drawn || !at.has(start) || !at.has(end)) continue;
      g.strokeStyle = g.fillStyle = strong < 0 ? this.colour("line-1") : colours.accent;
      g.lineWidth = 1.4 + 6 * Math.min(1, Math.abs(strong));
      this.arrow(g, at.get(start), at.get(end), wide, by && by * high, dashed);
    }
    g.textBaseline = "middle";
    g.textAlign = "center";
    const narrow = wide < NARROW;
    for (const { id, lines, strong } of boxes) {
      const [x, y] = at.get(id);
      g.fillStyle = colours.ground;
      g.strokeStyle = strong ? colours.accent : colours.line;
      g.lineWidth = strong ? 2 : 1.2;
      card(g, x - wide / 2, y, wide, BOX);
      g.fillStyle = colours.text;
      lines.forEach((line, i) => {
        g.font = font(narrow ? 10 : 12, i ? 400 : 600);
        g.fillText(cut(g, line, wide - 4), x, y + (i - (lines.length - 1) / 2) * (narrow ? 14 : 17));
      });
    }
    if (!source.count) this.surface.begin(1, 1);
  }

  // Straight, or around what stands between, at the height `by`.
  arrow(g, [x, y], [u, v], wide, by, dashed) {
    const half = wide / 2;
    if (by) {
      g.beginPath();
      g.moveTo(x, y + Math.sign(by - y) * (BOX / 2));
      g.lineTo(x, by);
      g.lineTo(u, by);
      g.stroke();
      return arrow(g, u, by, u, v + Math.sign(by - v) * (BOX / 2));
    }
    if (x === u) return arrow(g, x, y + Math.sign(v - y) * (BOX / 2), u, v - Math.sign(v - y) * (BOX / 2));
    arrow(g, x + half, y, u - half, v, dashed);
  }

  table() {
    const rows = this.boxes().map(({ lines: [title, ...more] }) => [title, more.join(" ")]);
    return { columns: ["part", "at this step"], rows };
  }
}
