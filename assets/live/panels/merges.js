// Training step by step: the text after so many merges, the pairs that stand in it now, and the one that is merged next.

import { digits, element, follow, put, small } from "../dom.js";
import { listPointing } from "../marks/pointer.js";
import { row } from "../marks/rows.js";
import { lookedAt, madeBy, said, stepOf, tint, tokensAt } from "../sums/merging.js";
import { series } from "../wire.js";
import { MergeBar } from "./merges/bar.js";

export default class Merges {
  constructor(panel) {
    this.panel = panel;
    this.bar = new MergeBar(panel);
    this.done = element("p", "un-merge-said");
    this.text = element("div", "un-merged");
    this.head = element("h4", "un-merge-head");
    this.list = element("ol", "un-list un-merge-pairs");
    this.tie = element("p", "un-says");
    panel.body.append(...this.bar.nodes, this.done, this.text, this.head, this.list, this.tie);
    const place = (token) => ({ token, reader: panel.reader().spec.id });
    listPointing(panel, this.text, "i", place, true);
  }

  ask() {
    return { rules: this.bar.rules };
  }
  destroy() {
    this.bar.player.stop();
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { kind, sizes, lengths, steps } = reader.said;
    if (!sizes) return;
    const step = stepOf(panel);
    this.bar.draw(kind);
    const show = (piece) => said(kind, piece);
    const counted = `${sizes[step].toLocaleString("en")} in the vocabulary, ${lengths[step].toLocaleString("en")} in the text`;
    const [a, b, made, count] = steps[step - 1] ?? [];
    put(
      this.done,
      !reader.labels.length
        ? "Type a few words to learn pieces from."
        : step
          ? `Merge ${step}: ${show(a)} + ${show(b)} became ${show(made)}, ${times(count)}. Tokens: ${counted}.`
          : `Before the first merge, every symbol is a token. Tokens: ${counted}.`,
    );
    const numbers = madeBy(steps);
    const kept = panel.selection.get("token") !== undefined;
    const looked = lookedAt(panel, step);
    const here = kept ? looked?.first : null;
    const items = tokensAt(reader, step).map(({ piece, first }) => [
      show(piece),
      numbers.get(piece) ?? 0,
      piece === made,
      first,
      first === here,
    ]);
    follow(this.text, items, token);
    this.pairs(reader, steps[step], show);
    panel.read(looked ? this.built(looked.piece, show) : "");
  }

  // How a token came about: the merges that made it, the last one first.
  built(piece, show) {
    const { steps } = this.panel.reader().said;
    const numbers = madeBy(steps);
    const found = new Set();
    const collect = (part) => {
      const n = numbers.get(part);
      if (!n) return;
      found.add(n);
      steps[n - 1].slice(0, 2).forEach(collect);
    };
    collect(piece);
    if (!found.size) return `“${show(piece)}” is a first symbol, not made of others.`;
    const made = [...found]
      .sort((one, other) => other - one)
      .map((n) => {
        const [a, b, whole] = steps[n - 1];
        return `${show(whole)} = ${show(a)} + ${show(b)} (merge ${n})`;
      });
    return `How “${show(piece)}” was built: ${made.join("; ")}.`;
  }

  pairs(reader, next, show) {
    const { kind, after, steps, ties } = reader.said;
    const score = kind === "wordpiece";
    const rows = next ? next[5] : after;
    const merged = next ? `: ${show(next[0])} + ${show(next[1])} is merged next` : "";
    put(this.head, rows.length ? `Best pairs now${merged}` : "");
    const of = ([, , count, worth]) => (score ? worth : count);
    const most = Math.max(...rows.map(of), 1e-9);
    const items = rows.map((r, i) => [
      `${show(r[0])} + ${show(r[1])}`,
      of(r) / most,
      score ? `${digits(r[3])} (${times(r[2])})` : times(r[2]),
      !!next && i === 0,
    ]);
    follow(this.list, items, pair);
    const stopped =
      steps.length >= 160
        ? "This page stops after 160 merges."
        : steps.length
          ? "No pair occurs twice any more, so training stops."
          : "No pair occurs twice, so there is nothing to merge yet. Repeat a word.";
    put(this.tie, !reader.labels.length ? "" : next ? this.why(next, score, kind, ties) : stopped);
  }

  // Why this pair and no other.
  why([, , , , tied], score, kind, ties) {
    const rule =
      kind === "bytes" && ties === "letters"
        ? "the pair that comes first by the characters that represent the bytes"
        : this.panel.spec.rules[score ? "letters" : ties][1];
    const others = tied === 1 ? "Another pair is" : `${tied} other pairs are`;
    const taken = tied
      ? `${others} just as ${score ? "good" : "frequent"}. Taken is ${rule}.`
      : "No other pair is as good.";
    return `${taken}${score ? " The bar is the score, count(ab) / (count(a) × count(b))." : ""}`;
  }

  table() {
    const { kind, sizes, lengths, steps = [] } = this.panel.reader().said;
    const columns = ["merge", "first", "second", "new token", "times", "others as good"];
    return {
      columns: [...columns, "vocabulary", "tokens in the text"],
      rows: steps.map(([a, b, piece, count, tied], i) => [
        i + 1,
        ...[a, b, piece].map((part) => said(kind, part)),
        count,
        tied,
        sizes[i + 1],
        lengths[i + 1],
      ]),
    };
  }

  drawn() {
    const { steps = [], after = [] } = this.panel.reader().said;
    const rows = steps[stepOf(this.panel)]?.[5] ?? after;
    if (!rows.length) return {};
    const [names, counts] = [rows.map(([a, b]) => `${a} ${b}`), rows.map((r) => r[2])];
    return { "pair.count": series("next", names, counts) };
  }

  alt() {
    return `${this.done.textContent} ${this.head.textContent}. ${this.tie.textContent} ${this.panel.readout.textContent}`;
  }
}

const times = (n) => (n === 1 ? small("once") : `${n.toLocaleString("en")} times`);

function token([textContent, merge, fresh, first, here]) {
  const node = element("button", `un-token${fresh ? " un-fresh" : ""}${here ? " un-here" : ""}`, {
    type: "button",
    textContent,
    title: merge ? `made by merge ${merge}` : "a first symbol",
  });
  node.dataset.i = String(first);
  node.style.background = tint(merge);
  return node;
}

function pair([label, share, value, next]) {
  const colour = next ? "var(--un-accent)" : "var(--un-faint)";
  return row(`un-row${next ? " un-right" : ""}`, { label, share, value, colour });
}
