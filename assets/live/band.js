// The whole of a long text as a strip: how surprised the first reader was, the part shown below as a brush,
// the most surprising places as marks.  The server reads on a little with every message and sends columns,
// never the text's tokens.

import { MOST_BITS, Picture, whole } from "./band/picture.js";
import { Pointer } from "./band/pointer.js";
import { Surprises } from "./band/surprises.js";
import { element, put } from "./dom.js";
import { button } from "./parts/controls.js";

export class Band {
  constructor(app) {
    this.app = app;
    this.root = element("section", "un-band", { hidden: true });
    this.title = element("p", "un-band-title");
    this.root.append(this.title);
    this.picture = new Picture(this.root);
    this.node = this.picture.node;
    this.node.setAttribute("role", "slider");
    this.readout = element("p", "un-readout");
    this.surprises = new Surprises(this);
    this.root.append(this.bar(), this.readout, this.surprises.list);
    this.pointer = new Pointer(this);
  }

  bar() {
    const { before, after, places } = this.surprises;
    const add = (text, title, act) => {
      const node = button(text, act, { title });
      if (text.length < 2) node.setAttribute("aria-label", title);
      return node;
    };
    this.less = add("−", "Show more of the text in the strip", () => this.zoom(2));
    this.more = add("+", "Show less of the text in the strip", () => this.zoom(0.5));
    this.all = add("Whole text", "Show the whole text in the strip", () => this.show(null));
    const bar = element("div", "un-band-bar");
    bar.append(before, after, this.less, this.more, this.all, places);
    return bar;
  }

  // A page was built: `zoom` comes from its address.
  begin(zoom) {
    this.range = zoom ?? null;
    this.strip = this.wished = null;
    this.none = false;
    this.surprises.peaks = [];
  }

  get length() {
    return this.app.points.length;
  }
  get needed() {
    const [start, stop] = this.app.window;
    return !this.none && stop - start < this.length;
  }
  // Characters that the strip spans.
  get ends() {
    const [from, to] = this.range ?? [0, this.length];
    return to <= this.length && from < to ? [from, to] : [0, this.length];
  }
  // The part that is shown below, or will be.
  get shown() {
    const { wished } = this;
    return wished === null ? this.app.window : [wished, Math.min(this.length, wished + this.app.layout.most)];
  }

  // What to ask the server for now; null where it is here already.
  wish() {
    if (!this.needed) return null;
    const { strip } = this;
    const [from, to] = this.ends;
    const here = strip && strip.of === this.app.text && strip.done && strip.from === from && strip.to === to;
    return here ? null : [from, to];
  }

  // Every reply: `strip` where it was asked for.
  take(strip, asked, text) {
    const { app } = this;
    if (!this.pointer.held && !app.dirty && typeof app.waits !== "number") this.wished = null; // the window is where it was wished
    if (!asked) return;
    this.none = !strip;
    if (strip) this.strip = { ...strip, of: text };
    if (!this.told) this.say();
    this.root.dataset.read = strip ? String(Math.floor(100 * strip.read) / 100) : "";
    this.surprises.take(this.strip?.peaks ?? []);
  }

  // The pointer lets go of the brush.
  released() {
    if (this.app.sent || typeof this.app.waits === "number") return;
    this.wished = null;
    this.draw();
  }

  go(start) {
    this.wished = Math.round(Math.max(0, Math.min(this.length - this.app.layout.most / 2, start)));
    this.app.goTo(this.wished);
    this.draw();
  }

  // Half or twice as many characters, around the window or a character.
  zoom(factor, around) {
    const [from, to] = this.ends;
    const [start, stop] = this.shown;
    const middle = around ?? Math.max(from, Math.min(to, (start + stop) / 2));
    const size = Math.min(this.length, Math.max(2 * this.app.layout.most, (to - from) * factor));
    if (size >= this.length) return this.show(null);
    const first = Math.max(0, Math.min(this.length - size, middle - ((middle - from) / (to - from)) * size));
    this.show([Math.round(first), Math.round(first + size)]);
  }

  show(range) {
    this.range = range;
    this.draw();
    this.app.readOn();
    this.app.restSoon();
  }

  say(text) {
    this.told = !!text;
    const legend = `Filled: mean. Line: maximum. ▼: most surprising places. Values above ${MOST_BITS} are drawn at ${MOST_BITS}. ${this.strip?.says ?? ""}`;
    put(this.readout, text ?? (this.strip ? legend : ""));
  }

  draw() {
    const { app, strip, needed } = this;
    if (this.root.hidden === needed) {
      this.root.hidden = !needed;
      if (needed) this.say();
    }
    if (!needed) return;
    const reader = app.readers.get(strip?.reader) ?? app.readers.values().next().value;
    const read = strip && strip.of === app.text ? strip.read : 0;
    const share = read < 1 ? `, ${Math.floor(100 * read)} % read` : "";
    const title = `The whole text: surprisal of ${reader.spec.title}, in bits per character${share}`;
    put(this.title, title);
    const [from, to] = this.ends;
    this.picture.draw(strip, this.ends, this.shown, { app, reader });
    const [start, stop] = this.shown;
    const slider = {
      ...{ "aria-label": title, "aria-valuemin": 0, "aria-valuemax": this.length, "aria-valuenow": start },
      "aria-valuetext": `characters ${whole(start + 1)} to ${whole(stop)} of ${whole(this.length)} are shown`,
    };
    for (const [name, value] of Object.entries(slider))
      if (this.node.getAttribute(name) !== String(value)) this.node.setAttribute(name, value);
    this.all.disabled = this.less.disabled = to - from >= this.length;
    this.more.disabled = to - from <= 2 * app.layout.most;
    this.surprises.draw(reader);
  }
}
