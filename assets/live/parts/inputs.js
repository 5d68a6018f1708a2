// Boxes to write into, lists that change, and the words between them.

import { element } from "../dom.js";

/** @param {string} name for screen readers @param {string} type @param {string} className @param {object} more properties */
export function input(name, type, className, more = {}) {
  const node = element("input", className, { type, ...more });
  node.setAttribute("aria-label", name);
  return node;
}

/** Other choices for a list. @param {HTMLElement} node @param {any[][]} options each a value and what it is called */
export function offer(node, options) {
  node.replaceChildren(
    ...options.map(([value, textContent]) => element("option", "", { value, textContent })),
  );
}

/** @param {string} textContent */
export const word = (textContent) => element("span", "", { textContent });
