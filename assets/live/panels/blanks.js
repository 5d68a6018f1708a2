// The text as an encoder reads it: each token with its place and its sentence.  A click on a word masks it, another click
// shows it again; below, for each mask, the likeliest words and the place of the true one.

import { element, fit, parts, percent, put, short, visible } from "../dom.js";
import { column, expected } from "../marks/rows.js";
import { series } from "../wire.js";
import { Masks } from "./blanks/masks.js";

export default class Blanks {
  constructor(panel) {
    this.panel = panel;
    this.masks = new Masks(panel);
    this.readouts = false;
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
    const sentence = said.two ? " and its sentence, A or B" : "";
    const cut = said.left
      ? ` The model reads at most ${panel.spec.context} tokens: ${said.left.toLocaleString("en")} characters at the end are not read.`
      : "";
    panel.say(
      said.fills ? "Click a word to mask it" : "The text as the model reads it",
      `Under each token: its place${sentence}. [CLS] and [SEP] are marks of the model. Model: ${reader.spec.title}.${cut}`,
    );
    this.drawGuesses(reader, said);
  }

  drawGuesses(reader, said) {
    const { guesses } = said;
    const hint = !said.fills
      ? "This model has no head for masked words, so it predicts none. The parts below still work."
      : guesses.length
        ? ""
        : "Nothing is masked. Click a word above, or type [MASK] into the box.";
    put(this.empty, hint);
    this.empty.hidden = !hint;
    // a single mask is drawn beside what the left alone expects, in the panel of both sides
    const drawn = guesses.length === 1 && guesses[0].t === said.at ? [] : guesses;
    fit(this.columns, drawn.length, () => column(this.grid));
    drawn.forEach((guess, i) => {
      const column = this.columns[i];
      column.title.textContent = `Place ${guess.t + said.first}${guess.true ? `: “${short(guess.true[0], 16)}” hidden` : ", typed as [MASK]"}`;
      column.after.textContent = guess.true
        ? verdict(guess.true, this.panel.spec.vocabulary)
        : "The correct word is unknown here.";
      expected(column.bars, guess.top, reader).forEach((row, k) =>
        row.root.classList.toggle("un-right", guess.top[k]?.[0] === guess.true?.[0]),
      );
    });
  }

  // For checks from outside.
  drawn() {
    const { guesses } = this.panel.reader().said;
    return Object.fromEntries((guesses ?? []).map((g) => [`fill.${g.t}`, likeliest(g.top)]));
  }

  table() {
    const { guesses, first } = this.panel.reader().said;
    const rows = (guesses ?? []).flatMap((g) =>
      g.top.map(([label, p], k) => [
        g.t + first,
        k + 1,
        visible(label),
        percent(p),
        g.true?.[0] === label ? "true word" : "",
      ]),
    );
    return { columns: ["place", "rank", "word", "probability", ""], rows };
  }

  alt() {
    const { guesses, first } = this.panel.reader().said;
    return (guesses ?? [])
      .map(
        (g) =>
          `Place ${g.t + first}: ${firstThree(g.top)}${g.true ? `; true word ${g.true[0]}: rank ${g.true[2]}` : ""}`,
      )
      .join(". ");
  }
}

export function verdict([label, p, rank], whole) {
  return `The true word “${visible(label)}” has ${percent(p)}: rank ${rank.toLocaleString("en")} of ${whole.toLocaleString("en")}.`;
}

// The first words of a guess, in words; and all of them, for checks from outside.
export const firstThree = (top) =>
  top
    .slice(0, 3)
    .map(([label, p]) => `${visible(label)} ${percent(p)}`)
    .join(", ");
export const likeliest = (top) =>
  series(
    "next",
    top.map(([label]) => label),
    top.map(([, p]) => p),
  );
