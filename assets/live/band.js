// The whole of a long text as a strip: how surprised the first reader was, the part shown below as a brush, the most
// surprising places as marks.  The server reads on a little with every message and sends columns, never the text's tokens.

import { font, ink, Surface } from "./drawing/canvas.js";
import { digits, element, short } from "./dom.js";

const HIGH = 84,
  LEFT = 26,
  TOP = 14,
  BOTTOM = 18,
  MOST_BITS = 8,
  NEAR = 7;
const whole = (n) => Math.round(n).toLocaleString("en");

export class Band {
  places;
  all;
  less;
  more;
  before;
  after;

  constructor(app) {
    this.app = app;
    this.root = element("section", "un-band", { hidden: true });
    this.title = element("p", "un-band-title");
    this.surface = new Surface(this.root);
    this.node = this.surface.node;
    this.node.setAttribute("role", "slider");
    this.readout = element("p", "un-readout");
    this.list = element("ol", "un-band-list", { hidden: true });
    this.root.append(this.title, this.node, this.bar(), this.readout, this.list);
    this.node.addEventListener("pointerdown", (e) => this.press(e));
    this.node.addEventListener("pointermove", (e) => (this.held ? this.drag(e) : this.look(e)));
    for (const name of ["pointerup", "pointercancel"])
      this.node.addEventListener(name, () => {
        this.held = null;
        if (this.app.sent || typeof this.app.waits === "number") return;
        this.wished = null;
        this.draw();
      });
    this.node.addEventListener("pointerleave", () => this.say());
    this.node.addEventListener(
      "wheel",
      (e) => {
        if (e.deltaY) {
          e.preventDefault();
          this.zoom(e.deltaY < 0 ? 0.75 : 4 / 3, this.character(e));
        }
      },
      { passive: false },
    );
    this.node.addEventListener("keydown", (e) => this.key(e));
  }

  bar() {
    const bar = element("div", "un-band-bar");
    const button = (name, textContent, title, act) => {
      this[name] = element("button", "un-button", { type: "button", textContent, title });
      if (textContent.length < 2) this[name].setAttribute("aria-label", title);
      this[name].onclick = act;
      bar.append(this[name]);
    };
    button("before", "‹ previous surprise", "Go to the marked place before this one", () => this.next(-1));
    button("after", "next surprise ›", "Go to the marked place after this one", () => this.next(1));
    button("less", "−", "Show more of the text in the strip", () => this.zoom(2));
    button("more", "+", "Show less of the text in the strip", () => this.zoom(0.5));
    button("all", "Whole text", "Show the whole text in the strip", () => this.show(null));
    button("places", "List of surprises", "The marked places as a list", () => {
      this.list.hidden = !this.list.hidden;
      this.places.setAttribute("aria-expanded", String(!this.list.hidden));
    });
    this.places.setAttribute("aria-expanded", "false");
    return bar;
  }

