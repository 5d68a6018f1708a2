// Which tokens are masked: numbers in the address, which follow their words when the text changes.

/** @import { Panel } from "../../panel.js" */
/** @import { Reader } from "../../wire.js" */

export class Masks {
  /** @type {string | null} */
  wished = null; // what was asked for last, while the reply is of something else
  /** @type {string | null} */
  text = null;
  /** @type {string | undefined} */
  known; // the masks of the last drawing, and the words there
  /** @type {string[]} */
  words = [];

  /** @param {Panel} panel */
  constructor(panel) {
    this.panel = panel;
  }

  // What every message tells Python.
  ask() {
    const { kept } = this.panel.selection;
    return { masks: String(kept.masks ?? ""), ...(kept.token === undefined ? {} : { at: kept.token }) };
  }

  get now() {
    return String(this.panel.selection.get("masks") ?? "")
      .split("_")
      .filter(Boolean)
      .map(Number);
  }

  // The token is masked, or shown again, and looked at; a model that fills no masks only looks.
  /** @param {number} t */
  toggle(t) {
    const { app, selection } = this.panel;
    const reader = this.panel.reader();
    const place = { token: t, reader: reader.spec.id, span: reader.spans[t] };
    const { now } = this;
    const next = now.includes(t) ? now.filter((m) => m !== t) : [...now, t].sort((a, b) => a - b);
    selection.keep(reader.said.fills ? { masks: next.join("_"), ...place } : place, app);
    app.again();
  }

  // Typing in front of a masked word moves it: then it is another word that stands there, and nobody masked that.
  /** @param {Reader} reader */
  follow(reader) {
    const { app, selection } = this.panel;
    const { now } = this;
    const mine = this.known === now.join("_"); // not those of an example or a link
    if (mine && this.text !== app.text) {
      const stay = now.filter((m, i) => reader.labels[m] === this.words[i]);
      if (stay.length !== now.length) {
        selection.kept.masks = stay.join("_");
        app.again();
      }
    }
    const { masks, at } = this.ask();
    const wish = JSON.stringify([masks, at ?? null]);
    if (wish === JSON.stringify(reader.said.asked)) this.wished = null;
    else if (wish !== this.wished) {
      this.wished = wish; // the reply is of something else: of before a link was read, or an arrow key pressed
      app.again();
    }
    this.text = app.text;
    this.words = this.now.map((m) => reader.labels[m]);
    this.known = this.now.join("_");
  }
}
