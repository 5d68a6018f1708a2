// A restricted Boltzmann machine at work: its visible units, its hidden units with what each has learned, the exact
// probability of the patterns beside what the machine draws by itself.

import { digits, element, percent, put, small } from "../dom.js";
import { Scale, font, legend, raster } from "../drawing/canvas.js";
import { Board, mounting } from "../descend/board.js";
import { Curves, heading, level } from "../descend/curves.js";
import { rules } from "../marks/axes.js";
import { cellAt } from "../marks/grid.js";
import { boxAt } from "../marks/pointer.js";
import { randoms } from "../sums/network.js";
import { Controls } from "./controls.js";
import { trainer } from "./trainer.js";

const [NARROW, GAP, HEAD, TURN_MS, DREAMS, SHOWN] = [760, 12, 22, 160, 15, 30];
const [FIRST, SETTLED] = [9, 100]; // of the patterns, which stands there at first; turns from noise, of what has learned
const LOW = Array.from("₀₁₂₃₄₅₆₇₈₉");
const index = (/** @type {number} */ n) => Array.from(String(n), (digit) => LOW[Number(digit)]).join("");

export class BoltzmannBoard extends Board {
  flows = false;
  held = "none";
  /** @type {any} where the visible units lie, the hidden ones, the curves, the patterns, and what it draws */
  visible = null;
  /** @type {any[]} */
  tiles = [];
  /** @type {any} */
  curve = null;
  /** @type {any} */
  off = null;
  /** @type {any[]} */
  strip = [];
  /** @type {any[]} */
  dreamed = [];
  /** @type {Float64Array[]} */
  dreams = [];
  /** @type {any[]} */
  stores = [];
  /** @type {any} */
  pointed = null;
  /** @type {{side: "v" | "h", k: number}} what the arrow keys are at */
  kept = { side: "v", k: 0 };

  constructor(parent) {
    super(parent, "A restricted Boltzmann machine");
    this.root.classList.add("bm");
    this.trainer = trainer();
    this.random = randoms(5);
    this.controls = new Controls(this.trainer, this);
    this.deaf = this.trainer.hear(() => this.refresh());
    this.buttons = this.controls.player.root;
    this.told = element("p", "bm-energy");
    this.root.append(this.controls.first, this.buttons, this.controls.chain, this.node, this.told, this.says);
    this.clock = setInterval(() => this.turn(), TURN_MS);
    Object.defineProperty(this.root, "boltzmann", {
      get: () => ({
        ...{ step: this.trainer.step, end: this.trainer.end, running: this.trainer.running },
        ...{ settings: this.trainer.settings, p: [...this.trainer.machine.p], here: this.trainer.here },
        ...{ v: [...this.v], h: [...this.h], rows: this.trainer.data.rows.map((row) => [...row]) },
        ...{
          boxes: this.boxes,
          tiles: this.tiles,
          strip: this.strip,
          dreams: this.dreams.map((v) => [...v]),
        },
      }),
    });
  }

  destroy() {
    this.deaf();
    clearInterval(this.clock);
    super.destroy();
  }

  settle() {
    this.trainer.take(this.news.sent);
    this.trainer.ask(this.news.asked);
  }

  // The chain that is looked at, and those drawn by themselves, for the machine that is there.
  follow() {
    const { machine, data } = this.trainer;
    if (this.of === machine) return;
    this.of = machine;
    this.v = data.rows[FIRST % data.rows.length]?.slice() ?? new Float64Array(machine.n);
    this.h = new Float64Array(machine.m);
    this.stores = Array.from({ length: machine.m }, () => /** @type {any} */ ({}));
    this.dreams = Array.from({ length: DREAMS }, () => this.trainer.noise(this.random));
    this.kept = { side: "v", k: 0 };
    if (this.trainer.step) for (const v of this.dreams) machine.gibbs(v, SETTLED, this.random);
  }

  get rowsOf() {
    return Math.ceil(this.trainer.machine.n / this.trainer.data.across);
  }

  isHeld(i) {
    const { across } = this.trainer.data;
    if (this.held === "upper") return Math.floor(i / across) < this.rowsOf / 2;
    return this.held === "left" && i % across < across / 2;
  }

  holding(which) {
    this.held = which;
    this.refresh();
  }

  erase() {
    for (let i = 0; i < this.v.length; i++) if (!this.isHeld(i)) this.v[i] = this.random() < 0.5 ? 1 : 0;
    this.refresh();
  }

