// Written words as they stand on the page: line by line, as the browser has broken them.

import { heights, paint } from "./look.js";
import { tag, words } from "./markup.js";
import { clusters } from "../../segmentation.js";

/** @import { At } from "./box.js" */

/** What runs under words or through them. @typedef {{over: string, dotted: boolean, colour: string, thick: number, gap: number}} Ruled */

/** @param {CSSStyleDeclaration} style */
export const css = ({ fontStyle, fontWeight, fontSize, fontFamily }) =>
  `${fontStyle === "normal" ? "" : "italic "}${fontWeight} ${fontSize} ${fontFamily}`;

/** The height at which letters stand that fill a box. @param {At} at @param {string} font */
export function base(at, font) {
  const { above, below } = heights(font);
  return at.y + (at.height - above - below) / 2 + above;
}

/** @param {CSSStyleDeclaration} style @param {Ruled | null} before of what is around @returns {Ruled | null} */
export const ruled = (style, before) =>
  style.textDecorationLine === "none"
    ? before
    : {
        over: style.textDecorationLine,
        dotted: style.textDecorationStyle !== "solid",
        colour: style.textDecorationColor,
        thick: parseFloat(style.textDecorationThickness) || 1,
        gap: parseFloat(style.textUnderlineOffset) || 2,
      };

/** One line of words with what runs under it. @param {string} said @param {At} at @param {CSSStyleDeclaration} style @param {Ruled | null} lines */
export function line(said, at, style, lines) {
  const font = css(style);
  const y = base(at, font);
  const back = style.direction === "rtl";
  const look = {
    ...paint("fill", style.color),
    direction: back ? "rtl" : undefined,
    "text-anchor": back ? "end" : undefined,
  };
  let parts = words(said, at.x, y, font, look, at.width);
  if (!lines) return parts;
  const { over, gap, thick, dotted, colour } = lines;
  const rule = (/** @type {string} */ name, /** @type {number} */ y1) => {
    if (!over.includes(name)) return;
    const dash = dotted ? `${thick} ${thick}` : undefined;
    const stroke = { ...paint("stroke", colour), "stroke-width": thick, "stroke-dasharray": dash };
    parts += tag("line", { x1: at.x, x2: at.x + at.width, y1, y2: y1, ...stroke });
  };
  rule("underline", y + gap + thick / 2);
  rule("line-through", y - parseFloat(style.fontSize) * 0.3);
  return parts;
}

/**
 * The words of each line of a text node, and where they stand; unless `spaces` count, those at the ends of a line are left out.
 * @param {Text} node @param {boolean} spaces @returns {[string, {left: number, top: number, width: number, height: number}][]}
 */
export function broken(node, spaces) {
  const range = document.createRange();
  const between = (/** @type {number} */ start, /** @type {number} */ stop) => {
    range.setStart(node, start);
    range.setEnd(node, stop);
    return [...range.getClientRects()].filter((r) => r.width > 0);
  };
  const same = (/** @type {DOMRect} */ a, /** @type {DOMRect} */ b) =>
    Math.abs(a.top - b.top) < Math.min(a.height, b.height) / 2;
  /** @type {[string, {left: number, top: number, width: number, height: number}][]} */
  const found = [];
  const take = (/** @type {number} */ start, /** @type {number} */ stop) => {
    const text = node.data.slice(start, stop);
    const [from, to] = spaces
      ? [start, stop]
      : [start + text.length - text.trimStart().length, stop - text.length + text.trimEnd().length];
    const rects = from < to ? between(from, to) : [];
    if (rects.length) found.push([node.data.slice(from, to), union(rects)]);
  };
  const all = between(0, node.data.length);
  if (!all.length) return found;
  let from = 0,
    at = 0;
  if (!all.every((r) => same(r, all[0]))) {
    /** @type {DOMRect | null} */
    let first = null; // of the line
    for (const point of node.data) {
      const rect = between(at, at + point.length).at(-1);
      if (rect && first && !same(rect, first)) {
        take(from, at);
        from = at;
        first = rect;
      }
      if (rect) first ??= rect;
      at += point.length;
    }
  }
  take(from, node.data.length);
  return found;
}

/** @param {DOMRect[]} rects */
function union(rects) {
  const left = Math.min(...rects.map((r) => r.left)),
    top = Math.min(...rects.map((r) => r.top));
  return {
    left,
    top,
    width: Math.max(...rects.map((r) => r.right)) - left,
    height: Math.max(...rects.map((r) => r.bottom)) - top,
  };
}

/**
 * Text that is cut on the screen is cut in the file, with the same sign; and how wide it is.
 * @param {string} text @param {number} wide @param {number} room @param {CSSStyleDeclaration} style @returns {[string, number]}
 */
export function shortened(text, wide, room, style) {
  if (wide <= room + 0.5) return [text, wide];
  const g = document.createElement("canvas").getContext("2d");
  g.font = css(style);
  const signs = clusters(text);
  while (signs.length && g.measureText(`${signs.join("")}…`).width > room) signs.pop();
  const said = `${signs.join("")}…`;
  return [said, Math.min(room, g.measureText(said).width)];
}
