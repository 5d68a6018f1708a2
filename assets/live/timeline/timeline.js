// The time machine: the loss curve as the track of a slider whose stops are the steps that a run kept on its way.
// The address holds the step: run=ID@STEP.

import { digits, element, isDark, put } from "../dom.js";
import { button } from "../parts/controls.js";
import { Player } from "./player.js";
import { Track, number } from "./track.js";
import { Wishes } from "./wishes.js";

const REST_MS = 400;
const MOVES = {
  ...{ ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 },
  ...{ PageDown: -4, PageUp: 4, Home: -1e9, End: 1e9 },
};
const apart = (a, b) => Math.abs(Math.log(a / b));
const within = (a, b) => apart(a, b) < Math.log(1.5);
const nearest = (rows, step) =>
  rows.reduce((best, row) => (!best || apart(row[0], step) < apart(best[0], step) ? row : best), null);

export function mount(component) {
  const { parentElement } = component;
  const app = (parentElement.timelineApp ??= new Timeline(parentElement));
  app.receive(component);
  return () => {
    if (!parentElement.isConnected) app.destroy();
  };
}

class Timeline {
  told;
  news;
  at = null; // number of the stop

  constructor(parent) {
    this.root = element("div", "un tm", { role: "group" });
    this.root.setAttribute("aria-label", "Time machine");
    parent.append(this.root);
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.root);
    this.themeTimer = setInterval(() => this.dark !== isDark(this.root) && this.draw(), 400);
    this.player = new Player({
      next: () => this.go(this.at >= this.news.steps.length - 1 ? 0 : this.at + 1),
      last: () => this.at === this.news.steps.length - 1,
    });
    this.wishes = new Wishes({
      send: (seq) =>
        this.put("at", { run: this.news.run, step: this.at === this.last ? null : this.step, seq }),
      drawn: () => this.player.ready(),
    });
  }

  destroy() {
    this.player.stop();
    this.wishes.stop();
    this.sizes.disconnect();
    clearTimeout(this.restTimer);
    clearInterval(this.themeTimer);
  }

  receive({ data: news, setStateValue }) {
    this.put = setStateValue;
    if (!news) return;
    const { now, seq, ...still } = news;
    const told = JSON.stringify(still);
    const { wishes } = this;
    if (told !== this.told) {
      this.player.stop();
      Object.assign(wishes, { sent: 0, dirty: false });
      Object.assign(this, { told, news, at: null });
      this.build();
    }
    if (wishes.sent && seq === wishes.sent) wishes.whenIdle();
    if (wishes.sent || this.track.dragging) return this.draw();
    const at = news.steps.indexOf(now ?? news.end);
    if (at === this.at) return;
    this.at = at;
    this.draw();
  }

  build() {
    const { news } = this;
    const node = (tag, className, ...parts) => {
      const made = element(tag, className);
      made.append(...parts);
      return made;
    };
    this.words = element("span", "tm-now", { role: "status" });
    const toEnd = () => {
      this.player.stop();
      this.go(this.last);
    };
    this.back = button("Back to the end", toEnd, { title: "The finished run" });
    const bar = node("div", "tm-bar", this.player.node, this.back);
    const head = node("div", "tm-head", node("span", "tm-title", "Time machine"), this.words, bar);
    const track = element("div", "tm-track");
    this.track = new Track(track, news, {
      key: (e) => this.key(e),
      held: () => this.player.stop(),
      go: (at) => this.go(at),
    });
    const many = news.steps.length - 1;
    const kept = `${many === 1 ? "1 step on the way was" : `${number(many)} steps on the way were`} kept.`;
    const found = news.marks.length
      ? " ▾ marks events found by tests on its samples and curves; click one for its rule."
      : "";
    const says = `Drag, or use the arrow keys: everything below shows the model at that step of its training. ${kept}${found}`;
    this.legend = element("span", "tm-key");
    this.rule = element("p", "tm-rule");
    const foot = node("div", "tm-foot", node("span", "tm-says", says), this.legend);
    this.chips = news.marks.map((mark) => this.chip(mark));
    const marks = node("ul", "tm-marks", ...this.chips.map((chip) => node("li", "", chip)));
    marks.setAttribute("aria-label", "Found by tests on the model's samples and curves");
    this.root.replaceChildren(head, track, foot, marks, this.rule);
    this.coloured = null;
    Object.defineProperty(this.root, "timeline", {
      configurable: true,
      get: () => ({
        ...{ run: news.run, step: this.step },
        ...{ idle: this.wishes.idle, playing: !!this.player.playing },
      }),
    });
    this.root.dataset.timeline = news.run;
  }

  // What was there for the first time at which step; a click goes there, and tells by which rule.
  chip({ title, step, rule }) {
    const at = this.kept(step);
    const there = this.news.steps[at];
    const other = there === step ? "" : ` The next step that was kept is ${number(there)}.`;
    const go = () => {
      this.player.stop();
      this.go(at);
      this.rule.textContent = `${title}, step ${number(step)}: ${rule}${other}`;
    };
    const chip = button(`▾ ${title}`, go, { className: "un-button tm-mark", title: rule });
    chip.append(element("b", "", { textContent: number(step) }));
    return chip;
  }

  get last() {
    return this.news.steps.indexOf(this.news.end);
  }
  get step() {
    return this.news.steps[this.at];
  }

  // The first step at or after `step` that was kept.
  kept(step) {
    const at = this.news.steps.findIndex((s) => s >= step);
    return at < 0 ? this.last : at;
  }

  key(e) {
    if (e.key === "Escape") return this.player.stop();
    if (!(e.key in MOVES) || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    this.player.stop();
    this.go(Math.max(0, Math.min(this.news.steps.length - 1, this.at + MOVES[e.key])));
  }

  go(at) {
    if (at === this.at) return;
    this.at = at;
    this.draw();
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => this.toAddress(), REST_MS);
    this.wishes.wish();
  }

  toAddress() {
    const url = new URL(location.href);
    const { run, address } = this.news;
    if (this.at !== this.last) url.searchParams.set(address, `${run}@${this.step}`);
    else if (url.searchParams.has(address)) url.searchParams.set(address, run);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  say() {
    const { news, step } = this;
    const near = nearest(news.held, step);
    const held = near && within(near[0], step);
    const row = held ? near : nearest(news.train, step);
    const aside = held && near[0] !== step ? ` at ${number(near[0])}` : "";
    const loss = row ? ` · ${held ? "held-out" : "loss in training"} ${digits(row[1])} nats${aside}` : "";
    const end = this.at === this.last ? ", the finished run" : "";
    const words = `step ${number(step)} of ${number(news.total)}${end}${loss}`;
    put(this.words, words);
    this.track.node.setAttribute("aria-valuenow", String(this.at));
    this.track.node.setAttribute("aria-valuetext", words);
    this.back.disabled = this.at === this.last;
    this.chips.forEach((chip, n) => chip.classList.toggle("tm-past", news.marks[n].step <= step));
  }

  draw() {
    if (!this.news || this.at === null || this.at < 0 || !this.root.isConnected) return;
    this.dark = isDark(this.root);
    this.root.classList.toggle("un-dark", this.dark);
    this.say();
    const colours = this.news.colours[this.dark ? "dark" : "light"];
    if (this.coloured !== this.dark) this.colour(colours);
    this.track.draw(this.at, this.root, colours);
  }

  // Which line is which; the triangles are the marks below.
  colour([train, held]) {
    this.coloured = this.dark;
    const parts = [
      [train, "loss in training, nats", this.news.train.length],
      [held, "on held-out text", this.news.held.length],
    ];
    this.legend.replaceChildren(
      ...parts
        .filter(([, , n]) => n)
        .map(([colour, words]) => {
          const item = element("span", "", { textContent: words });
          const line = element("i", "");
          line.style.background = colour;
          item.prepend(line);
          return item;
        }),
    );
  }
}
