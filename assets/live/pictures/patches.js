// A drawing cut into patches, and the Vision Transformer that reads it: all of it is computed here, with every stroke.

import { percent, put } from "../dom.js";
import { HEAD, Pad, ROW, guesses } from "../convolution/pad.js";
import { frame, heading, square } from "../convolution/squares.js";
import { mounting } from "../descend/board.js";
import { Scale, Surface, font } from "../drawing/canvas.js";
import { bar } from "../parts/controls.js";
import { ACROSS, HEADS, LAYERS, PATCH, PATCHES, cut, read } from "../sums/patches.js";

const GAP = 10,
  WIDE = 700;
const KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -ACROSS, ArrowDown: ACROSS };

class Patches extends Pad {
  asks = 0; // the token whose attention is shown; 0: the class token
  pinned = 0;

  constructor(parent) {
    super(parent, "A drawing cut into patches, and the Transformer that reads it");
    this.open = new Surface(this.side);
    this.root.append(bar(this.clear, this.pen), this.row, this.says);
    this.open.onPointer(
      (x, y) => this.point(x, y),
      (x, y) => this.point(x, y, true),
      () => this.ask(this.pinned),
    );
    this.open.node.addEventListener("keydown", (e) => this.key(e) && e.preventDefault());
    Object.defineProperty(this.root, "patches", {
      get: () => ({ text: this.drawing.text, asks: this.asks, read: this.read, idle: this.wishes.idle }),
    });
  }

  /** Over the pad: the patch under the pointer asks; away from it, the one that was clicked. */
  look(px, py = NaN) {
    const [column, row] = this.cellAt(px, py).map((n) => Math.floor(n / PATCH));
    const there = column >= 0 && row >= 0 && column < ACROSS && row < ACROSS;
    // Of shuffled patches, the token that stands where the patch went.
    this.ask(there ? this.news.order.indexOf(ACROSS * row + column) + 1 : this.pinned);
  }

  ask(token, pins = false) {
    if (pins) this.pinned = token;
    if (token === this.asks && !pins) return;
    this.asks = token;
    this.refresh();
  }

  /** Over the tokens or a map. */
  point(x, y, clicked = false) {
    const token = this.tokenAt(x, y);
    if (clicked) this.ask(token === this.pinned || token === null ? 0 : token, true);
    else this.ask(token ?? this.pinned);
  }

  /** @returns {number | null} */
  tokenAt(x, y) {
    if (!this.map) return null;
    if (y >= HEAD && y < HEAD + this.thumb) {
      const n = Math.floor(x / this.step);
      return n <= PATCHES ? n : null;
    }
    const { left, top, wide, high, side } = this.map;
    const [a, b] = [Math.floor((x - left) / wide), Math.floor((y - top) / high)];
    const [i, j] = [
      Math.floor(((y - top - b * high - HEAD) / side) * ACROSS),
      Math.floor(((x - left - a * wide) / side) * ACROSS),
    ];
    const there = a >= 0 && b >= 0 && a < HEADS && b < LAYERS && i >= 0 && j >= 0 && i < ACROSS && j < ACROSS;
    return there ? ACROSS * i + j + 1 : null;
  }

  key(e) {
    if (e.key === "Escape") this.ask(0, true);
    else if (KEYS[e.key]) this.ask((this.asks + KEYS[e.key] + PATCHES + 1) % (PATCHES + 1), true);
    else if (e.key === "Delete" || e.key === "Backspace") this.change(() => this.drawing.clear());
    else return false;
    return true;
  }

  draw(ink, width) {
    const { net, placed, order, scale } = this.news;
    const { cells } = this.drawing;
    this.tokens = order.map((/** @type {number} */ patch) => cut(cells, patch));
    this.read = read(net, this.tokens, placed);
    this.best = this.read.p.indexOf(Math.max(...this.read.p));
    this.scale = new Scale(scale, this.dark);
    const wide = width >= WIDE;
    this.row.style.flexWrap = wide ? "nowrap" : "wrap";
    this.unit = Math.max(26, Math.min(36, wide ? width / 30 : width / 8.2));
    this.pad(ink, cells);
    this.opened(ink, wide ? width - 8 * this.unit - 18 : width);
    this.words();
  }

  pad(ink, cells) {
    const { unit } = this;
    const g = this.surface.begin(8 * unit + 2, HEAD + 8 * unit + 2);
    const { digit } = this.news;
    heading(g, digit === null ? "your drawing" : `a held-out ${digit}`, 0, HEAD / 2 - 2, ink.text);
    square(
      g,
      1,
      HEAD + 1,
      unit,
      8,
      Array.from(cells, (n) => n / 16),
      this.scale,
    );
    for (let n = 0; n < PATCHES; n++)
      this.boxed(g, 1, HEAD + 1, PATCH * unit, n, ink.line, this.dark ? 1.5 : 1);
    if (this.asks) this.boxed(g, 1, HEAD + 1, PATCH * unit, this.news.order[this.asks - 1], ink.accent, 3);
  }

