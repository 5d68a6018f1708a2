// Backpropagation by hand: one point through the network and back, each number opened as what it is made of.

import { digits, element, put } from "../dom.js";
import { font } from "../drawing/canvas.js";
import { Board, mounting } from "../descend/board.js";
import { boxAt } from "../marks/pointer.js";
import { bar, button, slider } from "../parts/controls.js";
import { Graph, order } from "../sums/byhand.js";
import { CALLED, short, unitName } from "./names.js";
import { trainer } from "./trainer.js";

const [HEAD, CARD, GAP, SHORT, LINE] = [16, 68, 20, 86, 15];

class ByHand extends Board {
  opened = Infinity; // the number that is opened, by its place in the order; beyond the last: the first weight of the first layer
  constructor(parent) {
    super(parent, "Backpropagation by hand");
    this.root.classList.add("nw");
    this.trainer = trainer();
    this.deaf = this.trainer.hear(() => this.refresh());
    const point = (by) => {
      const many = this.trainer.data.t.length;
      if (!many) return;
      this.trainer.point = (this.trainer.point + by + many) % many;
      this.trainer.tell();
    };
    this.named = element("b", "");
    this.slider = slider((at) => this.open(at), { min: 0, step: 1 }, "Number", true);
    this.told = element("span", "un-player-said");
    const tools = bar(
      button("‹", () => point(-1), { title: "The point before", className: "un-button nw-small" }),
      this.named,
      button("›", () => point(1), { title: "The next point", className: "un-button nw-small" }),
      button("‹ Back", () => this.open(Math.min(this.opened, this.order.length) - 1), {
        title: "One number back",
      }),
      button("Next ›", () => this.open(this.opened === Infinity ? 0 : this.opened + 1), {
        title: "The number that is computed next",
      }),
      this.slider,
      button("All numbers", () => this.open(Infinity)),
      this.told,
    );
    tools.classList.add("un-player");
    this.scroll = element("div", "nw-scroll");
    this.scroll.append(this.node);
    this.sums = element("div", "nw-sums", { role: "status" });
    this.root.append(tools, this.scroll, this.sums);
    Object.defineProperty(this.root, "byhand", {
      get: () => ({
        at: this.opened,
        place: this.place,
        many: this.order?.length,
        graph: this.graph && { loss: this.graph.loss, g: [...this.graph.g] },
        said: this.sums.textContent,
        boxes: this.boxes,
      }),
    });
  }

  destroy() {
    this.deaf();
    super.destroy();
  }

  open(at) {
    this.opened =
      at > this.order.length - 1 ? (at === Infinity ? Infinity : this.order.length - 1) : Math.max(0, at);
    this.refresh();
  }

  // What is opened: where all numbers are shown, what was clicked last.
  get place() {
    return this.opened < Infinity
      ? this.order?.[this.opened]
      : (this.kept ?? this.order?.find((one) => one.kind === "dw" && one.layer === 1));
  }

  shown(place) {
    return this.opened === Infinity || this.index.get(name(place)) <= this.opened;
  }

