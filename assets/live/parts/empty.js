// What a page of several pictures shows while nothing is typed: what to do, and the examples to begin with.

import { element } from "../dom.js";

export class Empty {
  /** @param {any} app @param {HTMLElement} parent @param {string} says */
  constructor(app, parent, says) {
    this.app = app;
    this.root = element("div", "un-nothing", { hidden: true });
    const buttons = app.layout.tries.map((/** @type {{text: string, look: string}} */ example) => {
      const button = element("button", "un-try", { type: "button", textContent: example.text });
      button.onclick = () => app.take(example);
      return button;
    });
    this.root.append(element("p", "", { textContent: says }), ...buttons);
    parent.prepend(this.root);
  }

  /** Whether nothing is typed; the other pictures then go, since they have nothing to show. */
  get shown() {
    const empty = !this.app.points.length;
    this.root.hidden = !empty;
    this.app.grid.classList.toggle("un-empty", empty);
    return empty;
  }
}
