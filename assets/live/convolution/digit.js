// A digit on 8 x 8 cells, drawn or picked, and the trained network that reads it: all of it is computed here.

import { digits, element, percent, put } from "../dom.js";
import { Scale } from "../drawing/canvas.js";
import { mounting } from "../descend/board.js";
import { bar, button } from "../parts/controls.js";
import { Playback } from "../parts/playback.js";
import { DIGITS, KERNEL, SIDE, along, opened, read, votes } from "../sums/digits.js";
import { Filters } from "./filters.js";
import { Opened } from "./opened.js";
import { HEAD, Pad } from "./pad.js";
import { frame, full, heading, square } from "./squares.js";

const WIDE = 700;
/** @type {Record<string, [number, number]>} */
const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const WAYS = { "←": "left", "↑": "up", "↓": "down", "→": "right" };

class Digit extends Pad {
  filter = 0;
  edge = 1;
  /** @type {[number, number]} row and column of the map */
  place = [3, 3];
  /** @type {number | null} */
  kept = null; // a digit that was clicked

  constructor(parent) {
    super(parent, "A digit and the network that reads it");
    this.player = new Playback({
      count: () => (this.read ? this.read.side ** 2 : 1),
      where: () => this.read.side * this.place[0] + this.place[1],
      show: (step) => this.look([Math.floor(step / this.read.side), step % this.read.side], true),
      move: () => {},
    });
    this.opened = new Opened(this, this.side);
    this.root.append(this.tools(), this.row);
    this.filters = new Filters(this, this.root);
    this.root.append(this.says);
    this.opened.node.addEventListener("keydown", (e) => this.slideBy(e));
    this.filters.node.addEventListener("keydown", (e) => this.chooseBy(e));
    Object.defineProperty(this.root, "digit", {
      get: () => ({
        text: this.drawing.text,
        filter: this.filter,
        place: this.place,
        read: this.read,
        digit: this.digit,
        idle: this.wishes.idle,
      }),
    });
  }

  tools() {
    const ways = Object.entries(WAYS).map(([sign, way], n) => {
      const key = ["ArrowLeft", "ArrowUp", "ArrowDown", "ArrowRight"][n];
      const made = button(sign, () => this.change(() => this.drawing.move(...KEYS[key])));
      made.setAttribute("aria-label", `Move the drawing ${way}`);
      return made;
    });
    this.play = button("Slide", () => (this.player.playing ? this.player.pause() : this.player.play()), {
      className: "un-button un-play",
      title: "The kernel over all places, in five seconds",
    });
    this.where = element("span", "un-player-said");
    const tools = bar(this.clear, this.pen, ...ways, this.play, this.where);
    tools.classList.add("un-player");
    return tools;
  }

  get cells() {
    return this.drawing.cells;
  }
  // The digit whose votes are shown.
  get digit() {
    return this.kept ?? this.best;
  }
  // Places that a kernel has been at, while it slides.
  get slid() {
    return this.player.at === null ? Infinity : this.player.at + 1;
  }

  wish() {
    return { ...super.wish(), filter: this.filter + 1 };
  }

  settle() {
    if (this.news.drawing !== this.told) this.kept = null;
    super.settle();
    if (this.news.filter !== this.toldFilter) this.filter = this.toldFilter = this.news.filter;
  }

  /** The drawing becomes another one. @param {() => void} act */
  change(act, last = true) {
    this.player.stop();
    this.kept = null;
    super.change(act, last);
  }

  /** @param {number} filter */
  choose(filter) {
    this.filter = this.toldFilter = filter;
    this.player.stop();
    this.wishes.wish();
    this.refresh();
  }

  /** @param {any} at @param {any} slides or, as a board is looked at, a place in pixels */
  look(at, slides = false) {
    if (typeof at === "number") return this.over(at, slides);
    if (!slides) this.player.stop();
    this.place = at;
    this.refresh();
  }

