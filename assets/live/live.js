// The live component: a text box, its tokens, and panels that answer with every key.
//
// It sends {text, seq, base, have, start} over its socket, or through Streamlit where that is not open or knows no
// answer, and draws the reply that echoes seq.  At most one message is on its way
// (gating, not debouncing): while one is, the newest text waits.  Hover, click and arrow keys never leave the browser.

import { decode, Reader, series } from "./wire.js";
import { Selection } from "./selection.js";
import { Band } from "./band.js";
import { BoxMarks } from "./boxmarks.js";
import { Chips } from "./chips.js";
import { KnownWords } from "./knownwords.js";
import { Minute } from "./minute.js";
import { BoxPage } from "./minute/box.js";
import { TextBox } from "./textbox.js";
import { keptText, LINKED } from "./kept.js";
import { Socket } from "./socket.js";
import { Spoken } from "./spoken.js";
import { Walk } from "./walk.js";
import { Difference } from "./difference.js";
import { Panel, load, loaded } from "./panel.js";
import { download } from "./parts/download.js";
import { codePoints, counted, element, isDark } from "./dom.js";
import { clusters } from "./segmentation.js";

/** @import { Header, Layout } from "./types.js" */

const LOST_REPLY_MS = 4000; // twice as long after each message without an answer: a slow computer is not asked ever faster
const MOST_DOUBLINGS = 3;
const REST_MS = 400;
const LONG = `A text of more than ${LINKED.toLocaleString("en")} characters is not part of a link; it stays in this tab.`;
/** @type {any} */
const SEEN = { rootMargin: "300px", scrollMargin: "300px" }; // a panel that close counts as on the screen
const AT_ONCE = 10_000; // characters that come in one go are read from their beginning

/** @param {any} component */
export function mount(component) {
  const { parentElement } = component;
  const app = (parentElement.unrolledApp ??= new App(parentElement));
  app.receive(component);
  // Streamlit calls this when the page goes, and also for a reply that a newer one overtook while this file was loading
  return () => {
    if (!parentElement.isConnected) app.destroy();
  };
}

class App {
  /** @type {number | undefined} */
  epoch; // by which the messages of one visit are told from those of another

  /** @param {any} parent */
  constructor(parent) {
    this.root = element("div", "un");
    parent.append(this.root);
    this.selection = new Selection(() => this.redraw());
    /** @type {Map<string, any>} */
    this.readers = new Map();
    /** @type {Panel[]} */
    this.panels = [];
    /** @type {string | null} */
    this.text = null; // what the picture on the screen is of
    this.sent = 0; // seq of the message on its way; 0 when none is
    this.seq = 0;
    this.unanswered = 0; // messages in a row
    this.dirty = false;
    this.start = null; // first character of the window asked for; null means the end of the text
    this.dark = null;
    /** @type {string | undefined} */
    this.wholeOf = undefined; // what the whole vocabulary was sorted for
    this.width = 0;
    this.savingUntil = 0; // a file is being made
    this.socket = new Socket(this);
    /** @type {Set<Panel>} */
    this.behind = new Set(); // panels out of sight, which show an older text or choice
    this.sight = new IntersectionObserver((seen) => this.see(seen), SEEN);
    this.onResize = () => this.fit();
    this.sizes = new ResizeObserver(this.onResize);
    this.sizes.observe(this.root);
    this.themeTimer = setInterval(() => this.dark !== isDark(this.root) && this.redraw(), 400);
  }

  destroy() {
    this.gone = true;
    this.socket.close();
    this.sizes.disconnect();
    this.sight.disconnect();
    clearTimeout(this.laterTimer);
    this.minute?.destroy();
    clearInterval(this.themeTimer);
    clearTimeout(this.restTimer);
    clearTimeout(this.lostTimer);
    for (const panel of this.panels) panel.destroy();
  }

  /** One reply from Python, or the same one again after an unrelated rerun. @param {any} reply */
  receive(reply) {
    const { data, setStateValue, setTriggerValue } = reply;
    this.put = setStateValue;
    this.trigger = setTriggerValue;
    if (!data) return;
    const { header, numbers } = decode(data);
    const { layout } = header;
    this.socket.open(header.socket);
    const kinds = (layout.panels ?? []).map((spec) => spec.kind);
    if (!loaded(kinds)) return this.fetch(kinds, reply);
    // while another model opens, the picture of the one before stays: there would be nothing to point at
    if (layout.hash === "opening" && header.page === this.page && this.readers.size) {
      this.root.dataset.busy = "";
      return this.send(true);
    }
    // a box that was drawn anew may be answered as the one before it, which was told what it begins with
    if (header.page !== this.page) header.initial ??= { text: header.text, selection: {} };
    // the layout comes again after a rerun of the whole page: then it is what is here already
    if (layout.panels && (layout.hash !== this.layoutHash || header.page !== this.page)) this.build(header);
    if (layout.hash === "opening") {
      this.send(true); // the box is there; now wait for the models
      return load(layout.kinds ?? []).catch(() => {}); // the reply loads again what failed
    }
    if (header.file && header.file.id !== this.lastFile) this.download(header.file, numbers);
    if (header.page !== this.page) return this.send(true); // a layout this browser never saw: ask for everything
    this.draw(header, numbers);
  }

