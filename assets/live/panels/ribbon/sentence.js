// How surprised each model was by the word looked at, or by which word most of all.

import { digits } from "../../dom.js";
import { dearest } from "../../sums/segments.js";
import { quoted, span, word, words } from "../../sums/sameword.js";

/** What the text costs each of them in all, and a character. @param {any} app @param {import("../../wire.js").Reader[]} readers */
export function spent(app, readers) {
  const found = words(app);
  if (!found.length) return "";
  const size = found.at(-1).stop - found[0].start;
  const said = readers.map(({ spec }, r) => {
    const bits = found.reduce((sum, of) => sum + of.bits[r], 0);
    const lost = found.filter((of) => of.unknown[r]).length;
    return `${spec.title} ${digits(bits)} bits, ${digits(bits / size)} a character${lost ? `, ${lost} not known` : ""}`;
  });
  return `In all: ${said.join("; ")}.`;
}

/** @param {any} app @param {import("../../wire.js").Reader[]} readers */
export function surprised(app, readers) {
  const found = words(app);
  if (!found.length) return "";
  const at = span(app) && word(app);
  if (at) {
    const told = (r) => `${digits(at.bits[r])} bits${at.unknown[r] ? " as an unknown word" : ""}`;
    return `${quoted(at)}: ${readers.map(({ spec }, r) => `${spec.title} ${told(r)}`).join("; ")}`;
  }
  /** @type {Map<any, string[]>} */
  const by = new Map();
  readers.forEach(({ spec }, r) => {
    const most = dearest(found, r);
    if (most) by.set(most, [...(by.get(most) ?? []), `${spec.title} ${digits(most.bits[r])} bits`]);
  });
  const said = Array.from(by, ([most, whom]) => `by ${quoted(most)}: ${whom.join(", ")}`);
  return said.length ? `Most surprised ${said.join("; ")}` : "";
}
