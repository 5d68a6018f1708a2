// The layers while they learn: the gradient of each matrix of weights, the slope of its units, and those that are dead.

import { digits, element, follow, put, raised } from "../dom.js";
import { font } from "../drawing/canvas.js";
import { Board, mounting } from "../descend/board.js";
import { rules, ticks } from "../marks/axes.js";
import { broken, dot } from "../marks/lines.js";
import { bar, button } from "../parts/controls.js";
import { unitName, whole } from "./names.js";
import { trainer } from "./trainer.js";

const [HIGH, TOP, LOW, SIDE, NARROW] = [170, 26, 30, 52, 720];
const LEAST = 1e-12; // what a scale of powers begins at
/** @type {[string, "gradient" | "slope" | "dead"][]} */
const CHARTS = [
  ["Gradient of the weights, ‖∂L/∂W‖", "gradient"],
  ["Mean slope of the units", "slope"],
  ["Dead units", "dead"],
];

class Layers extends Board {
  /** @type {WeakMap<object, any[]>} what a state that is kept was found to be */
  seen = new WeakMap();

  constructor(parent) {
    super(parent, "Slopes and gradients by layer");
    this.root.classList.add("nw");
    this.trainer = trainer();
    this.deaf = this.trainer.hear(() => this.refresh());
    const deep = { points: "circles", units: [8, 8, 8, 8] };
    this.root.prepend(
      bar(
        ...[
          ["Four layers of sigmoids", { ...deep, activation: "sigmoid" }],
          ["ReLUs that die", { ...deep, activation: "relu", rate: 1 }],
          ["The same with leaky ReLUs", { ...deep, activation: "leaky", rate: 1 }],
        ].map(([title, settings]) =>
          button(String(title), () => {
            this.trainer.open(/** @type {any} */ (settings));
            this.trainer.reach(300);
            this.trainer.tell();
          }),
        ),
      ),
    );
    this.list = element("ul", "ds-key");
    this.root.append(this.says, this.list);
    Object.defineProperty(this.root, "layers", { get: () => this.now() });
  }

  destroy() {
    this.deaf();
    super.destroy();
  }

  grab() {
    return false;
  }

  /** Of every state that is kept: its step, and what each layer is like there. */
  history() {
    const { net, data, records } = this.trainer;
    const held = net.p.slice();
    const found = records.map((record) => {
      let layers = this.seen.get(record);
      if (!layers) {
        net.p.set(record.p);
        this.seen.set(record, (layers = net.layers(data, data.train)));
      }
      return { step: record.step, layers };
    });
    net.p.set(held);
    return found;
  }

  now() {
    const { net, data } = this.trainer;
    return net.layers(data, data.train);
  }

  draw(ink, width, colours) {
    const { net, data, step, end } = this.trainer;
    const [history, now] = [this.history(), this.now()];
    const across = width < NARROW ? 1 : CHARTS.length;
    const each = width / across;
    const g = this.surface.begin(width, (TOP + HIGH + LOW) * (CHARTS.length / across));
    CHARTS.forEach(([title, name], n) => {
      const x = (n % across) * each + SIDE;
      const y = Math.floor(n / across) * (TOP + HIGH + LOW) + TOP;
      const box = { x, y, w: each - SIDE - 14, h: HIGH };
      const at = (/** @type {number} */ s) => box.x + (s / Math.max(1, end)) * box.w;
      const to = this.scaled(g, box, name, history, ink);
      g.font = font(12, 600);
      g.textAlign = "left";
      g.fillStyle = ink.text;
      g.fillText(title, box.x, y - 14);
      ticks(g, [[box.x + box.w / 2, "Step"]], y + HIGH + 11, ink);
      g.textAlign = "right";
      g.fillText(whole(end), box.x + box.w, y + HIGH + 11);
      now.forEach((_, l) => {
        if (name !== "gradient" && l === net.last - 1) return;
        g.strokeStyle = colours[l];
        g.lineWidth = 2;
        const value = (/** @type {number} */ k) => to(history[k].layers[l][name]);
        broken(g, history.length, (k) => at(history[k].step), value);
        if (history.length !== 1 || !Number.isFinite(value(0))) return;
        g.fillStyle = colours[l]; // a line needs two steps
        dot(g, at(history[0].step), value(0), 3.5);
      });
      g.strokeStyle = ink.accent;
      g.lineWidth = 1.5;
      g.beginPath();
      g.moveTo(at(step), y);
      g.lineTo(at(step), y + HIGH);
      g.stroke();
    });
    const names = now.map((_, l) => [colours[l], `to ${unitName(net, l + 1, 0).replace(/\W/u, "")}`]);
    follow(this.list, names, ([colour, words]) => {
      const item = element("li", "");
      const mark = element("i", "nw-line");
      mark.style.color = colour;
      item.append(mark, element("span", "", { textContent: words }));
      return item;
    });
    put(this.says, data.train.length ? this.sentence(now) : "Put points on the plane above.");
    this.says.setAttribute("aria-live", this.trainer.running ? "off" : "polite");
    this.node.setAttribute("aria-label", this.says.textContent);
  }

