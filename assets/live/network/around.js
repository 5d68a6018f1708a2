// The loss around the weights as they are: the surface that a step goes down, along two directions of many.

import { digits, element, labelled, put } from "../dom.js";
import { Scale, font, legend, raster } from "../drawing/canvas.js";
import { Board, mounting } from "../descend/board.js";
import { plain, rules, ticks } from "../marks/axes.js";
import { course, dot, outlined } from "../marks/lines.js";
import { bar, select } from "../parts/controls.js";
import { along, projected, random } from "../sums/around.js";
import { Network } from "../sums/network.js";
import { unitName } from "./names.js";
import { trainer } from "./trainer.js";

const [SIDE, SLICE_MS, LEFT, TOP, BOTTOM] = [45, 8, 46, 8, 54];
const [NARROW, LEAST] = [900, 1e-6];
const [WAY, RANDOM, WEIGHTS] = ["way", "random", "weights"];

class Around extends Board {
  seed = 1;
  reach = 1;

  constructor(parent) {
    super(parent, "The loss around the weights");
    this.root.classList.add("nw");
    this.trainer = trainer();
    this.deaf = this.trainer.hear(() => this.later());
    this.store = {};
    const again = () => this.begin();
    this.kind = select(
      [
        [WAY, "From the start to here, and across"],
        [RANDOM, "Two random directions"],
        [WEIGHTS, "Two weights"],
      ],
      again,
    );
    this.first = select([], again, "One weight");
    this.second = select([], again, "The other weight");
    this.wide = select(
      [0.25, 0.5, 1, 2, 4].map((v) => [v, `± ${v}`]),
      again,
    );
    this.wide.value = "1";
    this.pair = element("span", "un-both nw-both");
    this.pair.append(this.first, this.second);
    this.root.prepend(
      bar(
        labelled("Directions", this.kind, "un-both nw-both nw-long"),
        this.pair,
        labelled("How far", this.wide, "un-both nw-both"),
      ),
    );
    this.root.append(this.says);
    Object.defineProperty(this.root, "around", {
      get: () => ({
        values: this.values && [...this.values],
        row: this.row,
        directions: this.directions?.map((d) => [...d]),
        reach: this.reach,
        p: this.p && [...this.p],
      }),
    });
  }

  destroy() {
    this.deaf();
    clearTimeout(this.timer);
    super.destroy();
  }

  grab() {
    return false;
  }

  settle() {
    this.later();
  }

