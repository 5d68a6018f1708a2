// One word, masked, seen from both sides and from the left alone: what each reader has before it, and what it guesses.

import { element, percent, put, short, visible } from "../dom.js";
import { column, expected } from "../marks/rows.js";
import { firstThree, likeliest, verdict } from "./blanks.js";

const NAMES = ["BERT: both sides", "Left to right: the words before"];

export default class Sides {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.grid = element("div", "un-tops");
    this.columns = NAMES.map((name) => {
      const made = column(this.grid, name);
      const sees = element("p", "un-sees");
      made.after.before(sees);
      return { ...made, sees };
    });
    panel.body.append(this.grid);
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { said } = reader;
    if (!said.words) return;
    const { at, sides } = said;
    panel.say(
      at === null ? panel.spec.title : `“${short(reader.labels[at], 18)}” from both sides, and from the left`,
      at === null
        ? "Type a word."
        : `The model cannot see the words struck out.${sides ? " The same model predicts twice; the second time the text ends at the gap, as for a model that reads left to right." : ""}`,
    );
    this.columns.forEach((column, k) => {
      column.root.hidden = at === null;
      if (at === null) return;
      column.sees.replaceChildren(...this.line(reader, said, k === 1));
      const found = sides?.[k];
      const guess = !sides
        ? "No head for masked words, so no prediction."
        : found.true
          ? verdict(found.true, panel.spec.vocabulary)
          : "A typed mask: the correct word is unknown.";
      put(column.after, guess);
      const top = found?.top ?? [];
      expected(column.bars, top, reader).forEach((row, i) =>
        row.root.classList.toggle("un-right", !!found?.true && top[i][0] === found.true[0]),
      );
    });
  }

  // The text around the gap; what this reader can't see is struck out.
  line(reader, said, left) {
    const { at } = said;
    const masked = new Set(said.masks);
    return reader.labels.flatMap((label, t) => {
      if (!reader.spans[t][1]) return [];
      const word = t === at ? "____" : masked.has(t) ? "[MASK]" : short(label, 18).replace(/^##/, "");
      const glued = label.startsWith("##") && t !== at;
      return [
        document.createTextNode(glued ? "" : " "),
        element("span", t === at ? "un-gap-word" : left && t > at ? "un-unseen" : "", { textContent: word }),
      ];
    });
  }

  drawn() {
    const { sides } = this.panel.reader().said;
    return Object.fromEntries((sides ?? []).map((g, k) => [k ? "left" : "both", likeliest(g.top)]));
  }

  table() {
    const { sides } = this.panel.reader().said;
    const rows = (sides ?? []).flatMap((g, k) =>
      g.top.map(([label, p], i) => [k ? "left only" : "both sides", i + 1, visible(label), percent(p)]),
    );
    return { columns: ["seen", "rank", "word", "probability"], rows };
  }

  alt() {
    const { sides } = this.panel.reader().said;
    return (sides ?? []).map((g, k) => `${k ? "Left only" : "Both sides"}: ${firstThree(g.top)}`).join(". ");
  }
}
