// The time machine: the loss curve as the track of a slider whose stops are the steps that a run kept on its way.
//
// It sends {run, step, seq}, step null for the finished run.  At most one message is on its way; while the page still
// answers, the newest wish waits, so dragging stays smooth.  The address holds the step: run=ID@STEP.

import { element, isDark, digits } from "../dom.js";
import { Surface, font, ink } from "../drawing/canvas.js";

const HEIGHT = 100,
  LEFT = 40,
  RIGHT = 14,
  TOP = 12,
  BOTTOM = 30;
const LOST_REPLY_MS = 4000;
const REST_MS = 400;
const PLAY_MS = 700; // a step at least
const number = (n) => Math.round(n).toLocaleString("en");
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

  constructor(parent) {
    this.root = element("div", "un tm", { role: "group" });
    this.root.setAttribute("aria-label", "Time machine");
    parent.append(this.root);
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.root);
    this.themeTimer = setInterval(() => this.dark !== isDark(this.root) && this.draw(), 400);
  }

  destroy() {
    this.stop();
    this.sizes.disconnect();
    for (const timer of [this.lostTimer, this.restTimer, this.idleTimer]) clearTimeout(timer);
    clearInterval(this.themeTimer);
  }

  receive({ data: news, setStateValue }) {
    this.put = setStateValue;
    if (!news) return;
    const { now, seq, ...still } = news;
    const told = JSON.stringify(still);
    if (told !== this.told) {
      this.stop();
      Object.assign(this, { told, news, sent: 0, dirty: false, at: null });
      this.build();
    }
    if (this.sent && seq === this.sent) this.whenIdle();
    if (this.sent || this.dragging) return this.draw();
    const at = news.steps.indexOf(now ?? news.end);
    if (at !== this.at) {
      this.at = at;
      this.draw();
    }
  }

  build() {
    const { news } = this;
    const button = (words, title, act) => {
      const b = element("button", "un-button", { type: "button", textContent: words, title });
      b.onclick = act;
      return b;
    };
    const head = element("div", "tm-head");
    this.words = element("span", "tm-now", { role: "status" });
    this.player = button("Play", "", () => this.play());
    this.back = button("Back to the end", "The finished run", () => {
      this.stop();
      this.go(this.last);
    });
    const bar = element("div", "tm-bar");
    bar.append(this.player, this.back);
    head.append(element("span", "tm-title", { textContent: "Time machine" }), this.words, bar);
    const track = element("div", "tm-track");
    this.surface = new Surface(track);
    const { node } = this.surface;
    node.setAttribute("role", "slider");
    node.setAttribute("aria-label", "Training step; everything below follows");
    node.setAttribute("aria-valuemin", "0");
    node.setAttribute("aria-valuemax", String(news.steps.length - 1));
    node.addEventListener("keydown", (e) => this.key(e));
    node.addEventListener("pointerdown", (e) => {
      if (e.button) return;
      this.stop();
      this.dragging = true;
      node.setPointerCapture(e.pointerId);
      this.go(this.nearest(e));
    });
    node.addEventListener("pointermove", (e) => {
      if (this.dragging) this.go(this.nearest(e));
    });
    const drop = () => {
      this.dragging = false;
    };
    node.addEventListener("pointerup", drop);
    node.addEventListener("pointercancel", drop);
    const says = `Drag, or use the arrow keys: everything below shows the model at that step of its training. ${news.steps.length === 2 ? "1 step on the way was" : `${number(news.steps.length - 1)} steps on the way were`} kept.${news.marks.length ? " ▾ marks events found by tests on its samples and curves; click one for its rule." : ""}`;
    this.legend = element("span", "tm-key");
    const foot = element("div", "tm-foot");
    foot.append(element("span", "tm-says", { textContent: says }), this.legend);
    this.rule = element("p", "tm-rule");
    this.root.replaceChildren(head, track, foot, this.marks(), this.rule);
    this.coloured = null;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.sayPlay();
    Object.defineProperty(this.root, "timeline", {
      configurable: true,
      get: () => ({
        run: news.run,
        step: this.step,
        idle: !this.sent && !this.dirty,
        playing: !!this.playing,
      }),
    });
    this.root.dataset.timeline = news.run;
  }

  // What was there for the first time at which step; a click goes there, and tells by which rule.
  marks() {
    const list = element("ul", "tm-marks");
    list.setAttribute("aria-label", "Found by tests on the model's samples and curves");
    this.chips = this.news.marks.map((mark) => {
      const at = this.kept(mark.step);
      const chip = element("button", "un-button tm-mark", {
        type: "button",
        textContent: `▾ ${mark.title}`,
        title: mark.rule,
      });
      chip.append(element("b", "", { textContent: number(mark.step) }));
      chip.onclick = () => {
        this.stop();
        this.go(at);
        const there = this.news.steps[at];
        this.rule.textContent = `${mark.title}, step ${number(mark.step)}: ${mark.rule}${there === mark.step ? "" : ` The next step that was kept is ${number(there)}.`}`;
      };
      const item = element("li", "");
      item.append(chip);
      list.append(item);
      return chip;
    });
    return list;
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
    const moves = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -4,
      PageUp: 4,
      Home: -1e9,
      End: 1e9,
    };
    if (e.key === "Escape") return this.stop();
    if (!(e.key in moves) || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    this.stop();
    this.go(Math.max(0, Math.min(this.news.steps.length - 1, this.at + moves[e.key])));
  }

  nearest(e) {
    const x = e.clientX - this.surface.node.getBoundingClientRect().left;
    const away = this.news.steps.map((step) => Math.abs(this.x(step) - x));
    return away.indexOf(Math.min(...away));
  }

  go(at) {
    if (at === this.at) return;
    this.at = at;
    this.draw();
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => this.toAddress(), REST_MS);
    if (this.sent) this.dirty = true;
    else this.send();
  }

  send() {
    this.dirty = false;
    this.sent = Date.now();
    this.put("at", { run: this.news.run, step: this.at === this.last ? null : this.step, seq: this.sent });
    clearTimeout(this.lostTimer);
    this.lostTimer = setTimeout(() => this.answered(), LOST_REPLY_MS);
  }

  // The answer is there; the page below may still be at work on it, and a new wish would take its turn away.
  whenIdle() {
    clearTimeout(this.idleTimer);
    const state = /** @type {HTMLElement} */ (document.querySelector('[data-testid="stApp"]'))?.dataset
      .testScriptState;
    if (state === "running") this.idleTimer = setTimeout(() => this.whenIdle(), 16);
    else this.answered();
  }

  answered() {
    clearTimeout(this.lostTimer);
    this.sent = 0;
    if (this.dirty) this.send();
    else if (this.playing) this.playing.ready = true;
  }

  toAddress() {
    const url = new URL(location.href);
    const { run, address } = this.news;
    if (this.at !== this.last) url.searchParams.set(address, `${run}@${this.step}`);
    else if (url.searchParams.has(address)) url.searchParams.set(address, run);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  // Walk through the steps, each when the page has drawn the one before.  Who asks for less motion takes them one by one.
  play() {
    if (this.playing) return this.stop();
    const next = () => this.go(this.at >= this.news.steps.length - 1 ? 0 : this.at + 1);
    if (this.calm) return next();
    this.playing = { ready: true, since: -PLAY_MS };
    const tick = () => {
      const { playing } = this;
      if (!playing) return;
      if (playing.ready && performance.now() - playing.since >= PLAY_MS) {
        if (playing.began && this.at === this.news.steps.length - 1) return this.stop();
        Object.assign(playing, { ready: false, since: performance.now(), began: true });
        next();
      }
      playing.timer = setTimeout(tick, 30);
    };
    this.sayPlay();
    tick();
  }

  stop() {
    if (!this.playing) return;
    clearTimeout(this.playing.timer);
    this.playing = null;
    this.sayPlay();
  }

  sayPlay() {
    this.player.textContent = this.calm ? "Next step" : this.playing ? "Stop" : "Play";
    this.player.title = this.calm ? "Next step; after the last, back to the first" : "Play all kept steps";
  }

  say() {
    const { news } = this;
    const near = nearest(news.held, this.step);
    const [name, row] =
      near && within(near[0], this.step)
        ? ["held-out", near]
        : ["loss in training", nearest(news.train, this.step)];
    const held = row
      ? ` · ${name} ${digits(row[1])} nats${name === "held-out" && near[0] !== this.step ? ` at ${number(near[0])}` : ""}`
      : "";
    const words = `step ${number(this.step)} of ${number(news.total)}${this.at === this.last ? ", the finished run" : ""}${held}`;
    if (this.words.textContent !== words) this.words.textContent = words;
    this.surface.node.setAttribute("aria-valuenow", String(this.at));
    this.surface.node.setAttribute("aria-valuetext", words);
    this.back.disabled = this.at === this.last;
    this.chips.forEach((chip, n) => chip.classList.toggle("tm-past", news.marks[n].step <= this.step));
  }

  x(step) {
    const { low, high, width } = this.span;
    return (
      LEFT +
      (Math.log(Math.max(step, low) / low) / Math.max(1e-9, Math.log(high / low))) * (width - LEFT - RIGHT)
    );
  }

  draw() {
    if (!this.news || this.at === null || this.at < 0 || !this.root.isConnected) return;
    this.dark = isDark(this.root);
    this.root.classList.toggle("un-dark", this.dark);
    this.say();
    const { news } = this;
    const width = Math.max(120, this.surface.node.parentElement.clientWidth);
    this.span = {
      low: Math.max(1, Math.min(news.steps[0], news.train[0]?.[0] ?? 1e9)),
      high: Math.max(news.total, 2),
      width,
    };
    const g = this.surface.begin(width, HEIGHT);
    const colours = ink(this.root);
    const [train, held] = news.colours[this.dark ? "dark" : "light"];
    this.key_(train, held);
    const values = [...news.train.flatMap((row) => row.slice(1, 2)), ...news.held.map((row) => row[1])];
    const low = Math.min(...values),
      high = Math.max(...values);
    const y = (v) =>
      TOP +
      ((high - Math.max(low, Math.min(high, v))) / Math.max(1e-9, high - low)) * (HEIGHT - TOP - BOTTOM);
    const ground = HEIGHT - BOTTOM + 4;
    g.strokeStyle = colours.line;
    g.beginPath();
    g.moveTo(LEFT, ground + 0.5);
    g.lineTo(width - RIGHT, ground + 0.5);
    g.stroke();
    g.fillStyle = colours.faint;
    g.font = font(11);
    g.textBaseline = "top";
    g.textAlign = "center";
    for (let step = 1; step <= this.span.high; step *= 10)
      if (step >= this.span.low && this.x(step) < width - RIGHT - 40)
        g.fillText(number(step), this.x(step), ground + 12);
    g.textAlign = "right";
    g.fillText(number(news.total), width - RIGHT + 8, ground + 12);
    if (values.length) {
      g.textBaseline = "middle";
      g.fillText(digits(high), LEFT - 6, TOP);
      g.fillText(digits(low), LEFT - 6, HEIGHT - BOTTOM);
      this.curve(g, news.train, y, train);
      this.dots(g, news.held, y, held);
    }
    for (const [n, step] of news.steps.entries()) {
      // the stops
      g.fillStyle = n === this.at ? colours.accent : colours.faint;
      g.fillRect(Math.round(this.x(step)) - 1, ground - 5, 2, 10);
    }
    g.fillStyle = colours.text;
    for (const { step } of news.marks) {
      const x = this.x(step);
      g.beginPath();
      g.moveTo(x - 4, 1);
      g.lineTo(x + 4, 1);
      g.lineTo(x, 8);
      g.fill();
    }
    const x = this.x(this.step);
    g.strokeStyle = g.fillStyle = colours.accent;
    g.lineWidth = 2;
    g.beginPath();
    g.moveTo(x, TOP - 4);
    g.lineTo(x, ground);
    g.stroke();
    g.beginPath();
    g.arc(x, ground, 8, 0, 2 * Math.PI);
    g.fill();
    g.strokeStyle = colours.ground;
    g.stroke();
    g.lineWidth = 1;
  }

  curve(g, rows, y, colour) {
    if (!rows.length) return;
    g.fillStyle = g.strokeStyle = colour;
    g.globalAlpha = 0.22; // from the least to the most of all steps in a column
    g.beginPath();
    rows.forEach(([step, , , most]) => g.lineTo(this.x(step), y(most)));
    [...rows].reverse().forEach(([step, , least]) => g.lineTo(this.x(step), y(least)));
    g.fill();
    g.globalAlpha = 1;
    g.lineWidth = 1.5;
    g.beginPath();
    rows.forEach(([step, mean]) => g.lineTo(this.x(step), y(mean)));
    g.stroke();
    g.lineWidth = 1;
  }

  dots(g, rows, y, colour) {
    g.fillStyle = g.strokeStyle = colour;
    g.beginPath();
    rows.forEach(([step, v]) => g.lineTo(this.x(step), y(v)));
    g.stroke();
    for (const [step, v] of rows) {
      g.beginPath();
      g.arc(this.x(step), y(v), 2.5, 0, 2 * Math.PI);
      g.fill();
    }
  }

  // Which line is which; the triangles are the marks below.
  key_(train, held) {
    if (this.coloured === this.dark) return;
    this.coloured = this.dark;
    const { news } = this;
    const parts = [
      [train, "loss in training, nats", news.train.length],
      [held, "on held-out text", news.held.length],
    ].filter(([, , n]) => n);
    this.legend.replaceChildren(
      ...parts.map(([colour, words]) => {
        const item = element("span", "", { textContent: words });
        const line = element("i", "");
        line.style.background = colour;
        item.prepend(line);
        return item;
      }),
    );
  }
}
