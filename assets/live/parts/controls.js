// What stands in the bar over a picture: buttons, sliders and lists to choose from.

import { element } from "../dom.js";

/** @param {string} textContent @param {() => void} onclick @param {object} more other properties, such as its title */
export const button = (textContent, onclick, more = {}) =>
  element("button", "un-button", { type: "button", textContent, onclick, ...more });

/** @param {(value: number) => void} act @param {object} range its min, max, step ... @param {string} label for screen readers */
export function slider(act, range, label = "", wide = false) {
  const node = element("input", `un-slider${wide ? " un-wide-slider" : ""}`, { type: "range", ...range });
  if (label) node.setAttribute("aria-label", label);
  node.oninput = () => act(Number(node.value));
  return node;
}

/** @param {any[][]} options each a value and what it is called @param {(value: string) => void} act @param {string} label for screen readers */
export function select(options, act, label = "") {
  const node = element("select", "un-select");
  if (label) node.setAttribute("aria-label", label);
  for (const [value, textContent] of options) node.append(element("option", "", { value, textContent }));
  node.onchange = () => act(node.value);
  return node;
}

/** A list of numbers to choose from, with its name before it. @param {(value: number) => void} chosen */
export function choice(name, options, now, chosen) {
  const label = element("label", "un-search-label", { textContent: `${name} ` });
  const node = select(
    options.map((value) => [value, value]),
    (value) => chosen(Number(value)),
  );
  node.value = String(now);
  label.append(node);
  return label;
}

export function bar(...nodes) {
  const made = element("div", "un-order");
  made.append(...nodes);
  return made;
}

/** A colour of the legend and what it stands for. @param {string} background as CSS */
export function keyItem(background, text) {
  const item = element("span", "un-key-item");
  const dot = element("i", "");
  dot.style.background = background;
  item.append(dot, document.createTextNode(text));
  return item;
}

/** A menu that unfolds over the page, closes when one is done with it, and gives the keyboard back. @param {any} menu */
export function folds(menu) {
  const outside = (/** @type {PointerEvent} */ e) => {
    if (!menu.contains(/** @type {Node} */ (e.target))) menu.open = false;
  };
  menu.addEventListener("toggle", () => {
    document[menu.open ? "addEventListener" : "removeEventListener"](
      "pointerdown",
      /** @type {any} */ (outside),
    );
  });
  menu.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (e.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.firstChild.focus();
    e.stopPropagation();
  });
  menu.addEventListener("focusout", (/** @type {FocusEvent} */ e) => {
    if (e.relatedTarget && !menu.contains(/** @type {Node} */ (e.relatedTarget))) menu.open = false;
  });
}
