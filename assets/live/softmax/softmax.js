// Logits as bars that are dragged, with the pull of two losses at each; the probabilities that softmax makes of them; a descent
// that one watches.

import { digits, element, percent, put } from "../dom.js";
import { font } from "../drawing/canvas.js";
import { rules } from "../marks/axes.js";
import { dot } from "../marks/lines.js";
import { halo, minus, title } from "../marks/words.js";
import { bar, button, slider } from "../parts/controls.js";
import { Board, mounting } from "../descend/board.js";
import { FARTHEST, LOSSES, gradient, softmax, step } from "../sums/softmax.js";

const FEWEST = 2,
  MANY = 6,
  LEFT = 44,
  TOP = 22,
  TALL = 432,
  NAMES = 28, // pixels between logits and probabilities
  ARROW = 55, // pixels of an arrow for a gradient of 1
  FARTHER = 70, // and no arrow is longer than this
  STEPS = 1, // of learning in one frame
  AT_ONCE = 100,
  MOST = 2000,
  LEARNED = 0.9;
const KINDS = { entropy: "Cross-entropy", squared: "Squared error" };
const LINE = { entropy: 0, squared: 1 }; // colours
const held = (/** @type {number} */ v) => Number(Math.max(-FARTHEST, Math.min(FARTHEST, v)).toFixed(2));
/** A slider of tens: −1 is 0.1, 1 is 10. @param {number} v */
const heat = (v) => Number((10 ** v).toPrecision(2));

class Softmax extends Board {
  s = { z: [2, 1, 0.1, -1], target: 0, t: 1 };
  at_ = 0; // the class that the keyboard is at
  learning = 0;
  kind = "entropy"; // what is descended
  steps = 0;
  /** @type {number | null} the class that is dragged */
  handle = null;

  constructor(parent) {
    super(parent, "Logits, softmax and loss");
    this.root.classList.add("nr", "sx");
    this.temperature = slider(
      (v) => this.set({ t: heat(v) }, false),
      { min: -1, max: 1, step: 0.05 },
      "Temperature",
    );
    this.temperature.addEventListener("change", () => this.tell());
    this.heated = element("output");
    const slides = element("div", "nr-slides");
    const label = element("label");
    label.append(element("span", "", { textContent: "Temperature" }), this.temperature, this.heated);
    slides.append(label);
    this.fewer = button("− class", () => this.more(-1), { title: "One class less" });
    this.another = button("+ class", () => this.more(1), { title: "One class more" });
    this.wrong = button("Confidently wrong", () => this.mistaken(), {
      title: "The target has the lowest logit of all",
    });
    this.learns = Object.entries(KINDS).map(([kind, words]) => {
      const node = button(words, () => this.toggle(kind), {
        className: "un-button un-play",
        title: "Descend this loss",
      });
      node.dataset.kind = kind;
      return node;
    });
    this.told = element("span", "nr-told");
    const above = bar(
      this.fewer,
      this.another,
      this.wrong,
      element("span", "un-search-label", { textContent: "Learn by" }),
      ...this.learns,
      this.told,
    );
    this.root.append(above, this.node, this.says, slides);
    Object.defineProperty(this.root, "softmax", {
      get: () => ({
        ...this.s,
        p: softmax(this.s.z, this.s.t),
        entropy: LOSSES.entropy(this.s.z, this.s.target, this.s.t),
        squared: LOSSES.squared(this.s.z, this.s.target, this.s.t),
        steps: this.steps,
        columns: this.columns,
        idle: this.wishes.idle,
      }),
    });
  }

  drop() {
    if (this.changed) this.tell();
    this.handle = null;
  }

  tell() {
    this.changed = false;
    this.wishes.wish();
  }

  destroy() {
    cancelAnimationFrame(this.learning);
    super.destroy();
  }

  wish() {
    return { ...this.s, z: this.s.z.map(held).join(",") };
  }

  settle() {
    if (!this.learning) this.s = { ...this.news.state, z: [...this.news.state.z] };
  }

  set(more, tell = true) {
    Object.assign(this.s, more);
    if (tell && !this.dragging) this.tell();
    else this.changed = true;
    this.refresh();
  }

  put_(k, value) {
    const z = [...this.s.z];
    z[k] = held(value);
    this.set({ z });
  }

  more(way) {
    this.halt();
    const z = way > 0 ? [...this.s.z, 0] : this.s.z.slice(0, -1);
    this.steps = 0;
    this.set({ z, target: Math.min(this.s.target, z.length - 1) });
  }