  /** The window whose middle is under the pointer. */
  over(px, py) {
    if (Number.isNaN(px) || !this.read) return;
    const { stride, padding } = this.news.net;
    const at = (/** @type {number} */ pixel, /** @type {number} */ from) => {
      const cell = Math.floor((pixel - from) / this.unit) - 1;
      const place = Math.round((cell - Math.floor(KERNEL / 2) + padding) / stride);
      return Math.max(0, Math.min(this.read.side - 1, place));
    };
    this.look([at(py, HEAD), at(px, 0)]);
  }

  keep(digit) {
    this.kept = digit === this.kept ? null : digit;
    this.refresh();
  }

  key(e) {
    const [row, column] = this.place.map((n) => n * this.news.net.stride + 1 - this.news.net.padding);
    if (KEYS[e.key]) this.change(() => this.drawing.move(...KEYS[e.key]));
    else if (e.key === "Enter" || e.key === " ") this.change(() => this.drawing.turn(column, row));
    else if (e.key === "Delete" || e.key === "Backspace") this.change(() => this.drawing.clear());
    else return false;
    return true;
  }

  slideBy(e) {
    const way = KEYS[e.key];
    if (!way || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    const held = (/** @type {number} */ n) => Math.max(0, Math.min(this.read.side - 1, n));
    this.look([held(this.place[0] + way[0]), held(this.place[1] + way[1])]);
  }

  chooseBy(e) {
    const way = KEYS[e.key];
    if (!way || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    const count = this.news.net.bias.length;
    if (way[1]) this.choose((this.filter + way[1] + count) % count);
    else this.keep((this.digit + way[0] + DIGITS) % DIGITS);
  }

  draw(ink, width, colours) {
    const { net, scales } = this.news;
    const { cells } = this;
    this.read = read(net, cells);
    this.best = this.read.p.indexOf(Math.max(...this.read.p));
    this.place = /** @type {[number, number]} */ (this.place.map((n) => Math.min(n, this.read.side - 1)));
    const bound = Math.max(0.5, ...Array.from(this.read.sum, Math.abs));
    this.scales = {
      ink: new Scale(scales.ink, this.dark),
      kernel: new Scale(scales.kernel, this.dark),
      sum: new Scale({ ...scales.kernel, low: -bound, high: bound }, this.dark),
    };
    const wide = width >= WIDE;
    const unit = (this.unit = Math.max(24, Math.min(34, wide ? width / 36 : width / 11)));
    const high = HEAD + (SIDE + 2) * unit;
    this.row.style.flexWrap = wide ? "nowrap" : "wrap";
    this.pad(ink, unit, high, cells);
    this.opened.draw(ink, wide ? width - (SIDE + 2) * unit - 16 : width, high);
    this.filters.draw(ink, width, colours);
    this.words();
  }

  pad(ink, unit, high, cells) {
    const { net } = this.news;
    const g = this.surface.begin((SIDE + 2) * unit, high);
    heading(
      g,
      this.news.digit === null ? "your drawing" : `a held-out ${this.news.digit}`,
      0,
      HEAD / 2 - 2,
      ink.text,
    );
    if (net.padding) {
      g.setLineDash([3, 3]);
      frame(g, 1, HEAD + 1, (SIDE + 2) * unit - 3, high - HEAD - 3, ink.faint, 1);
      g.setLineDash([]);
      g.fillStyle = ink.faint;
      g.font = `11px sans-serif`;
      g.textAlign = "left";
      g.textBaseline = "middle";
      g.fillText("padding: zeros", unit + 2, HEAD + unit / 2 + 1);
    }
    square(
      g,
      unit,
      HEAD + unit,
      unit,
      SIDE,
      Array.from(cells, (n) => n / 16),
      this.scales.ink,
    );
    frame(g, unit - 1, HEAD + unit - 1, SIDE * unit + 1, SIDE * unit + 1, ink.line, 1);
    const [i, j] = this.place.map((n) => n * net.stride - net.padding + 1);
    frame(g, j * unit, HEAD + i * unit, KERNEL * unit - 1, KERNEL * unit - 1, ink.accent, 2.5);
  }

  // All that the picture shows of the chosen filter, number by number.
  table() {
    const { read: found, filter, news, cells } = this;
    const grid = (name, all, side, n = 0) =>
      Array.from(all.slice(n * side ** 2, (n + 1) * side ** 2), (v, at) => [
        name,
        Math.floor(at / side) + 1,
        (at % side) + 1,
        v,
      ]);
    const rows = [
      ...grid(
        "ink",
        Array.from(cells, (n) => n / 16),
        SIDE,
      ),
      ...grid(`kernel ${filter + 1}`, news.net.kernel, KERNEL, filter),
      ...grid(`map ${filter + 1}: the sums`, found.sum, found.side, filter),
      ...grid("pooled", found.pooled, found.half, filter),
      ...Array.from(found.logit, (v, digit) => ["logit", digit, "", v]),
      ...Array.from(found.p, (v, digit) => ["probability", digit, "", v]),
    ];
    return { columns: ["what", "row or digit", "column", "value"], rows };
  }

  words() {
    const { read: found, place, filter, player, news } = this;
    const [i, j] = place;
    put(this.where, `place ${i * found.side + j + 1} of ${found.side ** 2}`);
    put(this.play, player.time.calm() ? "Next place" : player.playing ? "Pause" : "Slide");
    put(this.says, this.sentence());
    const { sum } = opened(news.net, this.cells, filter, i, j);
    const one = `Row ${i + 1}, column ${j + 1} of map ${filter + 1}: ${full(sum)}.`;
    const label = (/** @type {HTMLElement} */ node, /** @type {string} */ words) => {
      node.setAttribute("role", "img");
      node.setAttribute("aria-label", words);
    };
    const read_ = `Read as ${this.best}, ${percent(found.p[this.best])}.`;
    label(
      this.node,
      `The drawing on 8 by 8 cells. ${read_} Arrow keys move it, Enter inks the cell under the kernel, Delete clears.`,
    );
    label(this.opened.node, `One place of the map opened. ${one} ${read_} Arrow keys slide the kernel.`);
    label(
      this.filters.node,
      `${news.net.bias.length} filters with their maps. Filter ${filter + 1} is chosen. Arrow keys choose another, or another digit.`,
    );
    this.root.dataset.best = String(this.best);
  }

  // What is read; after a move, whether the map has moved along.
  sentence() {
    const { drawing, news, filter, read: found, digit, best } = this;
    const { down, right } = drawing;
    if (this.kept !== null) {
      const bias = news.net.dense_bias[digit];
      const sum = votes(news.net, found.pooled, digit).reduce((a, b) => a + b);
      return `${digit}: the filters add ${digits(sum)} (below), the bias ${digits(bias)}. The logit ${digits(found.logit[digit])} becomes ${percent(found.p[digit])} by softmax.`;
    }
    if (!down && !right)
      return `Draw on the cells, point at a place, click a filter or a digit, move the drawing with the arrows. Under the maps: what each filter adds to the logit of ${digit}.`;
    const reads = `Read as ${best}: ${percent(found.p[best])}.`;
    const before = read(news.net, drawing.still);
    const { count, same } = along(before, found, filter, news.net.stride, down, right);
    const was = before.p.indexOf(Math.max(...before.p));
    const ways = [
      right > 0 ? `${right} to the right` : right < 0 ? `${-right} to the left` : "",
      down > 0 ? `${down} down` : down < 0 ? `${-down} up` : "",
    ];
    return `Moved ${ways.filter(Boolean).join(", ")}: ${same} of ${count} numbers of map ${filter + 1} have moved along unchanged. ${reads} Before: ${was}, ${percent(before.p[was])}.`;
  }
}

export const mount = mounting(Digit);
