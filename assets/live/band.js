// The whole of a long text as a strip: how surprised the first reader was, the part shown below as a brush, the most
// surprising places as marks.  The server reads on a little with every message and sends columns, never the text's tokens.

import { MOST_BITS, Picture, whole } from "./band/picture.js";
import { Surprises, bits } from "./band/surprises.js";
import { digits, element, put } from "./dom.js";
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
    this.listen();
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

  listen() {
    const { node } = this;
    node.addEventListener("pointerdown", (e) => this.press(e));
    node.addEventListener("pointermove", (e) => (this.held ? this.drag(e) : this.look(e)));
    for (const name of ["pointerup", "pointercancel"])
      node.addEventListener(name, () => {
        this.held = null;
        if (this.app.sent || typeof this.app.waits === "number") return;
        this.wished = null;
        this.draw();
      });
    node.addEventListener("pointerleave", () => this.say());
    const wheel = (e) => {
      if (!e.deltaY) return;
      e.preventDefault();
      this.zoom(e.deltaY < 0 ? 0.75 : 4 / 3, this.picture.character(e));
    };
    node.addEventListener("wheel", wheel, { passive: false });
    node.addEventListener("keydown", (e) => this.key(e));
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
    const { held, app } = this;
    if (!held && !app.dirty && typeof app.waits !== "number") this.wished = null; // the window is where it was wished
    if (!asked) return;
    this.none = !strip;
    if (strip) this.strip = { ...strip, of: text };
    if (!this.told) this.say();
    this.root.dataset.read = strip ? String(Math.floor(100 * strip.read) / 100) : "";
    this.surprises.take(this.strip?.peaks ?? []);
  }

  go(start) {
    this.wished = Math.round(Math.max(0, Math.min(this.length - this.app.layout.most / 2, start)));
    this.app.goTo(this.wished);
    this.draw();
  }

  press(event) {
    const peak = this.picture.peakAt(event, this.strip?.peaks);
    if (peak) return this.surprises.jump(peak);
    const [start, stop] = this.shown;
    const at = this.picture.character(event);
    const inside = at >= start && at < stop;
    this.held = { grip: inside ? at - start : (stop - start) / 2, at };
    this.node.setPointerCapture(event.pointerId);
    if (!inside) this.go(at - this.held.grip);
  }

  drag(event) {
    const at = this.picture.character(event);
    if (at === this.held.at) return;
    this.held.at = at;
    this.go(at - this.held.grip);
  }

  key(event) {
    const [start] = this.shown;
    const { most } = this.app.layout;
    const moves = {
      ...{ ArrowLeft: start - most / 4, ArrowDown: start - most / 4, PageUp: start - most, Home: 0 },
      ...{ ArrowRight: start + most / 4, ArrowUp: start + most / 4, PageDown: start + most },
      End: this.length,
    };
    if (event.key in moves) this.go(moves[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else return;
    event.preventDefault();
    event.stopPropagation();
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

  look(event) {
    const { strip } = this;
    if (!strip) return;
    const { mean, max, from, to, peaks } = strip;
    const peak = this.picture.peakAt(event, peaks);
    if (peak) return this.say(this.surprises.tell(peak));
    const n = mean.length;
    const i = Math.floor(((this.picture.character(event) - from) / (to - from)) * n);
    if (!(i >= 0 && i < n)) return this.say();
    const edge = (k) => from + Math.round((k * (to - from)) / n);
    const said =
      mean[i] === null
        ? "not read yet, or no known word"
        : `mean ${digits(mean[i])}, highest ${bits(max[i])} bits per character`;
    this.say(`characters ${whole(edge(i) + 1)} to ${whole(edge(i + 1))}: ${said}`);
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
    const share = read < 1 ? ` · ${Math.floor(100 * read)} % read` : "";
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
