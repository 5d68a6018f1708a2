// Optimisers on a surface of two weights: their ways as lines, played step by step; the start is dragged.

import { digits, element, follow, put, small } from "../dom.js";
import { Scale, font, legend, raster } from "../drawing/canvas.js";
import { rules, ticks } from "../marks/axes.js";
import { dot, outlined } from "../marks/lines.js";
import { bar, button, slider } from "../parts/controls.js";
import { Playback } from "../parts/playback.js";
import { Board, mounting } from "./board.js";

const LEFT = 38,
  RIGHT = 8,
  TOP = 8,
  BOTTOM = 50,
  NEAR = 14, // pixels
  BANDS = 16,
  FINER = 3;
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const power = (/** @type {number} */ p) => digits(10 ** p);

// The surface between its numbers, in bands whose edges are level lines.
function banded({ levels, rows, columns, scale }) {
  const level = Uint8Array.from(atob(levels), (c) => c.charCodeAt(0));
  const found = new Float32Array(FINER * rows * FINER * columns);
  const at = (r, c) =>
    level[Math.min(rows - 1, Math.max(0, r)) * columns + Math.min(columns - 1, Math.max(0, c))];
  for (let i = 0, n = 0; i < FINER * rows; i++)
    for (let j = 0; j < FINER * columns; j++, n++) {
      const [y, x] = [(i + 0.5) / FINER - 0.5, (j + 0.5) / FINER - 0.5];
      const [r, c] = [Math.floor(y), Math.floor(x)];
      const [b, a] = [y - r, x - c];
      const upper = at(r, c) * (1 - a) + at(r, c + 1) * a;
      const lower = at(r + 1, c) * (1 - a) + at(r + 1, c + 1) * a;
      const band = Math.floor(((upper * (1 - b) + lower * b) / 256) * BANDS) / (BANDS - 1);
      found[n] = scale.low + band * (scale.high - scale.low);
    }
  return found;
}

class Race extends Board {
  /** @type {[number, number]} */
  start = [0, 0];
  /** @type {any} */
  looked = null;

  constructor(parent) {
    super(parent, "Optimisers on a surface");
    this.player = new Playback({
      count: () => this.steps + 1,
      where: () => this.steps,
      show: () => this.refresh(),
      move: () => this.refresh(),
    });
    const { player } = this;
    this.play = button("Play", () => (player.playing ? player.pause() : player.play()), {
      className: "un-button un-play",
      title: "All steps in five seconds",
    });
    this.slider = slider((step) => player.go(step), { min: 0, step: 1 }, "Step", true);
    this.told = element("span", "un-player-said");
    const tools = bar(
      button("‹ Back", () => player.back(), { title: "One step back" }),
      this.play,
      button("Next ›", () => player.go(player.step >= this.steps ? 0 : player.step + 1), {
        title: "One step on",
      }),
      this.slider,
      this.told,
    );
    tools.classList.add("un-player");
    this.list = element("ul", "ds-key");
    this.root.prepend(tools);
    this.root.append(this.list, this.says);
    Object.defineProperty(this.root, "race", {
      get: () => ({ start: this.start, step: player.step, paths: this.news?.paths, idle: this.wishes.idle }),
    });
  }

  get steps() {
    return this.news ? Math.max(1, ...this.news.paths.map((p) => p.w.length - 1)) : 1;
  }

  wish() {
    return { x: this.start[0], y: this.start[1] };
  }

  settle() {
    const told = JSON.stringify([this.news.start, this.news.surface]);
    if (told !== this.of) this.player.stop();
    this.of = told;
    const [x, y] = this.news.start;
    this.start = [x, y];
  }

  // From weights to pixels, and back.
  x = (w) => LEFT + ((w - this.news.box[0]) / (this.news.box[1] - this.news.box[0])) * this.wide;
  y = (w) => TOP + ((this.news.box[3] - w) / (this.news.box[3] - this.news.box[2])) * this.high;

  move(x, y) {
    const [left, right, bottom, top] = this.news.box;
    const held = (v, low, high) => Number(Math.min(high, Math.max(low, v)).toPrecision(3));
    this.start = [held(x, left, right), held(y, bottom, top)];
    this.wishes.wish();
    this.refresh();
  }

  drag(px, py) {
    const [left, right, bottom, top] = this.news.box;
    this.player.stop();
    this.move(
      left + ((px - LEFT) / this.wide) * (right - left),
      top - ((py - TOP) / this.high) * (top - bottom),
    );
  }

  key(e) {
    const way = KEYS[e.key];
    if (!way) return false;
    const [left, right, bottom, top] = this.news.box;
    this.move(this.start[0] + (way[0] * (right - left)) / 40, this.start[1] + (way[1] * (top - bottom)) / 40);
    return true;
  }

  // The step of a way under the pointer.
  look(px, py) {
    let best = null;
    for (const path of this.news?.paths ?? [])
      path.w.forEach(([x, y], step) => {
        const away = Math.hypot(this.x(x) - px, this.y(y) - py);
        if (away < (best?.away ?? NEAR)) best = { away, path, step, x, y };
      });
    this.looked = best;
    this.refresh();
  }

