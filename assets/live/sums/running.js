// The running sum of a bag of words: what each word adds for one class and against another.

import { digits, percent, probability, short } from "../dom.js";
import { named } from "./bayes.js";

const plain = (x) => Number(x.toFixed(4)).toLocaleString("en");

/** The steps from the prior to the posterior; beyond `most` the rest in one. */
export function running({ reading, bag, tables, state: { kind, a, b } }, most) {
  const minus = (list) => list[a] - list[b];
  const steps = [];
  if (kind !== "tfidf") steps.push({ name: "prior", what: "prior", change: minus(reading.start) });
  for (const row of reading.rows)
    steps.push({
      name: tables.vocab[row.v],
      n: row.n,
      v: row.v,
      what: "word",
      change: minus(row.bits),
      never: [a, b].filter((c) => row.bits[c] === -Infinity),
    });
  if (kind === "bernoulli")
    steps.push({
      name: `${(tables.vocab.length - bag.known.size).toLocaleString("en")} absent`,
      what: "absent",
      change: minus(reading.rest),
      never: [a, b].filter((c) => reading.rest[c] === -Infinity),
    });
  if (steps.length > most) {
    const cut = steps.splice(most - 1, steps.length - most + (kind === "bernoulli" ? 0 : 1));
    steps.splice(most - 1, 0, {
      name: `${cut.length.toLocaleString("en")} more words`,
      what: "more",
      change: cut.reduce((s, x) => s + x.change, 0),
      never: [],
    });
  }
  let now = 0;
  for (const step of steps) {
    step.before = now;
    now += step.change;
    step.after = now;
  }
  return steps;
}

/** The step that says most. */
export function strongest(steps) {
  const size = ({ change, what }) =>
    what !== "word" ? -1 : Number.isNaN(change) ? Infinity : Math.abs(change);
  return steps.reduce((best, step, i) => (size(step) > size(steps[best]) ? i : best), 0);
}

/** One step in words: the counts behind it. */
export function sayStep(step, { tables, prior, state: { kind, k, a, b } }) {
  const name = (c) => named(tables.classes[c], 18);
  if (!step) return "Type a word to see its bar.";
  if (step.what === "prior")
    return `Before any word: ${percent(prior[a])} against ${percent(prior[b])}, log2 of their ratio is ${digits(step.change)} bits.`;
  if (step.what === "absent")
    return "Bernoulli uses every word of the vocabulary: absent words count too, each with 1 − P(w | class).";
  if (step.what === "more") return "The sum over the words that do not fit here.";
  if (kind === "tfidf")
    return `“${short(step.name, 24)}”: idf ${digits(tables.idf[step.v])}. It adds ${digits(step.change)} to the difference of the two cosines.`;
  const once = kind === "bernoulli";
  const said = [a, b].map((c) => {
    const [n, of] = tables.evidence(kind, c, step.v);
    const below = of + k * (once ? 2 : tables.vocab.length);
    return `${name(c)}: ${n} of ${of.toLocaleString("en")} ${once ? "texts" : "words"}, smoothed (${n} + ${k}) / ${plain(below)} = ${probability(tables.p(kind, k, c, step.v))}`;
  });
  const counts = once ? "and counts once" : `so it counts ${step.n} times`;
  const times = step.n > 1 ? ` It occurs ${step.n} times here${once ? " " : ", "}${counts}.` : "";
  const zero = step.never.length
    ? ` A factor of 0 makes the whole product of ${step.never.map(name).join(" and of ")} 0, whatever the other words are.`
    : "";
  return `“${short(step.name, 24)}” in ${said.join("; in ")}.${times}${zero}`;
}

/** The same words in another order, each order as likely. @param {string[]} list */
export function shuffled(list) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}