  draw(ink, width, colours) {
    const { net, data, point } = this.trainer;
    if (this.of !== net.sizes.join()) {
      this.of = net.sizes.join();
      this.order = order(net);
      this.index = new Map(this.order.map((place, n) => [name(place), n]));
      this.opened = Infinity;
      this.kept = null;
    }
    const many = data.t.length;
    put(this.named, many ? `point ${point + 1} of ${many}` : "no points");
    this.slider.max = String(this.order.length - 1);
    this.slider.value = String(Math.min(this.opened, this.order.length - 1));
    put(
      this.told,
      this.opened === Infinity
        ? `${this.order.length} numbers`
        : `number ${this.opened + 1} of ${this.order.length}`,
    );
    const wide = Math.max(width, (net.last + 2) * SHORT);
    const pitch = wide / (net.last + 2);
    const most = Math.max(...net.sizes, 2);
    const high = HEAD + most * (CARD + GAP);
    const g = this.surface.begin(wide, high);
    this.node.style.width = `${wide}px`;
    this.node.setAttribute(
      "aria-label",
      "The network for one point, with its numbers. Arrow keys open one number after the other.",
    );
    this.boxes = [];
    if (!many) {
      this.graph = null;
      this.sums.replaceChildren();
      return;
    }
    const graph = (this.graph = new Graph(net, [data.x[2 * point], data.x[2 * point + 1]], [data.t[point]]));
    const card = Math.min(118, pitch - 12);
    const y = (layer, unit) => HEAD + ((high - HEAD) / net.sizes[layer]) * (unit + 0.5) - CARD / 2;
    const x = (layer) => pitch * (layer + 0.5) - card / 2;
    this.edges(g, graph, { x, y, card }, ink, colours);
    g.textBaseline = "middle";
    for (let layer = 0; layer <= net.last; layer++)
      for (let unit = 0; unit < net.sizes[layer]; unit++) {
        const rows = layer
          ? [
              ["z", "z", { kind: "z", layer, unit }, ink.text],
              [layer === net.last ? "p" : "a", "a", { kind: "a", layer, unit }, ink.text],
              [layer === net.last ? "∂L/∂p" : "∂L/∂a", "da", { kind: "da", layer, unit }, colours[6]],
              ["∂L/∂z", "dz", { kind: "dz", layer, unit }, colours[6]],
            ]
          : [["x", "x", null, ink.text]];
        this.card(
          g,
          { x: x(layer), y: y(layer, unit), w: card },
          unitName(net, layer, unit),
          rows,
          layer ? null : graph.x[unit],
          ink,
        );
      }
    const loss = { x: x(net.last + 1), y: HEAD + (high - HEAD) / 2 - CARD / 2, w: card };
    this.card(
      g,
      loss,
      "L",
      [["L", "loss", { kind: "loss", layer: net.last, unit: 0 }, ink.text]],
      null,
      ink,
      data.t[point],
    );
    this.write(graph);
  }

  // A line for each weight: thick where a step would change it much, marked where it is opened.
  edges(g, graph, { x, y, card }, ink, colours) {
    const { net } = graph;
    const most = Math.max(1e-12, ...Array.from(graph.g, Math.abs));
    const { place } = this;
    this.lines = [];
    for (let layer = 1; layer <= net.last; layer++)
      for (let unit = 0; unit < net.sizes[layer]; unit++)
        for (let i = 0; i < net.sizes[layer - 1]; i++) {
          const dw = /** @type {import("../sums/byhand.js").Place} */ ({ kind: "dw", layer, unit, i });
          const [x1, y1, x2, y2] = [
            x(layer - 1) + card,
            y(layer - 1, i) + CARD / 2,
            x(layer),
            y(layer, unit) + CARD / 2,
          ];
          const own = place && name(place) === name(dw);
          const part = place && this.reads(place, layer, unit, i);
          const there = this.shown(dw);
          g.strokeStyle = own ? ink.accent : there ? colours[6] : ink.faint;
          g.globalAlpha = own || part ? 1 : 0.45;
          g.lineWidth = (there ? 0.6 + (5 * Math.abs(graph.value(dw))) / most : 1) + (own ? 2 : 0);
          if (part && !own) g.strokeStyle = ink.text;
          g.beginPath();
          g.moveTo(x1, y1);
          g.lineTo(x2, y2);
          g.stroke();
          this.lines.push({ place: dw, x1, y1, x2, y2 });
        }
    g.globalAlpha = 1;
    const [x1, x2] = [x(net.last) + card, x(net.last + 1)];
    const middle = y(net.last, 0) + CARD / 2;
    g.strokeStyle = ink.faint;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(x1, middle);
    g.lineTo(x2, middle);
    g.stroke();
  }

  // Whether the opened number is made with this weight.
  reads({ kind, layer, unit }, l, j, i) {
    return (kind === "z" && l === layer && j === unit) || (kind === "da" && l === layer + 1 && i === unit);
  }

