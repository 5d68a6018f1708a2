// The bar over a picture in which something flows: a step back, Play, a step on, a place to drag, and the step in words.
// Nothing is asked while it plays.  A key in the text box ends it at once, and the panel shows the whole again.

import { element, put } from "../dom.js";
import { bar, button, slider } from "./controls.js";
import { Playback } from "./playback.js";

/** @import { Panel } from "../panel.js" */
/** @import { Kept } from "../types.js" */

/** Steps that are the tokens of the text: all panels of the page follow. @param {Panel} panel */
export const overTokens = (panel) => ({
  count: () => panel.reader().labels.length,
  where: () => panel.selection.token(panel.reader()),
  place: (/** @type {number} */ t) => panel.reader().place(t),
});

export class Player extends Playback {
  panel;
  title;
  says;
  place;
  quiet;
  numbered;
  /** @type {string | null | undefined} the text of which a step is told */
  of;

  /**
   * @param {Panel} panel
   * @param {object} of
   * @param {string} of.title what Play shows
   * @param {() => number} of.count how many steps there are
   * @param {(step: number) => string} of.says the step and its number
   * @param {string} [of.label] of the slider, for screen readers
   * @param {() => number} [of.where] the step that the panel shows by itself; the last, where it shows all of them
   * @param {(step: number) => Kept} [of.place] what a step is in the selection, where it is a place of the page
   * @param {boolean} [of.quiet] while it plays, no other panel has to follow
   * @param {boolean} [of.numbered] what is said begins with "3 of 8"
   * @param {() => void} [of.move] draws while a step comes; else the panel is drawn
   */
  constructor(
    panel,
    { title, count, says, label = "Step", where, place, quiet = false, numbered = true, move },
  ) {
    super({
      count,
      where: where ?? (() => this.last),
      show: (step, playing) => this.shown(step, playing),
      move: move ?? (() => panel.draw()),
    });
    Object.assign(this, { panel, title, says, place, quiet, numbered });
    this.before = button("‹ Back", () => this.back(), { title: "One step back (left key)" });
    this.button = button("", () => (this.playing ? this.pause() : this.play()), {
      className: "un-button un-play",
    });
    this.after = button("Next ›", () => this.next(), { title: "One step on (right key)" });
    this.slider = slider((step) => this.go(step), { min: 0, step: 1 }, label, true);
    this.said = element("span", "un-player-said", { role: "status" });
    this.node = bar(this.before, this.button, this.after, this.slider, this.said);
    this.node.classList.add("un-player");
    this.node.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => this.key(e));
    this.typed = (/** @type {Event} */ e) => e.target === panel.app.box && this.stop();
    this.name();
  }

  begin(from, until, ms) {
    const { app } = this.panel;
    this.of = app.text;
    app.root.addEventListener("input", this.typed);
    super.begin(from, until, ms);
    this.name();
  }

  go(step, all = false) {
    this.of = this.panel.app.text;
    super.go(step, all);
    this.tell(step);
  }

  stop() {
    const { app, selection } = this.panel;
    if (this.playing && this.place && !this.quiet) selection.hovered = {}; // what it looked at; the next drawing is on its way
    app.root.removeEventListener("input", this.typed);
    super.stop();
    this.name();
  }

  // Another step: looked at while it plays, kept where it stands or came by hand.
  shown(step, playing) {
    const { panel, place } = this;
    const runs = playing && !this.alone;
    if (!place || (runs && this.quiet)) panel.draw();
    else if (runs) panel.selection.look(place(step));
    else panel.selection.keep(place(step), panel.app);
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const own = e.target === this.slider; // it has these keys already
    if (e.key === "ArrowRight" && !own) this.next();
    else if (e.key === "ArrowLeft" && !own) this.back();
    else if (e.key === "Escape" && this.at !== null) this.go(this.last, true);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  // With every drawing of the panel.  The step is told where one has played or stepped, and the text is the same.
  draw() {
    const { last, slider } = this;
    const elsewhere = this.place && (!this.playing || this.alone) && this.at !== this.where();
    const other = this.of !== this.panel.app.text;
    if (this.at !== null && (elsewhere || other)) this.stop();
    if (other && this.said.textContent) {
      put(this.said, "");
      slider.removeAttribute("aria-valuetext");
    }
    if (this.at !== null) this.tell(this.at);
    if (slider.max !== String(last)) slider.max = String(last);
    if (Number(slider.value) !== this.step) slider.value = String(this.step);
    const none = this.count() < 2;
    if (this.button.disabled !== none)
      for (const node of [this.before, this.button, this.after, slider]) node.disabled = none;
  }

  tell(step) {
    const { last } = this;
    const at = Math.max(0, Math.min(last, step));
    const number = this.numbered ? `${at + 1} of ${last + 1}: ` : "";
    put(this.said, `${number}${this.says(at)}${this.playing ? "" : "."}`);
    this.slider.setAttribute("aria-valuetext", this.said.textContent);
  }

  // A screen reader is told of a step that stands, not of each that runs past.
  name() {
    const calm = this.time.calm();
    put(this.button, calm ? "Next step" : this.playing ? "Pause" : "Play");
    this.button.title = calm ? `${this.title}, step by step` : this.title;
    this.after.hidden = calm;
    this.said.setAttribute("aria-live", this.playing ? "off" : "polite");
  }
}
