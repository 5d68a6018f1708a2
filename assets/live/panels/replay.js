// A new word, cut with what was learned so far: BPE replays its merges in order; WordPiece takes the longest piece that fits.

import { element, follow } from "../dom.js";
import { join, letters, madeBy, said, stepOf, tint } from "../sums/merging.js";

const GPT2 = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
const MOST = 60; // characters

export default class Replay {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    const bar = element("div", "un-order"),
      label = element("label", "un-both", { textContent: "Text " });
    this.input = element("input", "un-select", {
      type: "text",
      maxLength: MOST,
      value: panel.spec.word,
      id: "un-replay",
    });
    this.input.oninput = () => this.draw();
    label.append(this.input);
    bar.append(label);
    this.list = element("ol", "un-list un-replay");
    this.note = element("p", "un-says");
    panel.body.append(bar, this.list, this.note);
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { kind, steps } = reader.said;
    if (!steps) return;
    const step = stepOf(panel);
    const known = new Set(reader.labels);
    const numbers = madeBy(steps.slice(0, step));
    const rows =
      kind === "wordpiece" ? this.longest(known, numbers) : this.merged(kind, steps.slice(0, step));
    const words = rows.words.map((w) => w.map((t) => t));
    const lost = kind === "bytes" ? [] : [...new Set(rows.symbols.filter((s) => !known.has(s)))];
    panel.say(
      panel.spec.title,
      kind === "wordpiece"
        ? "Not the merges are replayed: from the left, the longest piece of the vocabulary that fits is taken."
        : `The ${step} merges above are applied in the order in which they were learned; a space typed first belongs to the word.`,
    );
    this.rows = rows.steps;
    follow(
      this.list,
      rows.steps.map(([how, tokens]) => [
        how,
        tokens.map((t) => [
          said(kind, t),
          numbers.get(t) ?? 0,
          !known.has(t) && !numbers.has(t) && kind !== "bytes",
        ]),
      ]),
      line,
    );
    const count = words.flat().length;
    const missing = lost.length
      ? ` Never seen in the text, so not in the vocabulary: ${lost.map((s) => said(kind, s)).join(" ")}. ${kind === "wordpiece" ? "The whole word becomes unknown." : "A tokenizer needs an unknown token for this, or bytes."}`
      : "";
    const text = rows.symbols.length
      ? `${count} ${count === 1 ? "token" : "tokens"}.${missing}`
      : "Type a word to cut.";
    if (this.note.textContent !== text) this.note.textContent = text;
    this.tokens = words.flat();
  }

  merged(kind, steps) {
    const text = this.input.value;
    const cut = {
      chars: () => (text.match(/\s?\S+|\s/gu) ?? []).map((w) => Array.from(w)),
      whole: () => (text ? [Array.from(text)] : []),
      classic: () =>
        text
          .split(/\s+/u)
          .filter(Boolean)
          .map((w) => [...w, "</w>"]),
      bytes: () => (text.match(GPT2) ?? []).map(letters),
    }[kind];
    const words = cut();
    /** @type {Map<string, number>} */
    const order = new Map();
    steps.forEach(([a, b], i) => order.has(JSON.stringify([a, b])) || order.set(JSON.stringify([a, b]), i));
    /** @type {[string, string[]][]} */
    const out = [["first symbols", words.flat()]];
    const symbols = words.flat();
    for (;;) {
      let best = Infinity;
      for (const w of words)
        for (let i = 1; i < w.length; i++)
          best = Math.min(best, order.get(JSON.stringify([w[i - 1], w[i]])) ?? Infinity);
      if (best === Infinity) break;
      const [a, b] = steps[best];
      for (const w of words)
        for (let i = 1; i < w.length; i++)
          if (w[i - 1] === a && w[i] === b) w.splice(i - 1, 2, join(kind, a, b));
      out.push([`merge ${best + 1}: ${said(kind, a)} + ${said(kind, b)}`, words.flat()]);
    }
    return { words, steps: out, symbols };
  }

  longest(known, numbers) {
    const has = (piece) => known.has(piece) || numbers.has(piece);
    const out = [],
      words = [],
      symbols = [];
    for (const word of this.input.value.split(/\s+/u).filter(Boolean)) {
      const letters = Array.from(word),
        found = [];
      letters.forEach((c, i) => symbols.push(i ? `##${c}` : c));
      for (let at = 0; at < letters.length;) {
        const mark = at ? "##" : "";
        let stop = letters.length;
        while (stop > at && !has(mark + letters.slice(at, stop).join(""))) stop--;
        if (stop === at) {
          found.splice(0, Infinity, "[UNK]");
          break;
        }
        found.push(mark + letters.slice(at, stop).join(""));
        at = stop;
      }
      words.push(found);
      out.push([word, found]);
    }
    return { words, steps: out, symbols };
  }

  table() {
    const { kind } = this.panel.reader().said;
    return {
      columns: ["step", "tokens"],
      rows: (this.rows ?? []).map(([how, tokens]) => [how, tokens.map((t) => said(kind, t)).join(" | ")]),
    };
  }

  drawn() {
    return this.tokens?.length
      ? {
          "replay.length": {
            axes: ["token"],
            labels: [this.tokens],
            values: Float32Array.from(this.tokens, (t) => Array.from(t).length),
          },
        }
      : {};
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
