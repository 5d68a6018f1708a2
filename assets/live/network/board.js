// The network at work: every unit with its picture of the plane, the weights as lines, the decision large, the loss below.

import { digits, element, follow, percent, put } from "../dom.js";
import { Scale, font, raster } from "../drawing/canvas.js";
import { Board, mounting } from "../descend/board.js";
import { boxAt } from "../marks/pointer.js";
import { button } from "../parts/controls.js";
import { BLUE, Controls, LOOK, ORANGE } from "./controls.js";
import { GRID, Maps } from "./maps.js";
import { MOST } from "../sums/pointsets.js";
import { short, unitName, whole } from "./names.js";
import { axes, curve, mapped, placing, points, told } from "./plane.js";
import { STEPS, UNITS, trainer } from "./trainer.js";

const HEAD = 36, // above the units, for their buttons
  GAP = 18, // below a unit, for its name
  NARROW = 720,
  CURVE = 120,
  BEND = 40, // pixels that a weight is dragged to grow by 1
  PALE = 1.7; // the plane is paler than its points

class NetworkBoard extends Board {
  maps = new Maps();
  /** @type {any} */
  pointed = null;
  /** @type {{layer: number, unit: number} | null} */
  kept = null;

  constructor(parent) {
    super(parent, "A network that learns");
    this.root.classList.add("nw");
    this.trainer = trainer();
    this.deaf = this.trainer.hear(() => this.refresh());
    this.controls = new Controls(this.trainer, () => this.refresh());
    this.buttons = this.controls.second;
    const stage = element("div", "nw-stage");
    this.heads = element("div", "nw-heads");
    stage.append(this.node, this.heads);
    this.list = element("ul", "ds-key");
    this.root.append(this.controls.first, this.controls.second, stage, this.says, this.list);
    Object.defineProperty(this.root, "network", {
      get: () => ({
        ...{ step: this.trainer.step, end: this.trainer.end, running: this.trainer.running },
        ...{ settings: this.trainer.settings, p: [...this.trainer.net.p], found: this.trainer.measure() },
        ...{
          data: { x: [...this.trainer.data.x], t: [...this.trainer.data.t] },
          nodes: this.nodes,
          plane: this.plane,
        },
      }),
    });
  }

  destroy() {
    this.deaf();
    super.destroy();
  }

  settle() {
    this.trainer.ask(this.news.asked);
  }

  // Where everything lies.
  lay(width) {
    const { net } = this.trainer;
    const narrow = width < NARROW;
    const s = narrow ? Math.min(width - 32, 340) : Math.min(440, Math.round(width * 0.42));
    const most = Math.max(...net.sizes);
    const high = narrow ? HEAD + most * (38 + GAP) : s + 34 + CURVE + 20;
    const top = narrow ? s + 34 + CURVE + 34 : 0;
    this.plane = { x: narrow ? 30 : width - s, y: 8, s };
    this.box = { x: this.plane.x, y: s + 40, w: s, h: CURVE };
    const wide = narrow ? width : width - s - 50;
    const pitch = wide / net.sizes.length;
    const size = Math.max(16, Math.min(46, pitch * 0.62, (high - HEAD) / most - GAP));
    this.nodes = net.sizes.flatMap((n, layer) =>
      Array.from({ length: n }, (_, unit) => {
        const y = top + HEAD + ((high - HEAD) / n) * (unit + 0.5) - (size + GAP) / 2;
        return { layer, unit, x: pitch * (layer + 0.5) - size / 2, y, w: size, h: size };
      }),
    );
    return { pitch, top, height: top + high + 4 };
  }

  nodeOf(layer, unit) {
    return this.nodes.find((one) => one.layer === layer && one.unit === unit);
  }

