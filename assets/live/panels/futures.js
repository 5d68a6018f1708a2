// Several ways in which the text may go on, as a tree: what begins alike shares a branch; thickness and number say the probability.

import { Surface, font, ink } from "../drawing/canvas.js";
import { sayRules } from "../sums/decode.js";
import { element, percent, powerOfTen, visible } from "../dom.js";
import { Work, choice } from "../parts/work.js";
import { fitted } from "../marks/strip.js";

const ROW = 30,
  STEP = 104,
  BOX = 74,
  LEFT = 8,
  END = 150,
  TOP = 8;

export default class Futures {
  deepest;
  rowCount;

  constructor(panel) {
    this.panel = panel;
    this.work = new Work(
      panel,
      "futures",
      () => ({
        count: this.count,
        steps: this.steps,
        seed: this.seed,
        rules: panel.selection.get("rules") ?? "off",
      }),
      "Draw with the rules above",
    );
    const bar = element("div", "un-order");
    const keep = (name) => (value) => {
      panel.selection.keep({ [name]: value }, panel.app);
      this.work.start();
    };
    const other = element("button", "un-button", {
      type: "button",
      textContent: "Other random numbers",
      onclick: () => {
        panel.selection.keep({ seed: this.seed + 1 }, panel.app);
        this.work.start();
      },
    });
    this.locked = element("span", "un-says");
    bar.append(
      choice("Futures", [4, 6, 8, 10, 12, 16], this.count, keep("count")),
      choice("Tokens", [4, 6, 8, 10, 12], this.steps, keep("steps")),
      this.work.again,
      other,
      this.locked,
    );
    this.scroller = element("div", "un-strip");
    panel.body.append(bar, this.scroller);
    this.surface = new Surface(this.scroller);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.point(x, y),
      () => {},
      () => this.point(-1, -1),
    );
  }

  get count() {
    return this.panel.selection.get("count") ?? 10;
  }
  get steps() {
    return this.panel.selection.get("steps") ?? 8;
  }
  get seed() {
    return this.panel.selection.get("seed") ?? 1;
  }
  rest() {
    this.work.rest();
  }
  ask() {
    return this.work.ask();
  }
  destroy() {
    this.work.destroy();
  }

  draw() {
    const { panel } = this;
    const found = this.work.take() ?? this.nodesOf;
    const rules = sayRules(this.work.of?.rules);
    this.locked.textContent = `Seed ${this.seed}, locked: the same rules draw the same futures again.`;
    panel.say(
      panel.spec.title,
      this.work.progress("futures") ||
        `Each branch says with what probability it is taken (${rules}); × says how many futures take it. At the right: how likely the whole future is to be drawn.`,
    );
    if (!found?.nodes?.length) return this.empty(found?.problem);
    const stamp = [found, panel.body.clientWidth, panel.app.dark];
    if (this.stamp?.every((part, i) => part === stamp[i]) && !this.surface.recording) return; // a key or a slider leaves it as it is
    this.stamp = stamp;
    this.nodesOf = found;
    this.layout(found.nodes);
    this.paint();
  }

  empty(problem) {
    this.places = [];
    this.stamp = null;
    this.surface.begin(10, 40);
    this.panel.read(problem ? `${problem[0].toUpperCase()}${problem.slice(1)}.` : "");
  }

  // Leaves on rows of their own, a parent in the middle of its children.
  layout(nodes) {
    const places = nodes.map(([parent, label, chance, p, count]) => ({
      parent,
      label,
      chance,
      p,
      count,
      children: [],
      depth: 0,
      whole: chance,
    }));
    const roots = [];
    places.forEach((n) => {
      const above = places[n.parent];
      if (above) {
        n.depth = above.depth + 1;
        n.whole = above.whole * n.chance;
        above.children.push(n);
      } else roots.push(n);
    });
    let row = 0;
    const place = (n) => {
      n.children.sort((a, b) => b.chance - a.chance);
      n.children.forEach(place);
      n.row = n.children.length ? (n.children[0].row + n.children.at(-1).row) / 2 : row++;
    };
    roots.sort((a, b) => b.chance - a.chance).forEach(place);
    Object.assign(this, { places, rowCount: row, deepest: Math.max(...places.map((n) => n.depth)) });
  }

  paint() {
    const { panel, places } = this;
    const colours = ink(panel.app.root);
    const room = panel.body.clientWidth - LEFT - END;
    const step = (this.step = Math.max(STEP, Math.min(150, room / (this.deepest + 1))));
    const g = this.surface.begin(LEFT + step * (this.deepest + 1) + END, TOP + this.rowCount * ROW + 4);
    const x = (n) => LEFT + n.depth * step;
    const y = (n) => TOP + (n.row + 0.5) * ROW;
    const lit = new Set();
    for (let n = this.over; n; n = places[n.parent]) lit.add(n);
    g.textBaseline = "middle";
    const box = (this.box = Math.min(BOX, step - 28));
    for (const n of places) {
      const above = places[n.parent];
      g.strokeStyle = lit.has(n) ? colours.text : colours.accent;
      g.globalAlpha = lit.size && !lit.has(n) ? 0.35 : 1;
      if (above) {
        const [a, b] = [x(above) + box, x(n)];
        g.lineWidth = Math.max(1, 6 * n.chance);
        g.beginPath();
        g.moveTo(a, y(above));
        g.bezierCurveTo((a + b) / 2, y(above), (a + b) / 2, y(n), b, y(n));
        g.stroke();
      }
      g.lineWidth = 1;
      g.fillStyle = colours.ground;
      g.strokeStyle = lit.has(n) ? colours.accent : colours.line;
      g.beginPath();
      g.roundRect(x(n) + 0.5, y(n) - 13.5, box, 27, 4);
      g.fill();
      g.stroke();
      g.textAlign = "left";
      g.fillStyle = colours.text;
      g.font = font(12, 600);
      g.fillText(fitted(g, n.label, box - 8), x(n) + 5, y(n) - 5);
      g.fillStyle = colours.faint;
      g.font = font(10);
      g.fillText(`${rough(n.chance)}${n.count > 1 ? `  ×${n.count}` : ""}`, x(n) + 5, y(n) + 7);
      if (n.children.length) continue;
      g.fillStyle = colours.text;
      g.font = font(12);
      g.fillText(n.whole >= 1e-5 ? percent(n.whole) : powerOfTen(Math.log10(n.whole)), x(n) + box + 8, y(n));
    }
    g.globalAlpha = 1;
    panel.read(this.over ? this.told([...lit].reverse()) : "Point at a branch to read it.");
  }

  told(path) {
    const n = path.at(-1);
    return `“${path.map((m) => m.label).join("")}”: “${visible(n.label)}” is drawn with ${percent(n.chance)}, the model gave it ${percent(n.p)}; up to here ${percent(n.whole)}, taken by ${n.count} of ${this.nodesOf.made}.`;
  }

  point(x, y) {
    const over = (this.places ?? []).find(
      (n) =>
        Math.abs(x - LEFT - n.depth * this.step - this.box / 2) < this.box / 2 + 4 &&
        Math.abs(y - TOP - (n.row + 0.5) * ROW) < ROW / 2,
    );
    if (over === this.over) return;
    this.over = over;
    this.paint();
  }

  table() {
    const text = (n) => (n ? text(this.places[n.parent]) + n.label : "");
    return {
      columns: ["future so far", "token", "drawn with", "the model says", "futures", "so far"],
      rows: (this.places ?? []).map((n) => [
        visible(text(n)),
        visible(n.label),
        percent(n.chance),
        percent(n.p),
        n.count,
        percent(n.whole),
      ]),
    };
  }

  drawn() {
    const nodes = this.nodesOf?.nodes ?? [];
    const over = (column) => ({
      axes: ["rank"],
      labels: [nodes.map((n) => n[1])],
      values: Float32Array.from(nodes, (n) => n[column]),
    });
    return nodes.length
      ? { "future.parent": over(0), "future.chance": over(2), "future.count": over(4) }
      : {};
  }

  alt() {
    const leaves = (this.places ?? []).filter((n) => !n.children.length).slice(0, 4);
    const text = (n) => (n ? text(this.places[n.parent]) + n.label : "");
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${leaves.map((n) => `“${text(n)}”, ${percent(n.whole)}`).join("; ")}`;
  }
}

const rough = (p) => (p >= 0.01 ? `${Math.round(100 * p)} %` : percent(p));
