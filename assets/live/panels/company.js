// Every place of the word looked at, with the words in its window and what each counts.

import { digits, element, visible } from "../dom.js";
import { around, readRules, typed } from "../sums/nearby.js";

const MOST = 12; // places listed

export default class Company {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.list = element("ol", "un-list un-company");
    panel.body.append(this.list);
  }

  draw() {
    const { panel } = this;
    const { selection } = panel,
      reader = panel.reader();
    const rules = readRules(selection.get("rules"));
    const text = typed(reader);
    let t = selection.token(reader);
    while (t > 0 && text.at[t] < 0) t -= 1;
    const word = text.at[t] ?? -1;
    const places = word < 0 ? [] : text.at.flatMap((w, place) => (w === word ? [place] : []));
    this.rows = places.map((place) => ({ place, near: new Map(around(text, place, rules)) }));
    this.reader = reader;
    const said =
      word < 0
        ? "Type a word."
        : `${places.length} ${places.length === 1 ? "place" : "places"} in the text${places.length > MOST ? `; the first ${MOST} are listed` : ""}. Underlined: the words that count${rules.flat ? "" : ", with 1 / distance"}.`;
    panel.say(word < 0 ? panel.spec.title : `${panel.spec.title} “${visible(text.words[word])}”`, said);
    const shown = JSON.stringify([said, text.words, text.at, word, rules.window, rules.sides, rules.flat]);
    if (shown === this.shown) return;
    this.shown = shown;
    this.list.replaceChildren(
      ...this.rows.slice(0, MOST).map(({ place, near }) => {
        const row = element("li", "");
        for (let o = Math.max(0, place - 10); o <= Math.min(text.at.length - 1, place + 10); o++) {
          if (text.at[o] < 0 || text.line[o] !== text.line[place]) continue;
          const piece = element(
            o === place ? "b" : near.has(o) ? "u" : "span",
            o === place || near.has(o) ? "" : "un-forgotten",
            { textContent: visible(reader.labels[o]) },
          );
          if (near.has(o) && !rules.flat) piece.title = digits(near.get(o));
          row.append(piece, " ");
          if (near.has(o) && !rules.flat)
            row.append(element("small", "", { textContent: `${digits(near.get(o))} ` }));
        }
        return row;
      }),
    );
  }

  table() {
    const label = (t) => visible(this.reader.labels[t]);
    return {
      columns: ["place", "word near", "distance", "counts"],
      rows: this.rows.flatMap(({ place, near }) =>
        [...near].map(([o, one]) => [String(place), label(o), String(o - place), digits(one)]),
      ),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent}`;
  }
}
