// One neuron with two inputs: the line that it draws through the plane, its sum on the curve of the activation function,
// and its output as colour.  Weights, bias and inputs are dragged; a task is learned while one watches.

import { digits, element, put } from "../dom.js";
import { Scale, Surface, font, legend, raster } from "../drawing/canvas.js";
import { rules, ticks } from "../marks/axes.js";
import { course, dot, outlined } from "../marks/lines.js";
import { halo, minus, title } from "../marks/words.js";
import { bar, button, slider } from "../parts/controls.js";
import { Board, mounting } from "../descend/board.js";
import { ACTIVATIONS, CORNERS, TASKS, loss, right, step } from "../sums/activations.js";

const NAMES = {
  sigmoid: "Sigmoid",
  tanh: "tanh",
  relu: "ReLU",
  leaky: "Leaky ReLU",
  elu: "ELU",
  hard: "Hard sigmoid",
  softplus: "Softplus",
  gelu: "GELU",
};
const GOALS = { none: "No task", and: "AND", or: "OR", xor: "XOR" };
const REACH = 2; // of the inputs, on both sides
const SLIDES = [
  ["w1", "w₁", 15],
  ["w2", "w₂", 15],
  ["b", "b", 15],
  ["x1", "x₁", REACH],
  ["x2", "x₂", REACH],
];
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const CELLS = 72, // of the plane, on each side
  LEFT = 30,
  TOP = 22,
  FOOT = 50,
  NEAR = 16, // pixels from a handle
  ARROW = 1.6, // an arrow comes near to this length, however large the weights are
  FLAT = 0.1, // of the largest slope: below it the neuron counts as saturated
  STEPS = 4, // of learning in one frame
  AT_ONCE = 200, // where nothing shall move
  LEARNED = 0.005,
  MOST = 4000;
const signed = (/** @type {number} */ v) => (v < 0 ? ` − ${digits(-v)}` : ` + ${digits(v)}`);
const held = (/** @type {number} */ v, /** @type {number} */ most) =>
  Number(Math.max(-most, Math.min(most, v)).toFixed(2));

class Neuron extends Board {
  s = { f: "sigmoid", task: "none", w1: 1, w2: 1, b: 0, x1: 0, x2: 0 };
  store = {};
  /** @type {string} what is dragged */
  handle = "";
  learning = 0; // the frame asked for
  steps = 0;

  constructor(parent) {
    super(parent, "One neuron with two inputs");
    this.root.classList.add("nr");
    this.row = element("div", "nr-row");
    this.row.append(this.node);
    this.curve = new Surface(this.row);
    this.pick(this.curve.node, (x) => this.pull(x));
    this.curve.node.addEventListener("keydown", (e) => {
      const way = KEYS[e.key];
      if (!way || !way[0]) return;
      e.preventDefault();
      this.set({ b: held(this.s.b + 0.1 * way[0], 15) });
    });
    const pills = (all, name, label) => {
      const made = Object.entries(all).map(([id, words]) => {
        const node = button(words, () => this.set({ [name]: id }));
        node.dataset[name] = id;
        return node;
      });
      const group = bar(...made);
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", label);
      return { made, group };
    };
    this.functions = pills(NAMES, "f", "Activation function");
    this.goals = pills(GOALS, "task", "Task");
    this.learn = button("Learn", () => this.toggle(), {
      className: "un-button un-play",
      title: "Gradient descent on all four corners",
    });
    this.fresh = button("New weights", () => this.anew(), { title: "Other weights to begin with" });
    this.told = element("span", "nr-told");
    this.goals.group.append(this.learn, this.fresh, this.told);
    const slides = element("div", "nr-slides");
    this.slides = SLIDES.map(([name, words, most]) => {
      const input = slider(
        (v) => this.set({ [name]: v }, false),
        { min: -most, max: most, step: 0.05 },
        String(words),
      );
      input.addEventListener("change", () => this.wishes.wish());
      const output = element("output");
      const label = element("label");
      label.append(element("span", "", { textContent: words }), input, output);
      slides.append(label);
      return { name: String(name), input, output };
    });
    this.root.append(this.functions.group, this.row, this.says, slides, this.goals.group);
    Object.defineProperty(this.root, "neuron", {
      get: () => ({ ...this.s, ...this.now(), steps: this.steps, idle: this.wishes.idle }),
    });
  }

