// The text as an encoder reads it: each token with its place and its sentence.  A click on a word masks it, another click
// shows it again; below, what is guessed there from both sides and from the left alone, then for each other mask, and
// whether the second sentence follows the first.

import { element, fit, parts, percent, put, short, visible } from "../dom.js";
import { column, expected } from "../marks/rows.js";
import { series } from "../wire.js";
import { Masks } from "./blanks/masks.js";

const ANSWERS = ["IsNext", "NotNext"];

export default class Blanks {
  constructor(panel) {
    this.panel = panel;
    this.masks = new Masks(panel);
    this.strip = element("div", "un-steps", { role: "group" });
    this.strip.setAttribute("aria-label", "Tokens: press one to mask it");
    this.grid = element("div", "un-tops un-blanks");
    this.empty = element("p", "un-says");
    this.nodes = [];
    this.columns = [];
    panel.body.append(this.strip, this.empty, this.grid);
    this.strip.addEventListener("click", (e) => {
      const node = e.target.closest("[data-t]");
      if (node && !node.disabled) this.masks.toggle(Number(node.dataset.t));
    });
  }

  ask() {
    return this.masks.ask();
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { said } = reader;
    if (!said.words) return;
    this.masks.follow(reader);
    this.tokens(reader, said);
    const sentence = said.two ? " and its sentence, A or B" : "";
    const cut = said.left
      ? ` The model reads at most ${panel.spec.context} tokens: ${said.left.toLocaleString("en")} characters at the end are not read.`
      : "";
    panel.say(
      said.fills ? "Click a word to mask it" : "The text as the model reads it",
      `Under each token: its place${sentence}. [CLS] and [SEP] are marks of the model. Model: ${reader.spec.title}.${cut}`,
    );
    this.drawGuesses(reader, said);
    panel.read(this.follows(said));
  }

  tokens(reader, said) {
    const masked = new Set(this.masks.now);
    const words = new Set(said.words);
    fit(this.nodes, reader.labels.length, (t) => {
      const root = element("button", "un-step", { type: "button" });
      root.dataset.t = String(t);
      this.strip.append(root);
      return parts(root, { name: "b.", below: "" });
    });
    reader.labels.forEach((label, t) => {
      const { root, name, below } = this.nodes[t];
      const hidden = said.fills && masked.has(t) && words.has(t);
      name.textContent = hidden ? "[MASK]" : short(label, 18);
      below.textContent = `${t + said.first}${said.two ? (said.segments[t] ? " B" : " A") : ""}`;
      root.disabled = !words.has(t);
      root.title = hidden
        ? `“${visible(label)}” is hidden from the model: click to show it again`
        : words.has(t)
          ? reader.unknown.has(t)
            ? "not in the vocabulary: read as [UNK]"
            : said.fills
              ? "click to mask it"
              : "click to select it"
          : reader.spans[t][1]
            ? "a typed mask"
            : "a mark inserted by the model";
      root.className = `un-step${words.has(t) ? "" : " un-mark"}${hidden || (reader.spans[t][1] && !words.has(t)) ? " un-hidden" : ""}${t === said.at ? " un-chosen" : ""}`;
      root.setAttribute("aria-pressed", String(hidden));
    });
  }

  // One place from both sides, and by the same model from a text that ends at the gap; then the other masks.
  lists({ guesses, sides, at, first }, reader) {
    const place = (t) => (reader.spans[t]?.[1] ? `“${short(reader.labels[t], 16)}”` : `place ${t + first}`);
    const two = (sides ?? []).map((guess, k) => ({
      ...guess,
      title: k ? `${place(at)} from the words before it alone` : `${place(at)} from both sides`,
    }));
    const others = (guesses ?? []).filter(({ t }) => !two.length || t !== at);
    return [...two, ...others.map((guess) => ({ ...guess, title: `Place ${guess.t + first}` }))];
  }

  drawGuesses(reader, said) {
    const hint = !said.fills
      ? "This model has no head for masked words, so it predicts none. The parts below still work."
      : said.guesses.length
        ? ""
        : "Nothing is masked. Click a word above, or type [MASK] into the box.";
    put(this.empty, hint);
    this.empty.hidden = !hint;
    const lists = this.lists(said, reader);
    fit(this.columns, lists.length, () => column(this.grid));
    lists.forEach(({ title, top, true: real }, i) => {
      const column = this.columns[i];
      column.title.textContent = title;
      column.after.textContent = real
        ? `The true word “${visible(real[0])}” has ${percent(real[1])}: rank ${real[2].toLocaleString("en")} of ${this.panel.spec.vocabulary.toLocaleString("en")}.`
        : "The correct word is unknown here.";
      expected(column.bars, top, reader).forEach((row, k) =>
        row.root.classList.toggle("un-right", top[k]?.[0] === real?.[0]),
      );
    });
  }

  // Next sentence: what the model says, at [CLS], of a pair.
  follows({ pair, second }) {
    if (pair === null) return "";
    if (!second) return "A new line in the box begins a second sentence: does it follow the first?";
    const answer = ANSWERS[pair[0] >= 0.5 ? 0 : 1];
    return `Does sentence B follow A? ${answer} with ${percent(Math.max(...pair))}, read at [CLS].`;
  }

  // For checks from outside.
  drawn() {
    const { guesses, sides, pair, second } = this.panel.reader().said;
    const likeliest = ({ top }) =>
      series(
        "next",
        top.map(([label]) => label),
        top.map(([, p]) => p),
      );
    return {
      ...Object.fromEntries((guesses ?? []).map((g) => [`fill.${g.t}`, likeliest(g)])),
      ...(sides && { both: likeliest(sides[0]), left: likeliest(sides[1]) }),
      ...(pair && second && { sentence: series("label", ANSWERS, pair) }),
    };
  }

  table() {
    const reader = this.panel.reader();
    const rows = this.lists(reader.said, reader).flatMap(({ title, top, true: real }) =>
      top.map(([label, p], k) => [
        title,
        k + 1,
        visible(label),
        percent(p),
        real?.[0] === label ? "true word" : "",
      ]),
    );
    return { columns: ["place", "rank", "word", "probability", ""], rows };
  }

  alt() {
    const reader = this.panel.reader();
    const said = this.lists(reader.said, reader).map(
      ({ title, top }) =>
        `${title}: ${top
          .slice(0, 3)
          .map(([label, p]) => `${visible(label)} ${percent(p)}`)
          .join(", ")}`,
    );
    return [...said, this.panel.readout.textContent].filter(Boolean).join(". ");
  }
}
