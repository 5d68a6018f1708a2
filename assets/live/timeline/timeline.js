// The time machine: the loss curve as the track of a slider whose stops are the steps that a run kept on its
// way. The address holds the step: run=ID@STEP.

import { element, isDark } from "../dom.js";
import { Frame } from "./frame.js";
import { Walk } from "./walk.js";
import { Track } from "./track.js";
import { Wishes } from "./wishes.js";

const REST_MS = 400;
const MOVES = {
  ...{ ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 },
  ...{ PageDown: -4, PageUp: 4, Home: -1e9, End: 1e9 },
};

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
    this.walk = new Walk({
      next: () => this.go(this.at >= this.news.steps.length - 1 ? 0 : this.at + 1),
      last: () => this.at === this.news.steps.length - 1,
    });
    this.wishes = new Wishes({
      send: (seq) =>
        this.put("at", { run: this.news.run, step: this.at === this.last ? null : this.step, seq }),
      drawn: () => this.walk.ready(),
    });
  }

  destroy() {
    this.walk.stop();
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
      this.walk.stop();
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
    const { news, walk } = this;
    this.frame = new Frame(news, walk.node, (step) => {
      walk.stop();
      const at = step === null ? this.last : this.kept(step);
      this.go(at);
      return news.steps[at];
    });
    this.track = new Track(this.frame.track, news, {
      key: (e) => this.key(e),
      held: () => walk.stop(),
      go: (at) => this.go(at),
    });
    this.root.replaceChildren(...this.frame.nodes);
    this.coloured = null;
    Object.defineProperty(this.root, "timeline", {
      configurable: true,
      get: () => ({ run: news.run, step: this.step, idle: this.wishes.idle, playing: !!walk.playing }),
    });
    this.root.dataset.timeline = news.run;
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
    if (e.key === "Escape") return this.walk.stop();
    if (!(e.key in MOVES) || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    this.walk.stop();
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

  draw() {
    if (!this.news || this.at === null || this.at < 0 || !this.root.isConnected) return;
    this.dark = isDark(this.root);
    this.root.classList.toggle("un-dark", this.dark);
    const words = this.frame.draw(this.step, this.at === this.last);
    this.track.node.setAttribute("aria-valuenow", String(this.at));
    this.track.node.setAttribute("aria-valuetext", words);
    const colours = this.news.colours[this.dark ? "dark" : "light"];
    if (this.coloured !== this.dark) this.frame.colour(colours);
    this.coloured = this.dark;
    this.track.draw(this.at, this.root, colours);
  }
}