  /** The reply to a message of the socket. @param {Uint8Array} data */
  answered(data) {
    const { header, numbers } = decode(data);
    // the page has become another one meanwhile, and asks for what that has to say
    if (header.page === this.page && header.layout.hash === this.layoutHash) this.draw(header, numbers);
    else if (header.seq === this.sent) this.send(true);
  }

  /** @param {Header} header @param {Float32Array} numbers */
  draw(header, numbers) {
    const first = this.text === null; // of a page that was opening: it answers what was asked meanwhile
    const mine =
      header.seq === this.sent || header.seq === this.late || first || header.refresh !== this.refresh;
    if (mine) {
      const same = header.strip && this.alike(header);
      if (!this.merge(header, numbers)) return this.send(true);
      this.late = null;
      this.unanswered = 0;
      if (header.refresh !== this.refresh) this.wholeOf = undefined;
      this.refresh = header.refresh;
      this.notes = header.notes;
      this.waits = header.waits;
      this.band.take(header.strip, this.askedStrip, header.text);
      if (same) this.redrawBand();
      else this.redraw(header.text);
    }
    if (header.turn && this.box.value === header.text) this.turn();
    if (this.sent && (first || header.seq >= this.sent)) {
      this.sent = 0;
      clearTimeout(this.lostTimer);
      if (this.dirty || this.word() !== this.heard) this.send();
      else if (this.wish) this.wish();
      else if (typeof header.waits === "number" || header.strip) this.readOn();
    } else if (mine && !this.sent) this.readOn(); // a late answer is an answer
  }

  /**
   * The drawers of a page come with its first reply; a later reply takes the place of one that waits for them.
   * @param {string[]} kinds @param {any} reply
   */
  fetch(kinds, reply) {
    const waiting = this.latest;
    this.latest = reply;
    if (waiting) return;
    load(kinds).then(
      () => {
        const { latest } = this;
        this.latest = null;
        if (!this.gone) this.receive(latest);
      },
      (problem) => {
        this.latest = null;
        throw problem;
      }, // the next reply tries again
    );
  }

  /** Whether a reply changes nothing but the strip. @param {Header} header */
  alike({ text, start, readings, refresh }) {
    return (
      text === this.text &&
      start === this.baseStart &&
      refresh === this.refresh &&
      readings.every((r) => !r.labels.length && !r.extra)
    );
  }

  redrawBand() {
    this.band.draw();
    this.say();
  }

  // A long text is read a little with every message, until the strip is whole and the window asked for can be shown.
  readOn() {
    const strip = this.band.wish();
    if (this.sent || (!strip && typeof this.waits !== "number")) return;
    if (performance.now() < this.savingUntil) return this.restSoon(); // one wish at a time
    this.send(false, null, strip);
  }

  /** Rebuild readers and panels for a page; keeps the text box when the page is the same. @param {Header} header */
  build({ page, layout, initial }) {
    const fresh = page !== this.page;
    this.page = page;
    this.layoutHash = layout.hash;
    this.layout = layout;
    this.readers = new Map(layout.readers.map((r) => [r.id, r.of ? new Difference(r) : new Reader(r)]));
    if (fresh) this.buildBox(layout, initial);
    else this.offer(layout);
    if (fresh) this.start = initial.start ?? null;
    this.band.begin(fresh ? initial.zoom : this.band.range);
    this.selection.defaults = layout.selection ?? {};
    for (const panel of this.panels) panel.destroy();
    this.sight.disconnect();
    this.behind.clear();
    this.panels = layout.panels.map((spec) => new Panel(this, spec));
    for (const panel of this.panels) this.sight.observe(panel.root);
    this.arrange(layout);
    this.minute.mark();
    if (!this.panels.length) this.status.textContent = "Opening the models…";
    this.root.dataset.unrolled = page;
    Object.defineProperty(this.root, "unrolled", { configurable: true, get: () => this.drawnNumbers() });
  }

