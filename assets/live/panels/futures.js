// Several ways in which the text may go on, as a tree: what begins alike shares a branch; thickness and number say the probability.

import { font, ink } from "../drawing/canvas.js";
import { capital, element, percent, powerOfTen, visible } from "../dom.js";
import { leaf } from "../marks/graph.js";
import { fitted } from "../marks/strip.js";
import { bar, button, choice } from "../parts/controls.js";
import { WorkPicture } from "../parts/work.js";
import { sayRules } from "../sums/decode.js";
import { futureTree } from "../sums/tree.js";

const ROW = 30,
  STEP = 104,
  BOX = 74,
  LEFT = 8,
  END = 150,
  TOP = 8;

export default class Futures extends WorkPicture {
  tree = futureTree([]);

  constructor(panel) {
    const settings = () => ({
      ...Object.fromEntries(Object.keys(this.first).map((name) => [name, this.set(name)])),
      rules: panel.selection.get("rules") ?? "off",
    });
    super(panel, "futures", { count: 10, steps: 8, seed: 1 }, settings, "Draw with the rules above");
    this.locked = element("span", "un-says");
    panel.body.append(
      bar(
        choice("Futures", [4, 6, 8, 10, 12, 16], this.set("count"), (n) => this.keep("count", n)),
        choice("Tokens", [4, 6, 8, 10, 12], this.set("steps"), (n) => this.keep("steps", n)),
        this.work.again,
        button("Other random numbers", () => this.keep("seed", this.set("seed") + 1)),
        this.locked,
      ),
      this.strip,
    );
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
    if (!found?.nodes?.length) {
      this.tree = futureTree([]);
      const { problem } = found ?? {};
      return this.nothing(problem && `${capital(problem)}.`);
    }
    if (!this.changed(found)) return;
    this.found = found;
    this.tree = futureTree(found.nodes);
    this.paint();
  }

  paint() {
    const { panel } = this;
    const { nodes, rows, deepest } = this.tree;
    const colours = ink(panel.app.root);
    const room = panel.body.clientWidth - LEFT - END;
    const step = Math.max(STEP, Math.min(150, room / (deepest + 1)));
    const size = { wide: Math.min(BOX, step - 28), high: 27, ground: colours.ground };
    const g = this.surface.begin(LEFT + step * (deepest + 1) + END, TOP + rows * ROW + 4);
    const lit = new Set();
    for (let n = this.over; n; n = nodes[n.parent]) lit.add(n);
    this.box = size.wide;
    g.textBaseline = "middle";
    g.textAlign = "left";
    for (const n of nodes) {
      const on = lit.has(n);
      n.x = LEFT + n.depth * step;
      n.y = TOP + n.at * ROW;
      g.globalAlpha = lit.size && !on ? 0.35 : 1;
      leaf(g, n, nodes[n.parent], size, {
        branch: [on ? colours.text : colours.accent, Math.max(1, 6 * n.chance)],
        edge: [on ? colours.accent : colours.line, 1],
      });
      g.fillStyle = colours.text;
      g.font = font(12, 600);
      g.fillText(fitted(g, n.label, size.wide - 8), n.x + 5, n.y - 5);
      g.fillStyle = colours.faint;
      g.font = font(10);
      g.fillText(`${rough(n.chance)}${n.count > 1 ? `  ×${n.count}` : ""}`, n.x + 5, n.y + 7);
      if (n.children.length) continue;
      const said = n.whole >= 1e-5 ? percent(n.whole) : powerOfTen(Math.log10(n.whole));
      g.fillStyle = colours.text;
      g.font = font(12);
      g.fillText(said, n.x + size.wide + 8, n.y);
    }
    g.globalAlpha = 1;
    panel.read(this.over ? this.told(this.over) : "Point at a branch to read it.");
  }

  told({ text, label, chance, p, whole, count }) {
    return `“${text}”: “${visible(label)}” is drawn with ${percent(chance)}, the model gave it ${percent(p)}; up to here ${percent(whole)}, taken by ${count} of ${this.found.made}.`;
  }

  point(x, y) {
    const half = this.box / 2;
    const over = this.tree.nodes.find(
      (n) => Math.abs(x - n.x - half) < half + 4 && Math.abs(y - n.y) < ROW / 2,
    );
    if (over === this.over) return;
    this.over = over;
    this.paint();
  }

  table() {
    const row = (n) => [n.text, n.label, percent(n.chance), percent(n.p), n.count, percent(n.whole)];
    return {
      columns: ["future so far", "token", "drawn with", "the model says", "futures", "so far"],
      rows: this.tree.nodes.map((n) => row({ ...n, text: visible(n.text), label: visible(n.label) })),
    };
  }

  drawn() {
    const { nodes } = this.tree;
    const labels = [nodes.map((n) => n.label)];
    const over = (name) => ({ axes: ["rank"], labels, values: Float32Array.from(nodes, (n) => n[name]) });
    const names = nodes.length ? ["parent", "chance", "count"] : [];
    return Object.fromEntries(names.map((name) => [`future.${name}`, over(name)]));
  }

  alt() {
    const leaves = this.tree.nodes.filter((n) => !n.children.length).slice(0, 4);
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${leaves.map((n) => `“${n.text}”, ${percent(n.whole)}`).join("; ")}`;
  }
}

const rough = (p) => (p >= 0.01 ? `${Math.round(100 * p)} %` : percent(p));
