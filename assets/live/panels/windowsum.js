// One step number by number: how its place is foretold, and from score to weight for each source word.

import { digits, element, percent, short, visible } from "../dom.js";
import { heaviest, scopeOf } from "../sums/scoped.js";
import { row as rowOf, scoredBy } from "../sums/scored.js";
import { series } from "../wire.js";

const TERMS = 3; // of the sum that are named

export default class WindowSum {
  constructor(panel) {
    this.panel = panel;
    this.strip = element("div", "un-strip", { tabIndex: 0, role: "group" });
    this.strip.setAttribute("aria-label", panel.spec.title);
    this.node = element("table", "un-lanes");
    this.strip.append(this.node);
    panel.body.append(this.strip);
  }

  now() {
    const kind = scoredBy(this.panel);
    const reader = this.panel.reader(kind);
    return { kind, reader, ...scopeOf(reader, this.panel.selection.token(reader)) };
  }

  // Name of each row, its number for each source word, and how these are written.
  rows() {
    const { S, score, look, weight, centre, inside, bell, weighs } = this.now();
    const words = Array.from({ length: S }, (_, s) => s);
    const local = !Number.isNaN(centre);
    const rows = [["its score", words.map(score), digits]];
    rows.push([
      local ? "softmax in the window" : "softmax",
      words.map((s) => (inside(s) ? look(s) : NaN)),
      percent,
    ]);
    if (local && weighs) rows.push(["the bell", words.map((s) => (inside(s) ? bell(s + 1) : NaN)), digits]);
    if (local || weighs) rows.push(["its weight", words.map(weight), percent]);
    return /** @type {[string, number[], (v: number) => string][]} */ (rows);
  }

  draw() {
    const { panel } = this;
    const n = this.now();
    panel.say(`From score to weight: ${panel.spec.called[n.kind]}`, panel.spec.says);
    if (!n.S) {
      this.node.replaceChildren();
      return panel.read("Type an English sentence.");
    }
    const { labels } = n.reader.source;
    const line = (name, cells, className = "") => {
      const made = element("tr", className);
      const head = element("th", "", { textContent: name, scope: "row" });
      made.append(head, ...cells.map((textContent) => element("td", "", { textContent })));
      return made;
    };
    const best = heaviest(n);
    this.node.replaceChildren(
      line(
        "source word",
        labels.map((label) => short(label, 16)),
        "un-target",
      ),
      line(
        "its place",
        labels.map((_, s) => String(s + 1)),
      ),
      ...this.rows().map(([name, values, written]) =>
        line(
          name,
          values.map((v) => (Number.isNaN(v) ? "–" : written(v))),
        ),
      ),
    );
    for (const made of this.node.rows) made.cells[best + 1]?.classList.add("un-chosen");
    panel.read(this.words(n));
  }

  words({ kind, reader, t, S, centre, half, weight }) {
    const total = Array.from({ length: S }, (_, s) => weight(s)).reduce((a, b) => a + b, 0);
    if (kind === "hard") return "The likeliest word is taken whole: its weight is 1, all others 0.";
    if (Number.isNaN(centre)) return `${S} scores, and softmax over all of them: the weights sum to 1.`;
    if (!reader.fields.has("foretold"))
      return `Step ${t + 1} looks around place ${digits(centre)}: words to ${half} places away. Nothing is learned for that.`;
    const parts = Array.from(rowOf(reader, "foretold", t));
    const sum = parts.reduce((a, b) => a + b, 0);
    const order = parts
      .map((_, u) => u)
      .sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]))
      .slice(0, TERMS);
    const rest = parts.reduce((all, part, u) => (order.includes(u) ? all : all + part), 0);
    const named = order.map((u) => `${digits(parts[u])} (unit ${u})`).join(" + ");
    return `Place: ${S} · σ(${digits(sum)}) = ${digits(centre)}, where ${digits(sum)} = ${named} + ${digits(rest)} of the other ${parts.length - TERMS} units. The bell is narrow, σ = ${digits(half / 2)}; the weights sum to ${percent(total)}, and are left so.`;
  }

  table() {
    const { reader, S } = this.now();
    const rows = S ? this.rows() : [];
    return {
      columns: ["source word", ...rows.map(([name]) => name)],
      rows: Array.from({ length: S }, (_, s) => [
        visible(reader.source.labels[s]),
        ...rows.map(([, values]) => (Number.isNaN(values[s]) ? "" : digits(values[s]))),
      ]),
    };
  }

  // What the numbers on the screen make of the weights, for checks from outside.
  drawn() {
    const { reader, S, look, weight, centre, bell, weighs, inside } = this.now();
    if (!S) return {};
    const made = Array.from({ length: S }, (_, s) =>
      Number.isNaN(centre) ? weight(s) : inside(s) ? look(s) * (weighs ? bell(s + 1) : 1) : 0,
    );
    return { "drawn.weight": series("source", reader.source.labels, made) };
  }
}
