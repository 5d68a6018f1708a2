// What all declared pictures share: the bar above, title and sentences, the table, and what Python is asked.

import { Surface, ink } from "../drawing/canvas.js";
import { element } from "../dom.js";
import { bar, keyItem } from "../parts/controls.js";
import { Held } from "./bends.js";
import { made } from "./controls.js";
import { Fold, weightiest } from "./fold.js";
import { Source } from "./source.js";
import { fill, said } from "./template.js";

export class Picture {
  /** @type {HTMLElement | undefined} a sentence over the picture */
  above;
  painted = false;

  /** @param {import("../panel.js").Panel} panel */
  constructor(panel) {
    this.panel = panel;
    const { drawing, controls = [] } = panel.spec;
    this.drawing = drawing;
    this.late = false; // whether it waits for a moment of rest
    this.source = new Source(panel);
    this.source.begin();
    this.held = drawing.bends && new Held(panel, this.source, drawing.bends);
    const fold = drawing.fold ?? drawing.rows?.fold;
    this.fold = fold && new Fold(this, fold);
    this.controls = controls.map((spec) => made(this, spec));
    const nodes = this.controls.flatMap(({ node, whole }) => (whole ? [] : node));
    this.key = element("span", "un-key");
    this.keys = (drawing.layers ?? []).flatMap((layer) => {
      const [text, colour] = Array.isArray(layer.label) ? layer.label : [layer.label, layer.colour];
      if (!text) return [];
      return [{ when: layer.when, node: this.key.appendChild(keyItem(`var(--un-${colour})`, text)) }];
    });
    if (this.held) nodes.push(this.held.reset);
    if (this.keys.length || drawing.layers?.some(({ each }) => each)) nodes.push(this.key);
    panel.body.append(...this.controls.flatMap(({ node, whole }) => (whole ? [node] : [])));
    if (nodes.length) panel.body.append(bar(...nodes));
    if (this.fold) panel.body.append(this.fold.node);
    this.asked = this.wish();
  }

  destroy() {
    for (const one of this.controls) one.destroy?.();
  }

  /** What of it is chosen and read in Python, as one text. */
  wish() {
    return JSON.stringify(
      this.controls.map((one) => one.asks?.() ?? null).concat(this.held?.written ?? null),
    );
  }

  // For the next message; live.js asks.
  ask() {
    this.asked = this.wish();
    return Object.assign({}, ...this.controls.map((one) => one.ask?.()), this.held?.ask());
  }

  // Asked for late: a style that is read makes the browser lay out all that has changed.
  get colours() {
    return (this.inks ??= ink(this.panel.app.root));
  }

  /** @param {string} name "accent", "text", "line-2" ... */
  colour(name) {
    const { colours } = this;
    return (colours[name] ??= getComputedStyle(this.panel.app.root).getPropertyValue(`--un-${name}`));
  }

  /** At a place the colour of the first test that holds. @param {[string, string][]} rules @returns {(at: Record<string, number>) => string} */
  coloured(rules = []) {
    const of = [...rules, ["", "faint"]].map(([test, colour]) => ({
      holds: test ? this.source.tests(test) : () => true,
      colour: this.colour(colour),
    }));
    return (at) => {
      let n = 0;
      while (!of[n].holds(at)) n += 1;
      return of[n].colour;
    };
  }

  draw() {
    const { panel, source } = this;
    source.begin();
    this.inks = null;
    this.held?.draw();
    for (const one of this.controls) one.draw(source.count > 0);
    const late = this.isLate(source.at);
    panel.body.classList.toggle("un-late", late);
    if (late && !this.late) panel.app.wholeOf = undefined; // what was read there is no longer
    this.late = late;
    if (late) panel.app.restSoon();
    const stays = late && this.painted;
    if (!stays) this.paint(source);
    this.painted = true;
    for (const { when, node } of this.keys) if (when) node.hidden = !source.test(when);
    this.nameLines();
    if (stays) panel.read(said(source, panel.spec.tell));
    else this.speak();
    if (this.wish() !== this.asked) panel.app.again();
  }

  // Of lines for each place of an axis: their names, in their colours.
  nameLines() {
    const { each } = (this.drawing.layers ?? []).find((layer) => layer.each) ?? {};
    const names = each ? this.source.names(each, "called") : [];
    if (!each || names.join("\n") === this.named) return;
    this.named = names.join("\n");
    this.key.replaceChildren(...names.map((name, i) => keyItem(`var(--un-line-${i % 8})`, name)));
  }

  /** The words, where the picture itself stays. */
  speak() {
    const { panel, source } = this;
    const { title, titles, says, how, tell } = panel.spec;
    panel.say(said(source, titles) || title, how ? said(source, how) : says);
    panel.read(said(source, tell));
  }

  /** Whether what is read in a moment of rest is still to come. @param {Record<string, number>} at */
  isLate(at) {
    const { late } = this.panel.spec;
    return Boolean(late && this.source.count) && Number.isNaN(this.source.number(late, at));
  }

  /** Draws, and may put numbers of its own into `source.extras`. @param {Source} _source */
  paint(_source) {}

  table() {
    const { source } = this;
    const { over, columns } = this.panel.spec.table;
    const rows = [];
    const walk = (at, /** @type {string[]} */ [axis, ...more]) => {
      if (!axis) return this.isLate(at) || rows.push(columns.map(([, cell]) => fill(source, cell, at) ?? ""));
      for (let i = axis === "token" ? (this.drawing.start ?? 0) : 0; i < source.size(axis); i++)
        walk({ ...at, [axis]: i }, more);
    };
    walk(source.at, over);
    return { columns: columns.map(([head]) => head), rows };
  }

  alt() {
    const { title, readout, spec } = this.panel;
    const more = [this.above?.textContent, readout.textContent, spec.alt && fill(this.source, spec.alt)];
    return [`${title.textContent}.`, ...more.filter(Boolean)].join(" ");
  }

  /** The labels of an axis that have a row: those that weigh most at some token, or that its fold leaves, in their order. */
  rows({ axis, most, weight, always }) {
    const { source, fold } = this;
    const all = source.places(axis);
    if (fold) return fold.drawn(all.map((i) => ({ [axis]: i }))).map((place) => place[axis]);
    if (!weight || all.length <= most) return all;
    const sure = new Set();
    if (always) for (let t = 0; t < source.count; t++) sure.add(source.number(always, { token: t }));
    const heaviest = (i) => {
      let best = 0;
      for (let t = 0; t < source.count; t++)
        best = Math.max(best, source.number(weight, { token: t, [axis]: i }));
      return best;
    };
    return weightiest(all, most, heaviest, (i) => sure.has(i));
  }
}

/** On a canvas, where the pointer looks at the place that `find` finds under it. */
export class Pointed extends Picture {
  constructor(panel) {
    super(panel);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    const { selection, app } = panel;
    this.surface.onPointer(
      (x, y) => selection.look(this.find(x, y) ?? {}),
      (x, y) => {
        const place = this.find(x, y);
        if (place) selection.keep(place, app);
      },
      () => selection.leave(),
    );
  }

  /** @param {number} _x @param {number} _y @returns {any} null where there is nothing */
  find(_x, _y) {}
}
