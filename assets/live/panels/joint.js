// P(states and tokens) along a path, factor by factor: the transition into each state, and what it writes; the likeliest
// path, and beside it one's own.

import { digits, element, percent, short, visible } from "../dom.js";
import { listPointing } from "../marks/pointer.js";
import { power } from "../sums/chain.js";
import * as hmm from "../sums/hmm.js";

export default class Joint {
  constructor(panel) {
    this.panel = panel;
    this.total = element("p", "un-total");
    this.strip = element("div", "un-strip", { tabIndex: 0, role: "group" }); // it scrolls by keyboard, too
    this.strip.setAttribute("aria-label", panel.spec.title);
    this.node = element("table", "un-lanes");
    this.strip.append(this.node);
    panel.body.append(this.total, this.strip);
    listPointing(panel, this.node, "t", (t) => panel.reader().place(t));
  }

  draw() {
    const { panel } = this;
    const { selection } = panel;
    const reader = panel.reader();
    if (reader.labels.length < 2) {
      this.found = null;
      this.node.replaceChildren();
      this.total.textContent = "";
      panel.say(panel.spec.title, "");
      return panel.read("Type something: each token gets two factors.");
    }
    const model = hmm.tables(reader);
    const bends = hmm.held(reader, selection);
    const best = hmm.factors(reader, hmm.viterbi(reader));
    const own = hmm.factors(reader, hmm.bent(reader, bends));
    const now = selection.token(reader);
    this.found = { reader, model, best, own };
    const row = (name, of, className = "") => {
      const line = element("tr", className);
      line.append(element("th", "", { textContent: name, scope: "row" }));
      own.forEach((factor, i) => {
        const cell = element("td", factor.t === now ? "un-chosen" : "", { textContent: of(factor, i) });
        cell.dataset.t = String(factor.t);
        line.append(cell);
      });
      return line;
    };
    const bent = own.some((factor, i) => factor.to !== best[i].to);
    this.node.replaceChildren(
      row("Token", (f) => short(reader.labels[f.t], 16), "un-target"),
      row(bent ? "Your path" : "Likeliest path", (f) => model.states[f.to], "un-target"),
      ...(bent ? [row("Likeliest path", (_, i) => model.states[best[i].to])] : []),
      row("Transition", (f) => `× ${digits(f.transition)}`),
      row("Emission", (f) => `× ${digits(f.emission)}`),
      row("Product so far", (f) => power(f.bits)),
    );
    const [mine, theirs] = [own.at(-1).bits, best.at(-1).bits];
    this.total.textContent = bent
      ? `Your path and the text: ${power(mine)}. The likeliest path: ${power(theirs)}, ${digits(2 ** (mine - theirs))} times as much.`
      : `The likeliest path and the text: ${power(theirs)}. It is ${percent(this.share(reader, theirs))} of the probability of the text, which is the sum over all paths.`;
    panel.say(
      panel.spec.title,
      bent
        ? "Your path is the likeliest one, bent through the states that you clicked in the trellis."
        : "Click a state in the trellis: your own path goes through it, and its product stands here.",
    );
    const f = own[Math.max(0, now - 1)];
    const [from, to] = [model.states[f.from], model.states[f.to]];
    panel.read(
      `“${visible(reader.labels[f.t])}”: ${from} → ${to} ${percent(f.transition)}, ${to} writes it with ${percent(f.emission)}; the product so far is ${power(f.bits)}, ${digits(f.bits)} bits.`,
    );
  }

  // The share of the likeliest path among all.
  share(reader, bits) {
    let all = 0;
    for (let t = 1; t < reader.labels.length; t++) all -= Math.log2(hmm.evidence(reader, t));
    return 2 ** (all - bits);
  }

  table() {
    const { found } = this;
    const rows = (found?.own ?? []).map((f, i) => [
      visible(found.reader.labels[f.t]),
      found.model.states[f.to],
      found.model.states[found.best[i].to],
      digits(f.transition),
      digits(f.emission),
      power(f.bits),
    ]);
    return {
      columns: ["token", "path", "likeliest path", "transition", "emission", "product so far"],
      rows,
    };
  }

  drawn() {
    const { found } = this;
    if (!found) return {};
    const labels = [found.reader.labels.slice(1)];
    const over = (values) => ({ axes: ["token"], labels, values: Float32Array.from(values) });
    return {
      "joint.transition": over(found.own.map((f) => f.transition)),
      "joint.emission": over(found.own.map((f) => f.emission)),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.total.textContent} ${this.panel.readout.textContent}`;
  }
}
