// SVG as text: an element with its attributes, and written text.  Text from a person is escaped here and nowhere else.

import { RARE, fontOf } from "./look.js";

const UNFIT = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu; // what XML cannot hold; half a surrogate pair too
/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** @param {string} text */
export const escape = (text) =>
  String(text)
    .replace(UNFIT, "\ufffd")
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign]);
/** @param {number} n */
export const short = (n) => String(Math.round(n * 100) / 100 || 0);

/**
 * One element; attributes that are undefined, null or "" are left out.
 * @param {string} name @param {Record<string, any>} attributes
 */
export function tag(name, attributes, inside = "") {
  let found = `<${name}`;
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== null && value !== "")
      found += ` ${key}="${typeof value === "number" ? short(value) : escape(value)}"`;
  return inside ? `${found}>${inside}</${name}>` : `${found}/>`;
}

/**
 * Written text that keeps its width where a viewer has another font.
 * @param {string} text @param {number} x @param {number} y @param {string} font @param {any} more
 */
export function words(text, x, y, font, more, wide = 0) {
  const fit =
    wide > 4 && Array.from(text).length > 1 ? { textLength: wide, lengthAdjust: "spacingAndGlyphs" } : {};
  const spaces = /^\s|\s$|\s\s/.test(text) ? { "xml:space": "preserve" } : {};
  return tag(
    "text",
    { x, y, ...fontOf(font, RARE.test(text)), ...fit, ...spaces, ...more },
    escape(text.replace(/[\t\n\v\f\r]/g, " ")),
  );
}
