// The lattice of one word: every piece that fits as a bar over its letters, the likeliest cut marked; below the best cuts.

import { element, follow, labelled, percent, put } from "../dom.js";
import { row } from "../marks/rows.js";
import { bar, select } from "../parts/controls.js";
import { series } from "../wire.js";
import { lattice, shown } from "./cuts/lattice.js";

export default class Cuts {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.word = element("input", "un-select", {
      type: "text",
      maxLength: 24,
      placeholder: "the longest of the text",
      id: "un-cut-word",
    });
    this.word.oninput = () => this.keep({ next: this.word.value || undefined });
    const sizes = panel.spec.sizes.map((n) => [String(n), String(n)]);
    this.size = select(sizes, (size) => this.keep({ size: Number(size) }));
    const controls = bar(labelled("Word", this.word), labelled("Pieces to keep", this.size));
    this.holder = element("div", "un-tree-holder", { tabIndex: 0 });
    this.list = element("ol", "un-list");
    this.note = element("p", "un-says");
    panel.body.append(controls, this.holder, this.list, this.note);
  }

  keep(choice) {
    const { selection, app } = this.panel;
    Object.assign(selection.kept, choice);
    app.restSoon();
  }

  // Training takes some milliseconds: asked for in a moment of rest.
  get wish() {
    return JSON.stringify([this.panel.app.box?.value, this.word.value, this.size.value]);
  }
  rest() {
    if (this.wish !== this.sent) {
      this.asking = true;
      this.panel.app.again();
    }
  }
  ask() {
    if (!this.asking) return {};
    this.asking = false;
    this.sent = this.wish;
    return { cuts: this.panel.app.box.value, word: this.word.value, pieces: Number(this.size.value) };
  }

  draw() {
    const { panel } = this;
    const { cuts } = panel.reader().said;
    const [word, size] = [panel.selection.get("next") ?? "", panel.selection.get("size") ?? panel.spec.size];
    if (this.word.value !== word) this.word.value = word;
    if (this.size.value !== String(size)) this.size.value = String(size);
    const old = cuts && cuts.of !== panel.app.text;
    this.holder.classList.toggle("un-stale", !!old);
    this.list.classList.toggle("un-stale", !!old);
    if (!cuts || cuts === this.of) return;
    this.of = cuts;
    const empty = !cuts.edges.length;
    panel.say(
      panel.spec.title,
      empty
        ? "Type a word to see its cuts."
        : `Unigram begins with all characters and with every substring that occurs at least twice among the different words. It removes the least useful until few enough are left, here ${cuts.pieces}. Each has a probability, learned from the text. A bar is a piece that fits; a way from left to right over bars is a cut, and its probability is the product of its pieces'. Dark: much of the probability passes through it. Outlined: the likeliest cut.`,
    );
    lattice(this.holder, cuts, this.alt());
    follow(
      this.list,
      cuts.best.map(([pieces, score, share]) => [
        pieces.map(shown).join(" | "),
        Math.exp(share),
        -score / Math.LN2,
      ]),
      cut,
    );
    const strange = cuts.edges.filter((e) => !e[5]).map((e) => shown(e[2]));
    put(this.note, empty ? "" : this.counted(cuts, [...new Set(strange)].join(" ")));
  }

  counted({ ways, best }, strange) {
    const many =
      ways === 1
        ? "This is the only cut."
        : ways === best.length
          ? `These are all ${ways} cuts.`
          : `${ways.toLocaleString("en")} cuts are possible; these are the best ${best.length}.`;
    const missing = strange
      ? ` Not in the text, so no piece: ${strange}; such a letter costs more than the rarest piece.`
      : "";
    return `${many} The bar is the cut's share of the word's probability, the number its cost in bits.${missing}`;
  }

  table() {
    const { cuts } = this.panel.reader().said;
    return {
      columns: ["from", "to", "piece", "probability", "share of probability"],
      rows: (cuts?.edges ?? []).map(([a, b, piece, score, share]) => [
        a,
        b,
        shown(piece),
        percent(Math.exp(score)),
        percent(share),
      ]),
    };
  }

  drawn() {
    const { cuts } = this.panel.reader().said;
    if (!cuts?.edges.length) return {};
    const names = cuts.edges.map((e) => `${e[0]} ${e[2]}`);
    const shares = cuts.edges.map((e) => e[4]);
    return { "cut.share": series("token", names, shares) };
  }

  alt() {
    const cuts = this.panel.reader().said.cuts;
    return cuts?.best.length
      ? `All cuts of ${shown(cuts.word)}. The likeliest is ${cuts.best[0][0].map(shown).join(" | ")}, one of ${cuts.ways}.`
      : "Nothing to cut yet.";
  }
}

// One of the best cuts, its share of the word's probability as a bar, and its cost; the first is the likeliest.
function cut([label, share, bits], i) {
  const colour = i ? "var(--un-faint)" : "var(--un-accent)";
  const value = `${percent(share)}, ${bits.toFixed(1)} bits`;
  return row(`un-row un-cut-row${i ? "" : " un-right"}`, { label, share, value, colour });
}
