// What stands in the bar over a picture: buttons, sliders, lists to choose from, and a button that plays.

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

/** Plays step after step until `step` says false, or until it is stopped. */
export class Player {
  timer = 0;
  ms;
  step;
  begin;
  wait;
  said;

  /** @param {string} title @param {number} ms @param {() => boolean} step @param {{begin?: () => void, wait?: boolean, stop?: string}} more
   *   `begin` is called first; `wait`: not at once, but with the first tick */
  constructor(title, ms, step, { begin = () => {}, wait = false, stop = "Stop" } = {}) {
    Object.assign(this, { ms, step, begin, wait, said: stop });
    this.node = button("Play", () => (this.timer ? this.stop() : this.start()), { title });
  }

  start() {
    this.node.textContent = this.said;
    this.begin();
    if (this.wait) this.later();
    else this.tick();
  }

  later() {
    this.timer = setTimeout(() => this.tick(), this.ms);
  }

  tick() {
    this.timer ||= 1; // so that what a step draws knows that it plays
    if (this.step()) this.later();
    else this.stop();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.node.textContent = "Play";
  }
}
