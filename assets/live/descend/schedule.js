// The learning rate of every step, drawn and edited with the mouse: the end of the warm-up, the highest rate, the end.

import { digits, put, small } from "../dom.js";
import { font } from "../drawing/canvas.js";
import { rules, ticks } from "../marks/axes.js";
import { dot } from "../marks/lines.js";
import { Board, mounting } from "./board.js";

const LEFT = 64,
  RIGHT = 16,
  TOP = 24,
  HIGH = 250,
  NEAR = 26,
  ROOM = 1.12; // beyond the last step, and above the highest rate
const number = (/** @type {number} */ n) => Math.round(n).toLocaleString("en");
const rounded = (/** @type {number} */ v) => Number(v.toPrecision(2));
const held = (/** @type {number} */ v, [low, high]) => Math.min(high, Math.max(low, v));
const WARM = "warm",
  END = "end";

class Schedule extends Board {
  now = { warmup: 0, rate: 0, steps: 1 };
  frame = { steps: 1, rate: 1 }; // of the axes, which stand while a pointer drags
  held = WARM;

  constructor(parent) {
    super(parent, "Learning rate by step");
    this.root.append(this.says);
    Object.defineProperty(this.root, "schedule", { get: () => ({ ...this.now, idle: this.wishes.idle }) });
  }

  wish() {
    return this.now;
  }

  settle() {
    const { warmup, rate, steps } = this.news;
    this.now = { warmup, rate, steps };
    this.frame = { steps: steps * ROOM, rate: rate * ROOM };
  }

  x = (step) => LEFT + (step / this.frame.steps) * this.wide;
  y = (rate) => TOP + HIGH * (1 - rate / this.frame.rate);

  get handles() {
    const { news, now } = this;
    const last = news.curve.at(-1)[1];
    return {
      [WARM]: [this.x(Math.min(now.warmup, news.longest)), this.y(now.rate)],
      [END]: [this.x(now.steps), this.y(this.dragging ? Math.min(last, this.frame.rate) : last)],
    };
  }

  grab(px, py) {
    const away = Object.entries(this.handles).map(([name, [x, y]]) => [Math.hypot(x - px, y - py), name]);
    away.sort((a, b) => Number(a[0]) - Number(b[0]));
    this.held = String(away[0][1]);
    return Number(away[0][0]) < NEAR;
  }

  drag(px, py) {
    const step = ((px - LEFT) / this.wide) * this.frame.steps;
    const rate = (1 - (py - TOP) / HIGH) * this.frame.rate;
    const { ranges } = this.news;
    if (this.held === END) this.change({ steps: held(rounded(Math.max(1, step)), ranges.steps) });
    else
      this.change({
        warmup: held(Math.round(step), [0, this.news.longest]),
        rate: held(rounded(rate), ranges.rate),
      });
  }

  change(more) {
    Object.assign(this.now, more);
    this.now.steps = Math.round(this.now.steps);
    this.wishes.wish();
    this.refresh();
  }

  key(e) {
    const { now } = this;
    const { ranges, longest } = this.news;
    const way = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    const up = { ArrowUp: 1.1, ArrowDown: 1 / 1.1 }[e.key];
    if (way && e.shiftKey) this.change({ steps: held(rounded(now.steps * 1.1 ** way), ranges.steps) });
    else if (way)
      this.change({ warmup: held(now.warmup + way * Math.max(1, Math.round(longest / 20)), [0, longest]) });
    else if (up) this.change({ rate: held(rounded(now.rate * up), ranges.rate) });
    else return false;
    return true;
  }

  table() {
    return { columns: ["step", "learning rate"], rows: this.news.curve };
  }

  look(px, py) {
    this.node.style.cursor = Number.isFinite(px) && this.grab(px, py) ? "grab" : "default";
    this.pointed = px >= LEFT ? ((px - LEFT) / this.wide) * this.frame.steps : NaN;
    this.refresh();
  }

  draw(ink, width, [colour, other]) {
    const { news, now, frame } = this;
    this.wide = width - LEFT - RIGHT;
    const g = this.surface.begin(width, TOP + HIGH + 40);
    const marks = [0, 0.25, 0.5, 0.75, 1].map((s) => s * now.rate);
    rules(
      g,
      marks.filter((v) => v <= frame.rate).map((v) => [this.y(v), digits(v)]),
      { left: LEFT, right: width - RIGHT, colours: ink },
    );
    const every = width < 600 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
    ticks(
      g,
      every.map((s) => [this.x(s * now.steps), number(s * now.steps)]),
      TOP + HIGH + 13,
      ink,
    );
    g.textAlign = "left";
    g.fillText("learning rate", 4, 9);
    g.textAlign = "right";
    g.fillText(small("step"), width - RIGHT, TOP + HIGH + 30);
    const line = (points, style, thick, dash) => {
      g.strokeStyle = style;
      g.lineWidth = thick;
      g.setLineDash(dash);
      g.beginPath();
      for (const [step, rate] of points) g.lineTo(this.x(step), this.y(rate));
      g.stroke();
      g.setLineDash([]);
    };
    g.save();
    g.beginPath();
    g.rect(LEFT, 0, this.wide + RIGHT, TOP + HIGH + 2);
    g.clip();
    for (const { points } of news.others) line(points, ink.faint, 1, [2, 4]);
    if (news.loss.length) this.loss(g, news.loss, other);
    g.globalAlpha = this.dragging ? 0.5 : 1;
    line(news.curve, colour, 3, []);
    g.globalAlpha = 1;
    g.restore();
    this.grips(g, ink, colour);
    put(this.says, this.sentence());
    this.node.setAttribute(
      "aria-label",
      "Arrow keys: left and right move the end of the warm-up, up and down the highest rate, with shift the last step.",
    );
  }

  loss(g, points, colour) {
    const most = Math.max(...points.map((p) => p[1]));
    g.strokeStyle = colour;
    g.lineWidth = 1.5;
    g.beginPath();
    for (const [step, loss] of points) g.lineTo(this.x(step), TOP + HIGH * (1 - loss / most / ROOM));
    g.stroke();
  }

  grips(g, ink, colour) {
    const words = { [WARM]: "end of the warm-up, highest rate", [END]: "last step" };
    g.font = font(12, 600);
    g.textBaseline = "middle";
    for (const [name, [x, y]] of Object.entries(this.handles)) {
      g.fillStyle = ink.ground;
      dot(g, x, y, 10);
      g.fillStyle = colour;
      dot(g, x, y, 7);
      g.fillStyle = ink.text;
      const right = name === WARM;
      g.textAlign = right ? "left" : "right";
      g.fillText(words[name], x + (right ? 14 : -4), y - 14);
    }
  }

  sentence() {
    const { pointed } = this;
    const { curve } = this.news;
    if (!(pointed >= 1 && pointed <= curve.at(-1)[0])) return "";
    const near = curve.reduce((a, b) => (Math.abs(b[0] - pointed) < Math.abs(a[0] - pointed) ? b : a));
    return `Step ${number(near[0])}: rate ${digits(near[1])}.`;
  }
}

export const mount = mounting(Schedule);
