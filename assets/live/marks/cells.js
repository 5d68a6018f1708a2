// A text as cells side by side, in lines of the width of the page; what is drawn over, in and under them is the panel's.

import { visible } from "../dom.js";
import { boxAt, pointing } from "./pointer.js";
import { clusters } from "../segmentation.js";

let pen; // measures letters

/** The font of the text itself: all letters as wide. @param {number} size */
export const mono = (size) =>
  `${size}px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace`;

/** How wide a text is in that font. @param {string} text @param {number} size */
export function monoWidth(text, size) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = mono(size);
  return Math.ceil(pen.measureText(visible(text)).width);
}

/**
 * Gives each cell its line, its place x, y and its size w, h; a line ends where there is no room, or with the line of
 * the text.  Returns how many lines there are.
 * @param {any[]} cells with a `text` @param {(cell: any) => number} widthOf @param {number} room
 * @param {{left?: number, high?: number, block?: number}} size `block`: from one line to the next
 */
export function fold(cells, widthOf, room, { left = 0, high = 0, block = high } = {}) {
  let x = 0,
    line = 0,
    broken = false;
  for (const cell of cells) {
    cell.w = Math.min(room, widthOf(cell));
    if (broken || (x && x + cell.w > room)) {
      x = 0;
      line += 1;
    }
    Object.assign(cell, { line, x: left + x, y: line * block, h: high });
    x += cell.w;
    broken = cell.text.endsWith("\n");
  }
  return cells.length ? line + 1 : 0;
}

/**
 * The letters of a text as one sees them (grapheme clusters), with their places from `start` on. @returns {any[]}
 * @param {string} text @param {number} start
 */
export function letters(text, start) {
  return clusters(text).map((segment) => {
    const first = start;
    start += Array.from(segment).length;
    return { text: segment, label: visible(segment), start: first, stop: start };
  });
}

/** Pointing at a cell of `view.cells` looks at the last token of the first reader in it. @param {any} view */
export function cellsPointed(view) {
  pointing(view, (x, y) => {
    /** @type {any} */
    const cell = boxAt(view.cells, x, y);
    const reader = view.panel.reader();
    const t = cell ? reader.spans.findLastIndex((s) => s[1] === cell.stop) : -1;
    return t < 0 ? null : { ...reader.place(t), span: [cell.start, cell.stop] };
  });
}

/** The cell looked at; the last one when nothing is. @param {any} view @returns {any} */
export function looked(view) {
  const { panel } = view;
  const reader = panel.reader();
  const span = reader.spans[panel.selection.token(reader)];
  return span && view.cells.find((c) => c.start < span[1] && span[1] <= c.stop);
}