  draw(ink, width, colours) {
    const { trainer: of, maps, controls } = this;
    const { net, data } = of;
    maps.follow(of);
    const { pitch, top, height } = this.lay(width);
    const g = this.surface.begin(width, height);
    const scale = new Scale(this.news.scale, this.dark);
    const pale = new Scale({ ...this.news.scale, low: -PALE, high: PALE }, this.dark);
    this.lines(g, colours);
    g.textBaseline = "middle";
    for (const node of this.nodes) this.unit(g, node, scale, ink);
    g.font = font(12);
    g.fillStyle = ink.faint;
    g.textAlign = "center";
    g.fillText("Input", pitch / 2, top + 16);
    g.fillText("Output", pitch * (net.last + 0.5), top + 16);
    const { layer, unit } = this.looked ?? { layer: net.last, unit: 0 };
    mapped(g, this.plane, maps.values[layer][unit], maps.stores[layer][unit], pale, ink);
    points(g, this.plane, of, colours, ink);
    axes(g, this.plane, data.box, ink);
    curve(g, this.box, of, colours, ink);
    this.columns(pitch, top);
    controls.draw();
    this.legend(ink, colours);
    put(this.says, this.sentence());
    this.says.setAttribute("aria-live", of.running ? "off" : "polite");
    this.node.style.cursor = this.cursor;
    this.node.setAttribute(
      "aria-label",
      "The network and what it makes of the plane. Arrow keys choose a unit, the space bar trains and pauses.",
    );
    this.root.dataset.step = String(of.step);
  }

  get looked() {
    const found = this.pointed?.w === undefined ? null : this.pointed;
    return found ?? this.kept;
  }

  get cursor() {
    const { pointed } = this;
    if (this.bends && this.dragging) return "ns-resize";
    return pointed
      ? pointed.place
        ? "crosshair"
        : pointed.k === undefined
          ? "pointer"
          : "ns-resize"
      : "default";
  }

  // A weight is as thick as it is large.
  lines(g, colours) {
    const { net } = this.trainer;
    this.edges = [];
    for (let l = 1; l <= net.last; l++)
      for (let j = 0; j < net.sizes[l]; j++)
        for (let i = 0; i < net.sizes[l - 1]; i++) {
          const [from, to] = [this.nodeOf(l - 1, i), this.nodeOf(l, j)];
          const [x, y, x2, y2] = [from.x + from.w, from.y + from.h / 2, to.x, to.y + to.h / 2];
          const k = net.weight(l, j, i);
          const w = net.p[k];
          const own = this.pointed?.k === k;
          g.strokeStyle = colours[w > 0 ? 1 : 0];
          g.globalAlpha = own ? 1 : Math.min(0.9, 0.18 + Math.abs(w) / 2.5);
          g.lineWidth = Math.min(7, 0.6 + 1.6 * Math.abs(w)) + (own ? 2 : 0);
          g.beginPath();
          g.moveTo(x, y);
          g.bezierCurveTo((x + x2) / 2, y, (x + x2) / 2, y2, x2, y2);
          g.stroke();
          this.edges.push({ k, l, j, i, x, y, x2, y2 });
        }
    g.globalAlpha = 1;
  }

  unit(g, node, scale, ink) {
    const { layer, unit, x, y, w } = node;
    const { net } = this.trainer;
    const own = this.looked?.layer === layer && this.looked?.unit === unit;
    g.imageSmoothingEnabled = true;
    const { values, stores } = this.maps;
    // the large picture of the same map has paler colours, so it is drawn from pixels of its own
    const store = (stores[layer][unit].small ??= {});
    if (store.at !== this.maps.version) Object.assign(store, { of: null, at: this.maps.version });
    g.drawImage(raster(store, values[layer][unit], GRID, GRID, 0, GRID, 1, scale), x, y, w, w);
    g.strokeStyle = own ? ink.accent : ink.faint;
    g.lineWidth = own ? 3 : 1;
    g.strokeRect(x, y, w, w);
    g.font = font(12, own ? 700 : 400);
    g.fillStyle = ink.text;
    g.textAlign = "center";
    g.fillText(unitName(net, layer, unit), x + w / 2, y + w + 9);
  }

