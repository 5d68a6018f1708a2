// The buttons that train and rewind what a board shows.

import { element, put } from "../dom.js";
import { bar, button, slider } from "../parts/controls.js";

const whole = (/** @type {number} */ n) => Math.round(n).toLocaleString("en");

/** In one row, with what a board adds to it. */
export class Player {
  /** @param {import("./training.js").Training} training @param {() => void} afresh @param {HTMLElement[]} more */
  constructor(training, afresh, more = []) {
    this.training = training;
    this.play = button("Train", () => (training.running ? training.pause() : training.play()), {
      className: "un-button un-play",
    });
    this.back = button("‹ Back", () => training.go(training.step - 1), { title: "One step back" });
    this.next = button("Step ›", () => this.on(), { title: "One step of learning" });
    this.again = button("Start again", afresh);
    this.slider = slider((step) => training.go(step), { min: 0, step: 1 }, "Step", true);
    this.told = element("span", "un-player-said");
    this.root = bar(this.play, this.back, this.next, this.again, this.slider, this.told, ...more);
    this.root.classList.add("un-player");
  }

  on() {
    const { training } = this;
    if (training.step < training.end) return training.go(training.step + 1);
    training.pause();
    training.train(1);
    return training.tell();
  }

  draw() {
    const { step, end, running, ready, lost, pace } = this.training;
    put(this.play, running ? "Pause" : "Train");
    this.play.disabled = !ready || (lost && !running);
    this.back.disabled = !step;
    this.next.disabled = !ready || lost;
    this.slider.max = String(end);
    this.slider.value = String(step);
    this.slider.disabled = !end;
    const fast = running && pace ? `, ${whole(Number(pace.toPrecision(2)))} a second` : "";
    put(this.told, `step ${whole(step)}${fast}`);
  }
}
