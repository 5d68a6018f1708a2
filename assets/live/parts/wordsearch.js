// "Where is" a word: a box for any word; every reply then tells its place among all.

import { element, put } from "../dom.js";

export class WordSearch {
  /** @param {any} panel @param {string} name for the id of the box @param {string} className of the answer */
  constructor({ app }, name, className) {
    this.app = app;
    this.input = element("input", "un-search", {
      type: "search",
      maxLength: 60,
      autocomplete: "off",
      spellcheck: false,
      id: `un-search-${name}`,
      placeholder: "any word",
    });
    const choose = () => app.choose(this.input.value.trim());
    this.input.addEventListener("input", (e) => {
      if (!e.isComposing) choose();
    });
    this.input.addEventListener("compositionend", choose);
    this.bar = element("div", "un-search-bar");
    const label = element("label", "un-search-label", { htmlFor: this.input.id, textContent: "Where is" });
    this.bar.append(label, this.input);
    this.answer = element("p", className, { role: "status" });
  }

  // The box follows a word that is chosen elsewhere; `find(word)` answers, "…" until Python has.
  draw(hint, find) {
    const word = this.app.word();
    if (document.activeElement !== this.input && this.input.value !== word) this.input.value = word;
    put(this.answer, word ? (find(word) ?? "…") : hint);
  }
}
