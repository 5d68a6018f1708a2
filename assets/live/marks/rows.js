// Lists of words with their probabilities, and a row of such a list by itself.

import { element, named, parts, percent, put, visible } from "../dom.js";
import { BarList } from "./bars.js";

/**
 * A row that is made anew, not kept from key to key.
 * @param {string} className @param {{label: string, share: number, value: string, colour: string}} said @returns {HTMLElement}
 */
export function row(className, { label, share, value, colour }) {
  const made = parts(element("li", className), {
    label: "un-row-label",
    bar: "un-row-bar",
    value: "un-row-value",
  });
  Object.assign(made.label, { textContent: label, title: label });
  const fill = made.bar.appendChild(element("i"));
  fill.style.cssText = `width: ${100 * share}%; background: ${colour};`;
  put(made.value, value);
  return made.root;
}

/**
 * One row for each name and number; the rows.
 * @param {BarList} bars @param {[string, number][]} items
 * @param {{most?: number, long?: number, write?: (value: number) => string, colour: string}} look `most`: the number
 *   that fills the bar; `long`: letters of a name that are shown
 */
export const listed = (bars, items, { most = 1, long = 18, write = percent, colour }) =>
  bars.draw(
    items.map(([label, value]) => {
      const share = Number(Math.max(0, (100 * value) / most).toFixed(1)) / 100;
      return {
        label: named(label, long),
        title: visible(label),
        value: write(value),
        parts: [{ share, colour }],
      };
    }),
  );

/**
 * What a reader expects, each bar from 0 to 100 %; the rows.
 * @param {BarList} bars @param {[string, number][]} items @param {import("../wire.js").Reader} reader
 */
export function expected(bars, items, reader) {
  const colour = `var(--un-reader-${reader.spec.colour}, var(--un-accent))`;
  return listed(bars, items, { long: 16, colour });
}

/** A column of expected words: a heading, a line below it, its bars. @param {HTMLElement} parent @param {string} title */
export function column(parent, title = "") {
  const made = parts(element("div", "un-top"), { title: "h4.", after: "p.un-says", list: "ol.un-list" });
  put(made.title, title);
  parent.append(made.root);
  return { ...made, bars: new BarList(made.list) };
}