  card(g, box, title, rows, given, ink, target = null) {
    const { place } = this;
    g.fillStyle = ink.ground;
    g.strokeStyle = ink.faint;
    g.lineWidth = 1;
    g.beginPath();
    g.roundRect(box.x, box.y, box.w, CARD, 6);
    g.fill();
    g.stroke();
    g.textAlign = "left";
    g.font = font(12, 700);
    g.fillStyle = ink.text;
    g.fillText(title, box.x + 2, box.y - 7);
    const said = given !== null ? [[title, given]] : target !== null ? [["t", target]] : [];
    g.font = font(12);
    said.forEach(([label, value]) => {
      g.textAlign = "left";
      g.fillText(String(label), box.x + 6, box.y + CARD / 2 + (target === null ? 0 : LINE));
      g.textAlign = "right";
      g.fillText(short(Number(value)), box.x + box.w - 6, box.y + CARD / 2 + (target === null ? 0 : LINE));
    });
    rows.forEach(([label, , of, colour], n) => {
      if (!of) return;
      const y = box.y + (rows.length === 1 ? CARD / 2 - LINE / 2 : 12 + n * LINE);
      const own = place && name(place) === name(of);
      if (own) {
        g.fillStyle = ink.accent;
        g.globalAlpha = 0.22;
        g.fillRect(box.x + 1, y - LINE / 2, box.w - 2, LINE);
        g.globalAlpha = 1;
      }
      g.font = font(box.w < 90 ? 10.5 : 12, own ? 700 : 400);
      g.fillStyle = colour;
      g.textAlign = "left";
      g.fillText(label, box.x + 4, y);
      g.textAlign = "right";
      g.fillText(this.shown(of) ? short(this.graph.value(of)) : "…", box.x + box.w - 4, y);
      this.boxes.push({ place: of, x: box.x, y: y - LINE / 2, w: box.w, h: LINE });
    });
  }

  // The opened number below: in signs, in numbers, and its check.
  write(graph) {
    const { place } = this;
    if (!place) return;
    const { net } = graph;
    const value = graph.value(place);
    const lines = [this.formula(place), this.numbers(graph, place, value)];
    const check = graph.check(place);
    if (Number.isFinite(check))
      lines.push(
        `Check: the number moved by ±0.00001, the loss changes by ${exact(check)} a unit; backpropagation says ${exact(value)}.`,
      );
    if (place.kind === "dw" || place.kind === "db") {
      const k =
        place.kind === "dw" ? net.weight(place.layer, place.unit, place.i) : net.b[place.layer] + place.unit;
      const { rate } = this.trainer.settings;
      lines.push(
        `A step of SGD on this point alone: ${exact(net.p[k])} − ${rate} · ${value < 0 ? `(${exact(value)})` : exact(value)} = ${exact(net.p[k] - rate * value)}.`,
      );
    }
    lines.push(
      `The gradients of all ${net.count} weights and biases are within ${digits(graph.furthest())} of their finite differences.`,
    );
    const nodes = lines.map((text, n) => element("p", n < 2 ? "nw-sum" : "nw-check", { textContent: text }));
    this.sums.replaceChildren(...nodes);
  }

  symbol(place) {
    const { net } = this.trainer;
    const { kind, layer, unit, i } = place;
    const unitIs = unitName(net, layer, unit);
    if (kind === "loss") return "L";
    if (kind === "a") return unitIs;
    if (kind === "z") return `z(${unitIs})`;
    if (kind === "dz") return `∂L/∂z(${unitIs})`;
    if (kind === "da") return `∂L/∂${unitIs}`;
    if (kind === "db") return `∂L/∂b(${unitIs})`;
    return `∂L/∂w(${unitName(net, layer - 1, i)}→${unitIs})`;
  }

  formula(place) {
    const { net } = this.trainer;
    const { kind, layer, unit } = place;
    const own = unitName(net, layer, unit);
    const made = `${this.symbol(place)} = `;
    const f = CALLED[net.activation] ?? net.activation;
    const square = net.loss === "squared";
    if (kind === "loss") return made + (square ? "½ (p − t)²" : "−t · ln p − (1 − t) · ln(1 − p)");
    if (kind === "a")
      return (
        made + (layer === net.last ? `sigmoid(z(${own}))` : f === "linear" ? `z(${own})` : `${f}(z(${own}))`)
      );
    if (kind === "da" && layer === net.last) return made + (square ? "p − t" : "(p − t) / (p · (1 − p))");
    if (kind === "dz" && layer === net.last) return made + (square ? "(p − t) · p · (1 − p)" : "p − t");
    if (kind === "dz") return made + `∂L/∂${own} · ${slopes[net.activation].replaceAll("a", own)}`;
    const parts = this.graph
      .terms(place)
      .map(({ what }, k) => what.map((one) => this.factor(one, place, k)).join(" · "));
    return made + parts.join(" + ");
  }

