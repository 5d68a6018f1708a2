// The text between the places where all readers cut, and the bits that each of them spent on it (engine/analysis/compare/alignment.py).

import { digits, raised } from "../dom.js";
import { pointing } from "../marks/pointer.js";

/** @import { Segment } from "../types.js" */
/** @import { Reader } from "../wire.js" */

const BLANK = /^[\p{White_Space}\x1c-\x1f]$/u; // what Python calls white space: \s leaves out some and has one more
const IMPOSSIBLE = 1e8; // bits of what has probability 0 come as a large number

/**
 * With `words` only cuts at the ends of words.
 * @param {Pick<Reader, "spans" | "bits" | "unknown">[]} readers @param {string[]} points characters @param {boolean} words
 * @returns {Segment[]} bits and unknown per reader
 */
export function segments(readers, points, words) {
  const firsts = readers.map((r) => (r.spans.length ? r.spans[0][1] : 0));
  const first = Math.max(0, ...firsts);
  const cuts = readers.map((r, m) => new Set([firsts[m], ...r.spans.slice(1).map((s) => s[1])]));
  const blank = (c) => BLANK.test(points[c] ?? "");
  const end = (c) => c === 0 || c === points.length || blank(c) || points[c - 1] === "\n";
  const common = Array.from(cuts[0] ?? [])
    .filter((c) => c >= first && cuts.every((other) => other.has(c)) && (!words || end(c)))
    .sort((a, b) => a - b);
  const found = common.slice(1).map((stop, s) => ({
    start: common[s],
    stop,
    text: points.slice(common[s], stop).join(""),
    bits: readers.map(() => 0),
    unknown: readers.map(() => false),
  }));
  readers.forEach((reader, m) => {
    let s = 0;
    reader.spans.forEach(([, stop], t) => {
      if (!t || !found.length || stop <= found[0].start || stop > found.at(-1).stop) return;
      while (stop > found[s].stop) s += 1;
      found[s].bits[m] += reader.bits[t] >= IMPOSSIBLE ? Infinity : reader.bits[t];
      if (reader.unknown.has(t)) found[s].unknown[m] = true;
    });
  });
  return found;
}

// Cells side by side, broken into lines of a width; each gets its place x and its line.
export function fold(cells, widthOf, room) {
  let x = 0,
    line = 0,
    broken = false;
  for (const cell of cells) {
    cell.width = Math.min(room, widthOf(cell));
    if (broken || (x && x + cell.width > room)) {
      x = 0;
      line += 1;
    }
    cell.x = x;
    cell.line = line;
    x += cell.width;
    broken = cell.text.endsWith("\n");
  }
  return cells.length ? line + 1 : 0;
}

// Pointing at a cell looks at the last token of the first reader in it.
export function cellsPointed(view) {
  pointing(view, (x, y) => {
    const cell = view.cells?.find(
      (c) => x >= c.left && x < c.left + c.width && y >= c.top && y < c.top + view.high,
    );
    const reader = view.panel.reader();
    const t = cell ? reader.spans.findLastIndex((s) => s[1] === cell.stop) : -1;
    return t < 0 ? null : { ...reader.place(t), span: [cell.start, cell.stop] };
  });
}

// The cell looked at; the last one when nothing is.
export function looked(view) {
  const { panel } = view;
  const reader = panel.reader();
  const span = reader.spans[panel.selection.token(reader)];
  return span && view.cells.find((c) => c.start < span[1] && span[1] <= c.stop);
}

// How many times as likely so many bits make something; a power of ten where that is a long number.
export function times(bits) {
  const power = bits * Math.log10(2);
  return power < 5 || !Number.isFinite(power)
    ? digits(10 ** power)
    : `${(10 ** (power % 1)).toFixed(1)} × 10${raised(Math.floor(power))}`;
}
