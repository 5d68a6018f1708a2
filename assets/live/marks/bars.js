// Labelled bars as a list of the page: a name, a bar of one or several parts, a number.  Rows stay from key
// to key, and only what changed is touched.

import { element, put } from "../dom.js";

/**
 * A part of a bar: its share of the whole width, from 0 to 1, and where it begins; by default after the part
 * before it.
 * @typedef {{share: number, from?: number, colour?: string, className?: string}} Part
 * What stands in one row; `says` where its `made` has added a place for it.
 * @typedef {{label: string, title?: string, value: string, parts: Part[], says?: string}} Bar
 */

/** @param {number} share */
const rounded = (share) => `${(100 * share).toFixed(2)}%`;

/**
 * A part that begins at a zero in the middle; `share` of half the width, and of which sign.
 * @param {number} share @returns {Part}
 */
export const signed = (share) => ({
  share: Math.abs(share) / 2,
  from: share < 0 ? 0.5 - Math.abs(share) / 2 : 0.5,
});

export class BarList {
  /**
   * @param {HTMLElement} list
   * @param {{tag?: string, row?: string, bar?: string, made?: (row: any, i: number) => void}} options element
   *   and classes of a row and of its bar; made(row, i) adds what this list has besides
   */
  constructor(list, { tag = "li", row = "un-row", bar = "un-row-bar", made } = {}) {
    this.list = list;
    this.tag = tag;
    this.className = row;
    this.bar = bar;
    this.made = made;
    /** @type {any[]} */
    this.rows = [];
  }

  /** @param {Bar[]} bars */
  draw(bars) {
    while (this.rows.length > bars.length) this.rows.pop().root.remove();
    while (this.rows.length < bars.length) this.rows.push(this.row());
    bars.forEach((bar, i) => this.fill(this.rows[i], bar));
    return this.rows;
  }

  row() {
    const row = {
      root: element(this.tag, this.className),
      label: element("span", "un-row-label"),
      bar: element("span", this.bar),
      value: element("span", "un-row-value"),
      fills: /** @type {HTMLElement[]} */ ([]),
    };
    row.root.dataset.i = String(this.rows.length);
    row.root.append(row.label, row.bar, row.value);
    this.made?.(row, this.rows.length);
    this.list.append(row.root);
    return row;
  }

  /** @param {any} row @param {Bar} bar */
  fill(row, { label, title, value, parts, says }) {
    put(row.label, label);
    if (title !== undefined && row.label.title !== title) row.label.title = title;
    put(row.value, value);
    if (row.says) put(row.says, says);
    while (row.fills.length > parts.length) row.fills.pop().remove();
    while (row.fills.length < parts.length) {
      row.fills.push(element("i", ""));
      row.bar.append(row.fills.at(-1));
    }
    parts.forEach(({ share, from, colour, className }, n) => {
      const { style } = row.fills[n];
      style.width = rounded(share);
      if (from !== undefined) style.marginLeft = rounded(from);
      if (colour) style.background = colour;
      if (className !== undefined) row.fills[n].className = className;
    });
  }
}

/** A light bar and a strong one over each other, for a list whose bar has the class un-two. @param {number} light @param {number} strong @returns {Part[]} */
export const bars = (light, strong) => [
  { share: light, className: "un-light" },
  { share: strong, className: "un-strong" },
];
