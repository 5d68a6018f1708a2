// All filters side by side: kernel, map, and what the filter adds for the digit looked at.

import { Surface, font, legend } from "../drawing/canvas.js";
import { KERNEL, votes } from "../sums/digits.js";
import { frame, full, heading, square } from "./squares.js";

const HEAD = 20,
  VOTE = 38,
  LEGEND = 34;

export class Filters {
  /** @param {any} board @param {HTMLElement} parent */
  constructor(board, parent) {
    this.board = board;
    this.surface = new Surface(parent);
    this.node = this.surface.node;
    this.surface.onPointer(
      () => {},
      (x, y) => {
        const found = Math.floor(y / this.high) * this.across + Math.floor(x / this.wide);
        if (found < board.news.net.bias.length) board.choose(found);
      },
      () => {},
    );
  }

  draw(ink, width, line) {
    const { board } = this;
    const { read, scales, news, digit } = board;
    const count = news.net.bias.length;
    this.across = width < 640 ? count / 2 : count;
    this.wide = width / this.across;
    const map = this.wide - 14;
    const kernel = Math.min(16, map / 6);
    this.high = HEAD + KERNEL * kernel + 6 + map + VOTE;
    const rows = Math.ceil(count / this.across);
    const narrow = width < 480;
    const g = this.surface.begin(width, rows * this.high + (narrow ? 3 : 1) * LEGEND);
    const added = votes(news.net, read.pooled, digit);
    const most = Math.max(1e-9, ...added.map(Math.abs));
    const cells = read.side * read.side;
    for (let f = 0; f < count; f++) {
      const x = (f % this.across) * this.wide + 4;
      let y = Math.floor(f / this.across) * this.high;
      const chosen = f === board.filter;
      heading(g, `${f + 1}`, x, y + HEAD / 2, chosen ? ink.accent : ink.text);
      square(g, x + 16, y + 4, kernel, KERNEL, news.net.kernel.slice(9 * f, 9 * f + 9), scales.kernel);
      y += HEAD + KERNEL * kernel - 8;
      square(g, x, y, map / read.side, read.side, read.sum.subarray(f * cells, (f + 1) * cells), scales.sum, {
        shown: chosen ? board.slid : Infinity,
        gap: 0.5,
      });
      if (chosen) frame(g, x - 2.5, y - 2.5, map + 4, map + 4, ink.accent);
      y += map + 8;
      g.fillStyle = ink.line;
      g.fillRect(x + map / 2 - 0.5, y, 1, 12);
      const long = (added[f] / most) * (map / 2);
      g.fillStyle = line[added[f] < 0 ? 0 : 1];
      g.fillRect(x + map / 2 + Math.min(0, long), y + 2, Math.abs(long), 8);
      g.font = font(12);
      g.fillStyle = ink.text;
      g.textAlign = "center";
      g.textBaseline = "middle";
      const vote = `${added[f] < 0 ? "" : "+"}${full(added[f])}`;
      g.fillText(map < 90 ? vote : `${vote} for ${digit}`, x + map / 2, y + 20);
    }
    this.legends(g, ink, width, rows * this.high + 10, narrow);
  }

  legends(g, ink, width, y, narrow) {
    const { scales } = this.board;
    const told = /** @type {[any, string][]} */ ([
      [scales.ink, "ink of a cell"],
      [scales.kernel, "kernel, products"],
      [scales.sum, "sums, pooled"],
    ]);
    const room = narrow ? width : width / 3;
    told.forEach(([scale, words], n) => {
      const [x, row] = narrow ? [0, n] : [n * room, 0];
      legend(g, x + 4, y + row * LEGEND, Math.min(150, room * 0.5), scale, words, ink);
    });
  }
}
