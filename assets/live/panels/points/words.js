// The words of a map: the typed ones among them, the one looked at with its true neighbours, and what is said of them.

import { visible } from "../../dom.js";
import { numbers } from "../../sums/cloud.js";

const quoted = (word) => `“${visible(word)}”`;

export class PointWords {
  note = ""; // what came of a search
  next; // the word that was clicked
  text; // and the text at that time

  constructor(panel) {
    const { spec } = (this.panel = panel);
    this.words = spec.words;
    this.row = new Map(spec.words.map((word, i) => [word, i]));
    if (!spec.near) return;
    this.near = numbers(spec.near, "u4");
    this.cosine = numbers(spec.cosine, "i2");
  }

  // The typed words that have a place: {label, row (-1 where they are not drawn), place}.
  typed() {
    const reader = this.panel.reader();
    const field = reader.fields.get("place");
    if (!field) return [];
    const size = field.shape[1],
      seen = new Map();
    reader.labels.forEach((label, t) => {
      if (reader.spans[t][1] === 0 || !field.values[t * size + size - 1]) return;
      const word = label.toLowerCase();
      const place = field.values.subarray(t * size, t * size + size - 1);
      seen.set(word, { label, word, row: this.row.get(word) ?? -1, place });
    });
    return [...seen.values()];
  }

  // The row of the word looked at: clicked, or the typed one chosen in the text.
  current(typed) {
    const { selection, app } = this.panel,
      next = selection.get("next");
    if (next !== this.next) [this.next, this.text] = [next, app.text]; // what was clicked stays until something else is typed
    if (next !== undefined && this.text === app.text && selection.get("token") === undefined)
      return this.row.get(next) ?? -1;
    const reader = this.panel.reader();
    const now = reader.labels[selection.token(reader)]?.toLowerCase();
    const drawn = typed.filter((w) => w.row >= 0);
    return (drawn.find((w) => w.word === now) ?? drawn.at(-1))?.row ?? -1;
  }

  keep(row) {
    this.note = "";
    this.panel.selection.keep({ next: this.words[row], token: undefined }, this.panel.app);
  }

  // The row of a word that somebody searches; -1 where it is not drawn.
  find(word) {
    const row = this.row.get(word) ?? this.row.get(word.toLowerCase()) ?? -1;
    if (row < 0)
      this.note = this.typed().some((w) => w.word === word.toLowerCase())
        ? `${quoted(word)} is not among the drawn words; a ring marks its position.`
        : `${quoted(word)} is not among the ${this.words.length.toLocaleString("en")} words of this map. Draw more words, or type it above.`;
    return row;
  }

  // The true neighbours of a word: {row, said}.
  neighbours(row) {
    const { k } = this.panel.spec;
    if (row < 0 || !this.near) return [];
    return Array.from(this.near.subarray(row * k, (row + 1) * k), (other, n) => ({
      row: other,
      said: (this.cosine[row * k + n] / 32767).toFixed(2),
    }));
  }

  say(typed, now, near, about) {
    const { panel, words } = this;
    const { title, says, rings } = panel.spec;
    panel.say(now >= 0 ? `${title}, at ${quoted(words[now])}` : title, says);
    const list = near.slice(0, 5).map((l) => `${visible(words[l.row])} ${l.said}`);
    const line =
      now >= 0
        ? `${quoted(words[now])}${list.length ? `: true neighbours ${list.join(", ")}` : ""}. ${about && `${about}.`}`
        : "Point at a word: lines lead to its true nearest neighbours.";
    const out = typed.filter((w) => w.row < 0).map((w) => quoted(w.label));
    const more = out.length > 4 ? ` and ${out.length - 4} more` : "";
    const ring = out.length
      ? ` Not among the drawn words: ${out.slice(0, 4).join(", ")}${more}; a ring ${rings}.`
      : "";
    panel.read(this.note || line + ring);
  }
}
