// The text as an encoder reads it: each token with its place and its sentence.  A click on a word masks it, another click
// shows it again; below, for each mask, the likeliest words and the place of the true one.

import { element, percent, short, visible } from "../dom.js";
import { fill } from "./tops.js";

export default class Blanks {
  constructor(panel) {
    this.panel = panel;
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
      if (node && !node.disabled) this.toggle(Number(node.dataset.t));
    });
  }

  // What every message tells Python.
  ask() {
    const { kept } = this.panel.selection;
    return { masks: String(kept.masks ?? ""), ...(kept.token === undefined ? {} : { at: kept.token }) };
  }

  masks() {
    return String(this.panel.selection.get("masks") ?? "")
      .split("_")
      .filter(Boolean)
      .map(Number);
  }

  toggle(t) {
    const { app, selection } = this.panel;
    const reader = this.panel.reader();
    const now = this.masks();
    if (!reader.said.fills) {
      selection.keep({ token: t, reader: reader.spec.id, span: reader.spans[t] }, app);
      return app.again();
    }
    const next = now.includes(t) ? now.filter((m) => m !== t) : [...now, t].sort((a, b) => a - b);
    selection.keep({ masks: next.join("_"), token: t, reader: reader.spec.id, span: reader.spans[t] }, app);
    app.again();
  }

  // Typing in front of a masked word moves it: then it is another word that stands there, and nobody masked that.
  follow(reader) {
    const now = this.masks();
    const mine = this.known === now.join("_"); // not those of an example or a link
    if (mine && this.text !== this.panel.app.text) {
      const stay = now.filter((m, i) => reader.labels[m] === this.words?.[i]);
      if (stay.length !== now.length) {
        this.panel.selection.kept.masks = stay.join("_");
        this.panel.app.again();
      }
    }
    const { masks, at } = this.ask();
    const wish = JSON.stringify([masks, at ?? null]);
    if (wish === JSON.stringify(reader.said.asked)) this.wished = null;
    else if (wish !== this.wished) {
      this.wished = wish; // the reply is of something else: of before a link was read, or an arrow key pressed
      this.panel.app.again();
    }
    this.text = this.panel.app.text;
    this.words = this.masks().map((m) => reader.labels[m]);
    this.known = this.masks().join("_");
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { said } = reader;
    if (!said.words) return;
    this.follow(reader);
    const masked = new Set(this.masks());
    const words = new Set(said.words);
    while (this.nodes.length > reader.labels.length) this.nodes.pop().remove();
    while (this.nodes.length < reader.labels.length) {
      const node = element("button", "un-step", { type: "button" });
      node.dataset.t = String(this.nodes.length);
      node.append(element("b", ""), element("span", ""));
      this.nodes.push(node);
      this.strip.append(node);
    }
    reader.labels.forEach((label, t) => {
      const node = this.nodes[t];
      const hidden = said.fills && masked.has(t) && words.has(t);
      const [name, below] = node.children;
      name.textContent = hidden ? "[MASK]" : short(label, 18);
      below.textContent = `${t + said.first}${said.two ? (said.segments[t] ? " B" : " A") : ""}`;
      node.disabled = !words.has(t);
      node.title = hidden
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
      node.className = `un-step${words.has(t) ? "" : " un-mark"}${hidden || (reader.spans[t][1] && !words.has(t)) ? " un-hidden" : ""}${t === said.at ? " un-chosen" : ""}`;
      node.setAttribute("aria-pressed", String(hidden));
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
    if (this.empty.textContent !== hint) this.empty.textContent = hint;
    this.empty.hidden = !hint;
    while (this.columns.length > guesses.length) this.columns.pop().root.remove();
    while (this.columns.length < guesses.length) {
      const column = {
        root: element("div", "un-top"),
        title: element("h4", ""),
        after: element("p", "un-says"),
        list: element("ol", "un-list"),
        rows: [],
      };
      column.root.append(column.title, column.after, column.list);
      this.columns.push(column);
      this.grid.append(column.root);
    }
    guesses.forEach((guess, i) => {
      const column = this.columns[i];
      column.title.textContent = `Place ${guess.t + said.first}${guess.true ? `: “${short(guess.true[0], 16)}” hidden` : ", typed as [MASK]"}`;
      column.after.textContent = guess.true
        ? verdict(guess.true, this.panel.spec.vocabulary)
        : "The correct word is unknown here.";
      fill(column, guess.top, reader);
      column.rows.forEach((row, k) =>
        row.root.classList.toggle("un-right", guess.top[k]?.[0] === guess.true?.[0]),
      );
    });
  }

  // For checks from outside.
  drawn() {
    const { guesses } = this.panel.reader().said;
    return Object.fromEntries(
      (guesses ?? []).map((g) => [
        `fill.${g.t}`,
        {
          axes: ["next"],
          labels: [g.top.map((row) => row[0])],
          values: Float32Array.from(g.top.map((row) => row[1])),
        },
      ]),
    );
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
          `Place ${g.t + first}: ${g.top
            .slice(0, 3)
            .map(([l, p]) => `${visible(l)} ${percent(p)}`)
            .join(", ")}${g.true ? `; true word ${g.true[0]}: rank ${g.true[2]}` : ""}`,
      )
      .join(". ");
  }
}

export function verdict([label, p, rank], whole) {
  return `The true word “${visible(label)}” has ${percent(p)}: rank ${rank.toLocaleString("en")} of ${whole.toLocaleString("en")}.`;
}
