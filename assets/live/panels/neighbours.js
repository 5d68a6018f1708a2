// The true nearest neighbours of the word looked at, by cosine in all dimensions, not on the map.

import { digits, element, short, visible } from "../dom.js";
import { BarList } from "../marks/bars.js";
import { listed } from "../marks/rows.js";

export default class Neighbours {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    const list = element("ol", "un-list un-wide");
    this.bars = new BarList(list);
    panel.body.append(list);
  }

  word() {
    const reader = this.panel.reader();
    const near = this.panel.spec.notes ? reader.notes : reader.top;
    let t = this.panel.selection.token(reader);
    const looking = this.panel.selection.hovered.token ?? this.panel.selection.kept.token;
    while (looking === undefined && t > 0 && !near[t]?.length) t -= 1; // punctuation at the end: show the last word
    return { reader, t, rows: near[t] ?? [] };
  }

  draw() {
    const { panel } = this;
    const { reader, t, rows } = this.word();
    const label = visible(reader.labels[t] ?? "");
    const words = reader.spec.vocabulary.toLocaleString("en");
    const missing = `“${label}” is not among the ${words} words of this model`;
    const why =
      reader.spans[t]?.[1] === 0
        ? "Type a word to see its neighbours."
        : !reader.unknown.has(t)
          ? `By cosine over all ${words} words, in ${reader.spec.dims} dimensions.`
          : rows.length
            ? `${missing}; its vector is composed from its n-grams.`
            : `${missing}, so it has no vector.`;
    panel.say(rows.length ? `${panel.spec.title} “${short(label, 18)}”` : panel.spec.title, why);
    listed(this.bars, rows, { write: (cosine) => cosine.toFixed(3), colour: "var(--un-accent)" });
  }

  table() {
    const { rows } = this.word();
    return { columns: ["neighbour", "cosine"], rows: rows.map(([w, c]) => [visible(w), digits(c)]) };
  }
  alt() {
    const { rows } = this.word();
    return `${this.panel.title.textContent}: ${rows.map(([w, c]) => `${visible(w)} ${digits(c)}`).join(", ")}`;
  }
}
