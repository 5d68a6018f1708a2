// The back-off ladder of one next word: what each order of an n-gram model adds to its probability, and what
// that says.

import { digits, named, percent, probability, visible } from "../dom.js";

/**
 * A rung: order m adds `part`; it counted the word `count` times in `total`, takes `discount` off, and leaves
 * the share
 * `gamma` to the next shorter one; the longer ones left it `weight`, and together gave `before`.  `context`
 * is null where
 * the text is too short; `places`: counted are the words that stand before, not the times.
 * @typedef {{m: number, name: string, part: number, count: number, total: number, discount: number, gamma:
 *   number,
 *   weight: number, before: number, context: string | null, places: boolean}} Rung
 */

const SMALL = 1e-5; // below that per cent say nothing
const whole = (n) => n.toLocaleString("en");
export const share = (p) => (p >= SMALL ? percent(p) : probability(p));

/**
 * From the longest order down.
 * @param {any} reader @param {number} t the last token of the context @param {number[][] | undefined} steps
 *   from the shortest order up
 * @returns {Rung[]}
 */
export function ladder(reader, t, steps) {
  if (!steps) return [];
  const { method, orders } = reader.spec;
  const n = steps.length - 1;
  let weight = 1,
    before = 0;
  const rungs = [];
  for (let m = n; m >= 0; m--) {
    const [part, count, total, discount] = steps[m];
    const gamma = m ? reader.value("backoff", { token: t, order: m }) : 0;
    const first = t - (m - 2); // token of the context
    const words = m > 1 && first >= 0 ? reader.labels.slice(first, t + 1).map(visible) : [];
    const start = m > 1 && first >= 0 && reader.spans[first][1] === 0 && first + reader.offset === 0;
    rungs.push({
      ...{ m, name: orders[m], part, count, total, discount, gamma, weight, before },
      context: m > 1 && first < 0 ? null : words.join(" "),
      places: method.adjusted && m < n && !start,
    });
    before += part;
    weight *= gamma;
  }
  return rungs;
}

/**
 * What the order has seen, and what it leaves.
 * @param {Rung} rung @param {{predicted: number, cut: boolean}} method
 */
export function words({ m, gamma, context, count, total, places, discount }, { predicted, cut }) {
  if (m === 0) return `Each of the ${whole(predicted)} words gets an equal share of the rest.`;
  if (context === null)
    return "The text is too short for a context of this length, so the next shorter order gets everything.";
  if (!total)
    return `This context was never counted${cut ? ", or was pruned to keep the model small" : ""}, so the next shorter order gets everything: γ = 1.`;
  const left = `leaves γ = ${probability(gamma)} to the next shorter order`;
  if (!count && cut)
    return `Never counted here, or pruned to keep the model small; ${whole(total)} in total. This order ${left}.`;
  if (!count)
    return `${places ? `Never counted here, of ${whole(total)} in all` : `Not once in the ${whole(total)} times the context was counted`}; ${left}.`;
  const one = count === 1;
  const seen = places
    ? `Counted by the ${whole(count)} different ${one ? "word" : "words"} that stand${one ? "s" : ""} before it, of ${whole(total)} for all next words`
    : `Counted ${whole(count)} ${one ? "time" : "times"} in ${whole(total)}`;
  const taken = Math.abs(discount) > 1e-6 * count ? `; discount D = ${digits(discount)}` : "";
  return `${seen}${taken}; ${left}.`;
}

/** How its part is made. @param {Rung} rung @param {{predicted: number}} method */
export function formula({ m, part, count, total, weight, discount }, { predicted }) {
  const made = `${weight === 1 ? "" : ` × ${probability(weight)}`} = ${probability(part)}`;
  if (m === 0) return part > 0 ? `1 / ${whole(predicted)}${made}` : "";
  if (!count || !total) return part > 0 ? `what is shared out here${made}` : "";
  if (!(part > 0)) return "0: a longer order has already answered";
  const off = `(${whole(count)} ${discount < 0 ? "+" : "−"} ${digits(Math.abs(discount))})`;
  return `${Math.abs(discount) > 1e-6 * count ? off : whole(count)} / ${whole(total)}${made}`;
}

/** The sum of all parts. @param {Rung[]} rungs @param {number} p */
export function sum(rungs, p) {
  const terms = rungs.filter(({ part }) => part > 0).map(({ part }) => probability(part));
  const added = terms.length > 1 ? `${terms.join(" + ")} = ` : "";
  return `${added}${probability(p)}${p >= SMALL ? ` = ${percent(p)}` : ""}`;
}

/**
 * The likeliest next word that has a name, and what was counted of it where most of its probability comes from.
 * @param {any} reader @param {number} t the last token of the context @param {any[][]} rows [label, probability, steps]
 */
export function counted(reader, t, rows) {
  const row = rows.find(([label]) => label !== "<unk>");
  if (!row) return "";
  const [label, p, steps] = row;
  const parts = steps.map((/** @type {number[]} */ s) => s[0]);
  const m = parts.indexOf(Math.max(...parts));
  const [, count, total] = steps[m];
  const context =
    m > 1
      ? reader.labels
          .slice(Math.max(0, t - m + 2), t + 1)
          .map(said)
          .join(" ")
      : "";
  const after =
    reader.spans[t]?.[1] === 0 ? "At the start of a text" : `After “${said(reader.labels[t] ?? "")}”`;
  const seen =
    m > 1 && count ? `: it has ${whole(count)} of the ${whole(total)} counts after “${context}”` : "";
  return `${after} “${named(label, 24)}” is ${row === rows[0] ? "likeliest" : "the likeliest known word"}, ${percent(p)}. Most of that comes from ${reader.spec.orders[m]}${seen}.`;
}

/** A mark such as <s> as it is, a word without its blank. @param {string} label */
const said = (label) => visible(label.trim() || label);
