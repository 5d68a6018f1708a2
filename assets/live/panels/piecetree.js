// The tree of one token: which two tokens it was made of, and those in turn, down to the first symbols.

import { element } from "../dom.js";
import { node } from "../parts/pipes.js";
import { lookedAt, madeBy, said, stepOf } from "../sums/merging.js";
import { layTree } from "../sums/tree.js";

const LEVEL = 46,
  LEAF = 38,
  WIDE = 8.6;

export default class PieceTree {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.holder = element("div", "un-tree-holder", { tabIndex: 0 });
    panel.body.append(this.holder);
    this.rows = [];
  }

  draw() {
    const { panel } = this;
    const { kind, steps } = panel.reader().said;
    if (!steps) return;
    const token = lookedAt(panel, stepOf(panel));
    const key = JSON.stringify([token?.piece, kind, steps.map((s) => s.slice(0, 3))]);
    if (key === this.key) return;
    this.key = key;
    this.rows = [];
    if (!token) {
      panel.say(panel.spec.title, "Type a few words.");
      return this.holder.replaceChildren();
    }
    const merge = madeBy(steps).get(token.piece);
    panel.say(
      `How “${said(kind, token.piece)}” was built`,
      merge
        ? "The small numbers are the merges that created the parts. Point at another token of the text, or click it."
        : "An initial symbol, not made of others. Point at a larger token of the text, or click it.",
    );
    const numbers = madeBy(steps);
    const grow = (piece) => {
      const n = numbers.get(piece);
      const [first, second, , times] = steps[n - 1] ?? [];
      const label = said(kind, piece);
      if (n) this.rows.push([n, said(kind, first), said(kind, second), label, times]);
      const wide = Math.max(28, label.length * WIDE + 14);
      return { label, n, wide, children: n ? [grow(first), grow(second)] : [], at: 0, depth: 0 };
    };
    const tree = grow(token.piece);
    this.rows.sort((a, b) => a[0] - b[0]);
    this.paint(tree);
  }

  paint(tree) {
    const across = layTree([tree], (leaf) => Math.max(LEAF, leaf.wide + 8));
    const deepest = (node) =>
      node.children.reduce((most, child) => Math.max(most, deepest(child)), node.depth);
    const shift = Math.max(0, tree.wide / 2 + 4 - tree.at);
    const width = Math.max(across, tree.at + tree.wide / 2 + 4, tree.wide + 8) + shift,
      height = deepest(tree) * LEVEL + 44;
    this.holder.replaceChildren();
    const viewBox = `0 0 ${width} ${height}`;
    const svg = node(this.holder, "svg", { width, height, viewBox, role: "img", "aria-label": this.alt() });
    svg.style.cssText = `max-width: 100%; min-width: ${Math.round(0.7 * width)}px; height: auto`; // smaller letters first, then it scrolls
    this.branch(node(svg, "g", { transform: `translate(${shift},0)` }), tree);
  }

  branch(body, { at: x, depth, wide, label, n, children }) {
    const y = 20 + depth * LEVEL;
    for (const child of children) {
      const d = `M${x},${y + 14} C${x},${y + 30} ${child.at},${y + LEVEL - 30} ${child.at},${y + LEVEL - 14}`;
      node(body, "path", { class: "un-link", d });
      this.branch(body, child);
    }
    const style = n ? `fill: color-mix(in srgb, var(--un-line-${(n - 1) % 8}) 30%, var(--un-ground))` : "";
    const box = { x: x - wide / 2, y: y - 14, width: wide, height: 28, rx: 5, style };
    node(body, "rect", { class: "un-leaf", ...box });
    node(body, "text", { x, y: y + 5, class: "un-leaf-label" }, label);
    if (n) node(body, "text", { x: x + wide / 2 + 3, y: y - 6, class: "un-leaf-number" }, String(n));
  }

  table() {
    return { columns: ["merge", "first", "second", "token", "times"], rows: this.rows };
  }
  alt() {
    return `${this.panel.title.textContent}: ${this.rows.map(([n, a, b, p]) => `merge ${n}, ${a} + ${b} = ${p}`).join("; ") || "a first symbol"}.`;
  }
}
