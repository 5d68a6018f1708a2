// Something that takes many steps of the model: asked for in a moment of rest or by a click, a little with each message.

import { Surface } from "../drawing/canvas.js";
import { element } from "../dom.js";

const LOST_MS = 5000;

export class Work {
  panel;
  settings;
  kind;

  // settings() says what is asked for; `title` is on the button that asks again.
  constructor(panel, kind, settings, title) {
    Object.assign(this, { panel, kind, settings });
    this.again = element("button", "un-button", {
      type: "button",
      textContent: title,
      onclick: () => this.start(),
    });
  }

  get place() {
    const { app, selection } = this.panel;
    return JSON.stringify([app.box.value, selection.kept.token ?? null]);
  }
  get key() {
    return this.place + JSON.stringify(this.settings());
  }
  get found() {
    return this.panel.reader().said[this.kind];
  }
  get fresh() {
    return this.found?.of === this.id && this.started === this.key;
  }
  get busy() {
    return this.asking !== undefined;
  }

  // In a moment of rest, when nothing is on its way: a new text begins it, a new setting does not.
  rest() {
    const { app } = this.panel;
    if (this.place === this.tried || !this.panel.reader().labels.length) return;
    if (app.sent || performance.now() < app.savingUntil) return app.restSoon();
    this.start();
  }

  start() {
    this.tried = this.place;
    this.started = this.asking = this.key;
    this.of = this.settings();
    this.id = Date.now() % 1e9;
    if (this.of.rules) this.panel.selection.kept[this.kind] = this.of.rules; // a saved picture is made with these
    this.panel.app.again();
    this.nudge();
  }

  // A reply that was lost is asked for again.
  nudge() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.busy) {
        if (!this.panel.app.sent) this.panel.app.again();
        this.nudge();
      }
    }, LOST_MS);
  }

  destroy() {
    clearTimeout(this.timer);
  }

  ask() {
    if (this.asking !== undefined && this.asking !== this.key) this.asking = undefined; // something else is typed or chosen by now
    return this.asking === undefined ? {} : { [this.kind]: { of: this.id, ...this.of } };
  }

  // With every reply: go on until it is done.
  take() {
    const { found, panel } = this;
    if (this.asking !== undefined && found?.of === this.id) {
      if (found.done) this.asking = undefined;
      else if (panel.app.sent === 0 || !panel.app.dirty) panel.app.again();
    }
    panel.body.classList.toggle("un-old", !this.busy && !this.fresh && !!found);
    return found?.of === this.id ? found : undefined;
  }

  progress(what) {
    const { found } = this;
    if (this.busy)
      return `Writing: ${found?.of === this.id ? found.made : 0} of ${found?.of_all ?? "…"} ${what}.`;
    return !found ? "Written when you pause." : this.fresh ? "" : "Out of date: the settings have changed.";
  }
}

/** A picture of what such work has found, in a strip that scrolls.  Who extends it has `point(x, y)`. */
export class WorkPicture {
  /** @param {string} kind @param {Record<string, number>} first the settings where nothing is chosen @param {() => object} settings @param {string} title */
  constructor(panel, kind, first, settings, title) {
    this.panel = panel;
    this.first = first;
    this.work = new Work(panel, kind, settings, title);
    this.strip = element("div", "un-strip");
    this.surface = new Surface(this.strip);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.point(x, y),
      () => {},
      () => this.point(-1, -1),
    );
  }

  point(x, y) {}

  spoken() {
    return this.work.place !== this.work.tried || this.work.busy ? null : undefined;
  }

  rest() {
    this.work.rest();
  }
  ask() {
    return this.work.ask();
  }
  destroy() {
    this.work.destroy();
  }

  set(name) {
    return this.panel.selection.get(name) ?? this.first[name];
  }

  // A setting is chosen: the work begins anew.
  keep(name, value) {
    this.panel.selection.keep({ [name]: value }, this.panel.app);
    this.work.start();
  }

  // Whether it has to be drawn again: most keys and sliders leave it as it is.
  changed(...of) {
    const now = [...of, this.panel.body.clientWidth, this.panel.app.dark];
    const same = this.stamp?.every((part, i) => part === now[i]) && !this.surface.recording;
    this.stamp = now;
    return !same;
  }

  nothing(problem = "") {
    this.stamp = null;
    this.surface.begin(10, 40);
    this.panel.read(problem);
  }
}
