// What a screen reader says after a key: the numbers of the panel that the focus is in.  Only one panel speaks, and only
// in a moment of rest; typing is not spoken over.

import { element, put, visible } from "./dom.js";

const NUMBER = /\d/;

export class Spoken {
  /** @type {import("./panel.js").Panel | null} */
  panel = null; // is to be heard
  words = ""; // of the panel, heard last

  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.root = element("p", "un-spoken", { role: "status" });
  }

  /** A key has moved what is looked at; from among the tokens the first panel answers. @param {EventTarget | null} focused */
  moved(focused) {
    const { panels } = this.app;
    this.panel =
      panels.find(({ root }) => root.contains(/** @type {Node | null} */ (focused))) ?? panels[0] ?? null;
  }

  /** Somebody types: what was to be said is of another text. */
  typed() {
    this.panel = null;
  }

  rest() {
    const { panel } = this;
    const { walk } = this.app;
    const words = (panel && walk.row) ?? panel?.spoken();
    // nothing, or not there yet: said in the moment of rest after it is drawn
    if (!panel || words === undefined || words === null) return;
    // on a walk over the picture the numbers of the place change where those of the panel do not
    const read = walk.at ? panel.readout.textContent : "";
    const here = words === this.words && NUMBER.test(read) && read !== words;
    // where the panel has nothing new to say, it is said what has moved
    const known = words === this.words || !NUMBER.test(words);
    put(this.root, here ? read : known ? [this.place, words].filter(Boolean).join(". ") : words);
    this.words = words;
    this.panel = null;
  }

  /** The token looked at. */
  get place() {
    const { app } = this;
    const reader = app.selection.lead(app);
    const t = app.selection.token(reader);
    return `“${visible(reader.labels[t] ?? "")}”, token ${t + reader.offset}`;
  }
}
