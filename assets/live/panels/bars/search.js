// Any word in a list of bars: its place among all words, rows that can be chosen, and a logarithmic axis for
// the small ones.

import { digits, element, percent, probability, raised, visible } from "../../dom.js";
import { button } from "../../parts/controls.js";
import { WordSearch } from "../../parts/wordsearch.js";

const LOWEST = 8; // the logarithmic axis goes from 1 down to 10^-8, whatever is drawn

export class Search {
  constructor(view) {
    this.view = view;
    const { panel, list } = view;
    this.box = new WordSearch(panel, panel.spec.id, "un-answer");
    this.log = button("Log axis", () => {
      this.log.setAttribute("aria-pressed", String(!this.logs));
      panel.draw();
    });
    this.log.setAttribute("aria-pressed", "false");
    this.box.bar.append(this.log);
    this.axis = element("div", "un-axis");
    for (let e = LOWEST; e >= 0; e -= 2)
      this.axis.append(element("span", "", { textContent: e ? `10${raised(-e)}` : "1" }));
    panel.body.append(this.box.bar, this.box.answer);
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Likeliest next words: up and down choose one");
    list.tabIndex = 0;
    list.addEventListener("click", (e) => {
      const row = e.target.closest("[data-i]");
      const word = row && view.rows[row.dataset.i]?.[0];
      if (row) panel.app.choose(word === panel.app.word() ? "" : word);
    });
    list.addEventListener("keydown", (e) => this.key(e));
  }

  key(event) {
    const { app } = this.view.panel;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const { rows } = this.view;
    if (!step || !rows.length) return;
    const now = rows.findIndex((row) => row[0] === app.word());
    app.choose(rows[Math.max(0, Math.min(rows.length - 1, now + step))][0]);
    event.preventDefault();
    event.stopPropagation();
  }

  get logs() {
    return this.log.getAttribute("aria-pressed") === "true";
  }

  // How much of its bar a probability fills on the logarithmic axis.
  width(p) {
    return Math.max(0, 1 + Math.log10(Math.max(p, 1e-12)) / LOWEST);
  }

  // The label that is chosen: as the model has it, once its reply is here.
  chosen(reader) {
    return reader.find?.label || this.view.panel.app.word();
  }

  draw(reader, t, after) {
    const { list, rows, bars } = this.view;
    if (this.logs !== this.axis.isConnected) this.logs ? list.after(this.axis) : this.axis.remove();
    this.box.draw(
      "Type any word, or click a bar: its rank among all words is updated as you type.",
      (word) => (reader.find?.word === word ? this.where(reader, t, after) : undefined),
    );
    const label = this.chosen(reader);
    bars.rows.forEach(({ root }, i) => root.setAttribute("aria-selected", String(rows[i][0] === label)));
    this.at = rows.findIndex((row) => row[0] === label);
    this.at >= 0
      ? list.setAttribute("aria-activedescendant", bars.rows[this.at].root.id)
      : list.removeAttribute("aria-activedescendant");
  }

  // The answer to "where is this word?".
  where(reader, t, after) {
    const { find, found } = reader;
    const word = `“${visible(find.word)}”:`;
    if (!found[t]?.length) return `${word} ${find.says}`;
    const [p, place, same] = found[t];
    const whole = reader.spec.vocabulary.toLocaleString("en");
    const others =
      same === 1
        ? "; 1 other has the same probability"
        : `; ${same?.toLocaleString("en")} others have the same probability`;
    const ties = same ? others : "";
    const numbers =
      p > 0
        ? `P = ${probability(p)}${p >= 1e-5 ? ` (${percent(p)})` : ""}, ${digits(-Math.log2(p))} bits`
        : "P = 0: the model rules it out here";
    const says = find.says ? `${find.says} ` : "";
    return `${word} ${says}place ${place.toLocaleString("en")} of ${whole} ${after}, ${numbers}${ties}.`;
  }
}
