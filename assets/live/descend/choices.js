// What is chosen for a training on a board: a list for each setting, and those that one seldom needs behind “More”.

import { element, labelled } from "../dom.js";
import { folds, select } from "../parts/controls.js";

export class Choices {
  /** @type {Record<string, any>} */
  lists = {};

  /** @param {import("./training.js").Training} training @param {Record<string, (string | number)[]>} values of each setting @param {Record<string, Record<string, string>>} words what values are called, where not by themselves */
  constructor(training, values, words) {
    this.training = training;
    this.values = values;
    this.words = words;
  }

  /** @param {string} name of a setting @param {string} label @param {(string | number)[]} from */
  list(name, label, from = this.values[name]) {
    const values = [...from];
    const numbers = typeof values[0] === "number";
    if (numbers) values.sort((a, b) => Number(a) - Number(b));
    const node = select(
      values.map((value) => [value, this.words[name]?.[value] ?? value]),
      (value) => this.training.choose({ [name]: numbers ? Number(value) : value }),
    );
    this.lists[name] = node;
    return labelled(label, node, "un-both ds-both");
  }

  /** @param {HTMLElement[]} nodes */
  more(...nodes) {
    const menu = element("details", "ds-more");
    const inside = element("div", "ds-list");
    inside.append(...nodes);
    menu.append(element("summary", "un-button", { textContent: "More" }), inside);
    folds(menu);
    return menu;
  }

  draw() {
    for (const [name, node] of Object.entries(this.lists)) {
      const value = String(this.training.settings[name]);
      if (node.value !== value) node.value = value;
    }
  }
}
