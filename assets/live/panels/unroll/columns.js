// The steps of a recurrent network as columns: below the token and its vector, in the middle the state, above
// the likeliest next token, on every arrow the matrix that is used there.  Folded, one column with a loop.

import { font } from "../../drawing/canvas.js";
import { percent, short } from "../../dom.js";
import { arrow, head } from "../../marks/arrow.js";

export const LEFT = 66,
  COLUMN = 78,
  TOP = 78,
  HIGH = 160,
  ALL = 358;
const WIDE = 28,
  TILE = 20,
  GUESS = 16,
  HY = 57,
  XH = 260,
  INPUT = 282,
  INPUT_HIGH = 34,
  LABEL = 332,
  STEP = 348;

export class Columns {
  tiles = []; // where the pointer finds a matrix
  columns = []; // and where a step
  g;
  what;
  lit;
  folded;
  scrolled;

  /**
   * @param {CanvasRenderingContext2D} g
   * @param {any} what {reader, layer, count, now, unit, colours, states, inputs, pictures}
   * @param {{lit: string | null, folded: number, scrolled: number}} how `lit`: the matrix that lights up
   */
  constructor(g, what, { lit, folded, scrolled }) {
    Object.assign(this, { g, what, lit, folded, scrolled });
  }

  paint(view) {
    const { folded, scrolled } = this;
    const { count, now } = this.what;
    const first = Math.max(0, Math.floor((scrolled - LEFT) / COLUMN) - 1);
    const last = Math.min(count - 1, Math.ceil((scrolled + view) / COLUMN));
    for (let t = first; t <= last && folded < 1; t++) this.column(t, t === now ? 1 : 1 - folded);
    if (!folded || !count) return;
    if (folded === 1) this.column(now, 1);
    this.loop();
  }

  middle(t) {
    return (1 - this.folded) * (LEFT + (t + 0.5) * COLUMN - this.scrolled) + this.folded * (LEFT + COLUMN);
  }

  column(t, alpha) {
    const { g, folded } = this;
    const { reader, unit, colours, now, layer, states, inputs, order } = this.what;
    const [x, middle, here] = [this.middle(t), TOP + HIGH / 2, t === now];
    const colour = here ? colours.accent : colours.text;
    g.globalAlpha = alpha;
    this.arrow(x, INPUT, x, TOP + HIGH, here);
    this.arrow(x, TOP, x, 40, here);
    if (folded < 1) {
      this.arrow(t ? x - COLUMN + WIDE / 2 : x - COLUMN / 2 - 14, middle, x - WIDE / 2, middle, here);
      if (!t) this.word(reader.offset ? "…" : "0", x - COLUMN / 2 - 22, middle, 13, colours.faint);
      this.tile("hh", here, x - COLUMN / 2, middle, alpha * (1 - folded));
    }
    this.tile("xh", here, x, XH, alpha);
    const { layers, units } = reader.spec.weights;
    if (layer === layers - 1) this.tile("hy", here, x, HY, alpha);
    g.imageSmoothingEnabled = false;
    for (const [picture, top, high] of [
      [states, TOP, HIGH],
      [inputs, INPUT, INPUT_HIGH],
    ])
      g.drawImage(picture, t, 0, 1, picture.height, x - WIDE / 2, top, WIDE, high);
    g.strokeStyle = here ? colours.accent : colours.line;
    g.lineWidth = here ? 2 : 1;
    g.strokeRect(x - WIDE / 2 - 1, TOP - 1, WIDE + 2, HIGH + 2);
    g.strokeRect(x - WIDE / 2 - 1, INPUT - 1, WIDE + 2, INPUT_HIGH + 2);
    const row = order ? order.indexOf(unit) : unit;
    if (here && row >= 0) {
      g.fillStyle = colours.accent;
      g.fillRect(x + WIDE / 2 + 2, TOP + ((row + 0.5) * HIGH) / (order?.length ?? units) - 1.5, 7, 3);
    }
    const [guess] = reader.top[t] ?? [];
    if (guess) {
      this.word(short(guess[0], 9), x, GUESS, 13, colour, 600);
      this.word(percent(guess[1]), x, GUESS + 15, 11, colours.faint);
    }
    this.below(t, here);
    g.globalAlpha = 1;
    this.columns.push({ x: x - COLUMN / 2, y: 0, w: COLUMN, h: ALL, token: t });
  }

  // The token below its column.
  below(t, here) {
    const { reader, colours } = this.what;
    const x = this.middle(t);
    const colour = here ? colours.accent : colours.text;
    this.word(short(reader.labels[t], 9), x, LABEL, 14, colour, here ? 700 : 400);
    this.word(`step ${t + reader.offset + 1}`, x, STEP, 10, colours.faint);
  }

  // A matrix where it is used: bright at the step looked at, or everywhere once it is lit.
  tile(key, here, x, y, alpha) {
    const { g, lit } = this;
    const { colours, pictures } = this.what;
    const bright = lit ? lit === key : here;
    const before = g.globalAlpha;
    g.globalAlpha = alpha * (bright ? 1 : lit ? 0.2 : 0.5);
    g.imageSmoothingEnabled = true;
    g.fillStyle = colours.ground;
    g.fillRect(x - TILE / 2, y - TILE / 2, TILE, TILE);
    g.drawImage(pictures[key], x - TILE / 2, y - TILE / 2, TILE, TILE);
    g.strokeStyle = bright ? colours.accent : colours.line;
    g.lineWidth = bright ? 2.5 : 1;
    g.strokeRect(x - TILE / 2, y - TILE / 2, TILE, TILE);
    g.globalAlpha = before;
    this.tiles.push({ x: x - TILE / 2 - 4, y: y - TILE / 2 - 4, w: TILE + 8, h: TILE + 8, matrix: key });
  }

  // The arrow of the folded network to itself.
  loop() {
    const { g } = this;
    const { colours, reader, now } = this.what;
    const x = LEFT + COLUMN,
      y = TOP + HIGH / 2;
    g.globalAlpha = this.folded;
    g.strokeStyle = colours.accent;
    g.lineWidth = 2;
    g.beginPath();
    g.moveTo(x + WIDE / 2 + 2, y - 30);
    g.bezierCurveTo(x + 70, y - 48, x + 70, y + 48, x + WIDE / 2 + 10, y + 30);
    g.stroke();
    head(g, x + WIDE / 2 + 4, y + 28, -0.95, -0.3, colours.accent);
    this.tile("hh", true, x + 58, y, this.folded);
    const say = (lines, left, top) =>
      lines.forEach((line, k) => this.word(line, left, top + 16 * k, 13, colours.text, 400, "left"));
    say(["the state comes back", "at the next step, h_t−1"], x + 78, y - 8);
    say([`the state after “${short(reader.labels[now], 12)}”, h_t`], x + 32, TOP + 2);
    g.globalAlpha = 1;
  }

  arrow(x, y, to, down, here) {
    const { colours } = this.what;
    arrow(this.g, x, y, to, down, here ? colours.accent : colours.faint, here ? 2 : 1);
  }

  /** @param {CanvasTextAlign} align */
  word(text, x, y, size, colour, weight = 400, align = "center") {
    const { g } = this;
    g.font = font(size, weight);
    g.textAlign = align;
    g.textBaseline = "middle";
    g.fillStyle = colour;
    g.fillText(text, x, y);
  }
}
