// What every panel with edits does: they stand as a text in the selection, and so in the address; undo and redo; each change
// is asked of Python.

import { History, MOST, format, parse } from "../sums/edits.js";

export class Operating {
  constructor(panel) {
    this.panel = panel;
    this.history = new History();
    this.chosen = null; // number of the edit that the controls change
    this.keys = (e) => this.key(e);
    document.addEventListener("keydown", this.keys);
  }

  destroy() {
    document.removeEventListener("keydown", this.keys);
  }

  get app() {
    return this.panel.app;
  }
  get selection() {
    return this.panel.selection;
  }
  get text() {
    return this.selection.kept.edits ?? "";
  }
  get edits() {
    return parse(this.text);
  }

  // For the message to Python.  The first picture of a link has its edits already: Python read the address.
  ask() {
    this.asked = this.text;
    return { edits: this.text, base_edits: this.panel.reader().said.edits ?? "" };
  }

  // With every drawing: edits that came by another way (an example, a link) are asked for too.
  follow() {
    if (this.asked === undefined) this.asked = this.text;
    else if (this.asked !== this.text) this.app.again();
  }

  // Make these the edits; `done` ends a change that began with the first call.
  change(edits, done = true) {
    this.become(format(edits.slice(0, MOST)), done);
  }

  become(text, done = true) {
    this.before ??= this.text;
    if (done) {
      if (this.before !== text) this.history.did(this.before);
      this.before = undefined;
    }
    this.put(text);
  }

  put(text) {
    this.selection.kept = { ...this.selection.kept, edits: text || undefined };
    if (this.asked !== text) this.app.again();
    this.selection.soon();
    this.app.restSoon();
  }

  undo() {
    this.back(this.history.undo(this.text));
  }
  redo() {
    this.back(this.history.redo(this.text));
  }

  back(text) {
    if (text === undefined) return;
    this.chosen = null;
    this.before = undefined;
    this.put(text);
  }

  // An unfinished change is taken back.
  takeBack() {
    const { before } = this;
    this.chosen = null;
    this.before = undefined;
    if (before !== undefined) this.put(before);
  }

  removeAll() {
    this.chosen = null;
    this.become("");
  }

  key(event) {
    if (
      !(event.ctrlKey || event.metaKey) ||
      event.altKey ||
      event.target.matches?.("textarea, input:not([type=range])")
    )
      return;
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) this.undo();
    else if (key === "y" || key === "z") this.redo();
    else return;
    event.preventDefault();
  }
}
