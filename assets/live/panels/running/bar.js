// How the words of a bag are read: the kind, the smoothing, the prior, and which classes are compared.

import { element, percent, put } from "../../dom.js";
import { bar, button, select, slider } from "../../parts/controls.js";
import { K, KINDS } from "../../parts/bag.js";
import { named } from "../../sums/bayes.js";
import { shuffled } from "../../sums/running.js";

export class BagBar {
  constructor(bag) {
    this.bag = bag;
    const choose = (change) => bag.choose(change);
    this.kinds = Object.entries(KINDS).map(([kind, name]) => [kind, button(name, () => choose({ kind }))]);
    const kinds = element("span", "bag-kinds", { role: "group" });
    kinds.setAttribute("aria-label", "How the words are read");
    kinds.append(...this.kinds.map(([, node]) => node));
    this.k = this.slider("Smoothing k", K.length - 1, (i) => choose({ k: K[i] }));
    this.share = this.slider("Prior", 99, (i) => choose({ share: Math.max(1, i) / 100 }));
    this.back = button("Prior as counted", () => choose({ share: null }));
    this.root = [bar(...this.others()), bar(kinds, this.k.row, this.share.row, this.back, ...this.pair())];
  }

  // Other texts: one that was held out, or the same words in another order.
  others() {
    const { app, held } = this.bag;
    const random = () => app.setText(held.texts[Math.floor(Math.random() * held.texts.length)]);
    const other = button("A held-out text", random, { title: "Shows one of the texts that were held out" });
    const order = { title: "Puts the words into another order" };
    return [...(held.texts.length ? [other] : []), button("Shuffle the words", () => this.shuffle(), order)];
  }

  shuffle() {
    const { app } = this.bag;
    const { reading, state, tables } = this.bag.read();
    app.setText(shuffled(app.text.split(/\s+/).filter(Boolean)).join(" "));
    const said = reading.posterior ? `is still ${percent(reading.posterior[state.a])}` : "is unchanged";
    app.tip.textContent =
      state.kind === "tfidf"
        ? "Another order, the same cosines: a bag has no order."
        : `Another order, and P(${named(tables.classes[state.a], 18)}) ${said}: a bag has no order. “Not good, but cheap” and “good, but not cheap” are the same to it.`;
  }

  slider(name, max, act) {
    const row = element("label", "bag-slider");
    const said = element("span", "");
    const input = slider(act, { min: 0, max, step: 1 }, name);
    row.append(said, input);
    return { row, said, input };
  }

  // Which class against which, where there are more than two.
  pair() {
    const { bag } = this;
    const { classes } = bag.tables;
    if (classes.length < 3) return [];
    const options = classes.map((name, c) => [c, named(name, 24)]);
    const list = (label, key, other) =>
      select(
        options,
        (value) => {
          const { state } = bag;
          const c = Number(value);
          bag.choose(c === state[other] ? { [key]: c, [other]: state[key] } : { [key]: c });
        },
        label,
      );
    this.lists = [list("For this class", "a", "b"), list("Against this class", "b", "a")];
    const row = element("span", "bag-pair");
    row.append(this.lists[0], element("span", "", { textContent: "against" }), this.lists[1]);
    row.append(button("The two likeliest", () => bag.choose(bag.likeliest())));
    return [row];
  }

  draw({ state, prior, tables }) {
    const cosine = state.kind === "tfidf";
    for (const [kind, node] of this.kinds) node.setAttribute("aria-pressed", String(kind === state.kind));
    this.k.input.value = K.indexOf(state.k);
    this.k.input.setAttribute("aria-valuetext", String(state.k));
    put(this.k.said, `Smoothing k = ${state.k}`);
    this.share.input.value = Math.round(100 * prior[state.a]);
    put(this.share.said, `Prior of ${named(tables.classes[state.a], 18)} = ${percent(prior[state.a])}`);
    this.back.hidden = state.share === null || cosine;
    this.k.input.disabled = this.share.input.disabled = cosine;
    if (this.lists) [this.lists[0].value, this.lists[1].value] = [state.a, state.b];
  }
}
