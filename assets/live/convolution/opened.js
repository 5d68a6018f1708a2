// One place of one filter, opened: patch times kernel, the sum, where it lies in the map, pooling, and what is read.

import { Surface, font } from "../drawing/canvas.js";
import { KERNEL, POOL, opened } from "../sums/digits.js";
import { HEAD, ROW, guesses } from "./pad.js";
import { flowing, frame, full, heading, square } from "./squares.js";

const SIGN = 16, // room of × and =
  GAP = 18;

export class Opened {
  /** @param {any} board @param {HTMLElement} parent */
  constructor(board, parent) {
    this.board = board;
    this.surface = new Surface(parent);
    this.node = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.point(x, y),
      (x, y) => this.point(x, y, true),
      () => {},
    );
  }

  point(x, y, clicked = false) {
    const { board, map, bars } = this;
    if (!map) return;
    const { side } = board.read;
    const [i, j] = [Math.floor((y - map.y) / map.cell), Math.floor((x - map.x) / map.cell)];
    if (i >= 0 && j >= 0 && i < side && j < side) return board.look([i, j]);
    const digit = Math.floor((y - bars.y) / ROW);
    if (clicked && x >= bars.x && digit >= 0 && digit < 10) board.keep(digit);
  }

  draw(ink, width, high) {
    const narrow = width < 560;
    const cell = Math.max(
      24,
      Math.min(narrow ? 36 : 42, (width * (narrow ? 1 : 0.5) - 2 * SIGN) / (3 * KERNEL)),
    );
    const wide = 3 * KERNEL * cell + 2 * SIGN;
    const below = HEAD + KERNEL * cell + 8;
    const one = narrow ? (width - GAP) / 2 : (high - 2 * HEAD - 10) / 2;
    const tall = narrow ? below + 78 + HEAD + one + 16 + HEAD + 10 * ROW : high;
    const g = this.surface.begin(width, tall);
    this.products(g, ink, cell, narrow ? width : wide, below);
    const left = narrow ? 0 : wide + GAP;
    const top = narrow ? below + 78 : 0;
    this.maps(g, ink, left, top, one, narrow);
    this.bars = { x: narrow ? 0 : left + one + 10 + GAP, y: (narrow ? top + HEAD + one + 16 : 0) + HEAD };
    this.guesses(g, ink, width - this.bars.x);
  }

  products(g, ink, cell, room, below) {
    const { board } = this;
    const { filter, place, scales } = board;
    const found = opened(board.news.net, board.cells, filter, place[0], place[1]);
    const step = KERNEL * cell + SIGN;
    const boxes = /** @type {[string, number[], any][]} */ ([
      ["what it sees", found.patch, scales.ink],
      [`kernel ${filter + 1}`, found.kernel, scales.kernel],
      ["the products", found.product, scales.kernel],
    ]);
    boxes.forEach(([words, values, scale], n) => {
      heading(g, words, n * step, HEAD / 2 - 2, ink.text);
      square(g, n * step, HEAD, cell, KERNEL, values, scale, { numbers: true });
      if (n) {
        g.font = font(16, 600);
        g.fillStyle = ink.text;
        g.textAlign = "center";
        g.fillText(n === 1 ? "×" : "=", n * step - SIGN / 2, HEAD + (KERNEL * cell) / 2);
      }
    });
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.font = font(13);
    g.fillStyle = ink.text;
    const terms = found.product.map(
      (x, n) => (n ? (x < 0 ? " − " : " + ") : x < 0 ? "−" : "") + full(Math.abs(x)),
    );
    const more = `${found.bias < 0 ? " − " : " + "}${full(Math.abs(found.bias))}`;
    const y = flowing(g, [...terms, more, ` = ${full(found.sum)}`], 0, below + 9, room, 18);
    g.fillStyle = ink.faint;
    const relu =
      found.sum < 0
        ? `The last number is the bias. ReLU makes ${full(found.sum)} a 0.`
        : `The last number is the bias. ReLU leaves ${full(found.sum)} as it is.`;
    flowing(g, relu.split(/(?<= )/), 0, y + 4, room, 17);
  }

  maps(g, ink, x, y, one, narrow) {
    const { board } = this;
    const { filter, place, scales, read, news } = board;
    const { side, half } = read;
    const cell = one / side;
    const at = filter * side * side;
    heading(g, `map ${filter + 1}: the sums`, x, y + HEAD / 2 - 2, ink.text);
    this.map = { x, y: y + HEAD, cell };
    square(g, x, y + HEAD, cell, side, read.sum.subarray(at, at + side * side), scales.sum, {
      shown: board.slid,
      numbers: cell >= 30,
    });
    const [i, j] = place;
    const [px, py] = narrow ? [x + one + GAP, y] : [x, y + HEAD + one + 10];
    const [a, b] = [Math.floor(i / POOL), Math.floor(j / POOL)];
    const pools = a < half && b < half;
    if (pools && half)
      frame(
        g,
        x + POOL * b * cell,
        y + HEAD + POOL * a * cell,
        POOL * cell - 1,
        POOL * cell - 1,
        ink.text,
        1.5,
      );
    frame(g, x + j * cell, y + HEAD + i * cell, cell - 1, cell - 1, ink.accent, 2.5);
    const kind = news.net.pooling === "max" ? "ReLU, max of 2 × 2" : "ReLU, mean of 2 × 2";
    heading(g, kind, px, py + HEAD / 2 - 2, ink.text, 12);
    const big = POOL * cell;
    const of = filter * half * half;
    square(g, px, py + HEAD, big, half, read.pooled.subarray(of, of + half * half), scales.sum, {
      numbers: big >= 24,
    });
    if (pools) frame(g, px + b * big, py + HEAD + a * big, big - 1, big - 1, ink.text, 1.5);
  }

  guesses(g, ink, room) {
    const { board, bars } = this;
    guesses(g, ink, bars.x, bars.y, room, board.read.p, board.best, board.digit);
  }
}
