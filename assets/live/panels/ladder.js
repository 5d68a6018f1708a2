// The back-off ladder of one next word, from the longest order down: what was counted, what is taken off,
// what the longer orders left, and what that adds to the probability.  The word is the one hovered or chosen,
// else the likeliest.

import { digits, element, fit, orderColour, parts, percent, put, visible } from "../dom.js";
import { Player } from "../parts/player.js";
import { formula, ladder, share, sum, words } from "../sums/backoff.js";

export default class Ladder {
  constructor(panel) {
    this.panel = panel;
    this.list = element("ol", "un-list un-ladder");
    this.sum = element("p", "un-formula");
    this.player = new Player(panel, {
      title: "Watch the probability come together, from the longest order down",
      label: "Order",
      count: () => this.now?.rungs.length ?? 0,
      says: (step) => this.told(step),
      move: () => this.fill(),
    });
    panel.body.append(this.player.node, this.list, this.sum);
    this.readouts = false;
    this.rungs = [];
  }

  destroy() {
    this.player.stop();
  }

  // {label, p, rungs} of the word looked at.
  chosen() {
    const { panel } = this;
    const reader = panel.reader();
    const t = panel.selection.token(reader);
    const top = reader.top[t] ?? [];
    const hovered = panel.selection.hovered.next;
    const name = hovered ?? (panel.app.word() || top[0]?.[0]);
    const found = reader.find?.word === name ? reader.find : null; // as the model has it
    const row = top.find((r) => r[0] === ((!hovered && found?.label) || name));
    if (row) return { reader, t, label: row[0], p: row[1], rungs: ladder(reader, t, row[2]) };
    const [p, , , steps] = (found && reader.found[t]) || [];
    const label = p === undefined ? (name ?? "") : found.label;
    return { reader, t, label, p, rungs: ladder(reader, t, steps) };
  }

  draw() {
    const { panel } = this;
    const { reader, t, label, rungs, p } = (this.now = this.chosen());
    const { orders, method } = reader.spec;
    const word = visible(label);
    const after = reader.spans[t]?.[1] === 0 ? "at the start" : `after “${visible(reader.labels[t] ?? "")}”`;
    panel.say(
      `Where P(“${word}”) comes from, ${after}`,
      `${panel.spec.says}${panel.app.word() ? "" : " Click a bar to open another word."}`,
    );
    fit(this.rungs, rungs.length, () => this.rung());
    rungs.forEach((rung, i) => {
      const { m, name, context, part } = rung;
      const row = this.rungs[i];
      row.dot.style.background = row.fill.style.background = `var(${orderColour(m, orders.length)})`;
      put(row.name, m ? `${name}: ${m > 1 ? `${context ?? "…"} → ` : ""}${word}` : "uniform");
      put(row.value, share(part));
      put(row.says, words(rung, method));
      put(row.formula, formula(rung, method));
      row.formula.hidden = !row.formula.textContent;
    });
    put(this.sum, rungs.length ? `P(${word}) = ${sum(rungs, p)}` : "");
    this.player.draw();
    this.fill();
  }

  // The bars: each begins where the one above ended.  Of the order that comes, as much as has come.
  fill() {
    const { p, rungs } = this.now;
    const { step, share: come } = this.player;
    rungs.forEach(({ part, before }, i) => {
      const { root, skip, fill } = this.rungs[i];
      const grown = i < step ? 1 : i === step ? come : 0;
      skip.style.width = `${((100 * before) / p).toFixed(2)}%`;
      fill.style.width = `${((100 * part * grown) / p).toFixed(2)}%`;
      root.classList.toggle("un-coming", i > step);
    });
  }

  // What an order adds, and how much of the probability is left to the shorter ones.
  told(step) {
    const { name, part, weight, gamma } = this.now.rungs[step];
    const left = this.now.rungs[step + 1] ? `; ${percent(weight * gamma)} goes on down` : "";
    return `${name} adds ${share(part)}${left}`;
  }

  rung() {
    const row = parts(element("li", "un-rung"), {
      ...{ head: "div.un-rung-head", bar: "un-row-bar" },
      ...{ says: "p.un-rung-says", formula: "p.un-formula" },
    });
    const head = parts(row.head, { dot: "i.un-dot", name: "b.un-rung-name", value: "un-row-value" });
    this.list.append(row.root);
    return { ...head, ...parts(row.bar, { skip: "i.", fill: "i." }), ...row };
  }

  table() {
    const rows = this.chosen().rungs.map((r) => {
      const counted = (value) => (r.m ? value : "");
      return [
        ...[r.name, r.context ?? "", counted(r.count), counted(r.total), counted(digits(r.discount))],
        ...[digits(r.weight), counted(digits(r.gamma)), digits(r.part)],
      ];
    });
    return {
      columns: ["order", "context", "count", "of", "discount", "weight", "left to the next", "adds"],
      rows,
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.sum.textContent}`;
  }
}