  boxed(g, x, y, side, n, colour, line) {
    const [row, column] = [Math.floor(n / ACROSS), n % ACROSS];
    frame(g, x + column * side - 0.5, y + row * side - 0.5, side, side, colour, line);
  }

  opened(ink, width) {
    const wide = width >= 560;
    const room = wide ? width - 190 : width;
    this.step = Math.min(30, room / (PATCHES + 1));
    this.thumb = this.step - 3;
    const side = Math.min(108, (room - (HEADS - 1) * GAP) / HEADS);
    const top = HEAD + this.thumb + 16;
    this.map = { left: 0, top, wide: side + GAP, high: side + HEAD + 8, side };
    const under = top + LAYERS * this.map.high;
    const g = this.open.begin(width, wide ? under : under + HEAD + 10 * ROW);
    heading(g, "the class token and 16 patches", 0, HEAD / 2 - 2, ink.text, 12);
    this.tokens.forEach((one, n) =>
      square(g, (n + 1) * this.step, HEAD, this.thumb / PATCH, PATCH, one, this.scale, { gap: 0 }),
    );
    g.fillStyle = ink.text;
    g.font = font(11, 700);
    g.textAlign = "center";
    g.fillText("?", this.thumb / 2, HEAD + this.thumb / 2);
    for (let n = 0; n <= PATCHES; n++)
      frame(
        g,
        n * this.step,
        HEAD,
        this.thumb,
        this.thumb,
        n === this.asks ? ink.accent : ink.line,
        n === this.asks ? 2.5 : 1,
      );
    const shown = this.read.attention.map((heads) => heads.map((of) => of[this.asks]));
    const most = Math.max(...shown.flat().map((w) => Math.max(...w.slice(1))));
    shown.forEach((heads, layer) =>
      heads.forEach((weight, head) => {
        const [x, y] = [head * this.map.wide, top + layer * this.map.high];
        heading(g, `layer ${layer + 1}, head ${head + 1}`, x, y + HEAD / 2, ink.text, side < 84 ? 9 : 10.5);
        this.tokens.forEach((one, n) => {
          const at = side / ACROSS;
          const [left, up] = [x + (n % ACROSS) * at, y + HEAD + Math.floor(n / ACROSS) * at];
          g.globalAlpha = 0.35;
          square(g, left, up, at / PATCH, PATCH, one, this.scale, { gap: 0 });
          g.globalAlpha = 0.85 * (weight[n + 1] / most);
          g.fillStyle = ink.accent;
          g.fillRect(left, up, at, at);
          g.globalAlpha = 1;
        });
        frame(g, x, y + HEAD, side, side, ink.line, 1);
        if (this.asks) this.boxed(g, x, y + HEAD, side / ACROSS, this.asks - 1, ink.text, 2);
      }),
    );
    const [x, y] = wide ? [room + 20, HEAD] : [0, under + HEAD];
    guesses(g, ink, x, y, wide ? 170 : width, this.read.p, this.best);
  }

  table() {
    const rows = this.read.attention.flatMap((heads, layer) =>
      heads.flatMap((of, head) =>
        of[this.asks].map((w, n) => [`layer ${layer + 1}, head ${head + 1}`, n, w]),
      ),
    );
    return {
      columns: ["what", "token or digit", "value"],
      rows: [...this.read.p.map((p, digit) => ["probability", digit, p]), ...rows],
    };
  }

  words() {
    const own = this.read.attention[LAYERS - 1].map((of) => of[this.asks][0]);
    const of = this.asks ? `Patch ${this.asks} asks` : "The class token asks";
    const share = percent(own.reduce((a, b) => a + b) / HEADS);
    const p = percent(this.read.p[this.best]);
    const reads = this.drawing.cells.some((ink) => ink)
      ? `Read as ${this.best}: ${p}.`
      : `Nothing is drawn, and it still has to choose: ${this.best}, ${p}.`;
    put(
      this.says,
      `${reads} ${of}: the stronger the colour, the more a head looks there. In the last layer ${share} goes to the class token. Draw; point at a patch, click one to keep it.`,
    );
    this.node.setAttribute("role", "img");
    this.node.setAttribute("aria-label", `The drawing on 8 by 8 cells. ${reads}`);
    this.open.node.setAttribute("role", "img");
    this.open.node.setAttribute("aria-label", `Attention of every head over the patches. ${of}.`);
    this.root.dataset.best = String(this.best);
  }
}

export const mount = mounting(Patches);
