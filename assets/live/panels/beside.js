// Three readings of the same words, side by side.

import { digits, element, percent } from "../dom.js";
import { Bag, KINDS } from "../parts/bag.js";
import { named, shown } from "../sums/bayes.js";

export default class Beside {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.bag = Bag.of(panel);
  }

  // Per reading its title, and per class its share of 1, in words too; a cosine is no probability.
  get blocks() {
    const { tables, state, readings } = this.bag.read();
    return Object.entries(KINDS).map(([kind, name]) => {
      const { posterior, joint } = readings[kind];
      const cosine = kind === "tfidf";
      const rows = shown(tables, state, joint).map((c) => {
        const share = cosine ? joint[c] : posterior ? posterior[c] : 0;
        return { c, share, said: cosine ? digits(share) : posterior ? percent(share) : "0 / 0" };
      });
      return { kind, title: cosine ? `${name}, cosine` : `${name} naive Bayes`, rows };
    });
  }

  draw() {
    const { a, b, kind: now } = this.bag.state;
    const { classes } = this.bag.tables;
    const blocks = this.blocks.map(({ kind, title, rows }) => {
      const block = element("div", `bag-beside${kind === now ? " bag-chosen" : ""}`);
      block.append(element("h4", "", { textContent: title }));
      for (const { c, share, said } of rows) {
        const row = element("div", "un-row"),
          bar = element("span", "un-row-bar"),
          fill = element("i", c === a ? "un-more" : c === b ? "un-less" : "bag-third");
        fill.style.width = `${100 * Math.max(0, share)}%`;
        bar.append(fill);
        const label = element("span", "un-row-label", { textContent: named(classes[c], 14) });
        row.append(label, bar, element("span", "un-row-value", { textContent: said }));
        block.append(row);
      }
      return block;
    });
    this.panel.body.replaceChildren(...blocks);
  }

  table() {
    const { classes } = this.bag.tables;
    const rows = this.blocks.flatMap(({ title, rows }) =>
      rows.map(({ c, said }) => [title, classes[c], said]),
    );
    return { columns: ["reading", "class", "result"], rows };
  }

  alt() {
    const rows = this.table().rows.map((row) => row.join(", "));
    return `${this.panel.title.textContent}. ${rows.join("; ")}.`;
  }
}
