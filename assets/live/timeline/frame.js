// What stands around the track of the time machine: words, buttons, which line is which, and the marks.

import { digits, element, put } from "../dom.js";
import { button, folds } from "../parts/controls.js";
import { number } from "./track.js";

const apart = (a, b) => Math.abs(Math.log(a / b));
const within = (a, b) => apart(a, b) < Math.log(1.5);
const nearest = (rows, step) =>
  rows.reduce((best, row) => (!best || apart(row[0], step) < apart(best[0], step) ? row : best), null);

function node(tag, className, ...parts) {
  const made = element(tag, className);
  made.append(...parts);
  return made;
}

export class Frame {
  /**
   * @param {any} news what Python says of the run @param {HTMLElement} player
   * @param {(step: number | null) => number} go goes to the first step that was kept from this one on, null
   *   for the end; returns it
   */
  constructor(news, player, go) {
    this.news = news;
    this.words = element("span", "tm-now", { role: "status" });
    this.back = button("Back to the end", () => go(null), { title: "The finished run" });
    this.track = element("div", "tm-track");
    this.legend = element("span", "tm-key");
    this.rule = element("p", "tm-rule");
    this.chips = news.marks.map((mark) => this.chip(mark, go));
    const marks = node("ul", "tm-marks", ...this.chips.map((chip) => node("li", "", chip)));
    marks.setAttribute("aria-label", "Found by tests on the model's samples and curves");
    const more = node(
      "div",
      "un-save-list tm-more",
      node("p", "tm-says", this.says()),
      this.legend,
      marks,
      this.rule,
    );
    const fold = node(
      "details",
      "un-save",
      element("summary", "un-button", { textContent: "Time machine" }),
      more,
    );
    folds(fold);
    this.nodes = [fold, player, this.track, this.words, this.back];
  }

  says() {
    const { steps, marks } = this.news;
    const many = steps.length - 1;
    const kept = many === 1 ? "1 step was" : `${number(many)} steps were`;
    const found = " ▾ marks events found by tests on its samples and curves; click one for its rule.";
    return `Drag, or use the arrow keys: the page shows the model at that step of its training. The line is the loss, falling from left to right; each tick is a step that was kept. ${kept} kept on the way.${marks.length ? found : ""}`;
  }

  // What was there for the first time at which step; a click goes there, and tells by which rule.
  chip({ title, step, rule }, go) {
    const tell = () => {
      const there = go(step);
      const other = there === step ? "" : ` The next step that was kept is ${number(there)}.`;
      this.rule.textContent = `${title}, step ${number(step)}: ${rule}${other}`;
    };
    const chip = button(`▾ ${title}`, tell, { className: "un-button tm-mark", title: rule });
    chip.append(element("b", "", { textContent: number(step) }));
    return chip;
  }

  // Where the slider stands, in words.
  draw(step, last) {
    const { news } = this;
    const near = nearest(news.held, step);
    const held = near && within(near[0], step);
    const row = held ? near : nearest(news.train, step);
    const aside = held && near[0] !== step ? ` at ${number(near[0])}` : "";
    const loss = row ? `, ${held ? "held-out loss" : "loss in training"} ${digits(row[1])} nats${aside}` : "";
    const words = `step ${number(step)} of ${number(news.total)}${last ? ", the finished run" : ""}${loss}`;
    put(this.words, words);
    this.words.title = words;
    this.back.disabled = last;
    this.chips.forEach((chip, n) => chip.classList.toggle("tm-past", news.marks[n].step <= step));
    return words;
  }

  // Which line is which; the triangles are the marks below.
  colour([train, held]) {
    const items = [];
    if (this.news.train.length) items.push([train, "loss in training, nats"]);
    if (this.news.held.length) items.push([held, "on held-out text"]);
    this.legend.replaceChildren(
      ...items.map(([background, words]) => {
        const item = node("span", "", element("i"), words);
        item.firstChild.style.background = background;
        return item;
      }),
    );
  }
}