  /** Drags on another canvas than the plane. @param {HTMLElement} node @param {(x: number) => void} move */
  pick(node, move) {
    const at = (/** @type {PointerEvent} */ e) => e.clientX - node.getBoundingClientRect().left;
    let on = false;
    node.addEventListener("pointerdown", (e) => {
      if (e.button) return;
      on = this.dragging = true;
      node.setPointerCapture(e.pointerId);
      move(at(e));
    });
    node.addEventListener("pointermove", (e) => {
      if (on) move(at(e));
    });
    for (const name of ["pointerup", "pointercancel"])
      node.addEventListener(name, () => {
        on = this.dragging = false;
        this.drop();
        this.refresh();
      });
  }

  // The page below is told, once.
  drop() {
    if (this.changed) this.wishes.wish();
    this.changed = false;
  }

  destroy() {
    cancelAnimationFrame(this.learning);
    super.destroy();
  }

  wish() {
    const { s } = this;
    return { ...s, w1: held(s.w1, 15), w2: held(s.w2, 15), b: held(s.b, 15) };
  }

  settle() {
    if (!this.learning) this.s = { ...this.news.state };
  }

  /** @param {object} more @param {boolean} tell whether Python hears of it now */
  set(more, tell = true) {
    if ("task" in more || "f" in more) this.stop();
    Object.assign(this.s, more);
    if (tell && !this.dragging) this.wishes.wish();
    else this.changed = true;
    this.refresh();
  }

  now() {
    const { s } = this;
    const { of, slope } = ACTIVATIONS[s.f];
    const z = s.w1 * s.x1 + s.w2 * s.x2 + s.b;
    return { z, a: of(z), slope: slope(z) };
  }