  flowing(on) {
    this.flows = on;
    this.refresh();
  }

  /** One half of a turn. @param {"v" | "h"} side */
  sample(side) {
    const { machine } = this.trainer;
    const { v, h } = this;
    if (side === "h") {
      machine.hidden(v, machine.ph);
      for (let j = 0; j < h.length; j++) h[j] = this.random() < machine.ph[j] ? 1 : 0;
    } else {
      const p = machine.visible(h, new Float64Array(v.length));
      for (let i = 0; i < v.length; i++) if (!this.isHeld(i)) v[i] = this.random() < p[i] ? 1 : 0;
    }
    this.half = side;
    this.refresh();
  }

  // Time goes on: what runs takes half a turn, and while it learns, what it draws by itself follows.
  turn() {
    if (!this.news || !this.of || document.hidden) return;
    const { machine, running } = this.trainer;
    if (running || this.flows) for (const v of this.dreams) machine.gibbs(v, 1, this.random);
    if (this.flows) this.sample(this.half === "h" ? "v" : "h");
  }

  // Where everything lies.
  lay(width) {
    const { machine, data } = this.trainer;
    const narrow = width < NARROW;
    const side = Math.min(width - 20, narrow ? 260 : Math.min(250, width * 0.24));
    const high = (side / data.across) * this.rowsOf;
    const visible = { x: 0, y: HEAD, w: side, h: high, rows: this.rowsOf, columns: data.across };
    const left = narrow ? 0 : side + 3 * GAP;
    const top = narrow ? visible.y + high + HEAD + 8 : HEAD;
    const right = narrow ? width : Math.round(width * 0.62);
    const columns = 4;
    const wide = Math.min(96, (right - left) / columns - GAP);
    const tall = (wide / data.across) * this.rowsOf;
    const tiles = Array.from({ length: machine.m }, (_, j) => ({
      ...{ j, x: left + (j % columns) * (wide + GAP), y: top + Math.floor(j / columns) * (tall + 26) },
      ...{ w: wide, h: tall, rows: this.rowsOf, columns: data.across },
    }));
    const below = Math.max(visible.y + high + 12, tiles.at(-1).y + tall + 64);
    const x = narrow ? 44 : left + columns * (wide + GAP) + 50;
    const curve = { x, y: narrow ? below + HEAD : HEAD + 6, w: width - x - 8, h: 130 };
    const off = { ...curve, y: curve.y + curve.h + 52, h: 70 };
    const down = Math.max(below, off.y + off.h + 24);
    const size = Math.min(44, (width - 8) / (narrow ? 8 : 15) - 6);
    const boxes = (count, from) =>
      Array.from({ length: count }, (_, n) => {
        const each = Math.max(1, Math.floor((width + 6) / (size + 6)));
        const lie = {
          x: (n % each) * (size + 6),
          y: from + HEAD + Math.floor(n / each) * (size * this.shape + 20),
        };
        return { n, ...lie, w: size, h: size * this.shape, rows: this.rowsOf, columns: data.across };
      });
    const strip = boxes(Math.min(SHOWN, data.rows.length), down);
    const then = (strip.at(-1)?.y ?? down) + size * this.shape + 26;
    const dreams = boxes(DREAMS, then);
    Object.assign(this, { visible, tiles, curve, off, strip, dreamed: dreams });
    this.boxes = { visible, curve, off };
    return dreams.at(-1).y + size * this.shape + 8;
  }

  get shape() {
    return this.rowsOf / this.trainer.data.across;
  }

  draw(ink, width, colours) {
    this.follow();
    const { trainer: of, controls } = this;
    const height = this.lay(width);
    const g = this.surface.begin(width, height);
    const { ink: onOff, weights } = this.news.scales;
    const scale = new Scale(onOff, this.dark);
    g.textBaseline = "middle";
    heading(g, "Visible units v", this.visible, ink);
    this.cells(g, this.visible, this.v, scale, ink, true);
    heading(g, "Hidden units h, and their weights", this.tiles[0], ink);
    this.hiddenUnits(g, new Scale(this.reach(weights), this.dark), ink);
    this.curves(g, colours, ink);
    this.patterns(g, scale, ink);
    controls.draw();
    put(this.told, this.energies());
    put(this.says, this.sentence());
    this.says.setAttribute("aria-live", of.running || this.flows ? "off" : "polite");
    this.node.style.cursor = this.pointed?.acts ? "pointer" : "default";
    this.node.setAttribute(
      "aria-label",
      "Visible and hidden units. Arrow keys choose one, Enter turns it on or off, the space bar trains and pauses.",
    );
    this.root.dataset.step = String(of.step);
  }