  // Computed when the training rests.
  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.begin(), 250);
  }

  names() {
    const { net } = this.trainer;
    if (this.of === net.sizes.join()) return;
    this.of = net.sizes.join();
    const all = [];
    for (let l = 1; l <= net.last; l++)
      for (let j = 0; j < net.sizes[l]; j++) {
        const to = unitName(net, l, j);
        for (let i = 0; i < net.sizes[l - 1]; i++)
          all.push([net.weight(l, j, i), `w(${unitName(net, l - 1, i)}→${to})`]);
        all.push([net.b[l] + j, `b(${to})`]);
      }
    for (const [n, node] of [this.first, this.second].entries()) {
      node.replaceChildren(
        ...all.map(([value, textContent]) => element("option", "", { value, textContent })),
      );
      node.value = String(n);
    }
  }

  begin() {
    const { net, data, records, running } = this.trainer;
    if (running || !this.news) return;
    this.names();
    this.pair.hidden = this.kind.value !== WEIGHTS;
    this.p = net.p.slice();
    this.reach = Number(this.wide.value);
    const kind = this.kind.value;
    if (kind === WEIGHTS) {
      const unit = (k) => Float64Array.from(net.p, (_, n) => (n === k ? 1 : 0));
      const a = Number(this.first.value);
      const b = Number(this.second.value);
      this.directions = [unit(a), unit(b === a ? (a + 1) % net.count : b)];
    } else if (kind === RANDOM || !this.trainer.step)
      this.directions = [random(net, 2 * this.seed), random(net, 2 * this.seed + 1)];
    else this.directions = along(records[0].p, net.p, this.seed);
    this.copy = new Network(net.sizes, net.activation, net.loss);
    this.values = new Float64Array(SIDE * SIDE).fill(NaN);
    this.row = data.train.length ? 0 : SIDE;
    this.way = records
      .filter((one) => one.step <= this.trainer.step)
      .map((one) => projected(one.p, this.p, this.directions));
    this.fill();
  }

  fill() {
    const { data } = this.trainer;
    const until = performance.now() + SLICE_MS;
    const at = (n) => ((2 * n) / (SIDE - 1) - 1) * this.reach;
    const [a, b] = this.directions;
    while (this.row < SIDE && performance.now() < until) {
      for (let c = 0; c < SIDE; c++) {
        const [u, v] = [at(c), -at(this.row)];
        for (let k = 0; k < this.p.length; k++) this.copy.p[k] = this.p[k] + u * a[k] + v * b[k];
        this.values[this.row * SIDE + c] = this.copy.measure(data, data.train).loss;
      }
      this.row++;
    }
    this.refresh();
    if (this.row < SIDE) this.timer = setTimeout(() => this.fill(), 16);
  }

  draw(ink, width, colours) {
    const side = width > NARROW;
    const s = Math.min(400, width - LEFT - 20);
    const g = this.surface.begin(width, TOP + s + BOTTOM);
    if (!this.values) return;
    const known = this.values.filter(Number.isFinite);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const log = (v) => Math.log10(Math.max(v, LEAST));
    const ends = { low: log(low), high: log(high) + 1e-9 };
    const scale = new Scale({ ...this.news.losses, ...ends }, this.dark);
    this.store.of = null;
    g.imageSmoothingEnabled = true;
    g.drawImage(raster(this.store, this.values.map(log), SIDE, SIDE, 0, SIDE, 1, scale), LEFT, TOP, s, s);
    const x = (u, left = LEFT) => left + ((u / this.reach + 1) / 2) * s;
    const y = (v) => TOP + ((1 - v / this.reach) / 2) * s;
    const marks = [-this.reach, 0, this.reach];
    const along = (left) => {
      g.textBaseline = "middle";
      const places = marks.map((u) => [x(u, left), plain(u)]);
      ticks(g, places, TOP + s + 10, ink);
    };
    const heights = marks.map((v) => [y(v), plain(v)]);
    rules(g, heights, { left: LEFT, right: LEFT, colours: ink });
    along(LEFT);
    this.path(g, s, { x, y }, colours[0], ink);
    legend(g, LEFT, TOP + s + 26, Math.min(220, s / 2), scale, "Loss", ink, (v) => digits(10 ** v));
    if (side) {
      const left = LEFT + s + 70;
      this.cut(g, { left, s, high, x: (u) => x(u, left) }, colours, ink);
      along(left);
    }
    put(this.says, this.sentence(low, high));
    this.node.setAttribute("aria-label", this.says.textContent);
  }

  // The way of the training, and where the weights are.
  path(g, s, { x, y }, colour, ink) {
    g.save();
    g.beginPath();
    g.rect(LEFT, TOP, s, s);
    g.clip();
    g.lineJoin = "round";
    outlined(
      g,
      this.way.map(([u, v]) => [x(u), y(v)]),
      ink.ground,
      colour,
      2,
    );
    g.fillStyle = ink.ground;
    dot(g, x(0), y(0), 7);
    g.fillStyle = colour;
    dot(g, x(0), y(0), 5);
    g.restore();
  }

  // The loss on the horizontal line through the middle.
  cut(g, { left, s, high, x }, colours, ink) {
    const row = this.values.subarray(((SIDE - 1) / 2) * SIDE, ((SIDE + 1) / 2) * SIDE);
    const most = Math.max(...row.filter(Number.isFinite), high / 1000);
    const y = (v) => TOP + 20 + (s - 20) * (1 - v / most);
    const heights = [0, most / 2, most].map((v) => [y(v), v ? digits(v) : "0"]);
    rules(g, heights, { left, right: left + s, colours: ink });
    const at = (c) => x(((2 * c) / (SIDE - 1) - 1) * this.reach);
    course(g, SIDE, at, (c) => y(row[c]), colours[0], 2.5);
    const here = row[(SIDE - 1) / 2];
    if (Number.isFinite(here)) dot(g, x(0), y(here), 5);
    g.font = font(12, 600);
    g.textAlign = "left";
    g.fillStyle = ink.text;
    g.fillText("Loss on the line through the middle", left, TOP + 6);
  }

  table() {
    const at = (n) => ((2 * n) / (SIDE - 1) - 1) * this.reach;
    const rows = Array.from(this.values ?? [], (v, k) => [at(k % SIDE), -at(Math.floor(k / SIDE)), v]);
    return { columns: ["first direction", "second direction", "loss"], rows };
  }

  sentence(low, high) {
    if (!this.trainer.data.train.length) return "Put points on the plane above.";
    if (this.row < SIDE) return "Computing the loss of the training points on a grid …";
    const here = this.values[(SIDE * SIDE - 1) / 2];
    return `The middle is the network as it is, with a loss of ${digits(here)}; on this plane the loss lies between ${digits(low)} and ${digits(high)}. The line is the path of the training, seen from above. ${this.ways}`;
  }

  // What the two directions are.
  get ways() {
    const kind = this.kind.value;
    const named = (/** @type {HTMLSelectElement} */ list) => list.selectedOptions[0]?.textContent;
    if (kind === WEIGHTS) return `Across: ${named(this.first)}; up: ${named(this.second)}.`;
    if (kind === RANDOM) return "";
    return this.trainer.step
      ? "Across: from the start to here; up: a random direction at a right angle to it."
      : "Nothing has been learned yet, so both directions are random.";
  }
}

export const mount = mounting(Around);
