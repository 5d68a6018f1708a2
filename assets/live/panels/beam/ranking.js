// What a beam search has found, by score.  The length penalty only puts it in order: it needs no model.

import { digits, element, powerOfTen, small, visible } from "../../dom.js";
import { ranked, score } from "../../sums/beams.js";
import { slider } from "../../parts/controls.js";

const LISTED = 6;

export class Ranking {
  alpha = 1;
  ranked = [];

  constructor(panel, changed) {
    const penalty = element("div", "un-rule");
    this.value = element("span", "un-rule-value");
    const act = (alpha) => {
      this.alpha = alpha;
      changed();
    };
    penalty.append(
      element("label", "", { htmlFor: "un-alpha", textContent: "Length penalty α" }),
      slider(act, { min: 0, max: 2, step: 0.1, value: this.alpha, id: "un-alpha" }),
      this.value,
      element("span", "un-rule-cut"),
    );
    this.list = element("ol", "un-list un-ranking");
    panel.body.append(penalty, this.list);
  }

  clear() {
    this.list.replaceChildren();
  }

  // Lists the found texts, once they are all there; returns the best.
  draw({ found, greedy }, whole) {
    this.value.textContent = this.alpha.toFixed(1);
    this.ranked = ranked(found, this.alpha);
    const [best] = this.ranked;
    const power = (total) => powerOfTen(total / Math.LN10);
    const says = whole
      ? `${this.ranked.length} texts found, best first. Score = ln P / (tokens)^α: α = 0 prefers short texts, a large α long ones. P = e^(ln P): the best has ${power(best.total)}, greedy ${power(greedy[1])}.`
      : "The texts are ranked after the last step.";
    const rows = (whole ? this.ranked.slice(0, LISTED) : []).map((h, i) =>
      this.row(`${i + 1}${h.ended ? " ■" : ""}`, h.text, h.total, h.length, !i),
    );
    if (whole && greedy) rows.push(this.row(small("greedy"), greedy[0], greedy[1], greedy[2]));
    this.list.replaceChildren(element("li", "un-says", { textContent: says }), ...rows);
    return whole ? best : null;
  }

  row(name, text, total, length, best = false) {
    const node = element("li", `un-hypothesis${best ? " un-chosen" : ""}`);
    const sum = `${digits(total)} / ${length}^${this.alpha.toFixed(1)} = ${digits(score(total, length, this.alpha))}`;
    node.append(
      element("b", "", { textContent: name }),
      element("span", "un-said", { textContent: visible(text).replaceAll("·", " ").trim() }),
      element("span", "un-row-value", { textContent: sum }),
    );
    return node;
  }

  best(count) {
    const said = this.ranked.slice(0, count).map((h) => `“${h.text.trim()}”, ln P ${digits(h.total)}`);
    return said.join("; ");
  }
}
