// One step of a decoder that looks at a part of its source: its window, and what each source word weighs.

import { scoreOf } from "./scored.js";

/** @import { Reader } from "../wire.js" */

/**
 * The numbers of step t: `look` is softmax inside the window, `weight` what counts in the context, `centre` the middle of the
 * window, in words from 1 (NaN where there is none).
 * @param {Reader} reader @param {number} t
 */
export function scopeOf(reader, t) {
  const { S, score, weight: look } = scoreOf(reader, t);
  const weighs = reader.fields.has("cross.weight");
  const weight = (/** @type {number} */ s) =>
    weighs ? reader.value("cross.weight", { layer: 0, head: 0, query: t, source: s }) : look(s);
  const centre = reader.value("cross.centre", { layer: 0, head: 0, query: t });
  const half = reader.spec.half;
  const inside = (/** @type {number} */ s) => Number.isNaN(centre) || Math.abs(s + 1 - centre) <= half;
  const bell = (/** @type {number} */ x) => Math.exp(-2 * ((x - centre) / half) ** 2);
  return { t, S, score, look, weight, centre, half, inside, bell, weighs };
}

/** The source word that weighs most. @param {{S: number, weight: (s: number) => number}} step */
export function heaviest({ S, weight }) {
  let best = 0;
  for (let s = 1; s < S; s++) if (weight(s) > weight(best)) best = s;
  return best;
}
