// The first minute of a lesson: a few steps, each of which sets the page and says what to look at.
// A step that asks covers its answer until somebody has made a guess.  What it stands on is a page with the text box
// (minute/box.js) or one of forms (minute/form.js).

import { element, put } from "./dom.js";
import { button } from "./parts/controls.js";

/** @import { Layout, Step } from "./types.js" */

/**
 * The page: its `name`, its `parts` by the ids that steps name, and what stays on `top` while one scrolls; `now` is
 * what stands on it, which `restore` sets again; `set` does what a step says;
 * it `follows` a panel that moves while others are drawn until somebody scrolls.
 * @typedef {{name: string, parts(ids: string[]): {id: string, root: HTMLElement}[], top(): HTMLElement, now(): any,
 *   restore(before: any): void, set(at: number, text: string, step: Step): void,
 *   ready(): boolean, follows: boolean, fit(shown: boolean): void, begin(): void, end(): void, told(url: URL): boolean}} Page
 */

export const ADDRESS = "step"; // as in pages/ui/address.py
const MARGIN = 8; // pixels between what stays on top and the panel
const SETTLED_MS = 900; // panels out of sight are drawn by then, and nothing above has moved the panel any more

export class Minute {
  /** @type {Step[]} */
  steps = [];
  at = -1; // the step that is shown
  /** @type {any} */
  before = null; // what stood there before the first step
  due = false; // a panel is still to be brought into view

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.name = element("b", "un-minute-name");
    this.says = element("span", "un-minute-says", { role: "status" });
    this.choices = element("span", "un-minute-choices");
    this.back = button("Back", () => this.undo(), { title: "The step before" });
    this.on = button("Next", () => this.next(), { className: "un-button un-minute-on" });
    this.off = button("✕", () => this.end(), { title: "End the first minute; Examples starts it again" });
    this.off.setAttribute("aria-label", "End the first minute");
    this.root = element("section", "un-minute", { hidden: true });
    this.root.setAttribute("aria-label", "First minute");
    this.root.append(this.name, this.says, this.choices, this.back, this.on, this.off);
    this.start = button("First minute", () => this.begin(), { title: "A few steps through this page" });
    this.start.classList.add("un-minute-start");
    this.offered = element("span", "un-minute-offer", { hidden: true });
    const go = button("Start", () => this.begin(), { title: "A few steps through this page" });
    const no = button("✕", () => this.end(), { title: "Not now; Examples starts it" });
    no.setAttribute("aria-label", "No first minute");
    this.count = element("span");
    this.offered.append(this.count, go, no);
  }

  get key() {
    return `unrolled.minute.${this.page.name}`;
  }

  /** The steps of the page, or of the model that is shown, where it has its own. @param {Layout} layout */
  offer({ steps = [] }) {
    if (JSON.stringify(steps) === JSON.stringify(this.steps)) return;
    const first = !this.arrived;
    this.arrived = true;
    if (this.at >= 0) this.leave();
    this.steps = steps;
    const url = new URL(location.href);
    const asked = Number(url.searchParams.get(ADDRESS) ?? 0);
    put(this.count, `First minute: ${steps.length} steps`);
    this.offered.hidden = !steps.length || recalled(this.key);
    if (first && Number.isInteger(asked) && steps[asked - 1]) this.show(asked - 1, this.page.told(url));
    else if (first) this.address();
  }

  begin() {
    this.page.begin();
    this.show(0);
    this.on.focus({ preventScroll: true });
  }

  /** @param {number} at @param {boolean} [as] it is, without setting the page */
  show(at, as = false) {
    const { page } = this;
    this.destroy();
    if (this.at < 0) this.before = page.now();
    this.at = at;
    this.guess = "";
    this.open = !this.step.asks;
    if (!as) page.set(at, this.textAt(at), this.step);
    this.offered.hidden = true;
    this.root.hidden = false;
    this.address();
    this.draw();
    page.fit(true);
    this.due = true;
    this.bringSoon();
  }

  get step() {
    return this.steps[this.at];
  }

  /** What the box holds at a step. @param {number} at */
  textAt(at) {
    const step = this.steps.slice(0, at + 1).findLast(({ text }) => text);
    return step?.text ?? this.before?.text ?? "";
  }

  next() {
    if (!this.open) this.reveal("");
    else if (this.at + 1 < this.steps.length) this.show(this.at + 1);
    else this.end();
  }

  undo() {
    if (this.at > 0) return this.show(this.at - 1);
    const { page, before } = this;
    this.leave();
    this.offered.hidden = recalled(this.key);
    page.restore(before);
  }

  /** The answer. @param {string} guess */
  reveal(guess) {
    this.guess = guess;
    this.open = true;
    this.draw();
    this.on.focus({ preventScroll: true });
  }

  end() {
    const shown = this.at >= 0;
    this.leave();
    this.offered.hidden = true;
    remember(this.key);
    if (shown) this.page.end();
  }

  leave() {
    this.at = -1;
    this.root.hidden = true;
    this.page.fit(false);
    this.destroy();
    this.due = false;
    this.address();
    this.mark();
  }

  draw() {
    const { step, open, at, guess } = this;
    put(this.name, `First minute ${at + 1} of ${this.steps.length}`);
    put(this.says, open ? `${guess ? `Your guess: ${guess}. ` : ""}${step.says}` : step.asks);
    const guesses = open ? [] : step.choices;
    this.choices.replaceChildren(...guesses.map((words) => button(words, () => this.reveal(words))));
    this.choices.hidden = !guesses.length;
    put(this.on, !open ? "Show me" : at + 1 < this.steps.length ? "Next" : "Done");
    this.mark();
  }

  /** Frames the panel that the step speaks of, and covers what it asks for; called for new panels too. */
  mark() {
    const { step, open, page } = this;
    for (const { id, root } of page.parts(this.steps.flatMap(({ panel, covers }) => [panel, ...covers]))) {
      const spoken = step?.panel === id;
      root.classList.toggle("un-pointed", spoken);
      root.classList.toggle("un-covered", !!step && !open && (spoken || step.covers.includes(id)));
    }
  }

  /** The pictures of the step's text have been drawn. */
  drawn() {
    if (!this.due || !this.page.ready()) return;
    this.due = this.page.follows;
    this.page.fit(true);
    this.bringSoon();
  }

  // Under a pointer that may press again the strip does not move; a panel is brought once it rests.
  bringSoon() {
    if (!this.root.matches(":hover")) this.bring();
    this.destroy();
    this.timer = setTimeout(() => this.bring(), SETTLED_MS);
  }

  destroy() {
    clearTimeout(this.timer);
  }

  get panel() {
    return this.step && this.page.parts([this.step.panel]).find(({ id }) => id === this.step.panel)?.root;
  }

  bring() {
    const { panel } = this;
    if (!panel) return;
    const above = this.page.top();
    const { bottom } = above.getBoundingClientRect();
    const { top, height } = panel.getBoundingClientRect();
    const room = innerHeight - bottom;
    if (top >= bottom && top - bottom + Math.min(height, room / 2) <= room) return; // it can be seen
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    panel.style.scrollMarginTop = `${above.offsetHeight + MARGIN}px`;
    panel.scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
  }

  address() {
    const url = new URL(location.href);
    if (this.at < 0) url.searchParams.delete(ADDRESS);
    else url.searchParams.set(ADDRESS, String(this.at + 1));
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }
}

/** Whether somebody has ended it in this browser; where nothing may be kept, nobody has. @param {string} key */
function recalled(key) {
  try {
    return localStorage.getItem(key) !== null;
  } catch {
    return false;
  }
}

/** @param {string} key */
function remember(key) {
  try {
    localStorage.setItem(key, "ended");
  } catch {
    // it will be offered again
  }
}
