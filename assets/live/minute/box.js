// What the first minute stands on where a page has the text box: its text, what is chosen, and its panels.

import { put } from "../dom.js";

/** @import { Step } from "../types.js" */

const LATEST = 204; // pixels above the pictures; where there are more, the strip takes the place of the tokens

export class BoxPage {
  follows = false;

  /** @param {any} app @param {HTMLElement} row below the box */
  constructor(app, row) {
    this.app = app;
    this.row = row;
  }

  get name() {
    return this.app.page;
  }

  /** @returns {{id: string, root: HTMLElement}[]} */
  parts() {
    return this.app.panels.map(({ root, spec }) => ({ id: spec.id, root }));
  }

  top() {
    return this.app.entry.head.parentElement;
  }

  now() {
    return { text: this.app.box.value, kept: { ...this.app.selection.kept } };
  }

  /** @param {{text: string, kept: object} | null} before */
  restore(before) {
    const { app } = this;
    app.selection.leave();
    app.selection.restore(before?.kept ?? {});
    app.setText(before?.text ?? "");
    app.box.focus();
  }

  /** @param {number} at @param {string} text @param {Step} step */
  set(at, text, { link }) {
    const { app } = this;
    app.selection.leave();
    app.selection.restore({});
    app.selection.take(link); // the message asks for what it chooses
    app.setText(text);
    app.selection.take(link); // a new text lets go of a token
    put(app.tip, "");
  }

  ready() {
    return this.app.panels.length > 0;
  }

  /** The first picture stays where it was. @param {boolean} shown */
  fit(shown) {
    this.row.hidden = false;
    const { app } = this;
    if (!shown) return;
    const scrolled = app.root.closest('[data-testid="stMain"]')?.scrollTop ?? 0;
    this.row.hidden = app.grid.getBoundingClientRect().top + scrolled > LATEST;
  }

  begin() {
    this.app.entry.menu.open = false;
  }

  end() {
    this.app.box.focus();
  }

  /** A link that holds a text shows what its sender saw. @param {URL} url */
  told(url) {
    return url.searchParams.has("text");
  }
}