  /** The colours reach as far as the largest weight. */
  reach(scale) {
    const { p, b } = this.trainer.machine;
    const most = Math.max(1, ...p.subarray(0, b).map(Math.abs));
    return { ...scale, low: -most, high: most };
  }

  /** A configuration as cells; with the words of its units where there is room. */
  cells(g, box, values, scale, ink, large = false) {
    const [w, h] = [box.w / box.columns, box.h / box.rows];
    const { names } = this.trainer.data;
    for (let i = 0; i < values.length; i++) {
      const [x, y] = [box.x + (i % box.columns) * w, box.y + Math.floor(i / box.columns) * h];
      g.fillStyle = scale.css(values[i]);
      if (large) g.fillRect(x, y, w - 2, h - 2);
      else g.fillRect(x, y, w + 0.6, h + 0.6); // without seams
      if (!large) continue;
      const kept = this.kept.side === "v" && this.kept.k === i && document.activeElement === this.node;
      g.strokeStyle = this.isHeld(i) || kept ? ink.accent : ink.line;
      g.lineWidth = this.isHeld(i) || kept ? 2 : 1;
      g.strokeRect(x + 0.5, y + 0.5, w - 3, h - 3);
      if (!names) continue;
      g.font = font(11);
      g.fillStyle = values[i] ? ink.ground : ink.text;
      g.textAlign = "center";
      g.fillText(names[i], x + w / 2 - 1, y + h / 2, w - 6);
    }
    if (large) return;
    g.strokeStyle = ink.line;
    g.lineWidth = 1;
    g.strokeRect(box.x + 0.5, box.y + 0.5, box.w - 1, box.h - 1);
  }

  hiddenUnits(g, scale, ink) {
    const { machine, version } = this.trainer;
    const p = machine.hidden(this.v, machine.ph);
    for (const tile of this.tiles) {
      const { j, x, y, w, h } = tile;
      const store = this.stores[j];
      if (store.at !== version) Object.assign(store, { of: null, at: version });
      g.imageSmoothingEnabled = false;
      g.drawImage(
        raster(store, machine.p, tile.rows, tile.columns, j, tile.columns * machine.m, machine.m, scale),
        x,
        y,
        w,
        h,
      );
      const kept = this.kept.side === "h" && this.kept.k === j && document.activeElement === this.node;
      const on = this.h[j] > 0;
      g.strokeStyle = on || kept ? ink.accent : ink.line;
      g.lineWidth = on ? 4 : kept ? 2 : 1;
      g.strokeRect(x, y, w, h);
      g.fillStyle = ink.line;
      g.fillRect(x, y + h + 4, w, 5);
      g.fillStyle = ink.accent;
      g.fillRect(x, y + h + 4, w * p[j], 5);
      g.font = font(11, on ? 700 : 400);
      g.fillStyle = on ? ink.text : ink.faint;
      g.textAlign = "left";
      g.fillText(`h${index(j + 1)} = ${this.h[j]}`, x, y + h + 16);
    }
    const last = this.tiles.at(-1);
    const first = this.tiles[0];
    legend(g, first.x, last.y + last.h + 28, 120, scale, small("weight"), ink);
  }

  // The exact mean of ln P by step, the most that it can be, and how far the method's gradient points from the exact one.
  curves(g, colours, ink) {
    const { records, best, data } = this.trainer;
    const { curve: box, off } = this;
    const finite = records.filter((one) => Number.isFinite(one.train));
    if (!finite.length) return;
    const curves = new Curves(g, this.trainer, box, ink);
    const low = Math.min(...finite.map((one) => Math.min(one.train, one.held || 0)), best - 1);
    const floor = Math.max(low, best - 3 * (best - (finite[0].train || best)) - 1);
    const y = (v) => box.y + Math.min(1, (best - v) / (best - floor || 1)) * box.h;
    const marks = [best, (best + floor) / 2, floor].map((v) => [y(v), digits(v)]);
    rules(g, marks, { left: box.x, right: box.x + box.w, colours: ink });
    level(g, y(best), box, ink);
    if (data.held.length) curves.line("held", colours[3], y);
    curves.line("train", colours[0], y);
    heading(g, "ln P of a pattern, exact", box, ink);
    if (data.held.length) {
      g.font = font(11);
      g.textAlign = "right";
      g.fillStyle = colours[3];
      g.fillText("held out", box.x + box.w, box.y - 12);
    }
    curves.steps(box);
    const high = (v) => off.y + off.h * (1 - Math.min(90, v) / 90);
    const angles = [0, 45, 90].map((v) => [high(v), `${v}°`]);
    rules(g, angles, { left: off.x, right: off.x + off.w, colours: ink });
    curves.line("off", colours[1], high);
    heading(g, "Angle of its gradient to the exact one", off, ink);
    curves.now([box, off]);
  }