  // Learning.
  toggle() {
    if (this.learning) {
      this.stop();
      this.wishes.wish();
    } else if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.walk(AT_ONCE);
      this.wishes.wish();
    } else this.frame();
    this.refresh();
  }

  stop() {
    cancelAnimationFrame(this.learning);
    this.learning = 0;
  }

  walk(many) {
    const wanted = TASKS[this.s.task];
    const rate = ACTIVATIONS[this.s.f].high < 2 ? 0.5 : 0.05;
    for (let n = 0; n < many; n++) step(this.s, this.s.f, wanted, rate);
    this.steps += many;
  }

  frame() {
    this.learning = requestAnimationFrame(() => {
      this.walk(STEPS);
      const done = loss(this.s, this.s.f, TASKS[this.s.task]) < LEARNED || this.steps >= MOST;
      if (done || !this.root.isConnected) {
        this.stop();
        this.wishes.wish();
      } else this.frame();
      this.refresh();
    });
  }

  anew() {
    this.stop();
    this.steps = 0;
    const any = () => held(6 * Math.random() - 3, 15);
    this.set({ w1: any(), w2: any(), b: any() });
  }

  // From inputs to pixels of the plane, and back.
  x = (/** @type {number} */ v) => LEFT + ((v + REACH) / (2 * REACH)) * this.side;
  y = (/** @type {number} */ v) => TOP + ((REACH - v) / (2 * REACH)) * this.side;
  inverse(px, py) {
    return [((px - LEFT) / this.side) * 2 * REACH - REACH, REACH - ((py - TOP) / this.side) * 2 * REACH];
  }

  // The tip of the arrow of the weights, and the weights of a tip.
  tip() {
    const { w1, w2 } = this.s;
    const long = Math.hypot(w1, w2);
    const share = ARROW / (long + 4);
    return [w1 * share, w2 * share];
  }

  weights(x, y) {
    const r = Math.min(Math.hypot(x, y), 0.82 * ARROW);
    const long = (4 * r) / (ARROW - r);
    const away = Math.hypot(x, y) || 1;
    return { w1: held((x / away) * long, 15), w2: held((y / away) * long, 15) };
  }

  grab(px, py) {
    const { s } = this;
    const [tx, ty] = this.tip();
    const near = (x, y) => Math.hypot(this.x(x) - px, this.y(y) - py);
    const [x, y] = this.inverse(px, py);
    const long = Math.hypot(s.w1, s.w2);
    const off = long ? (Math.abs(s.w1 * x + s.w2 * y + s.b) / long / (2 * REACH)) * this.side : Infinity;
    if (near(tx, ty) < NEAR && near(tx, ty) < near(s.x1, s.x2)) this.handle = "w";
    else if (near(s.x1, s.x2) < NEAR) this.handle = "x";
    else this.handle = off < 9 ? "b" : "x";
    return px >= LEFT - 12 && px <= LEFT + this.side + 12 && py >= TOP - 12 && py <= TOP + this.side + 12;
  }

  drag(px, py) {
    const [x, y] = this.inverse(px, py);
    if (this.handle === "w") this.set(this.weights(x, y));
    else if (this.handle === "b") this.set({ b: held(-this.s.w1 * x - this.s.w2 * y, 15) });
    else this.set({ x1: held(x, REACH), x2: held(y, REACH) });
  }

  key(e) {
    const way = KEYS[e.key];
    if (!way) return false;
    this.set({ x1: held(this.s.x1 + way[0] / 20, REACH), x2: held(this.s.x2 + way[1] / 20, REACH) });
    return true;
  }

  // The sum is dragged along its axis: the bias makes it so.
  pull(px) {
    const z = ((px - this.axis.left) / this.axis.wide) * 2 * this.axis.reach - this.axis.reach;
    this.set({ b: held(this.s.b + z - this.now().z, 15) });
  }

  draw(ink, width, colours) {
    const { s } = this;
    const one = width < 600;
    this.side = one ? width - LEFT - 8 : Math.round(Math.min(400, Math.max(300, (width - 40) * 0.37)));
    const left = width - LEFT - this.side - 8 - 20;
    const curve = one ? width : left;
    const tall = TOP + this.side + FOOT;
    const scale = this.scaled();
    this.plane(ink, colours, scale, tall);
    this.sum(ink, colours, curve, one ? 360 : tall);
    for (const { name, input, output } of this.slides) {
      if (document.activeElement !== input || Number(input.value) !== s[name]) input.value = String(s[name]);
      put(output, Math.abs(s[name]) < 5e-4 ? "0" : digits(s[name]));
      input.setAttribute("aria-valuetext", digits(s[name]));
    }
    for (const node of this.functions.made) node.setAttribute("aria-pressed", String(node.dataset.f === s.f));
    for (const node of this.goals.made)
      node.setAttribute("aria-pressed", String(node.dataset.task === s.task));
    this.learn.hidden = this.fresh.hidden = s.task === "none";
    put(this.learn, this.learning ? "Stop" : "Learn");
    const wanted = TASKS[s.task];
    put(
      this.told,
      wanted
        ? `${right(s, s.f, wanted)} of 4 corners right, loss ${digits(loss(s, s.f, wanted))}, step ${this.steps}`
        : "The corners of a task stand in the plane; Learn moves the weights.",
    );
    put(this.says, this.sentence());
    this.node.setAttribute(
      "aria-label",
      `The plane of the two inputs. Arrow keys move the input. ${this.sentence()}`,
    );
    this.curve.node.setAttribute(
      "aria-label",
      `The sum on the curve of ${NAMES[s.f]}. Left and right move the bias.`,
    );
  }

  sentence() {
    const { s } = this;
    const { z, a, slope } = this.now();
    const most = this.steepest();
    const share = Math.round((100 * slope) / most);
    return `z = ${digits(s.w1 * s.x1)}${signed(s.w2 * s.x2)}${signed(s.b)} = ${digits(z)}. The output is ${digits(a)}, the slope ${digits(slope)}, ${share} % of the largest.`;
  }

  // The input, then the plane.
  table() {
    const { s } = this;
    const { of, slope } = ACTIVATIONS[s.f];
    const marks = Array.from({ length: 9 }, (_, k) => k / 2 - REACH);
    const places = [[s.x1, s.x2], ...marks.flatMap((x1) => marks.map((x2) => [x1, x2]))];
    const rows = places.map(([x1, x2]) => {
      const z = s.w1 * x1 + s.w2 * x2 + s.b;
      return [s.w1, s.w2, s.b, x1, x2, z, of(z), slope(z)];
    });
    return { columns: ["w₁", "w₂", "b", "x₁", "x₂", "sum z", "output a", "slope f′(z)"], rows };
  }

  steepest() {
    const { slope } = ACTIVATIONS[this.s.f];
    if (this.ofSlope !== this.s.f) {
      this.ofSlope = this.s.f;
      this.most = 0;
      for (let z = -40; z <= 40; z += 0.01) this.most = Math.max(this.most, slope(z));
    }
    return this.most;
  }

  // The output at every place of the plane, and its colours: between the ends of the function where it has two.
  scaled() {
    const { s } = this;
    const { of, low, high } = ACTIVATIONS[s.f];
    this.values ??= new Float32Array(CELLS * CELLS);
    let [least, most] = [Infinity, -Infinity];
    for (let i = 0, n = 0; i < CELLS; i++)
      for (let j = 0; j < CELLS; j++, n++) {
        const x1 = ((j + 0.5) / CELLS) * 2 * REACH - REACH;
        const x2 = REACH - ((i + 0.5) / CELLS) * 2 * REACH;
        const a = of(s.w1 * x1 + s.w2 * x2 + s.b);
        this.values[n] = a;
        least = Math.min(least, a);
        most = Math.max(most, a);
      }
    this.values = this.values.slice(); // another picture, for `raster`
    const bounded = Number.isFinite(low) && Number.isFinite(high);
    const ends = bounded ? [low, high] : [least, Math.max(most, least + 1e-6)];
    return new Scale({ ...this.news.scale, low: ends[0], high: ends[1] }, this.dark);
  }

  plane(ink, colours, scale, tall) {
    const { s, side } = this;
    const g = this.surface.begin(LEFT + side + 8, tall);
    const picture = raster(this.store, this.values, CELLS, CELLS, 0, CELLS, 1, scale);
    g.imageSmoothingEnabled = true;
    g.drawImage(picture, LEFT, TOP, side, side);
    title(g, "The inputs, and the line z = 0", LEFT, 9, ink);
    const marks = [-2, -1, 0, 1, 2];
    const clear = { ...ink, line: "transparent" };
    rules(
      g,
      marks.map((v) => [this.y(v), minus(v)]),
      { left: LEFT, right: LEFT, colours: clear },
    );
    ticks(
      g,
      marks.map((v) => [this.x(v), minus(v)]),
      TOP + side + 11,
      ink,
    );
    g.textAlign = "center";
    g.fillText("x₁", (this.x(1) + this.x(2)) / 2, TOP + side + 11);
    g.textAlign = "right";
    g.fillText("x₂", LEFT - 5, (this.y(1) + this.y(2)) / 2);
    legend(g, LEFT, TOP + side + 22, Math.min(180, side / 2), scale, "output a", ink);
    g.save();
    g.beginPath();
    g.rect(LEFT, TOP, side, side);
    g.clip();
    this.line(g, ink);
    this.arrow(g, ink);
    this.corners(g, ink, colours);
    g.restore();
    const [px, py] = [this.x(s.x1), this.y(s.x2)];
    g.fillStyle = ink.ground;
    dot(g, px, py, 10);
    g.fillStyle = colours[1];
    dot(g, px, py, 7.5);
    halo(g, "Input", px + (s.x1 > 1.2 ? -14 : 14), py, s.x1 > 1.2 ? "right" : "left", ink);
  }

  line(g, ink) {
    const { w1, w2, b } = this.s;
    const long = w1 * w1 + w2 * w2;
    if (!long) return;
    const [x, y] = [(-b * w1) / long, (-b * w2) / long];
    const far = (4 * REACH) / Math.sqrt(long);
    const ends = [-1, 1].map((d) => [this.x(x - d * far * w2), this.y(y + d * far * w1)]);
    outlined(g, ends, ink.ground, ink.text, 2.5);
  }

  arrow(g, ink) {
    const [x, y] = this.tip();
    const [px, py, ox, oy] = [this.x(x), this.y(y), this.x(0), this.y(0)];
    for (const [style, wide] of [
      [ink.ground, 6],
      [ink.text, 3],
    ]) {
      g.strokeStyle = g.fillStyle = style;
      g.lineWidth = wide;
      g.beginPath();
      g.moveTo(ox, oy);
      g.lineTo(px, py);
      g.stroke();
      dot(g, px, py, wide + 4);
    }
    halo(g, "w", px + (x < 0 ? -14 : 14), py - 8, x < 0 ? "right" : "left", ink);
  }

  corners(g, ink, colours) {
    const wanted = TASKS[this.s.task];
    if (!wanted) return;
    CORNERS.forEach(([x1, x2], n) => {
      const a = ACTIVATIONS[this.s.f].of(this.s.w1 * x1 + this.s.w2 * x2 + this.s.b);
      const [px, py] = [this.x(x1), this.y(x2)];
      const wrong = a > 0.5 !== (wanted[n] === 1);
      g.fillStyle = ink.ground;
      dot(g, px, py, 15);
      g.lineWidth = wrong ? 3.5 : 1.5;
      g.strokeStyle = wrong ? colours[1] : ink.text;
      g.beginPath();
      g.arc(px, py, 12.5, 0, 7);
      g.stroke();
      if (wanted[n]) {
        g.fillStyle = ink.text;
        dot(g, px, py, 9.5);
      }
      g.fillStyle = wanted[n] ? ink.ground : ink.text;
      g.font = font(13, 700);
      g.textAlign = "center";
      g.textBaseline = "middle";
      g.fillText(String(wanted[n]), px, py + 0.5);
      if (wrong) halo(g, "Wrong", px, py + 24, "center", ink);
    });
  }

  // The curve, its slope, and below them on the same axis how the sum comes about.
  sum(ink, colours, width, tall) {
    const { s } = this;
    const { of, slope } = ACTIVATIONS[s.f];
    const { z, a, slope: here } = this.now();
    const parts = [
      ["w₁ x₁", s.w1 * s.x1],
      ["w₂ x₂", s.w2 * s.x2],
      ["b", s.b],
    ];
    const ends = [0];
    for (const [, value] of parts) ends.push(ends.at(-1) + Number(value));
    const far = 1.08 * Math.max(...ends.map(Math.abs));
    const reach = [6, 10, 20, 40, 80].find((r) => r >= far);
    const left = 44;
    const wide = width - left - 10;
    this.axis = { left, wide, reach };
    const g = this.curve.begin(width, tall);
    const x = (v) => left + ((Math.max(-reach, Math.min(reach, v)) + reach) / (2 * reach)) * wide;
    const rows = 4 * 21;
    const high = tall - TOP - rows - 34;
    const top = Math.round(high * 0.62),
      low = high - top - 16;
    const grid = Array.from({ length: 241 }, (_, k) => reach * (k / 120 - 1));
    const values = grid.map(of);
    const [least, most] = [Math.min(0, ...values), Math.max(...values)];
    const y = (v) => TOP + top * (1 - (v - least) / (most - least));
    const base = TOP + top + 16 + low;
    const up = (v) => base - (low * v) / 1.2;
    title(g, "The sum, the function, its slope", 6, 9, ink);
    // where it is flat
    const steep = this.steepest();
    g.fillStyle = ink.faint;
    g.globalAlpha = 0.13;
    for (let k = 0, from = -1; k <= 240; k++) {
      const flat = k < 240 && slope((grid[k] + grid[k + 1]) / 2) < FLAT * steep;
      if (flat && from < 0) from = k;
      if (flat || from < 0) continue;
      g.fillRect(x(grid[from]), TOP, x(grid[k]) - x(grid[from]), base - TOP);
      from = -1;
    }
    g.globalAlpha = 1;
    rules(
      g,
      (most - least > 2.5
        ? [0, Math.round(most)]
        : [...new Set([Math.round(least), 0, Math.round(most)])]
      ).map((v) => [y(v), minus(v)]),
      { left, right: left + wide, colours: ink },
    );
    rules(
      g,
      [0, 0.25, 1].map((v) => [up(v), String(v)]),
      { left, right: left + wide, colours: ink },
    );
    const curve = (of, at, colour) =>
      course(
        g,
        grid.length,
        (k) => x(grid[k]),
        (k) => at(of(grid[k])),
        colour,
        2.5,
      );
    curve(of, y, colours[0]);
    g.fillStyle = colours[2];
    g.globalAlpha = 0.22;
    g.beginPath();
    g.moveTo(left, base);
    for (const v of grid) g.lineTo(x(v), up(slope(v)));
    g.lineTo(left + wide, base);
    g.fill();
    g.globalAlpha = 1;
    curve(slope, up, colours[2]);
    g.font = font(12, 600);
    g.textBaseline = "middle";
    g.textAlign = "left";
    g.fillStyle = colours[0];
    halo(g, "a = f(z)", left + 6, TOP + 12, "left", ink, colours[0]);
    halo(g, "slope f′(z)", left + 6, base - low + 2, "left", ink, colours[2]);
    // the tangent, the dots, and the way down to the sum
    const span = 0.22 * reach;
    g.save();
    g.beginPath();
    g.rect(left, TOP - 6, wide, base - TOP + 6);
    g.clip();
    g.strokeStyle = ink.text;
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(x(z - span), y(a - here * span));
    g.lineTo(x(z + span), y(a + here * span));
    g.stroke();
    g.restore();
    g.strokeStyle = colours[1];
    g.setLineDash([4, 3]);
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(x(z), y(a));
    g.lineTo(x(z), tall - 24);
    g.stroke();
    g.setLineDash([]);
    for (const py of [y(a), up(here)]) {
      g.fillStyle = ink.ground;
      dot(g, x(z), py, 8);
      g.fillStyle = colours[1];
      dot(g, x(z), py, 6);
    }
    this.bars(g, ink, colours, parts, ends, { x, top: base + 10, left, wide });
    ticks(
      g,
      [-reach, -reach / 2, 0, reach / 2, reach].map((v) => [
        Math.max(left + 8, Math.min(left + wide - 8, x(v))),
        minus(v),
      ]),
      tall - 8,
      ink,
    );
  }

  bars(g, ink, colours, parts, ends, { x, top, left, wide }) {
    const rows = [...parts.map(([name, value], n) => [name, value, ends[n]]), ["z", ends[3], 0]];
    g.fillStyle = ink.line;
    g.fillRect(x(0) - 0.5, top, 1, rows.length * 21);
    rows.forEach(([name, value, from], n) => {
      const y = top + n * 21;
      const [a, b] = [x(from), x(from + value)];
      g.fillStyle = n === 3 ? colours[1] : value < 0 ? colours[0] : colours[2];
      g.globalAlpha = n === 3 ? 1 : 0.75;
      g.fillRect(Math.min(a, b), y + 3, Math.max(1.5, Math.abs(b - a)), 14);
      g.globalAlpha = 1;
      g.fillStyle = ink.text;
      g.font = font(12, n === 3 ? 700 : 400);
      g.textBaseline = "middle";
      g.textAlign = "right";
      g.fillText(name, left - 6, y + 10);
      const out = Math.max(a, b) + 44 < left + wide;
      halo(
        g,
        digits(value),
        out ? Math.max(a, b) + 5 : Math.min(a, b) - 5,
        y + 10,
        out ? "left" : "right",
        ink,
      );
    });
  }
}

export const mount = mounting(Neuron);
