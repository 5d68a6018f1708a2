// Which tokens lie over which characters, where several tokenizers have cut the same text.

import { clusters } from "../segmentation.js";

/** @import { Span } from "../types.js" */
/** @import { Reader } from "../wire.js" */

/**
 * The characters looked at: under the pointer, else clicked, else the last piece of the reader that leads.
 * @param {any} panel @returns {{chosen: boolean, reader: Reader, t: number, span: Span | undefined}}
 */
export function looked(panel) {
  const { hovered, kept } = panel.selection;
  const place = hovered.token !== undefined ? hovered : kept.token !== undefined ? kept : null;
  const reader = place ? panel.reader(place.reader) : panel.reader();
  const t = Math.min(place?.token ?? Infinity, reader.labels.length - 1);
  return { chosen: !!place, reader, t, span: reader.spans[t] };
}

/**
 * Which tokens of a reader lie over any of these characters; of the reader itself the token alone.
 * @param {Reader} reader @param {{reader: Reader, t: number, span: Span | undefined}} look @returns {number[]}
 */
export function over(reader, { reader: own, t: chosen, span }) {
  if (!span) return [];
  if (own === reader) return [chosen];
  return reader.spans.flatMap(([a, b], t) => (a < span[1] && b > span[0] ? [t] : []));
}

/** Per token the place of its number among those of the row, in the order of their coming. @param {Reader} reader @returns {number[]} */
export function hues(reader) {
  const seen = new Map();
  return Array.from(reader.fields.get("id")?.values ?? [], (id) => {
    if (!seen.has(id)) seen.set(id, seen.size);
    return seen.get(id);
  });
}

/** Per character the tokens that lie over it: several where one character is more than one piece. @param {Reader} reader */
export function covering(reader) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  reader.spans.forEach(([a, b], t) => {
    for (let i = a; i < b; i++) found.has(i) ? found.get(i).push(t) : found.set(i, [t]);
  });
  return found;
}

/**
 * Where inside a cell a token begins (end = 0) or ends (end = 1), as a share of its width.
 * @param {Map<number, number[]>} shared of `covering` @param {{at: number, size: number}} cell of `lay`
 * @param {number} t @param {number} character @param {0 | 1} end
 */
export function part(shared, { at, size }, t, character, end) {
  const tokens = shared.get(Math.max(at, Math.min(character, at + size - 1))) ?? [t];
  const place = Math.max(0, Math.min(character - at, size - 1));
  const inside = tokens.includes(t) ? tokens.indexOf(t) + end : end * tokens.length;
  return (place + inside / tokens.length) / size;
}

/**
 * What a reader sees as one sign, with its first code point, their number, its place on its line and its width.
 * @typedef {{at: number, size: number, label: string, x: number, width: number}} Cell
 */

/**
 * A text in lines of at most `room`, broken at a blank where there is one.
 * @param {string} text @param {number} start its first character in the whole text @param {number} room
 * @param {(segment: string, size: number) => string} named @param {(label: string) => number} widthOf @returns {Cell[][]}
 */
export function lay(text, start, room, named, widthOf) {
  /** @type {Cell[]} */
  const cells = [];
  let at = start;
  for (const segment of clusters(text)) {
    const size = Array.from(segment).length;
    const label = named(segment, size);
    cells.push({ at, size, label, x: 0, width: widthOf(label) });
    at += size;
  }
  const lines = [];
  for (let first = 0, last; first < cells.length; first = last) {
    let x = 0;
    for (last = first; last < cells.length; last++) {
      if (last > first && (cells[last - 1].label === "⏎" || x + cells[last].width > room)) break;
      x += cells[last].width;
    }
    if (last < cells.length && cells[last - 1].label !== "⏎") {
      let blank = last;
      while (blank > first + 1 && cells[blank].label !== "·") blank -= 1;
      if (blank > first + (last - first) / 2) last = blank;
    }
    x = 0;
    for (const cell of cells.slice(first, last)) {
      cell.x = x;
      x += cell.width;
    }
    lines.push(cells.slice(first, last));
  }
  return lines;
}