  // What is to be learned with its exact probabilities, and what the machine draws.
  patterns(g, scale, ink) {
    const { machine, data, here } = this.trainer;
    const [first] = this.strip;
    if (first) {
      const words =
        data.rows.length > SHOWN
          ? "The first patterns to learn, each with its P(v)"
          : "Patterns to learn, each with its P(v)";
      heading(g, words, first, ink);
    }
    for (const box of this.strip) {
      const v = data.rows[box.n];
      this.cells(g, box, v, scale, ink);
      g.font = font(10);
      g.fillStyle = ink.faint;
      g.textAlign = "center";
      const p = Math.exp(-machine.freeEnergy(v) - here.logZ);
      g.fillText(
        p >= 0.0005 ? percent(p) : p.toExponential(0).replace("-", "−"),
        box.x + box.w / 2,
        box.y + box.h + 9,
        box.w,
      );
    }
    heading(g, "What it draws by itself, from noise", this.dreamed[0], ink);
    this.dreamed.forEach((box, n) => this.cells(g, box, this.dreams[n], scale, ink));
  }

  energies() {
    const { machine, here } = this.trainer;
    const [a, b, c] = machine.energy(this.v, this.h);
    const free = machine.freeEnergy(this.v);
    const p = Math.exp(-free - here.logZ);
    const sum = [a, b, c]
      .map((part) => digits(part))
      .join(" + ")
      .replaceAll("+ −", "− ");
    return `E(v, h) = −b·v − c·h − v·W·h = ${sum} = ${digits(a + b + c)}. Free energy ${digits(free)}, P(v) = ${digits(p)}.`;
  }

  sentence() {
    const { trainer: of, pointed } = this;
    const { machine, data, here, settings } = of;
    if (pointed?.tile !== undefined) return this.ofHidden(pointed.tile);
    if (pointed?.cell !== undefined) {
      const p = machine.visible(this.h, new Float64Array(machine.n))[pointed.cell];
      const name = data.names?.[pointed.cell] ?? `v${index(pointed.cell + 1)}`;
      return `${name} = ${this.v[pointed.cell]}. Given the hidden units it is on with probability ${digits(p)}. A click turns it.`;
    }
    if (!of.ready)
      return settings.patterns === "words"
        ? "Type a text of more sentences in the part “Words that go together”; its commonest words become the visible units."
        : "Turn cells on and press “Learn this one”.";
    if (of.lost)
      return "The probabilities are no finite numbers any more: the steps are too long. Go back, or start again with a lower rate.";
    const held = data.held.length ? `, of those held out ${digits(here.held)}` : "";
    const angle = Number.isFinite(here.off)
      ? ` Its gradient points ${digits(Math.round(here.off))}° away from the exact one.`
      : "";
    const free = data.held.length
      ? ` Free energy: ${digits(-here.train - here.logZ)} on average, and ${digits(-here.held - here.logZ)} of those held out; the gap tells overfitting without ln Z.`
      : "";
    return `ln P of a pattern is ${digits(here.train)} on average${held}; the most possible is ${digits(of.best)}. ${percent(here.mass)} of all probability lies on the patterns.${free}${angle}`;
  }

  ofHidden(j) {
    const { machine, data } = this.trainer;
    const p = machine.hidden(this.v, machine.ph)[j];
    const own = Array.from({ length: machine.n }, (_, i) => [machine.p[i * machine.m + j], i]);
    const told = `h${index(j + 1)} = ${this.h[j]}. Given the visible units it is on with probability ${digits(p)}; bias ${digits(machine.p[machine.c + j])}.`;
    if (!data.names) return `${told} A click turns it.`;
    const named = (list) =>
      list
        .slice(0, 4)
        .map(([w, i]) => `${data.names[i]} ${digits(w)}`)
        .join(", ");
    own.sort((one, other) => other[0] - one[0]);
    return `${told} Most for: ${named(own)}. Most against: ${named([...own].reverse())}.`;
  }