  factor(what, { kind, layer, unit }, k) {
    const { net } = this.trainer;
    if (typeof what !== "string") return this.symbol(what);
    const own = unitName(net, layer, unit);
    if (what === "b") return `b(${own})`;
    return kind === "z"
      ? `w(${unitName(net, layer - 1, k)}→${own})`
      : `w(${own}→${unitName(net, layer + 1, k)})`;
  }

  numbers(graph, place, value) {
    const { net, t } = graph;
    const [p] = net.a[net.last];
    const { kind, layer, unit } = place;
    const is = ` = ${exact(value)}`;
    const square = net.loss === "squared";
    if (kind === "loss")
      return (
        (square ? `½ (${digits(p)} − ${t[0]})²` : t[0] ? `−ln ${digits(p)}` : `−ln(1 − ${digits(p)})`) + is
      );
    if (kind === "a")
      return `${layer === net.last ? "sigmoid" : (CALLED[net.activation] ?? net.activation)}(${digits(net.z[layer][unit])})${is}`;
    const terms = graph.terms(place);
    if (terms.length) return terms.map(({ factors }) => factors.map(bracket).join(" · ")).join(" + ") + is;
    const off = `${digits(p)} − ${t[0]}`;
    if (kind === "dz") return (square ? `(${off}) · ${digits(p)} · ${digits(1 - p)}` : off) + is;
    return (square ? off : `(${off}) / (${digits(p)} · ${digits(1 - p)})`) + is;
  }

  table() {
    const { graph } = this;
    const rows = graph ? this.order.map((one) => [this.symbol(one), graph.value(one), graph.check(one)]) : [];
    return {
      columns: ["number", "value", "finite difference of L"],
      rows: rows.map(([of, value, check]) => [of, value, Number.isFinite(check) ? check : ""]),
    };
  }

  find(px, py) {
    const box = boxAt(this.boxes, px, py);
    if (box) return box.place;
    let best = null;
    for (const { place, x1, y1, x2, y2 } of this.lines ?? []) {
      if (px < x1 || px > x2) continue;
      const away = Math.abs(y1 + ((px - x1) / (x2 - x1)) * (y2 - y1) - py);
      if (away < (best?.away ?? 7)) best = { place, away };
    }
    return best?.place ?? null;
  }

  grab(px, py) {
    const found = this.find(px, py);
    if (found && this.opened < Infinity) this.open(this.index.get(name(found)));
    else if (found) this.kept = found;
    this.refresh();
    return false;
  }

  look(px, py) {
    this.node.style.cursor = this.find(px, py) ? "pointer" : "default";
  }

  key(e) {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[e.key];
    if (e.key === "Escape") this.open(Infinity);
    else if (by)
      this.open(this.opened === Infinity ? (this.index.get(name(this.place)) ?? 0) + by : this.opened + by);
    else return false;
    return true;
  }
}

/** @param {import("../sums/byhand.js").Place} place */
const name = ({ kind, layer, unit, i }) => [kind, layer, unit, i ?? ""].join();
const slopes = {
  tanh: "(1 − a²)",
  sigmoid: "a · (1 − a)",
  relu: "[a > 0]",
  leaky: "max([a > 0], 0.01)",
  linear: "1",
};
/** More digits, for what is compared. @param {number} v */
const exact = (v) =>
  Number.isFinite(v) ? (Math.abs(v) >= 1e-4 || !v ? v.toFixed(6) : digits(v)).replace("-", "−") : short(v);
/** A factor, in brackets where it is negative. @param {number} v */
const bracket = (v) => (v < 0 ? `(${digits(v)})` : digits(v));

export const mount = mounting(ByHand);
