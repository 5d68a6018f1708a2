// A formula with its numbers put in, and below it the terms of its sum as bars.

import { digits, element, parts, put } from "../dom.js";

/**
 * A term of a sum: its name, how it is made, its number.
 * @typedef {{name: string, said?: string, value: number}} Term
 */

/** A template whose {names} are replaced. @param {string} template @param {(name: string) => string | number} number */
export const filled = (template, number) =>
  template.replace(/\{([^}]+)\}/g, (_, name) => String(number(name)));

/** @param {Term[]} terms */
export const total = (terms) => terms.reduce((sum, { value }) => sum + value, 0);

export class Equation {
  /** @param {HTMLElement} parent @param {number} most terms that are listed, besides the rest together */
  constructor(parent, most = 9) {
    this.most = most;
    this.sum = element("p", "un-formula");
    this.list = element("ol", "un-list");
    this.note = element("p", "un-says");
    parent.append(this.sum, this.list, this.note);
  }

  /** @param {{formula?: string, terms?: Term[], share?: boolean, note?: string}} said `share`: parts of a whole, which begin at the left */
  write({ formula = "", terms = [], share = false, note = "" }) {
    put(this.sum, formula);
    const shown = this.largest(terms);
    const most = Math.max(1e-12, ...shown.map(({ value }) => Math.abs(value)));
    this.list.replaceChildren(...shown.map((term) => bar(term, most, share)));
    put(this.note, note);
  }

  /** @param {Term[]} terms @returns {Term[]} */
  largest(terms) {
    const { most } = this;
    if (terms.length <= most + 1) return terms;
    const order = [...terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const rest = order.slice(most);
    return [...order.slice(0, most), { name: `${rest.length} more`, value: total(rest), said: "together" }];
  }
}

/** A bar from a zero in the middle; a share begins at the left. @param {Term} term @param {number} most @param {boolean} share */
function bar({ name, value, said = "" }, most, share) {
  const row = parts(element("li", "un-row un-working"), {
    label: "un-row-label",
    how: "un-row-how",
    bar: share ? "un-row-bar" : "un-row-bar un-signed",
    value: "un-row-value",
  });
  const written = digits(value);
  row.root.title = said ? `${name}: ${said} = ${written}` : name;
  put(row.label, name);
  put(row.how, said);
  put(row.value, written);
  const wide = Number.isFinite(value) ? (Math.abs(value) / most) * (share ? 100 : 50) : 0;
  const fill = row.bar.appendChild(element("i", value < 0 ? "un-less" : "un-more"));
  Object.assign(fill.style, { width: `${wide}%`, left: share ? "0" : value < 0 ? `${50 - wide}%` : "50%" });
  return row.root;
}
