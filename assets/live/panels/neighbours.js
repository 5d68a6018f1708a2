// The true nearest neighbours of the word looked at, by cosine in all dimensions, not on the map.

import { digits, element, short, visible } from "../dom.js";

export default class Neighbours {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.list = element("ol", "un-list un-wide");
    this.rows = [];
    panel.body.append(this.list);
  }

  word() {
    const reader = this.panel.reader();
    let t = this.panel.selection.token(reader);
    const looking = this.panel.selection.hovered.token ?? this.panel.selection.kept.token;
    while (looking === undefined && t > 0 && !reader.top[t]?.length) t -= 1; // punctuation at the end: show the last word
    return { reader, t, rows: reader.top[t] ?? [] };
  }

  draw() {
    const { panel } = this;
    const { reader, t, rows } = this.word();
    const label = visible(reader.labels[t] ?? "");
    const why =
      reader.spans[t]?.[1] === 0
        ? "Type a word to see its neighbours."
        : reader.unknown.has(t) && rows.length
          ? `“${label}” is not among the ${reader.spec.vocabulary.toLocaleString("en")} words of this model; its vector is composed from its n-grams.`
          : reader.unknown.has(t)
            ? `“${label}” is not among the ${reader.spec.vocabulary.toLocaleString("en")} words of this model, so it has no vector.`
            : `By cosine over all ${reader.spec.vocabulary.toLocaleString("en")} words, in ${reader.spec.dims} dimensions.`;
    panel.say(rows.length ? `${panel.spec.title} “${short(label, 18)}”` : panel.spec.title, why);
    while (this.rows.length > rows.length) this.rows.pop().root.remove();
    while (this.rows.length < rows.length) {
      const row = {
        root: element("li", "un-row"),
        label: element("span", "un-row-label"),
        bar: element("span", "un-row-bar"),
        value: element("span", "un-row-value"),
        fill: element("i", ""),
      };
      row.bar.append(row.fill);
      row.root.append(row.label, row.bar, row.value);
      this.rows.push(row);
      this.list.append(row.root);
    }
    rows.forEach(([word, cosine], i) => {
      const row = this.rows[i];
      if (row.text !== word) {
        row.text = word;
        row.label.textContent = short(word, 18);
        row.label.title = visible(word);
      }
      row.value.textContent = cosine.toFixed(3);
      row.fill.style.width = `${Math.max(0, 100 * cosine).toFixed(1)}%`;
      row.fill.style.background = "var(--un-accent)";
    });
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
