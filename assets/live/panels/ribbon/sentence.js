// How surprised each model was by the word looked at, or by which word most of all.

import { digits } from "../../dom.js";
import { dearest } from "../../sums/segments.js";
import { quoted, span, word, words } from "../../sums/sameword.js";

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