  draw(ink, width, colours) {
    const { news, player } = this;
    const height = width < 600 ? 440 : 470;
    this.wide = width - LEFT - RIGHT;
    this.high = height - TOP - BOTTOM;
    const g = this.surface.begin(width, height);
    this.ground(g, ink, height);
    const upto = player.at === null ? this.steps : player.step - 1 + player.share;
    const old = this.dragging || !this.wishes.idle;
    g.save();
    g.beginPath();
    g.rect(LEFT, TOP, this.wide, this.high);
    g.clip();
    g.globalAlpha = old ? 0.35 : 1;
    news.paths.forEach((path, n) => this.way(g, path, Math.max(0, upto), colours[path.colour ?? n], ink));
    g.globalAlpha = 1;
    this.begin(g, ink);
    g.restore();
    const step = Math.round(Math.max(0, upto));
    this.slider.max = String(this.steps);
    this.slider.value = String(step);
    put(this.told, `step ${step} of ${this.steps}`);
    put(this.play, player.time.calm() ? "Next step" : player.playing ? "Pause" : "Play");
    follow(
      this.list,
      news.paths.map((path, n) => [path.name, colours[path.colour ?? n], this.words(path, step)]),
      ([name, background, words]) => {
        const item = element("li", "");
        const mark = element("i", "");
        mark.style.background = background;
        item.append(
          mark,
          element("b", "", { textContent: name }),
          element("span", "", { textContent: words }),
        );
        return item;
      },
    );
    put(this.says, this.sentence());
    this.node.setAttribute("aria-label", `Ways of the optimisers on the surface. Arrow keys move the start.`);
    this.root.dataset.step = String(step);
  }

  table() {
    const rows = this.news.paths.flatMap((path) =>
      path.w.map(([x, y], step) => [path.name, step, x, y, path.loss[step]]),
    );
    return { columns: ["Optimiser", "step", "x", "y", "loss"], rows };
  }

  words(path, step) {
    const end = path.w.length - 1;
    if (path.lost && step >= end) return `${path.lost[1]} from step ${path.lost[0]} on`;
    return `loss ${digits(path.loss[Math.min(step, end)])}`;
  }

  sentence() {
    if (!this.looked) return "";
    const { path, step, x, y } = this.looked;
    return `${path.name} after step ${step}: x ${digits(x)}, y ${digits(y)}, loss ${digits(path.loss[step])}.`;
  }

  // The surface in bands of equal height, the axes, the scale, and the lowest places.
  ground(g, ink, height) {
    const { news } = this;
    const [left, right, bottom, top] = news.box;
    const scale = new Scale(news.scale, this.dark);
    if (this.levelsOf !== news.levels) {
      this.levelsOf = news.levels;
      this.store = {};
      this.levels = banded(news);
    }
    const wide = FINER * news.columns;
    const picture = raster(this.store, this.levels, FINER * news.rows, wide, 0, wide, 1, scale);
    g.imageSmoothingEnabled = true;
    g.drawImage(picture, LEFT, TOP, this.wide, this.high);
    const round = (from, to) =>
      [0, 1, 2, 3, 4].map((i) => Number((from + ((to - from) * i) / 4).toPrecision(2)));
    const minus = (v) => String(v).replace("-", "−");
    const clear = { ...ink, line: "transparent" };
    rules(
      g,
      round(bottom, top).map((v) => [Math.min(TOP + this.high - 5, Math.max(TOP + 6, this.y(v))), minus(v)]),
      { left: LEFT, right: LEFT, colours: clear },
    );
    g.textBaseline = "middle";
    ticks(
      g,
      round(left, right).map((v) => [
        Math.min(LEFT + this.wide - 10, Math.max(LEFT + 8, this.x(v))),
        minus(v),
      ]),
      TOP + this.high + 11,
      ink,
    );
    g.textAlign = "left";
    g.fillText("y", 4, TOP + 6);
    g.textAlign = "right";
    g.fillText("x", LEFT + this.wide, height - 14);
    legend(g, LEFT, height - 26, Math.min(220, this.wide / 2), scale, small("loss"), ink, power);
    g.strokeStyle = ink.text;
    g.lineWidth = 1.5;
    for (const [x, y] of news.lowest) {
      const [px, py] = [this.x(x), this.y(y)];
      for (const d of [-1, 1]) {
        g.beginPath();
        g.moveTo(px - 6, py - 6 * d);
        g.lineTo(px + 6, py + 6 * d);
        g.stroke();
      }
    }
  }

  // A way up to a step, which may have come in part.
  way(g, path, upto, colour, ink) {
    const end = path.w.length - 1;
    const whole = Math.min(end, Math.floor(upto));
    const places = path.w.slice(0, whole + 1).map(([x, y]) => [this.x(x), this.y(y)]);
    if (whole < end) {
      const [a, b] = [path.w[whole], path.w[whole + 1]];
      const share = upto - whole;
      places.push([this.x(a[0] + share * (b[0] - a[0])), this.y(a[1] + share * (b[1] - a[1]))]);
    }
    g.lineJoin = "round";
    outlined(g, places, ink.ground, colour, 2.5);
    g.fillStyle = colour;
    if (whole < 60) for (const [x, y] of places.slice(1, -1)) dot(g, x, y, 2);
    const [x, y] = places.at(-1);
    g.fillStyle = ink.ground;
    dot(g, x, y, 7);
    g.fillStyle = colour;
    dot(g, x, y, 5);
  }

  begin(g, ink) {
    const [x, y] = [this.x(this.start[0]), this.y(this.start[1])];
    g.strokeStyle = ink.text;
    g.lineWidth = 2;
    g.beginPath();
    g.arc(x, y, 9, 0, 7);
    g.stroke();
    g.fillStyle = ink.text;
    g.font = font(12, 600);
    g.textBaseline = "middle";
    const right = x < LEFT + this.wide - 110;
    g.textAlign = right ? "left" : "right";
    g.fillText("start: drag it", x + (right ? 14 : -14), y < TOP + 20 ? y + 16 : y - 12);
  }
}

export const mount = mounting(Race);