  /** Its rules, and where a value lies: gradients by powers of ten. */
  scaled(g, box, name, history, ink) {
    const place = { left: box.x, right: box.x + box.w, colours: ink };
    if (name !== "gradient") {
      const y = (/** @type {number} */ v) => box.y + box.h * (1 - Math.min(v, 1));
      const mark = (/** @type {number} */ v) => (name === "dead" ? `${100 * v} %` : String(v));
      rules(
        g,
        [0, 0.5, 1].map((v) => [y(v), mark(v)]),
        place,
      );
      return y;
    }
    const all = history.flatMap(({ layers }) => layers.map((one) => one.gradient)).filter((v) => v > LEAST);
    const [low, high] = [Math.min(...all, 1), Math.max(...all, 1)].map((v) => Math.log10(v));
    const [from, to] = [Math.floor(low), Math.ceil(high + 0.1)];
    const y = (/** @type {number} */ v) =>
      v > 0 ? box.y + (box.h * (to - Math.max(from, Math.log10(v)))) / (to - from) : box.y + box.h;
    const apart = Math.ceil((to - from) / 4);
    const marks = Array.from({ length: to - from + 1 }, (_, k) => from + k).filter(
      (k) => (to - k) % apart === 0,
    );
    rules(
      g,
      marks.map((k) => [y(10 ** k), k ? `10${raised(k)}` : "1"]),
      place,
    );
    return y;
  }

  table() {
    const { net } = this.trainer;
    const rows = this.history().flatMap(({ step, layers }) =>
      layers.map(({ gradient, slope, dead }, l) => [step, unitName(net, l + 1, 0)[0], gradient, slope, dead]),
    );
    const columns = ["step", "to the units", "gradient of the weights", "mean slope", "share of dead units"];
    return { columns, rows };
  }

  sentence(now) {
    const { net, step } = this.trainer;
    const [first, last] = [now[0].gradient, now[net.last - 1].gradient];
    const letters = (/** @type {number} */ l) => unitName(net, l + 1, 0).replace(/\W/u, "");
    const hidden = now.slice(0, -1);
    const dead = hidden.map(({ dead: share }, l) => [share * net.sizes[l + 1], l]).filter(([count]) => count);
    const many = dead.map(([count, l]) => `${Math.round(count)} of ${net.sizes[l + 1]} in ${letters(l)}`);
    const gone = many.length
      ? `Dead, with a slope of 0 at every point: ${many.join(", ")}. Their weights get no gradient.`
      : hidden.length
        ? "No unit is dead: each has a slope at some point."
        : "There is no hidden unit.";
    if (!hidden.length) return gone;
    return `Step ${whole(step)}: the gradient of the weights to ${letters(0)} is ${digits(first)}, of those to p ${digits(last)}. ${gone}`;
  }
}

export const mount = mounting(Layers);
