// A list of rows, each with a name, a bar and a number.  A row stays from key to key: only what changed is touched.

import { element, fit, parts, percent, put, short, visible } from "../dom.js";

/** @typedef {{root: HTMLElement, label: HTMLElement, bar: HTMLElement, value: HTMLElement, fill: HTMLElement, text?: string}} Row */

/** @param {string} className @param {{label?: string, share?: number, value?: string, colour?: string}} said @returns {Row} */
export function row(className = "un-row", said = {}) {
  const made = parts(element("li", className), {
    label: "un-row-label",
    bar: "un-row-bar",
    value: "un-row-value",
  });
  const fill = made.bar.appendChild(element("i"));
  if (said.label === undefined) return { ...made, fill };
  Object.assign(made.label, { textContent: said.label, title: said.label });
  fill.style.cssText = `width: ${100 * said.share}%; background: ${said.colour};`;
  made.value.textContent = said.value;
  return { ...made, fill };
}

/**
 * One row for each name and number.
 * @param {{list: HTMLElement, rows: Row[]}} column @param {[string, number][]} items
 * @param {{most?: number, long?: number, write?: (value: number) => string, colour: string}} look `most`: the number
 *   that fills the bar; `long`: letters of a name that are shown
 */
export function listed(column, items, { most = 1, long = 18, write = percent, colour }) {
  fit(column.rows, items.length, () => {
    const made = row();
    column.list.append(made.root);
    return made;
  });
  items.forEach(([label, value], i) => {
    const one = column.rows[i];
    if (one.text !== label) {
      one.text = label;
      one.label.textContent = short(label, long);
      one.label.title = visible(label);
    }
    put(one.value, write(value));
    one.fill.style.width = `${Math.max(0, (100 * value) / most).toFixed(1)}%`;
    one.fill.style.background = colour;
  });
}

/**
 * What a reader expects, the longest bar for the likeliest.
 * @param {{list: HTMLElement, rows: Row[]}} column @param {[string, number][]} items
 * @param {import("../wire.js").Reader} reader
 */
export function expected(column, items, reader) {
  const most = Math.max(...items.map((r) => r[1]), 1e-9);
  const colour = `var(--un-reader-${reader.spec.colour}, var(--un-accent))`;
  listed(column, items, { most, long: 16, colour });
}

/** A column of expected words: a heading, a line below it, its rows. @param {HTMLElement} parent @param {string} title */
export function column(parent, title = "") {
  const made = parts(element("div", "un-top"), { title: "h4.", after: "p.un-says", list: "ol.un-list" });
  put(made.title, title);
  parent.append(made.root);
  return { ...made, rows: /** @type {Row[]} */ ([]) };
}
