// What the steps from counts to similarities are, and the sum behind one cell.

import { visible } from "../../dom.js";
import { pmi, value } from "../../sums/nearby.js";

export const SAYS = {
  count:
    "Row: the word. Column: a word near it. Each occurrence of one in the window of the other adds 1, or 1 divided by the distance.",
  log: "ln of the count: the step from 1 to 2 is as large as from 10 to 20. Grey: never together, and ln 0 is not a number.",
  ppmi: "How much more often than chance: ln of the pair's share divided by the product of the two words' shares; 0 where that is negative or the two never occur together.",
  cosine:
    "Two words are alike when their rows of counts point the same way: 1 for the same neighbours, 0 for none in common.",
};
export const UNITS = { count: "count", log: "ln count", ppmi: "PPMI, nats", cosine: "cosine" };

export function formula(rules, found, words, i, j) {
  const { n, counts, all } = found;
  const x = counts[i * n + j],
    [a, b] = [visible(words[i]), visible(words[j])];
  const pair = `“${a}” with “${b}”`;
  if (rules.step === "cosine") {
    const cos = found.values[i * n + j];
    return Number.isFinite(cos)
      ? `cos = ${value(cos)}: the similarity of the rows of “${a}” and “${b}”.`
      : `“${a}” or “${b}” has no neighbour in the window, so there is nothing to compare.`;
  }
  if (rules.step === "count")
    return `${pair}: X = ${value(x)}. All neighbours of “${a}” together: ${value(all.row[i])}, so P(“${b}” | “${a}”) = ${all.row[i] ? value(x / all.row[i]) : "n/a"}.`;
  if (!x)
    return `${pair}: never together in the window, so X = 0${rules.step === "log" ? ", and 0 has no logarithm" : " and PPMI = 0"}.`;
  if (rules.step === "log") return `${pair}: ln X = ln ${value(x)} = ${value(Math.log(x))}.`;
  const raw = pmi(x, all, i, j, rules.shift);
  const context =
    rules.alpha === 1
      ? `${value(all.column[j])} / ${value(all.total)}`
      : `${value(all.smooth[j])} / ${value(all.smoothTotal)}`;
  const shift = rules.shift > 1 ? ` − ln ${rules.shift}` : "";
  return `${pair}: ln[ (${value(x)} / ${value(all.total)}) ÷ (${value(all.row[i])} / ${value(all.total)} × ${context}) ]${shift} = ${value(raw)}${raw < 0 ? ", below 0, so 0" : ""}.`;
}