  // Above each hidden layer: how many units it has, one less, one more.
  columns(pitch, top) {
    const { units } = this.trainer.settings;
    follow(
      this.heads,
      units.map((n, at) => [n, at, Math.round(pitch), Math.round(top)]),
      ([n, at]) => {
        const head = element("div", "nw-head", { role: "group" });
        head.setAttribute("aria-label", `Units of layer ${at + 1}`);
        Object.assign(head.style, { left: `${pitch * (at + 1)}px`, top: `${top}px`, width: `${pitch}px` });
        const change = (by) =>
          this.trainer.choose({
            units: this.trainer.settings.units.map((count, k) => (k === at ? count + by : count)),
          });
        const less = button("−", () => change(-1), {
          title: "One unit less",
          className: "un-button nw-small",
          disabled: n < 2,
        });
        const more = button("+", () => change(1), {
          title: "One unit more",
          className: "un-button nw-small",
          disabled: n >= UNITS,
        });
        head.append(less, element("b", "", { textContent: String(n) }), more);
        return head;
      },
    );
  }

  legend(ink, colours) {
    const held = this.trainer.data.held.length > 0;
    const items = [
      [colours[0], "dot", "Class 0, and negative weights"],
      [colours[1], "dot", "Class 1, and positive weights"],
      ...(held ? [[ink.faint, "ring", "Held out: not learned from"]] : []),
      [ink.text, "line", "Undecided"],
    ];
    follow(this.list, items, ([colour, kind, words]) => {
      const item = element("li", "");
      const mark = element("i", `nw-${kind}`);
      mark.style.color = colour;
      item.append(mark, element("span", "", { textContent: words }));
      return item;
    });
  }

  table() {
    const { net, data, records } = this.trainer;
    const rows = [];
    for (let l = 1; l <= net.last; l++)
      for (let j = 0; j < net.sizes[l]; j++) {
        const to = unitName(net, l, j);
        for (let i = 0; i < net.sizes[l - 1]; i++)
          rows.push(["weight", `${unitName(net, l - 1, i)}→${to}`, net.p[net.weight(l, j, i)]]);
        rows.push(["bias", to, net.p[net.b[l] + j]]);
      }
    for (const { step, train, held } of records)
      rows.push(
        ["loss, training points", step, train.loss],
        ...(data.held.length ? [["loss, held-out points", step, held.loss]] : []),
      );
    data.t.forEach((t, n) =>
      rows.push(["x₁", n + 1, data.x[2 * n]], ["x₂", n + 1, data.x[2 * n + 1]], ["class", n + 1, t]),
    );
    return { columns: ["what", "weight, step or point", "value"], rows };
  }

  sentence() {
    const { trainer: of, pointed, controls } = this;
    const { net, data } = of;
    if (pointed?.k !== undefined) {
      const { l, i, j, k } = pointed;
      return `The weight from ${unitName(net, l - 1, i)} to ${unitName(net, l, j)} is ${digits(net.p[k])}. Drag it up or down to set it by hand, which no link keeps.`;
    }
    if (this.pointed?.w !== undefined) return told(net, pointed.layer, pointed.unit);
    const full = data.t.length >= MOST && [BLUE, ORANGE].includes(controls.brush.value);
    if (full)
      return `${MOST} points are as many as there may be: the next one takes the place of the oldest.`;
    if (pointed?.place) {
      const [x, y] = pointed.place;
      const [p] = net.forward([x, y]);
      return `x₁ = ${short(x)}, x₂ = ${short(y)}: p = ${digits(p)}, class ${p > 0.5 ? 1 : 0}.`;
    }
    if (!data.train.length) return "Choose what a click adds, and put points on the plane.";
    if (of.lost)
      return "The loss is no finite number any more: the steps are too long. Go back or start again with a lower rate.";
    const { train, held } = of.measure();
    const most = of.step >= STEPS ? " It ends here, after a million steps." : "";
    const [n, m] = [data.train.length, data.held.length];
    const learned = `Loss ${digits(train.loss)}, ${train.right} of ${whole(n)} points right (${percent(train.right / n)})`;
    if (!m) return `${learned}.${most}`;
    return `${learned}; held out: loss ${digits(held.loss)}, ${held.right} of ${m} right (${percent(held.right / m)}).${most}`;
  }