  /** Panels one below the other; neighbours that name a column stand side by side in two. @param {any} layout */
  arrange({ columns }) {
    this.grid.replaceChildren();
    let pair = null;
    for (const panel of this.panels) {
      const { column } = panel.spec;
      if (!column) {
        this.grid.append(panel.root);
        pair = null;
        continue;
      }
      if (!pair) {
        pair = { left: element("div", "un-column"), right: element("div", "un-column") };
        const both = element("div", "un-columns");
        both.style.setProperty(
          "--un-columns",
          columns.map((/** @type {number} */ c) => `minmax(0, ${c}fr)`).join(" "),
        );
        both.append(pair.left, pair.right);
        this.grid.append(both);
      }
      pair[/** @type {"left" | "right"} */ (column)].append(panel.root);
    }
  }

  /** @param {any} layout @param {any} initial */
  buildBox(layout, initial) {
    const kept = keptText();
    this.entry = new TextBox(this, layout, kept ?? initial.text);
    if (kept !== null && kept !== initial.text) queueMicrotask(() => this.changed());
    const { node, head, tip } = this.entry;
    this.box = node;
    this.tip = tip;
    this.chips = new Chips(this);
    this.band = new Band(this);
    this.known = new KnownWords(this);
    this.marks = new BoxMarks(this, node);
    this.status = element("p", "un-status", { role: "status" });
    this.grid = element("div", "un-grid");
    const own = new URLSearchParams(location.search).has("edits");
    this.brought = { text: initial.text, look: "", edits: own ? undefined : initial.selection.edits };
    const row = element("div", "un-below");
    this.spoken = new Spoken(this);
    this.minute = new Minute(new BoxPage(this, row));
    const { band, chips, status, grid, minute } = this;
    row.append(chips.root, minute.offered, status);
    const bar = element("div", "un-bar");
    bar.append(head, row, minute.root);
    this.root.replaceChildren(bar, band.root, tip, this.known.root, grid, this.spoken.root);
    this.selection.restore(initial.selection);
    this.offer(layout);
    this.walk = new Walk(this);
    this.root.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
      this.walk.key(e);
      if (!e.defaultPrevented) this.selection.key(e, this);
      if (e.defaultPrevented) this.spoken.moved(e.target);
    });
  }

  /** @param {Layout} layout */
  offer(layout) {
    this.minute.offer(layout);
    this.entry.offer(layout);
  }

  /** @param {{text: string, look: string, link?: string}} example */
  take({ text, look, link }) {
    this.brought = null;
    this.selection.take(link);
    this.setText(text);
    this.brought = { text, look, edits: new URLSearchParams(link).get("edits") };
    this.tip.textContent = look;
  }

  // What an example says is of its text as it stands; its edits stay while one types on, and go with another text.
  outgrow() {
    const { brought, box, tip, selection } = this;
    if (!brought || box.value === brought.text) return;
    if (brought.look && tip.textContent === brought.look) tip.textContent = "";
    if (box.value.startsWith(brought.text) || (box.value && brought.text.startsWith(box.value))) return;
    this.brought = null;
    if (brought.edits && selection.kept.edits === brought.edits) selection.keep({ edits: undefined }, this);
  }

  // Another model has other examples, and what the box holds is one of those before: the first of its own.
  turn() {
    this.selection.restore({});
    this.take(this.layout.tries[0]);
  }

  /** @param {string} text */
  setText(text) {
    this.box.value = text;
    this.changed();
  }

  changed() {
    this.outgrow();
    this.spoken.typed();
    this.start = this.box.value.length - (this.text ?? "").length > AT_ONCE ? 0 : null;
    this.root.dataset.busy = "";
    this.selection.textChanged();
    if (this.sent) this.dirty = true;
    else this.send();
  }

  /** @param {number} start */
  goTo(start) {
    this.start = start;
    this.again();
  }

  // Something besides the text has changed: ask now, or as soon as the reply on its way is here.
  again() {
    if (this.sent) this.dirty = true;
    else this.send();
  }

  // The word whose place every reply tells; none on pages without a search.
  word() {
    return this.layout?.asks ? String(this.selection.kept.next ?? "").slice(0, 60) : "";
  }

  /** @param {string} word */
  choose(word) {
    this.selection.keep({ next: word || undefined }, this);
    if (this.word() !== this.heard && !this.sent) this.send();
  }

  /** @param {any} whole @param {any} strip */
  send(everything = false, whole = null, strip = null) {
    this.sent = ++this.seq + (this.epoch ??= Date.now() % 1e9) * 1000;
    this.dirty = false;
    this.asked = this.word();
    this.askedStrip = strip;
    const base =
      everything || this.text === null || (this.asked && this.asked !== this.heard) ? null : this.text;
    if (base === null) this.wholeOf = undefined;
    const have = everything ? null : this.layoutHash;
    const message = {
      text: this.box ? this.box.value : null, // a box that is not there yet takes no text away
      seq: this.sent,
      base,
      base_start: this.baseStart ?? null,
      base_seq: this.baseSeq ?? null,
      have,
      start: this.start,
      next: this.asked,
      whole,
      strip,
      ...Object.assign({}, ...this.panels.map((panel) => panel.view.ask?.())),
    };
    // what needs the whole layout is the script's to answer
    if (!have || !this.socket.send(message)) this.ask(message);
    clearTimeout(this.lostTimer);
    this.late = null; // a reply after its time, while nothing newer was asked, is still the answer
    this.lostTimer = setTimeout(
      () => this.lose(),
      LOST_REPLY_MS * 2 ** Math.min(this.unanswered, MOST_DOUBLINGS),
    );
  }

  /** Through Streamlit. @param {object} message */
  ask(message) {
    if (!this.gone) this.put("msg", message);
  }

  lose() {
    this.unanswered += 1;
    [this.late, this.sent] = [this.sent, 0];
    this.wholeOf = undefined; // perhaps that was what got lost: it is asked for again
    if (this.text !== null) this.restSoon();
    if (this.dirty || this.box?.value !== this.text) this.send();
    else this.wish?.(); // nothing is on its way any more
  }

  /** @param {Header} header @param {Float32Array} numbers */
  merge(header, numbers) {
    for (const reading of header.readings) {
      const reader = this.readers.get(reading.id);
      if (!reader || !reader.accepts(reading)) return false;
    }
    for (const reading of header.readings) this.readers.get(reading.id).take(reading, numbers, header.text);
    for (const reader of this.readers.values()) reader.follow?.(this.readers);
    if (header.seq === this.sent) this.heard = this.asked;
    if (this.text !== header.text) {
      this.points = codePoints(header.text);
      this.signs = this.points.length > LINKED ? this.points.length : clusters(header.text).length;
    }
    this.text = header.text;
    this.baseStart = header.start;
    this.baseSeq = header.seq;
    this.window = [header.start, header.stop];
    this.selection.place(this.readers);
    return true;
  }

  /** @param {string} [fresh] the text, where it is another */
  redraw(fresh) {
    if (this.text === null || !this.grid) return;
    this.dark = isDark(this.root);
    if (this.dark !== this.coloured) this.colour();
    this.chips.draw();
    this.known.draw(this.readers.values().next().value);
    this.marks.draw(this.readers.values());
    this.band.draw();
    for (const panel of this.panels) {
      if (panel.seen) panel.draw();
      else this.behind.add(panel);
    }
    this.say();
    clearTimeout(this.laterTimer);
    if (this.behind.size) this.root.dataset.behind = "";
    requestAnimationFrame(() => this.later());
    if (fresh === undefined) return;
    this.minute.drawn();
    const length = this.points.length;
    requestAnimationFrame(() => {
      this.root.dataset.painted = String(length);
      delete this.root.dataset.busy;
    });
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => this.rest(), REST_MS);
  }

  // What is out of sight is drawn after the frame, a panel at a time: no key waits for it.
  later() {
    clearTimeout(this.laterTimer);
    if (!this.behind.size) delete this.root.dataset.behind;
    else
      this.laterTimer = setTimeout(() => {
        for (const panel of this.behind) {
          this.catchUp(panel);
          break;
        }
        this.later();
      });
  }

  /** @param {Panel} panel */
  catchUp(panel) {
    if (this.behind.delete(panel)) panel.draw();
  }

  /** @param {IntersectionObserverEntry[]} seen */
  see(seen) {
    for (const { target, isIntersecting } of seen) {
      const panel = this.panels.find((p) => p.root === target);
      if (!panel) continue;
      panel.seen = isIntersecting;
      if (isIntersecting) this.catchUp(panel);
    }
  }

  // Data colours of the theme: readers, n-gram orders, lines.
  colour() {
    this.coloured = this.dark;
    this.root.classList.toggle("un-dark", this.dark);
    const { light, dark } = this.layout.colours;
    for (const [name, colours] of Object.entries(this.dark ? dark : light))
      colours.forEach((colour, i) => this.root.style.setProperty(`--un-${name}-${i}`, colour));
  }

  fit() {
    const width = Math.round(this.root.clientWidth);
    if (width === this.width) return;
    this.width = width;
    requestAnimationFrame(() => this.redraw());
  }

  // After a moment of rest: the address, the words for screen readers.
  rest() {
    this.selection.toAddress(this.text, { start: this.start, zoom: this.band.range?.join("-") });
    this.behind.forEach((panel) => this.catchUp(panel));
    if (Array.from(this.text).length > LINKED && !this.tip.textContent) this.tip.textContent = LONG;
    else if (this.tip.textContent === LONG && Array.from(this.text).length <= LINKED)
      this.tip.textContent = "";
    for (const panel of this.panels) panel.describe();
    this.marks.draw(this.readers.values(), true);
    this.say();
    this.spoken.rest();
    this.askWhole();
    this.readOn();
    for (const panel of this.panels) panel.view.rest?.();
  }

  // What takes a sort of the whole vocabulary is asked for in a moment of rest, not with every key.
  askWhole() {
    if (!this.layout.asks || this.sent) return;
    const reader = this.readers.values().next().value;
    if (!reader.labels.length) return;
    const token = this.selection.token(reader) + reader.offset;
    const wish = JSON.stringify([this.text, token]);
    if (wish === this.wholeOf) return;
    if (performance.now() < this.savingUntil) return this.restSoon(); // one wish at a time
    this.wholeOf = wish;
    this.send(false, token);
  }

  restSoon() {
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => this.rest(), REST_MS);
  }

  say() {
    const lead = this.readers.values().next().value;
    const long = this.signs;
    const parts = [long === 1 ? "1 character" : `${long.toLocaleString("en")} characters`];
    if (this.readers.size === 1) parts.push(counted(lead.total - lead.marks, lead.spec));
    parts.push(...this.marks.says());
    const [start, stop] = this.window;
    if (stop - start < this.points.length)
      parts.push(`shown: characters ${(start + 1).toLocaleString("en")} to ${stop.toLocaleString("en")}`);
    if (typeof this.waits === "number")
      parts.push(`reading on to the selected part: ${Math.floor(100 * this.waits)} %`);
    const said = [parts.join(", "), ...(this.notes ?? [])].join("; ");
    if (this.status.textContent !== said) this.status.textContent = said;
  }

  /** @param {Panel} panel @param {string} format */
  save(panel, format) {
    const id = Date.now();
    this.savingUntil = performance.now() + 20_000;
    this.wish = this.sent ? () => this.save(panel, format) : null; // a reply on its way could take the place of the file's
    if (this.wish) return;
    try {
      this.trigger("save", {
        id,
        panel: panel.spec.id,
        format,
        text: this.text,
        dark: this.dark,
        selection: this.selection.settled(this),
        start: this.baseStart ?? null,
        ...panel.file(format),
      });
    } catch (problem) {
      this.savingUntil = 0;
      if (!(problem instanceof RangeError)) throw problem;
      panel.saved({ panel: panel.spec.id, problem: problem.message });
    }
  }

  /** @param {any} file @param {Float32Array} numbers */
  download(file, numbers) {
    this.lastFile = file.id;
    this.savingUntil = 0;
    for (const panel of this.panels) panel.saved(file);
    if (file.problem) return;
    const bytes = new Uint8Array(/** @type {ArrayBuffer} */ (numbers.buffer), file.at * 4, file.size);
    download(bytes, file.mime, file.name);
  }

  // What is on the screen, for checks from outside.
  drawnNumbers() {
    this.behind.forEach((panel) => this.catchUp(panel));
    /** @type {Record<string, any>} */
    const fields = {};
    for (const reader of this.readers.values()) {
      const prefix = this.readers.size > 1 ? `${reader.spec.id}.` : "";
      for (const [name, field] of reader.fields)
        fields[prefix + name] = {
          ...field,
          labels: field.axes.map((/** @type {string} */ a) => reader.axisLabels(field, a)),
        };
      if (reader.bits.length) fields[`${prefix}surprisal`] = series("token", reader.labels, reader.bits);
      /** @type {[string, number][] | undefined} */
      const top = reader.top[this.selection.token(reader)];
      const [axis, name] = reader.spec.dims ? ["word", "neighbours"] : ["next", "probability"];
      if (top)
        fields[prefix + name] = series(
          axis,
          top.map(([label]) => label),
          top.map(([, number]) => number),
        );
    }
    for (const panel of this.panels) Object.assign(fields, panel.view.drawn?.());
    return { text: this.text, fields };
  }
}
