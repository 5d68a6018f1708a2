// Several ways in which the text may go on, as a tree: what begins alike shares a branch; thickness and number say the probability.

import { Surface, font, ink } from "../drawing/canvas.js";
import { element, percent, powerOfTen, visible } from "../dom.js";
import { curve } from "../marks/arcs.js";
import { card } from "../marks/graph.js";
import { fitted } from "../marks/strip.js";
import { bar, button, choice } from "../parts/controls.js";
import { Work } from "../parts/work.js";
import { sayRules } from "../sums/decode.js";
import { futureTree } from "../sums/futures.js";

const ROW = 30,
  STEP = 104,
  BOX = 74,
  LEFT = 8,
  END = 150,
  TOP = 8;
const FIRST = { count: 10, steps: 8, seed: 1 };

export default class Futures {
  tree = futureTree([]);
  rest = () => this.work.rest();
  ask = () => this.work.ask();
  destroy = () => this.work.destroy();

  constructor(panel) {
    this.panel = panel;
    const settings = () => ({
      count: this.set("count"),
      steps: this.set("steps"),
      seed: this.set("seed"),
      rules: panel.selection.get("rules") ?? "off",
    });
    this.work = new Work(panel, "futures", settings, "Draw with the rules above");
    const keep = (name) => (value) => {
      panel.selection.keep({ [name]: value }, panel.app);
      this.work.start();
    };
    this.locked = element("span", "un-says");
    const scroller = element("div", "un-strip");
    panel.body.append(
      bar(
        choice("Futures", [4, 6, 8, 10, 12, 16], this.set("count"), keep("count")),
        choice("Tokens", [4, 6, 8, 10, 12], this.set("steps"), keep("steps")),
        this.work.again,
        button("Other random numbers", () => keep("seed")(this.set("seed") + 1)),
        this.locked,
      ),
      scroller,
    );
    this.surface = new Surface(scroller);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.point(x, y),
      () => {},
      () => this.point(-1, -1),
    );
  }

  set(name) {
    return this.panel.selection.get(name) ?? FIRST[name];
  }

  draw() {
    const { panel } = this;
    const found = this.work.take() ?? this.found;
    const rules = sayRules(this.work.of?.rules);
    this.locked.textContent = `Seed ${this.set("seed")}, locked: the same rules draw the same futures again.`;
    panel.say(
      panel.spec.title,
      this.work.progress("futures") ||
        `Each branch says with what probability it is taken (${rules}); × says how many futures take it. At the right: how likely the whole future is to be drawn.`,
    );
    if (!found?.nodes?.length) return this.empty(found?.problem ?? "");
    const stamp = [found, panel.body.clientWidth, panel.app.dark];
    if (this.stamp?.every((part, i) => part === stamp[i]) && !this.surface.recording) return; // a key or a slider leaves it as it is
    this.stamp = stamp;
    this.found = found;
    this.tree = futureTree(found.nodes);
    this.paint();
  }

  empty(problem) {
    this.tree = futureTree([]);
    this.stamp = null;
    this.surface.begin(10, 40);
    this.panel.read(problem && `${problem[0].toUpperCase()}${problem.slice(1)}.`);
  }

  paint() {
    const { panel } = this;
    const { nodes, rows, deepest } = this.tree;
    const colours = ink(panel.app.root);
    const room = panel.body.clientWidth - LEFT - END;
    const step = (this.step = Math.max(STEP, Math.min(150, room / (deepest + 1))));
    const g = this.surface.begin(LEFT + step * (deepest + 1) + END, TOP + rows * ROW + 4);
    const lit = new Set();
    for (let n = this.over; n; n = nodes[n.parent]) lit.add(n);
    g.textBaseline = "middle";
    g.textAlign = "left";
    const box = (this.box = Math.min(BOX, step - 28));
    for (const n of nodes) {
      const [x, y] = [LEFT + n.depth * step, TOP + n.at * ROW];
      const above = nodes[n.parent];
      g.strokeStyle = lit.has(n) ? colours.text : colours.accent;
      g.globalAlpha = lit.size && !lit.has(n) ? 0.35 : 1;
      g.lineWidth = Math.max(1, 6 * n.chance);
      if (above) curve(g, x - step + box, TOP + above.at * ROW, x, y);
      g.lineWidth = 1;
      g.fillStyle = colours.ground;
      g.strokeStyle = lit.has(n) ? colours.accent : colours.line;
      card(g, x, y, box, 27);
      g.fillStyle = colours.text;
      g.font = font(12, 600);
      g.fillText(fitted(g, n.label, box - 8), x + 5, y - 5);
      g.fillStyle = colours.faint;
      g.font = font(10);
      g.fillText(`${rough(n.chance)}${n.count > 1 ? `  ×${n.count}` : ""}`, x + 5, y + 7);
      if (n.children.length) continue;
      g.fillStyle = colours.text;
      g.font = font(12);
      g.fillText(n.whole >= 1e-5 ? percent(n.whole) : powerOfTen(Math.log10(n.whole)), x + box + 8, y);
    }
    g.globalAlpha = 1;
    panel.read(this.over ? this.told(this.over) : "Point at a branch to read it.");
  }

  told({ text, label, chance, p, whole, count }) {
    return `“${text}”: “${visible(label)}” is drawn with ${percent(chance)}, the model gave it ${percent(p)}; up to here ${percent(whole)}, taken by ${count} of ${this.found.made}.`;
  }

  point(x, y) {
    const { step, box } = this;
    const beside = (n) => Math.abs(x - LEFT - n.depth * step - box / 2) < box / 2 + 4;
    const over = this.tree.nodes.find((n) => beside(n) && Math.abs(y - TOP - n.at * ROW) < ROW / 2);
    if (over === this.over) return;
    this.over = over;
    this.paint();
  }

  table() {
    return {
      columns: ["future so far", "token", "drawn with", "the model says", "futures", "so far"],
      rows: this.tree.nodes.map((n) => [
        visible(n.text),
        visible(n.label),
        ...[n.chance, n.p].map(percent),
        n.count,
        percent(n.whole),
      ]),
    };
  }

  drawn() {
    const { nodes } = this.tree;
    const over = (name) => ({
      axes: ["rank"],
      labels: [nodes.map((n) => n.label)],
      values: Float32Array.from(nodes, (n) => n[name]),
    });
    return nodes.length
      ? { "future.parent": over("parent"), "future.chance": over("chance"), "future.count": over("count") }
      : {};
  }

  alt() {
    const leaves = this.tree.nodes.filter((n) => !n.children.length).slice(0, 4);
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${leaves.map((n) => `“${n.text}”, ${percent(n.whole)}`).join("; ")}`;
  }
}

const rough = (p) => (p >= 0.01 ? `${Math.round(100 * p)} %` : percent(p));
