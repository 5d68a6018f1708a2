// The odd one out: how well each typed word agrees with the mean of them all; the one that agrees least is named.

import { digits, element, short, visible } from "../dom.js";
import { cosines, fits, lookedAt, typed } from "../sums/typedwords.js";

const SHOWN = 12;

export default class OddOne {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.list = element("ol", "un-list un-wide");
    this.rows = [];
    panel.body.append(this.list);
    this.list.addEventListener("pointerover", (e) => {
      const row = e.target.closest("[data-i]");
      if (row) this.panel.selection.look(this.place(Number(row.dataset.i)));
    });
    this.list.addEventListener("pointerleave", () => this.panel.selection.leave());
    this.list.addEventListener("click", (e) => {
      const row = e.target.closest("[data-i]");
      if (row) this.panel.selection.keep(this.place(Number(row.dataset.i)), this.panel.app);
    });
  }

  place(i) {
    const reader = this.panel.reader();
    const { t } = this.ranked[i];
    return reader.place(t);
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { words } = typed(reader);
    const score = fits(cosines(words), words.length);
    this.ranked = words.map((w, i) => ({ ...w, score: score[i] })).sort((a, b) => a.score - b.score);
    const enough = words.length > 2;
    panel.say(
      enough ? `${panel.spec.title}: “${short(this.ranked[0].label, 18)}”` : panel.spec.title,
      enough
        ? `${panel.spec.says}${words.length > SHOWN ? ` ${SHOWN} of ${words.length} are shown.` : ""}`
        : "Type at least three words to find the one that does not belong.",
    );
    const rows = enough ? this.ranked.slice(0, SHOWN) : [];
    while (this.rows.length > rows.length) this.rows.pop().root.remove();
    while (this.rows.length < rows.length) {
      const row = {
        root: element("li", "un-row"),
        label: element("span", "un-row-label"),
        bar: element("span", "un-row-bar"),
        value: element("span", "un-row-value"),
        fill: element("i", ""),
      };
      row.root.dataset.i = this.rows.length;
      row.bar.append(row.fill);
      row.root.append(row.label, row.bar, row.value);
      this.rows.push(row);
      this.list.append(row.root);
    }
    const now = lookedAt(rows, reader, panel.selection.token(reader));
    rows.forEach(({ label, score: value }, i) => {
      const row = this.rows[i];
      row.label.textContent = short(label, 18);
      row.label.title = visible(label);
      row.label.style.fontWeight = i === now ? 700 : 400;
      row.value.textContent = value.toFixed(3).replace("-", "−");
      row.fill.style.width = `${Math.max(0, 100 * value).toFixed(1)}%`;
      row.fill.style.background = i ? "var(--un-faint)" : "var(--un-accent)";
    });
  }

  table() {
    return {
      columns: ["word", "cosine with the mean of all"],
      rows: (this.ranked ?? []).map((w) => [visible(w.label), digits(w.score)]),
    };
  }
  alt() {
    return `${this.panel.title.textContent}: ${(this.ranked ?? []).map((w) => `${visible(w.label)} ${digits(w.score)}`).join(", ")}`;
  }
}
