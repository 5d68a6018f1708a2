// The odd one out: how well each typed word agrees with the mean of them all; the one that agrees least is named.

import { digits, element, short, visible } from "../dom.js";
import { BarList } from "../marks/bars.js";
import { listPointing, walked } from "../marks/pointer.js";
import { listed } from "../marks/rows.js";
import { cosines, fits, lookedAt, typed } from "../sums/typedwords.js";

const SHOWN = 12;

export default class OddOne {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.list = element("ol", "un-list un-wide");
    this.bars = new BarList(this.list);
    panel.body.append(this.list);
    walked(this.list, "[data-i]");
    listPointing(panel, this.list, "i", (i) => panel.reader().place(this.ranked[i].t));
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
    const now = lookedAt(rows, reader, panel.selection.token(reader));
    const write = (score) => score.toFixed(3).replace("-", "−");
    const items = /** @type {[string, number][]} */ (rows.map(({ label, score }) => [label, score]));
    listed(this.bars, items, { write, colour: "var(--un-faint)" }).forEach(({ label, fills }, i) => {
      label.style.fontWeight = i === now ? "700" : "400";
      if (!i) fills[0].style.background = "var(--un-accent)";
    });
  }

  table() {
    return {
      columns: ["word", "cosine with the mean of all"],
      rows: (this.ranked ?? []).map((w) => [visible(w.label), digits(w.score)]),
    };
  }
  // The word looked at, and its place; the whole list where none is typed there.
  spoken() {
    const t = this.panel.selection.token(this.panel.reader());
    const at = (this.ranked ?? []).findIndex((word) => word.t === t);
    if (at < 0) return undefined;
    const { label, score } = this.ranked[at];
    return `“${visible(label)}”: cosine with the mean of all ${digits(score)}, place ${at + 1} of ${this.ranked.length} from the oddest.`;
  }

  alt() {
    return `${this.panel.title.textContent}: ${(this.ranked ?? []).map((w) => `${visible(w.label)} ${digits(w.score)}`).join(", ")}`;
  }
}
