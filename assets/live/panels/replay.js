// A new word, cut with what was learned so far: BPE replays its merges in order; WordPiece takes the longest piece that fits.

import { element, follow, labelled, put } from "../dom.js";
import { bar } from "../parts/controls.js";
import { longest, replayed, symbols } from "../sums/cutting.js";
import { madeBy, said, stepOf, tint } from "../sums/merging.js";
import { series } from "../wire.js";

const MOST = 60; // characters

export default class Replay {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.input = element("input", "un-select", {
      type: "text",
      maxLength: MOST,
      value: panel.spec.word,
      id: "un-replay",
    });
    this.input.oninput = () => this.draw();
    this.list = element("ol", "un-list un-replay");
    this.note = element("p", "un-says");
    panel.body.append(bar(labelled("Text", this.input)), this.list, this.note);
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { kind, steps } = reader.said;
    if (!steps) return;
    const merges = steps.slice(0, stepOf(panel));
    const known = new Set(reader.labels);
    const numbers = madeBy(merges);
    const has = (piece) => known.has(piece) || numbers.has(piece);
    const byMatch = kind === "wordpiece";
    panel.say(
      panel.spec.title,
      byMatch
        ? "The merges are not replayed: from the left, the longest piece of the vocabulary that fits is taken."
        : `The ${merges.length} merges above are applied in the order in which they were learned; a space typed first belongs to the word.`,
    );
    const text = this.input.value;
    this.rows = byMatch ? longest(text, has) : this.replayed(kind, text, merges);
    this.tokens = byMatch ? this.rows.flatMap(([, tokens]) => tokens) : this.rows.at(-1)[1];
    follow(
      this.list,
      this.rows.map(([how, tokens]) => [
        how,
        tokens.map((t) => [said(kind, t), numbers.get(t) ?? 0, !has(t) && kind !== "bytes"]),
      ]),
      line,
    );
    const all = symbols(kind, text);
    const lost = kind === "bytes" ? [] : [...new Set(all.filter((s) => !known.has(s)))];
    const count = this.tokens.length;
    const missing = lost.length
      ? ` Never seen in the text, so not in the vocabulary: ${lost.map((s) => said(kind, s)).join(" ")}. ${byMatch ? "The whole word becomes unknown." : "A tokenizer needs an unknown token for this, or bytes."}`
      : "";
    put(
      this.note,
      all.length ? `${count} ${count === 1 ? "token" : "tokens"}.${missing}` : "Type a word to cut.",
    );
  }

  /** Rows of a list: what was done, and the text after it. @returns {[string, string[]][]} */
  replayed(kind, text, merges) {
    return replayed(kind, text, merges).map(({ merge, words }) => {
      const [a, b] = merges[merge] ?? [];
      const how = merge < 0 ? "first symbols" : `merge ${merge + 1}: ${said(kind, a)} + ${said(kind, b)}`;
      return [how, words.flat()];
    });
  }

  table() {
    const { kind } = this.panel.reader().said;
    return {
      columns: ["step", "tokens"],
      rows: (this.rows ?? []).map(([how, tokens]) => [how, tokens.map((t) => said(kind, t)).join(" | ")]),
    };
  }

  drawn() {
    const { tokens } = this;
    if (!tokens?.length) return {};
    const lengths = tokens.map((t) => Array.from(t).length);
    return { "replay.length": series("token", tokens, lengths) };
  }

  alt() {
    return `Cut a new word. ${this.input.value}: ${this.note.textContent}`;
  }
}

function line([how, tokens]) {
  const node = element("li", "un-replay-row"),
    text = element("span", "un-merged");
  for (const [label, merge, unknown] of tokens) {
    const piece = element("span", `un-token${unknown ? " un-strange" : ""}`, { textContent: label });
    piece.style.background = tint(merge);
    text.append(piece);
  }
  node.append(element("span", "un-replay-how", { textContent: how }), text);
  return node;
}
