// A digit to draw, and the film that Python makes of it: its frames, and what the LSTM says after each.

import { percent, put } from "../dom.js";
import { HEAD, Pad } from "../convolution/pad.js";
import { frame, heading, square } from "../convolution/squares.js";
import { mounting } from "../descend/board.js";
import { Scale, Surface, font } from "../drawing/canvas.js";
import { bar } from "../parts/controls.js";

// In the order of MOTIONS in engine/lessons/pictures/motion.py.
const MOVES = ["to the right", "to the left", "downwards", "upwards", "it grows", "it shrinks"];
const GAP = 10,
  FOOT = 36, // room of what is said below a frame
  WIDE = 700;

class Film extends Pad {
  constructor(parent) {
    super(parent, "A digit that moves");
    this.frames = new Surface(this.side);
    this.root.append(bar(this.clear, this.pen), this.row, this.says);
    Object.defineProperty(this.root, "film", { get: () => this.news.said });
  }

  draw(ink, width) {
    const wide = width >= WIDE;
    this.row.style.flexWrap = wide ? "nowrap" : "wrap";
    this.unit = wide ? 22 : Math.min(30, width / 9);
    this.scale = new Scale(this.news.scale, this.dark);
    const side = 8 * this.unit;
    const g = this.surface.begin(side + 2, HEAD + side + 2);
    heading(g, "draw here", 0, HEAD / 2 - 2, ink.text);
    const shares = Array.from(this.drawing.cells, (n) => n / 16);
    square(g, 1, HEAD + 1, this.unit, 8, shares, this.scale);
    frame(g, 0.5, HEAD + 0.5, side + 1, side + 1, ink.line, 1);
    this.strip(ink, wide ? width - side - 18 : width);
    const { said, frames } = this.news;
    const [kind, p] = said[said.length - 1];
    const words = `After ${said.length} frames: ${MOVES[kind]}, ${percent(p)}.`;
    put(this.says, frames.length ? words : "Draw something on the cells.");
    for (const { node } of [this.surface, this.frames]) {
      node.setAttribute("role", "img");
      node.setAttribute("aria-label", words);
    }
  }

  strip(ink, width) {
    const { frames, said, cells } = this.news;
    const across = frames.length / 2;
    const side = Math.min(120, (width - (across - 1) * GAP) / across);
    const high = HEAD + side + FOOT;
    const g = this.frames.begin(width, 2 * high);
    frames.forEach((/** @type {number[]} */ values, n) => {
      const [x, y] = [(n % across) * (side + GAP), Math.floor(n / across) * high];
      heading(g, `frame ${n + 1}`, x, y + HEAD / 2 - 2, ink.text, 12);
      square(g, x, y + HEAD, side / cells, cells, values, this.scale, { gap: 0.5 });
      frame(g, x, y + HEAD, side, side, ink.line, 1);
      const [kind, p] = said[n];
      g.font = font(12, 600);
      g.fillStyle = ink.text;
      g.fillText(MOVES[kind], x, y + HEAD + side + 9);
      g.fillStyle = ink.accent;
      g.fillRect(x, y + HEAD + side + 18, Math.max(1, (side - 54) * p), 7);
      g.fillStyle = ink.text;
      g.font = font(11);
      g.textAlign = "right";
      g.fillText(percent(p), x + side, y + HEAD + side + 21);
      g.textAlign = "left";
    });
  }

  table() {
    const rows = this.news.said.map(([kind, p], n) => [n + 1, MOVES[kind], p]);
    return { columns: ["frame", "likeliest", "probability"], rows };
  }
}

export const mount = mounting(Film);