  // What lies under the pointer: a unit, a weight, a place of the plane, a step of the curve.
  find(px, py) {
    if (!this.nodes || !Number.isFinite(px)) return null;
    const at = placing(this.plane, this.trainer.data.box);
    if (at.holds(px, py)) return { place: at.back(px, py) };
    const { x, y, w, h } = this.box;
    if (px > x - 8 && px < x + w + 8 && py > y - 6 && py < y + h + 14)
      return { step: Math.round(Math.max(0, Math.min(1, (px - x) / w)) * this.trainer.end) };
    const node = boxAt(this.nodes, px, py);
    if (node) return node;
    let best = null;
    for (const edge of this.edges) {
      if (px < edge.x || px > edge.x2) continue;
      const away = Math.abs(bent(edge, (px - edge.x) / (edge.x2 - edge.x)) - py);
      if (away < (best?.away ?? 6)) best = { ...edge, away };
    }
    return best;
  }

  grab(px, py) {
    const found = this.find(px, py);
    if (!found) this.kept = null;
    if (found?.w !== undefined) {
      const again = this.kept?.layer === found.layer && this.kept?.unit === found.unit;
      this.kept = again ? null : { layer: found.layer, unit: found.unit };
    }
    this.refresh();
    this.rewinds = found?.step !== undefined;
    this.bends = found?.k === undefined ? null : { k: found.k, from: py, w: this.trainer.net.p[found.k] };
    this.drawnAt = null;
    return this.rewinds || !!this.bends || !!found?.place;
  }

  drag(px, py) {
    const { trainer: of, controls } = this;
    const found = this.find(px, py);
    if (this.bends) {
      const { k, from, w } = this.bends;
      const by = (from - py) / BEND;
      if (Math.abs(by) > 0.02) of.bend(k, Math.max(-20, Math.min(20, w + by)));
    } else if (this.rewinds) {
      const { x, w } = this.box;
      of.go(Math.round(Math.max(0, Math.min(1, (px - x) / w)) * of.end));
    } else if (found?.place) {
      this.pointed = found;
      const [x, y] = found.place;
      if (controls.brush.value === LOOK) this.refresh();
      else if (!this.drawnAt || Math.hypot(px - this.drawnAt[0], py - this.drawnAt[1]) > 14) {
        this.drawnAt = [px, py];
        of.draw(x, y, Number(controls.brush.value));
      }
    }
  }

  look(px, py) {
    this.pointed = this.find(px, py);
    if (!this.trainer.running) this.refresh();
  }

  key(e) {
    const { trainer: of } = this;
    if (e.key === " ") {
      if (of.running) of.pause();
      else of.play();
      return true;
    }
    const { sizes, last } = of.net;
    const { layer, unit } = this.kept ?? { layer: last, unit: 0 };
    const [across, down] =
      { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key] ?? [];
    if (e.key === "Escape") this.kept = null;
    else if (across === undefined) return false;
    else {
      const to = Math.max(0, Math.min(last, layer + across));
      this.kept = { layer: to, unit: Math.max(0, Math.min(sizes[to] - 1, unit + down)) };
      this.pointed = { ...this.kept, w: 0 };
    }
    this.refresh();
    return true;
  }
}

/** The height of a line at a share of its way. */
function bent({ y, y2 }, share) {
  let t = share; // of the parameter of the curve, by Newton's method
  for (let n = 0; n < 4; n++) t -= (1.5 * t * (1 - t) + t ** 3 - share) / (1.5 - 3 * t + 3 * t * t);
  return y + (y2 - y) * (3 * t * t - 2 * t * t * t);
}

export const mount = mounting(NetworkBoard);
