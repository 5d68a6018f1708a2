// What the panels of a bag of words share: the tables that Python counted once, what is chosen, and what the text makes of it.
// No slider and no switch asks the server.

import { Tables } from "../sums/bayes.js";

/** @typedef {{kind: string, k: number, share: number | null, a: number, b: number}} Chosen */

export const K = [0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100];
export const KINDS = { multinomial: "Multinomial", bernoulli: "Bernoulli", tfidf: "TF-IDF" };

const kept = new WeakMap(); // by reader of the page

export class Bag {
  app;
  selection;
  held;
  /** @type {Tables} */
  tables;

  /** The one of all panels of a page. @returns {Bag} */
  static of(panel) {
    const { spec } = panel.reader();
    if (!kept.has(spec)) kept.set(spec, new Bag(panel, spec.bag));
    return kept.get(spec);
  }

  constructor({ app, selection }, { tables, held }) {
    Object.assign(this, { app, selection, held, tables: new Tables(tables) });
    const last = this.tables.classes.length - 1;
    this.first = { kind: "multinomial", k: 1, share: null, a: last, b: 0 };
    if (last > 1) Object.assign(this.first, this.likeliest());
  }

  // "bernoulli_k0.05_p0.3_a1_b0": how words are read, the smoothing, the prior of class a, which is compared with b.
  get state() {
    const { classes } = this.tables;
    const state = { ...this.first };
    for (const part of String(this.selection.get("rules") ?? "").split("_")) {
      const value = Number(part.slice(1));
      if (part in KINDS) state.kind = part;
      else if (part[0] === "k" && K.includes(value)) state.k = value;
      else if (part[0] === "p" && value > 0 && value < 1) state.share = value;
      else if (/^[ab]\d+$/.test(part) && value < classes.length) state[part[0]] = value;
    }
    if (state.a === state.b) state.b = (state.a + 1) % classes.length;
    return state;
  }

  choose(change) {
    const { kind, k, share, a, b } = { ...this.state, ...change };
    const prior = share === null ? [] : [`p${share}`];
    this.selection.keep({ rules: [kind, `k${k}`, ...prior, `a${a}`, `b${b}`].join("_") }, this.app);
  }

  // The two classes that fit the text best; a prior was that of another class.
  likeliest() {
    const { kind, k } = this.state;
    const { known } = this.tables.bag(this.app.box.value);
    const { joint } = this.tables.read(kind, k, this.tables.priors(0, null), known);
    const [a, b] = [...joint.keys()].sort((x, y) => joint[y] - joint[x]);
    return { share: null, a, b };
  }

  // The bag of the text and its three readings: made anew when the text or a choice is another.
  read() {
    const { app, tables, state } = this;
    const key = `${JSON.stringify(state)} ${app.text}`;
    if (this.now?.key === key) return this.now;
    const bag = this.now?.text === app.text ? this.now.bag : tables.bag(app.text);
    const prior = tables.priors(state.a, state.share);
    const readings = Object.fromEntries(
      Object.keys(KINDS).map((kind) => [kind, tables.read(kind, state.k, prior, bag.known)]),
    );
    this.now = { key, text: app.text, tables, state, bag, prior, readings, reading: readings[state.kind] };
    return this.now;
  }
}
