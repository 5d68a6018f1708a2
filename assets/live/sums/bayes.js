// Naive Bayes and nearest centroid on tables of counts: a twin of engine/analysis/bag_of_words, so that no key and no slider asks the server.

import { clusters, words as cut } from "../segmentation.js";

export const words = (text) => cut(text.replaceAll("\u2019", "'").toLowerCase());

// A class's name as it is, cut to a length.
export function named(label, most = 18) {
  const signs = clusters(label);
  return signs.length > most ? `${signs.slice(0, most - 1).join("")}…` : label;
}

const CLASSES = 6; // shown

const sum = (list) => list.reduce((a, b) => a + b, 0);
const argmax = (list) => list.reduce((best, x, i) => (x > list[best] ? i : best), 0);

export class Tables {
  count;
  docs;
  centroid;
  docs_C;
  vocab;
  classes;
  idf;

  constructor({ classes, vocab, count, docs, docs_C, idf, centroid }) {
    Object.assign(this, { classes, vocab, docs_C, idf });
    const V = vocab.length;
    const rows = (flat) => classes.map((_, c) => flat.slice(c * V, (c + 1) * V));
    [this.count, this.docs, this.centroid] = [rows(count), rows(docs), rows(centroid)];
    this.total = this.count.map(sum);
    this.texts = sum(docs_C);
    this.index = new Map(vocab.map((word, v) => [word, v]));
  }

  // How often each known word stands in the text, in the order in which they first come, and the other words.
  bag(text) {
    const all = words(text);
    const known = new Map();
    const skipped = new Set();
    for (const word of all) {
      const v = this.index.get(word);
      if (v === undefined) skipped.add(word);
      else known.set(v, (known.get(v) ?? 0) + 1);
    }
    return { all, known, skipped: [...skipped] };
  }

  // (count of the word, of how many) behind P(w | c), before smoothing.
  evidence(kind, c, v) {
    return kind === "bernoulli" ? [this.docs[c][v], this.docs_C[c]] : [this.count[c][v], this.total[c]];
  }

  p(kind, k, c, v) {
    const [n, of] = this.evidence(kind, c, v);
    return (n + k) / (of + k * (kind === "bernoulli" ? 2 : this.vocab.length));
  }

  // Per class what all words of the vocabulary add by being absent: the finite part, and how many make it impossible.
  allAbsent(k) {
    if (this.absentK !== k) {
      this.absentK = k;
      this.absent = this.classes.map((_, c) => {
        let bits = 0,
          never = 0;
        for (let v = 0; v < this.vocab.length; v++) {
          const x = Math.log2(1 - this.p("bernoulli", k, c, v));
          if (Number.isFinite(x)) bits += x;
          else never += 1;
        }
        return { bits, never };
      });
    }
    return this.absent;
  }

  // What every known word adds to every class: bits, or parts of a cosine.
  read(kind, k, prior, known) {
    return kind === "tfidf" ? this.cosines(known) : this.bayes(kind, k, prior, known);
  }

  bayes(kind, k, prior, known) {
    const C = this.classes.length;
    const rows = [...known].map(([v, n]) => {
      const times = kind === "bernoulli" ? 1 : n;
      return { v, n, bits: Array.from({ length: C }, (_, c) => times * Math.log2(this.p(kind, k, c, v))) };
    });
    let rest = Array(C).fill(0);
    if (kind === "bernoulli")
      rest = this.allAbsent(k).map(({ bits, never }, c) => {
        let [here, gone] = [0, 0];
        for (const [v] of known) {
          const x = Math.log2(1 - this.p(kind, k, c, v));
          if (Number.isFinite(x)) here += x;
          else gone += 1;
        }
        return never > gone ? -Infinity : bits - here;
      });
    const start = prior.map(Math.log2);
    const likelihood = rest.map((x, c) => x + sum(rows.map((row) => row.bits[c])));
    const joint = likelihood.map((x, c) => x + start[c]);
    const high = Math.max(...joint);
    const shares = joint.map((x) => 2 ** (x - high));
    const all = sum(shares);
    const posterior = Number.isFinite(high) ? shares.map((x) => x / all) : null;
    return {
      rows,
      rest,
      start,
      likelihood,
      joint,
      evidence: posterior ? high + Math.log2(all) : high,
      posterior,
      best: posterior ? argmax(posterior) : -1,
    };
  }

  cosines(known) {
    const arrow = [...known].map(([v, n]) => ({ v, n, x: n * this.idf[v] }));
    const length = Math.sqrt(sum(arrow.map(({ x }) => x * x))) || 1;
    const zero = this.classes.map(() => 0);
    const rows = arrow.map(({ v, n, x }) => ({
      v,
      n,
      bits: zero.map((_, c) => (x / length) * this.centroid[c][v]),
    }));
    const joint = zero.map((_, c) => sum(rows.map((row) => row.bits[c])));
    return { rows, rest: zero, start: zero, joint, posterior: null, best: rows.length ? argmax(joint) : -1 };
  }

  // The share of each class among the counted texts; with `share`, class c has that and the others keep their proportions.
  priors(c, share) {
    const from = this.docs_C.map((n) => n / this.texts);
    if (share === null) return from;
    const others = 1 - from[c];
    return from.map((p, i) =>
      i === c ? share : others ? ((1 - share) * p) / others : (1 - share) / (from.length - 1),
    );
  }
}

// The classes in the order in which they are shown: the two compared ones, then the likeliest.
export function shown(tables, { a, b }, joint) {
  const rest = tables.classes
    .map((_, c) => c)
    .filter((c) => c !== a && c !== b)
    .sort((x, y) => joint[y] - joint[x]);
  return [a, b, ...rest].slice(0, CLASSES);
}

/** What each held-out text is taken for (-1: no answer), how many rightly, and how many would be by always saying the commonest class. */
export function judged(tables, held, kind, k, prior) {
  const said = held.bags.map((bag) => {
    const known = new Map();
    for (let i = 0; i < bag.length; i += 2) known.set(bag[i], bag[i + 1]);
    return tables.read(kind, k, prior, known).best;
  });
  const guess = argmax(tables.docs_C);
  return {
    said,
    right: said.filter((c, d) => c === held.true[d]).length,
    commonest: held.true.filter((c) => c === guess).length,
  };
}