  // A page was built: `zoom` comes from its address.
  begin(zoom) {
    this.range = zoom ?? null;
    this.strip = this.wished = null;
    this.none = false;
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

  // What to ask the server for now; null where it is here already.
  wish() {
    if (!this.needed) return null;
    const { strip } = this;
    const [from, to] = this.ends;
    return strip && strip.of === this.app.text && strip.done && strip.from === from && strip.to === to
      ? null
      : [from, to];
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
    this.fillList();
  }

  // Geometry: a character's place in the canvas, and back.
  x(character) {
    const [from, to] = this.ends;
    return LEFT + ((character - from) / (to - from)) * (this.width - LEFT - 1);
  }
  character(event) {
    const [from, to] = this.ends;
    const share =
      (event.clientX - this.node.getBoundingClientRect().left - LEFT) / Math.max(1, this.width - LEFT - 1);
    return from + Math.max(0, Math.min(1, share)) * (to - from);
  }

  go(start) {
    const most = this.app.layout.most;
    this.wished = Math.round(Math.max(0, Math.min(this.length - most / 2, start)));
    this.app.goTo(this.wished);
    this.draw();
  }

  press(event) {
    const peak = this.peakAt(event);
    if (peak) return this.jump(peak);
    const [start, stop] = this.shown();
    const at = this.character(event);
    this.held = { grip: at >= start && at < stop ? at - start : (stop - start) / 2, at };
    this.node.setPointerCapture(event.pointerId);
    if (at < start || at >= stop) this.go(at - this.held.grip);
  }

  drag(event) {
    const at = this.character(event);
    if (at === this.held.at) return;
    this.held.at = at;
    this.go(at - this.held.grip);
  }

  shown() {
    const [start, stop] = this.app.window;
    return this.wished === null
      ? [start, stop]
      : [this.wished, Math.min(this.length, this.wished + this.app.layout.most)];
  }

  key(event) {
    const [start] = this.shown();
    const { most } = this.app.layout;
    const moves = {
      ArrowLeft: start - most / 4,
      ArrowRight: start + most / 4,
      ArrowDown: start - most / 4,
      ArrowUp: start + most / 4,
      PageUp: start - most,
      PageDown: start + most,
      Home: 0,
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
    const [start, stop] = this.shown();
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

  next(step) {
    const peaks = this.strip?.peaks ?? [];
    const { kept } = this.app.selection;
    const [start, stop] = this.shown();
    const here = kept.span && kept.reader === this.strip?.reader ? kept.span[0] : step > 0 ? start - 1 : stop;
    const found = step > 0 ? peaks.find((p) => p[0] > here) : peaks.findLast((p) => p[0] < here);
    if (found) this.jump(found);
    else
      this.readout.textContent = `There is no marked place ${step > 0 ? "after" : "before"} this one${this.strip?.done ? "" : " in what has been read so far"}.`;
  }

  jump(peak) {
    const { app, strip } = this;
    const [a, b, , , token] = peak;
    app.selection.keep({ token, reader: strip.reader, span: [a, b] }, app);
    const [start, stop] = app.window;
    if (a < start + 8 || b > stop - 8) this.go(Math.max(0, a - app.layout.most / 2));
    const [from, to] = this.ends;
    if (a < from || a >= to) this.show(null);
    this.seeks = true;
    this.say(this.tell(peak));
  }

  peakAt(event) {
    const r = this.node.getBoundingClientRect();
    const [px, py] = [event.clientX - r.left, event.clientY - r.top];
    if (py > TOP + 4) return null;
    return this.strip?.peaks.find((p) => Math.abs(this.x(p[0]) - px) <= NEAR) ?? null;
  }

  look(event) {
    const { strip } = this;
    if (!strip) return;
    const peak = this.peakAt(event);
    if (peak) return this.say(this.tell(peak));
    const n = strip.mean.length;
    const i = Math.floor(((this.character(event) - strip.from) / (strip.to - strip.from)) * n);
    if (!(i >= 0 && i < n)) return this.say();
    const edge = (k) => strip.from + Math.round((k * (strip.to - strip.from)) / n);
    const where = `characters ${whole(edge(i) + 1)} to ${whole(edge(i + 1))}`;
    this.say(
      strip.mean[i] === null
        ? `${where}: not read yet, or no known word`
        : `${where}: mean ${digits(strip.mean[i])}, highest ${bits(strip.max[i])} bits per character`,
    );
  }

  // A token of a letter or two says little without what stands before it.
  tell([a, b, label, amount]) {
    const before = b - a < 3 && a > 0 && this.app.points.slice(Math.max(0, a - 12), a).join("");
    return `“${short(label, 24)}” ${before ? `after “…${short(before)}”, ` : ""}at character ${whole(a + 1)}: ${bits(amount)} bits`;
  }

  say(text) {
    const { strip } = this;
    this.told = !!text;
    const said =
      text ??
      (strip
        ? `Filled: mean. Line: maximum. ▼: most surprising places. Values above ${MOST_BITS} are drawn at ${MOST_BITS}. ${strip.says ?? ""}`
        : "");
    if (this.readout.textContent !== said) this.readout.textContent = said;
  }

  fillList() {
    const { strip } = this;
    const rows = (strip?.peaks ?? []).map((peak) => {
      const row = element("li", "");
      const b = element("button", "un-button", { type: "button", textContent: this.tell(peak) });
      b.onclick = () => this.jump(peak);
      row.append(b);
      return row;
    });
    const same = rows.map((r) => r.textContent).join("\n");
    if (same === this.listed) return;
    this.listed = same;
    this.list.replaceChildren(...rows);
  }

  draw() {
    const { app, strip } = this;
    const needed = this.needed;
    if (this.root.hidden === needed) {
      this.root.hidden = !needed;
      if (needed) this.say();
    }
    if (!needed) return;
    const reader = app.readers.get(strip?.reader) ?? app.readers.values().next().value;
    const read = strip && strip.of === app.text ? strip.read : 0;
    const share = read < 1 ? ` · ${Math.floor(100 * read)} % read` : "";
    const title = `The whole text: surprisal of ${reader.spec.title}, in bits per character${share}`;
    if (this.title.textContent !== title) this.title.textContent = title;
    this.width = Math.max(120, this.root.clientWidth);
    const g = this.surface.begin(this.width, HIGH);
    const colours = ink(app.root);
    const [from, to] = this.ends;
    const low = HIGH - BOTTOM;
    const y = (value) => low - (Math.min(MOST_BITS, value ?? 0) / MOST_BITS) * (low - TOP);
    g.font = font(11);
    g.textBaseline = "middle";
    g.lineWidth = 1;
    for (const value of [0, MOST_BITS / 2, MOST_BITS]) {
      g.fillStyle = colours.faint;
      g.textAlign = "right";
      g.fillText(String(value), LEFT - 5, y(value));
      g.fillStyle = colours.line;
      g.fillRect(LEFT, Math.round(y(value)), this.width - LEFT, 1);
    }
    g.save();
    g.beginPath();
    g.rect(LEFT, 0, this.width - LEFT, low + 1);
    g.clip();
    if (strip?.mean.length) this.columns(g, y, low, reader, colours);
    this.brush(g, low, colours);
    g.restore();
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.textBaseline = "alphabetic";
    for (const share of [0, 0.5, 1]) {
      g.textAlign = share === 0 ? "left" : share === 1 ? "right" : "center";
      g.fillText(whole(from + share * (to - from)), LEFT + share * (this.width - LEFT - 1), HIGH - 3);
    }
    this.seek(reader);
    const [start, stop] = this.shown();
    const node = {
      "aria-label": title,
      "aria-valuemin": 0,
      "aria-valuemax": this.length,
      "aria-valuenow": start,
      "aria-valuetext": `characters ${whole(start + 1)} to ${whole(stop)} of ${whole(this.length)} are shown`,
    };
    for (const [name, value] of Object.entries(node))
      if (this.node.getAttribute(name) !== String(value)) this.node.setAttribute(name, value);
    this.all.disabled = this.less.disabled = to - from >= this.length;
    this.more.disabled = to - from <= 2 * app.layout.most;
    this.before.disabled = this.after.disabled = this.places.disabled = !strip?.peaks.length;
  }

  // After a jump: the token among those under the text box, once its window is here.
  seek(reader) {
    const { chips, selection } = this.app;
    const { span } = selection.kept;
    const chip = chips.nodes[selection.token(reader)];
    if (!this.seeks || !span || !chip || reader.spans[selection.token(reader)]?.[0] !== span[0]) return;
    this.seeks = false;
    chips.root.scrollTop = chip.offsetTop - chips.root.offsetTop - 40;
  }

  columns(g, y, low, reader, colours) {
    const { strip } = this;
    const n = strip.mean.length;
    const at = (i) => this.x(strip.from + (i * (strip.to - strip.from)) / n);
    g.fillStyle =
      getComputedStyle(this.app.root).getPropertyValue(`--un-reader-${reader.spec.colour}`).trim() ||
      colours.accent;
    for (let i = 0; i < n; i++)
      if (strip.mean[i] !== null)
        g.fillRect(at(i), y(strip.mean[i]), Math.max(0.6, at(i + 1) - at(i) + 0.3), low - y(strip.mean[i]));
    g.strokeStyle = colours.faint;
    g.beginPath();
    for (let i = 0, drawing = false; i < n; i++) {
      if (strip.max[i] === null) {
        drawing = false;
        continue;
      }
      g[drawing ? "lineTo" : "moveTo"]((at(i) + at(i + 1)) / 2, y(strip.max[i]));
      drawing = true;
    }
    g.stroke();
    const { span } = this.app.selection.kept;
    for (const peak of strip.peaks) {
      const x = this.x(peak[0]);
      g.fillStyle = span && span[0] === peak[0] ? colours.accent : colours.text;
      g.beginPath();
      g.moveTo(x - 4, 2);
      g.lineTo(x + 4, 2);
      g.lineTo(x, 10);
      g.fill();
    }
  }

  brush(g, low, colours) {
    const [start, stop] = this.shown();
    const a = this.x(start);
    const width = Math.max(6, this.x(stop) - a);
    g.fillStyle = colours.accent;
    g.globalAlpha = 0.16;
    g.fillRect(a, TOP - 2, width, low - TOP + 2);
    g.globalAlpha = 1;
    g.strokeStyle = colours.accent;
    g.lineWidth = 2;
    g.strokeRect(a, TOP - 2, width, low - TOP + 2);
    g.lineWidth = 1;
  }
}

const bits = (b) => (b >= 1e9 ? "∞" : digits(b));
