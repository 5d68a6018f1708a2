// A path of one's own: the likeliest one, bent through places that were clicked.  A bend lies at a token, and holds while
// that token stays; engine/frame/bends.py reads what is asked here.

import { button } from "../parts/controls.js";

/** @type {WeakMap<object, Map<number, string>>} by reader: the tokens that its path was bent at, as they were then */
const clicked = new WeakMap();

export class Held {
  panel;
  source;
  name;
  path;

  /** @param {any} panel @param {import("./source.js").Source} source @param {{name: string, path: string, reset: string}} spec */
  constructor(panel, source, { name, path, reset }) {
    Object.assign(this, { panel, source, name, path });
    this.reset = button(reset, () => this.keep(new Map()));
    /** @type {Map<number, number>} */
    this.now = new Map();
  }

  // As the address writes it: "3:7,5:2".
  get written() {
    return String(this.panel.selection.get(this.name) ?? "");
  }

  /** @param {Map<number, number>} of */
  keep(of, place = {}) {
    const written = Array.from(of)
      .sort(([a], [b]) => a - b)
      .map(([t, i]) => `${t}:${i}`)
      .join(",");
    this.panel.selection.keep({ ...place, [this.name]: written }, this.panel.app);
  }

  /** All that is kept, by token of the text. */
  get kept() {
    const found = Array.from(this.written.matchAll(/(\d{1,6}):(\d{1,4})(?:,|$)/g), ([, t, i]) => [
      Number(t),
      Number(i),
    ]);
    return new Map(/** @type {[number, number][]} */ (found));
  }

  labels() {
    const { reader } = this.source;
    if (!clicked.has(reader)) clicked.set(reader, new Map());
    return clicked.get(reader);
  }

  // With every drawing: which of them hold.
  draw() {
    const { source } = this;
    const { reader } = source;
    const [found, labels] = [this.kept, this.labels()];
    for (const t of labels.keys()) if (!found.has(t)) labels.delete(t);
    for (const t of found.keys()) {
      const label = reader.labels[t - reader.offset];
      if (!labels.has(t) && label !== undefined) labels.set(t, label);
      if (label === undefined || labels.get(t) !== label) found.delete(t);
    }
    this.now = found;
    source.extras[this.name] = found.size;
    this.reset.hidden = !found.size || !source.count;
  }

  ask() {
    const labels = this.labels();
    return { [this.name]: Array.from(this.kept, ([t, i]) => [t, i, labels.get(t) ?? null]) };
  }

  /** A click on place i of token t of those shown; on one that the path goes through it lets go. */
  click(t, i, place) {
    const { source, now } = this;
    const token = t + source.reader.offset;
    if (i === source.number(this.path, { token: t }) || i === now.get(token)) now.delete(token);
    else now.set(token, i);
    this.keep(now, place);
  }
}
