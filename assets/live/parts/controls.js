// Controls as several panels have them: a row of them, a button, a choice, a slider.

import { element } from "../dom.js";

/** A row of controls. @param {(Node | string)[]} parts */
export function line(...parts) {
  const node = element("div", "un-order");
  node.append(...parts);
  return node;
}

/** Words between controls. @param {string} textContent */
export const word = (textContent) => element("span", "", { textContent });

/** @param {string} textContent @param {() => void} onclick @param {string} [title] @param {string} [label] its name, where its text is none */
export function button(textContent, onclick, title, label) {
  const node = element("button", "un-button", { type: "button", textContent, onclick });
  if (title) node.title = title;
  if (label) node.setAttribute("aria-label", label);
  return node;
}

/** @param {string} name what a screen reader calls it @param {[string, string][]} choices values and words @param {object} more properties */
export function select(name, choices, more = {}) {
  const node = element("select", "un-select", more);
  node.setAttribute("aria-label", name);
  fill(node, choices);
  return node;
}

/** Other choices for a select. @param {[string, string][]} choices */
export function fill(node, choices) {
  node.replaceChildren(
    ...choices.map(([value, textContent]) => element("option", "", { value, textContent })),
  );
}

/** @param {string} name @param {string} type @param {string} className @param {object} more properties */
export function input(name, type, className, more = {}) {
  const node = element("input", className, { type, ...more });
  node.setAttribute("aria-label", name);
  return node;
}
