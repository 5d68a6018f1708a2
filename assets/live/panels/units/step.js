// What the units do in the word looked at, in a sentence.

import { digits, visible } from "../../dom.js";
import { quoted, tokens, word } from "../../sums/sameword.js";

/**
 * The largest step of a memory there, after the tanh that the cell gives it out by.
 * @param {any} panel @param {{unit: number, role?: string, lower: boolean}[]} units
 */
export function largestStep(panel, units) {
  const [reader, of] = [panel.reader(), word(panel.app)];
  const [a, b] = tokens(reader, of);
  /** @type {any} */
  let best = null;
  units.forEach((unit, u) => {
    for (let t = Math.max(1, a); t <= b; t++) {
      const [from, to] = [t - 1, t].map((token) => reader.value("units.state", { unit: u, token }));
      const step = Math.abs(Math.tanh(to) - Math.tanh(from));
      if (!best || step > best.step) best = { ...unit, u, t, from, to, step };
    }
  });
  if (!best) return "Type a word: the units of this model that move most are drawn here.";
  const { unit, role, lower, from, to, u, t } = best;
  const name = `unit ${unit}${role ? ` (${role}: ${lower ? "low" : "high"})` : ""}`;
  const gated = reader.fields.has("units.keep");
  const gate = gated
    ? `, ${panel.spec.keeps} gate ${digits(reader.value("units.keep", { unit: u, token: t }))}`
    : "";
  return `Largest step in ${quoted(of)}: ${name} goes from ${digits(from)} to ${digits(to)} at “${visible(reader.labels[t])}”${gate}.`;
}
