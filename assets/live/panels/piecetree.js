// The tree of one token: which two tokens it was made of, and those in turn, down to the first symbols.

import { lookedAt, madeBy, said, stepOf } from "../sums/merging.js";

const SVG = "http://www.w3.org/2000/svg",
  LEVEL = 46,
  LEAF = 38,
  WIDE = 8.6;

export default class PieceTree {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.holder = document.createElement("div");
    this.holder.className = "un-tree-holder";
    this.holder.tabIndex = 0;
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
      const parts = n ? [steps[n - 1][0], steps[n - 1][1]].map(grow) : [];
      const node = {
        label: said(kind, piece),
        n,
        parts,
        depth: parts.length ? 1 + Math.max(...parts.map((p) => p.depth)) : 0,
      };
      if (n)
        this.rows.push([
          n,
          said(kind, steps[n - 1][0]),
          said(kind, steps[n - 1][1]),
          node.label,
          steps[n - 1][3],
        ]);
      return node;
    };
    this.tree = grow(token.piece);
    this.rows.sort((a, b) => a[0] - b[0]);
    this.paint(this.tree);
  }

  paint(tree) {
    let at = 0;
    const place = (node, level) => {
      node.y = 20 + level * LEVEL;
      node.wide = Math.max(28, node.label.length * WIDE + 14);
      if (!node.parts.length) {
        node.x = at + Math.max(LEAF, node.wide + 8) / 2;
        at += Math.max(LEAF, node.wide + 8);
        return;
      }
      node.parts.forEach((p) => place(p, level + 1));
      node.x = (node.parts[0].x + node.parts[1].x) / 2;
    };
    place(tree, 0);
    const width = Math.max(at, tree.x + tree.wide / 2 + 4, tree.wide + 8),
      height = tree.depth * LEVEL + 44;
    const shift = Math.max(0, tree.wide / 2 + 4 - tree.x);
    const svg = make("svg", {
      width: width + shift,
      height,
      viewBox: `0 0 ${width + shift} ${height}`,
      role: "img",
      "aria-label": this.alt(),
    });
    svg.style.cssText = `max-width: 100%; min-width: ${Math.round(0.7 * (width + shift))}px; height: auto`; // smaller letters first, then it scrolls
    const body = make("g", { transform: `translate(${shift},0)` });
    svg.append(body);
    const draw = (node) => {
      for (const p of node.parts) {
        body.append(
          make("path", {
            class: "un-link",
            d: `M${node.x},${node.y + 14} C${node.x},${node.y + 30} ${p.x},${p.y - 30} ${p.x},${p.y - 14}`,
          }),
        );
        draw(p);
      }
      body.append(
        make("rect", {
          class: "un-leaf",
          x: node.x - node.wide / 2,
          y: node.y - 14,
          width: node.wide,
          height: 28,
          rx: 5,
          style: node.n
            ? `fill: color-mix(in srgb, var(--un-line-${(node.n - 1) % 8}) 30%, var(--un-ground))`
            : "",
        }),
      );
      const label = make("text", { x: node.x, y: node.y + 5, class: "un-leaf-label" });
      label.textContent = node.label;
      body.append(label);
      if (node.n) {
        const number = make("text", {
          x: node.x + node.wide / 2 + 3,
          y: node.y - 6,
          class: "un-leaf-number",
        });
        number.textContent = String(node.n);
        body.append(number);
      }
    };
    draw(tree);
    this.holder.replaceChildren(svg);
  }

  table() {
    return { columns: ["merge", "first", "second", "token", "times"], rows: this.rows };
  }
  alt() {
    return `${this.panel.title.textContent}: ${this.rows.map(([n, a, b, p]) => `merge ${n}, ${a} + ${b} = ${p}`).join("; ") || "a first symbol"}.`;
  }
}

function make(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}