  mistaken() {
    this.halt();
    this.steps = 0;
    const { target, z } = this.s;
    const other = target === 0 ? 1 : 0;
    this.set({ z: z.map((_, k) => (k === target ? -6 : k === other ? 6 : 0)) });
  }

  // Learning.
  toggle(kind) {
    const on = this.learning && this.kind === kind;
    this.halt();
    if (kind !== this.kind) this.steps = 0;
    this.kind = kind;
    if (on) this.tell();
    else if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.walk(AT_ONCE);
      this.tell();
    } else this.frame();
    this.refresh();
  }

  halt() {
    cancelAnimationFrame(this.learning);
    this.learning = 0;
  }

  get share() {
    return softmax(this.s.z, this.s.t)[this.s.target];
  }

  walk(many) {
    for (let n = 0; n < many && this.share < LEARNED; n++, this.steps++)
      step(this.kind, this.s.z, this.s.target, this.s.t, 1);
  }

  frame() {
    this.learning = requestAnimationFrame(() => {
      this.walk(STEPS);
      if (this.share >= LEARNED || this.steps >= MOST || !this.root.isConnected) {
        this.halt();
        this.tell();
      } else this.frame();
      this.refresh();
    });
  }

  grab(px, py) {
    const k = this.columns.findIndex((c) => px >= c.x && px < c.x + c.w);
    if (k < 0) return false;
    this.at_ = k;
    this.halt();
    if (py > this.low) {
      this.set({ target: k });
      return false;
    }
    this.handle = k;
    return true;
  }

  drag(_px, py) {
    if (this.handle === null) return;
    this.put_(this.handle, ((this.zero - py) / (this.high / 2)) * FARTHEST);
  }

  key(e) {
    const { s } = this;
    if (e.key === "ArrowLeft") this.at_ = Math.max(0, this.at_ - 1);
    else if (e.key === "ArrowRight") this.at_ = Math.min(s.z.length - 1, this.at_ + 1);
    else if (e.key === "ArrowUp" || e.key === "ArrowDown")
      this.put_(this.at_, s.z[this.at_] + (e.key === "ArrowUp" ? 0.1 : -0.1));
    else if (e.key === "Enter" || e.key === " ") this.set({ target: this.at_ });
    else return false;
    this.refresh();
    return true;
  }

  draw(ink, width, colours) {
    const { s } = this;
    this.at_ = Math.min(this.at_, s.z.length - 1);
    this.bars(ink, colours, width);
    if (document.activeElement !== this.temperature) this.temperature.value = String(Math.log10(s.t));
    put(this.heated, digits(s.t));
    this.temperature.setAttribute("aria-valuetext", digits(s.t));
    this.fewer.disabled = s.z.length <= FEWEST;
    this.another.disabled = s.z.length >= MANY;
    for (const node of this.learns)
      node.setAttribute("aria-pressed", String(this.learning > 0 && node.dataset.kind === this.kind));
    put(this.told, this.steps ? `Step ${this.steps}` : "until the target has 90 %");
    put(this.says, this.sentence());
    this.node.setAttribute(
      "aria-label",
      `Logits and probabilities. Left and right choose a class, up and down move its logit, Enter makes it the target. ${s.z
        .map((z, k) => `${this.name(k)}: ${digits(z)}, ${percent(softmax(s.z, s.t)[k])}`)
        .join("; ")}`,
    );
  }

  name(k) {
    return `Class ${k + 1}`;
  }

  sentence() {
    const { z, target, t } = this.s;
    const p = softmax(z, t)[target];
    const [a, b] = ["entropy", "squared"].map((kind) => gradient(kind, z, target, t)[target]);
    return `The target, class ${target + 1}, has ${percent(p)}. Cross-entropy −ln p = ${digits(LOSSES.entropy(z, target, t))}, its slope ${digits(a)}; squared error ${digits(LOSSES.squared(z, target, t))}, its slope ${digits(b)}.`;
  }

  table() {
    const { z, target, t } = this.s;
    const p = softmax(z, t);
    const [a, b] = Object.keys(KINDS).map((kind) => gradient(kind, z, target, t));
    return {
      columns: [
        "Class",
        "logit z",
        "probability p",
        "wanted y",
        "cross-entropy (p − y) / T",
        "squared error, by z",
      ],
      rows: z.map((v, k) => [k + 1, v, p[k], Number(k === target), a[k], b[k]]),
    };
  }

  bars(ink, colours, width) {
    const { z, target, t } = this.s;
    const p = softmax(z, t);
    const g = this.surface.begin(width, TALL);
    const high = (this.high = 222);
    const zero = (this.zero = TOP + high / 2);
    const names = TOP + high + NAMES / 2 + 4;
    this.low = TOP + high + 8;
    const top = TOP + high + NAMES + 26,
      base = TALL - 20;
    const wide = width - LEFT - 6;
    const y = (v) => zero - (v / FARTHEST) * (high / 2);
    const up = (v) => base - (base - top) * v;
    title(g, "Logits z: drag them", LEFT, 9, ink);
    Object.entries(KINDS).forEach(([kind, words], n) =>
      halo(g, `↕ ${words}`, LEFT + 118 * n, TOP + high - 11, "left", ink, colours[LINE[kind]]),
    );
    rules(
      g,
      [-10, -5, 0, 5, 10].map((v) => [y(v), minus(v)]),
      { left: LEFT, right: LEFT + wide, colours: ink },
    );
    rules(
      g,
      [0, 0.5, 1].map((v) => [up(v), `${100 * v} %`]),
      { left: LEFT, right: LEFT + wide, colours: ink },
    );
    title(g, "Probabilities p: click the target", LEFT, top - 14, ink);
    const each = wide / z.length;
    this.columns = z.map((_, k) => ({ x: LEFT + k * each, w: each }));
    const slopes = { entropy: gradient("entropy", z, target, t), squared: gradient("squared", z, target, t) };
    z.forEach((v, k) => {
      const middle = LEFT + (k + 0.5) * each;
      const w = Math.min(64, each * 0.4);
      g.fillStyle = colours[2];
      g.globalAlpha = 0.75;
      g.fillRect(middle - w / 2, Math.min(zero, y(v)), w, Math.max(1.5, Math.abs(y(v) - zero)));
      g.globalAlpha = 1;
      g.fillStyle = ink.ground;
      dot(g, middle, y(v), 9);
      g.fillStyle = colours[2];
      dot(g, middle, y(v), 7);
      const focused = document.activeElement === this.node && this.at_ === k;
      if (focused) {
        g.strokeStyle = ink.text;
        g.lineWidth = 2;
        g.strokeRect(middle - each / 2 + 3, TOP + 1, each - 6, base - TOP - 2);
      }
      halo(g, digits(v), middle, y(v) + (v < 0 ? 18 : -17), "center", ink);
      Object.entries(slopes).forEach(([kind, of], n) => {
        const long = Math.max(-FARTHER, Math.min(FARTHER, -of[k] * ARROW));
        arrow(g, middle + (n ? 1 : -1) * (w / 2 + 9), y(v), long, colours[LINE[kind]], ink);
      });
      g.font = font(13, 600);
      g.textAlign = "center";
      g.textBaseline = "middle";
      g.fillStyle = ink.text;
      g.fillText(
        k === target ? (each > 100 ? `${this.name(k)}: target` : "Target") : this.name(k),
        middle,
        names - 2,
      );
      // the probability, and what is wanted
      g.fillStyle = k === target ? colours[3] : ink.faint;
      g.globalAlpha = k === target ? 0.95 : 0.55;
      g.fillRect(middle - w / 2, up(p[k]), w, Math.max(1, base - up(p[k])));
      g.globalAlpha = 1;
      if (k === target) {
        g.strokeStyle = ink.text;
        g.setLineDash([4, 3]);
        g.lineWidth = 1.2;
        g.strokeRect(middle - w / 2, top, w, base - top);
        g.setLineDash([]);
      }
      halo(g, percent(p[k]), middle, Math.max(top + 8, up(p[k]) - 9), "center", ink);
    });
  }
}

/** An arrow up or down, from a place, so many pixels long. */
function arrow(g, x, y, up, colour, ink) {
  if (Math.abs(up) < 1) return;
  const end = y - up;
  const head = Math.sign(up) * Math.min(6, Math.abs(up));
  for (const [style, wide] of [
    [ink.ground, 5],
    [colour, 2.5],
  ]) {
    g.strokeStyle = style;
    g.lineWidth = wide;
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x, end);
    g.moveTo(x - 4, end + head);
    g.lineTo(x, end);
    g.lineTo(x + 4, end + head);
    g.stroke();
  }
}

export const mount = mounting(Softmax);