  table() {
    const { machine, records, data } = this.trainer;
    const { n, m, b, c, p } = machine;
    const v = (i) => data.names?.[i] ?? `v${i + 1}`;
    const rows = [];
    for (let i = 0; i < n; i++)
      for (let j = 0; j < m; j++) rows.push(["weight", `${v(i)}, h${j + 1}`, p[i * m + j]]);
    for (let i = 0; i < n; i++) rows.push(["bias", v(i), p[b + i]]);
    for (let j = 0; j < m; j++) rows.push(["bias", `h${j + 1}`, p[c + j]]);
    for (const one of records)
      rows.push(
        ["ln P of a pattern", one.step, one.train],
        ["free energy", one.step, -one.train - one.logZ],
        ...(data.held.length
          ? [
              ["ln P, held out", one.step, one.held],
              ["free energy, held out", one.step, -one.held - one.logZ],
            ]
          : []),
        ["angle to the exact gradient", one.step, one.off],
      );
    return { columns: ["what", "units or step", "value"], rows };
  }

  // What lies under the pointer.
  find(x, y) {
    if (!this.visible || !Number.isFinite(x)) return null;
    const cell = cellAt(this.visible, x, y);
    const at = cell && cell[0] * this.visible.columns + cell[1];
    if (cell && at < this.v.length) return { cell: at, acts: true };
    const tile = boxAt(this.tiles, x, y);
    if (tile) return { tile: /** @type {any} */ (tile).j, acts: true };
    const one = boxAt(this.strip, x, y);
    if (one) return { pattern: /** @type {any} */ (one).n, acts: true };
    const own = boxAt(this.dreamed, x, y);
    if (own) return { dream: /** @type {any} */ (own).n, acts: true };
    for (const box of [this.curve, this.off])
      if (x > box.x - 8 && x < box.x + box.w + 8 && y > box.y - 6 && y < box.y + box.h + 14)
        return { step: this.stepAt(x), acts: true };
    return null;
  }

  stepAt(x) {
    return Math.round(Math.max(0, Math.min(1, (x - this.curve.x) / this.curve.w)) * this.trainer.end);
  }

  turned(side, k) {
    this[side][k] = 1 - this[side][k];
    this.refresh();
  }

  grab(x, y) {
    const found = this.find(x, y);
    this.rewinds = found?.step !== undefined;
    this.paints = found?.cell === undefined ? null : { value: 1 - this.v[found.cell] };
    if (found?.tile !== undefined) this.turned("h", found.tile);
    const taken =
      found?.pattern === undefined ? this.dreams[found?.dream] : this.trainer.data.rows[found.pattern];
    if (taken) {
      this.v.set(taken);
      this.refresh();
    }
    return this.rewinds || !!this.paints;
  }

  drag(x, y) {
    const found = this.find(x, y);
    if (this.rewinds) this.trainer.go(this.stepAt(x));
    else if (this.paints && found?.cell !== undefined && this.v[found.cell] !== this.paints.value) {
      this.v[found.cell] = this.paints.value;
      this.refresh();
    }
  }

  look(x, y) {
    this.pointed = this.find(x, y);
    if (!this.trainer.running) this.refresh();
  }

  key(e) {
    const { trainer: of, kept } = this;
    if (e.key === " ") {
      if (of.running) of.pause();
      else of.play();
      return true;
    }
    if (e.key === "Enter") {
      this.turned(kept.side, kept.k);
      return true;
    }
    const columns = kept.side === "v" ? of.data.across : 4;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[e.key];
    if (!by) return false;
    const count = kept.side === "v" ? this.v.length : this.h.length;
    const to = kept.k + by;
    const other = kept.side === "v" ? "h" : "v";
    if (to >= 0 && to < count) this.kept = { side: kept.side, k: to };
    else this.kept = { side: other, k: to < 0 ? this[other].length - 1 : 0 };
    this.pointed = this.kept.side === "v" ? { cell: this.kept.k } : { tile: this.kept.k };
    this.refresh();
    return true;
  }
}

export const mount = mounting(BoltzmannBoard);
