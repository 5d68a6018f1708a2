// Words that a model of few words does not know: named below the box, each with known ones that can take its place.

import { element, visible } from "./dom.js";
import { button } from "./parts/controls.js";
import { clusters } from "./segmentation.js";

/** @import { Reader } from "./wire.js" */

const MOST = 3, // unknown words that are named
  OFFERED = 6; // known ones for each

export class KnownWords {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.root = element("div", "un-known", { hidden: true, role: "status" });
    this.shown = "";
  }

  /** @param {Reader} reader */
  draw(reader) {
    const { known, sides, splits } = reader.spec; // `sides`: those of each of two texts, where they can be told apart
    const words = known ? [...new Set(splits ? this.split(reader) : unread(reader))] : [];
    const first = new Set(read(reader.source?.labels ?? [], reader.source?.unknown ?? []));
    if (words.join("\n") === this.shown) return;
    this.shown = words.join("\n");
    this.root.hidden = !words.length;
    const said = splits
      ? "is not one of its words, so it is read in pieces"
      : "is not one of its words, so it is read as unknown";
    const lines = words.slice(0, MOST).map((word) => {
      const line = element("p", "");
      line.append(
        element("b", "", { textContent: visible(word) }),
        ` ${said}. Known: `,
        ...nearest(word, sides ? sides[first.has(word) ? 0 : 1] : known).map((other) =>
          button(other, () => this.replace(word, other)),
        ),
      );
      return line;
    });
    const more = words.length - MOST;
    if (more > 0) lines.push(element("p", "", { textContent: `and ${more} more` }));
    this.root.replaceChildren(...lines);
  }

  // Words that are read as several pieces.
  /** @param {Reader} reader */
  split({ labels, spans }) {
    const { points } = this.app;
    return labels.flatMap((label, t) => {
      if (!label.startsWith("##") || labels[t + 1]?.startsWith("##")) return [];
      let first = t;
      while (first && labels[first].startsWith("##")) first -= 1;
      return [points.slice(spans[first][0], spans[t][1]).join("")];
    });
  }

  /** @param {string} word @param {string} other */
  replace(word, other) {
    const { app } = this;
    const plain = word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    app.setText(
      app.box.value.replace(new RegExp(`(?<![\\p{L}\\p{M}])${plain}(?![\\p{L}\\p{M}])`, "u"), () => other),
    );
  }
}

/** @param {string[]} names @param {Iterable<number>} at */
const read = (names, at) => [...at].map((t) => names[t]);

/** Words that are read as unknown, of both texts where there are two. @param {Reader} reader */
function unread({ labels, unknown, source }) {
  const found = [...read(source?.labels ?? [], source?.unknown ?? []), ...read(labels, unknown)];
  return found.filter((word) => /\p{L}/u.test(word ?? ""));
}

/** The known words that look most like it: as many letters alike at both ends. @param {string} word @param {string[]} known */
export function nearest(word, known) {
  const low = clusters(word.toLowerCase());
  const alike = (/** @type {string} */ known) => {
    const other = clusters(known.toLowerCase());
    const all = Math.min(low.length, other.length);
    let [front, back] = [0, 0];
    while (front < all && low[front] === other[front]) front += 1;
    while (back < all - front && low.at(-1 - back) === other.at(-1 - back)) back += 1;
    return front + back - Math.abs(low.length - other.length) / 2;
  };
  return known
    .map((other) => ({ other, score: alike(other) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, OFFERED)
    .map(({ other }) => other);
}
