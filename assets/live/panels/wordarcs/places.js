// Where the tokens stand under the arcs, and how much of each word one of them takes.

import { font } from "../../drawing/canvas.js";
import { short } from "../../dom.js";
import { quoted, tokens, words } from "../../sums/sameword.js";

/** @import { Reader } from "../../wire.js" */
/** @typedef {{t: number, mark: boolean, text: string, gap: number, x: number, w: number}} Cell */

export const GAP = 7; // between two words
const WIDER = 56; // more between the words of a short text

/** What token q takes from token k. @param {Reader} reader @param {number} q @param {number} k */
export const weight = (reader, q, k) => reader.value("arcs", { query: q, key: k });

/**
 * As many tokens as there is room for, up to the one that looks.
 * @param {CanvasRenderingContext2D} g @param {any} app @param {Reader} reader @param {number} width @param {number} query @returns {Cell[]}
 */
export function lay(g, app, reader, width, query) {
  g.font = font(14, 700);
  const all = reader.labels.map((label, t) => {
    const [mark, text] = [reader.spans[t][1] === 0, written(app, reader, t)];
    const gap = t && (/^\s/.test(label) || reader.spans[t - 1][1] === 0) ? GAP : 1;
    return { t, mark, text, gap, x: 0, w: Math.max(8, g.measureText(text).width + 2) };
  });
  let [first, stop, used] = [query, query + 1, all[query].w + all[query].gap];
  /** @param {Cell | undefined} cell */
  const more = (cell) => cell && used + cell.w + cell.gap < width - 2;
  while (more(all[first - 1])) used += all[--first].w + all[first].gap;
  while (more(all[stop])) used += all[stop].w + all[stop++].gap;
  const shown = all.slice(first, stop);
  const gaps = shown.filter((cell) => cell.gap === GAP).length;
  const wider = Math.min(WIDER, Math.max(0, (width - used - 40) / Math.max(1, gaps)));
  let x = (width - used - gaps * wider) / 2;
  for (const cell of shown) {
    cell.x = x + cell.gap + (cell.gap === GAP ? wider : 0);
    x = cell.x + cell.w;
  }
  return shown;
}

/** A token without its blank; of one that is a byte of a letter, the letter. @param {any} app @param {Reader} reader @param {number} t */
function written(app, reader, t) {
  const [[a, b], label] = [reader.spans[t], reader.labels[t]];
  if (b === 0) return "start";
  const bytes = /^(<[0-9A-F]{2}>)+$/.test(label) && app.points.slice(a, b).join("");
  return short(bytes || label.trim() || label, 16);
}

/**
 * By word, in the order of the text, what the query takes from its tokens.
 * @param {any} app @param {Reader} reader @param {number} query
 */
export function shares(app, reader, query) {
  const marks = reader.spans.filter((s) => s[1] === 0).length;
  const places = words(app).map((of) => ({ said: quoted(of), at: tokens(reader, of) }));
  if (marks) places.unshift({ said: "the start", at: [0, marks - 1] });
  return places
    .filter(({ at: [first] }) => first >= 0 && first <= query)
    .map(({ said, at: [first, last] }) => {
      let sum = 0;
      for (let k = first; k <= Math.min(last, query); k++) sum += weight(reader, query, k);
      return { said, first, last, weight: sum };
    });
}
