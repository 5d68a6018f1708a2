// The tokens of the text as chips: hover one and every panel lights up the same token.  What a chat template adds is
// folded, a chip for each of its turns; a click opens it, and so does a token in it that is kept.

import { counted, element, short, visible } from "./dom.js";
import { groups } from "./template.js";

/** @import { Kept } from "./types.js" */

export class Chips {
  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.label = "";
    this.root = element("div", "un-chips", { role: "group" });
    /** @type {any[]} */
    this.nodes = [];
    /** @type {any[]} */
    this.folds = []; // chips of groups
    /** @type {Map<number, boolean>} */
    this.opened = new Map(); // groups that somebody opened or folded
    /** @type {{of: string[] | null, found: import("./template.js").Group[]}} */
    this.grouped = { of: null, found: [] };
    this.root.addEventListener("pointerover", (/** @type {any} */ e) =>
      this.place(e, (p) => app.selection.look(p)),
    );
    this.root.addEventListener("pointerleave", () => app.selection.leave());
    this.root.addEventListener("click", (/** @type {any} */ e) =>
      this.place(e, (p) => app.selection.keep(p, app)),
    );
    this.root.addEventListener("focusin", (/** @type {any} */ e) =>
      this.place(e, (p) => e.target.matches(":focus-visible") && app.selection.look(p)),
    );
    this.root.addEventListener("focusout", () => app.selection.leave());
  }

  /** @param {any} event @param {(place: Kept) => void} use */
  place(event, use) {
    const node = event.target.closest("[data-t]");
    if (!node) return;
    const reader = this.reader();
    const t = Number(node.dataset.t);
    use(reader.place(t));
  }

  reader() {
    const { app } = this;
    return app.readers.get(app.layout.chips) ?? app.readers.values().next().value;
  }

  draw() {
    const { app } = this;
    const reader = this.reader();
    const now = app.selection.token(reader);
    const kept = app.selection.kept.token !== undefined;
    const count = reader.labels.length;
    while (this.nodes.length > count) this.nodes.pop().remove();
    while (this.nodes.length < count) {
      const node = element("button", "un-chip", { type: "button" });
      node.dataset.t = String(this.nodes.length);
      this.nodes.push(node);
      this.root.append(node);
    }
    const folded = this.fold(reader, now, kept);
    for (let t = 0; t < count; t++) {
      const node = this.nodes[t];
      const label = reader.labels[t];
      if (node.label !== label) {
        node.label = label;
        node.textContent = short(label, 24);
      }
      const [start, stop] = reader.spans[t];
      const mark = reader.spec.talks ? start === stop : stop === 0;
      const name = `un-chip${mark ? " un-mark" : ""}${reader.unknown.has(t) ? " un-unknown" : ""}${t === now ? (kept ? " un-kept" : " un-now") : ""}`;
      if (node.className !== name) node.className = name;
      if (node.hidden !== folded.has(t)) node.hidden = !node.hidden;
      const title = mark
        ? reader.spec.talks
          ? "added by the chat template"
          : "start mark: read before the text"
        : reader.unknown.has(t)
          ? `${visible(label)}: not in the vocabulary, read as unknown`
          : "";
      if (node.title !== title) node.title = title;
      node.tabIndex = t === now ? 0 : -1;
    }
    if (kept && this.nodes.includes(document.activeElement)) this.nodes[now]?.focus({ preventScroll: true });
    this.reveal(folded.get(now) ?? this.nodes[now]);
    const label = `${reader.spec.title}: ${counted(count, reader.spec)}, arrow keys move`;
    if (this.label !== label) this.root.setAttribute("aria-label", label);
    this.label = label;
    this.scroller();
  }

  /**
   * Draws the chips of groups; what each token that is out of sight is folded into.
   * @param {any} reader @param {number} now @param {boolean} kept @returns {Map<number, any>}
   */
  fold(reader, now, kept) {
    const { labels, spans, spec } = reader;
    // found once a text: a pointer that moves draws the chips, too
    if (this.grouped.of !== labels)
      this.grouped = { of: labels, found: spec.talks ? groups(labels, spans) : [] };
    const { found } = this.grouped;
    const at = kept ? this.app.selection.keptToken(reader) : -1;
    const folded = new Map();
    while (this.folds.length > found.length) this.folds.pop().remove();
    found.forEach(({ start, stop, role }, n) => {
      const [within, holds] = [now, at].map((t) => t >= start && t < stop);
      const open = this.opened.get(n) ?? holds; // whatever the pointer is over
      const node = (this.folds[n] ??= element("button", "", { type: "button" }));
      node.onclick = () => {
        this.opened.set(n, !open);
        this.draw();
      };
      if (node.nextSibling !== this.nodes[start]) this.root.insertBefore(node, this.nodes[start]);
      const says = `${open ? "▾" : "▸"} ${role || "chat template"} ${(stop - start).toLocaleString("en")}`;
      if (node.textContent !== says) node.textContent = says;
      const name = `un-chip un-fold${within && !open ? (kept ? " un-kept" : " un-now") : ""}`;
      if (node.className !== name) node.className = name;
      if (node.ariaExpanded !== String(open)) {
        node.ariaExpanded = String(open);
        node.title = open
          ? "the tokens that the chat template adds; a click folds them"
          : "tokens that the chat template adds; a click shows them";
      }
      if (!open) for (let t = start; t < stop; t++) folded.set(t, node);
    });
    return folded;
  }

  /** The chips stand in one line, which is moved so that the one of now can be seen. @param {any} node */
  reveal(node) {
    if (!node || node === this.shown) return;
    this.shown = node;
    // nothing moves under the pointer
    if (this.root.matches(":hover") && !this.root.contains(document.activeElement)) return;
    requestAnimationFrame(() => {
      const { scrollLeft, clientWidth } = this.root;
      const [from, to] = [node.offsetLeft - 24, node.offsetLeft + node.offsetWidth + 24];
      if (from < scrollLeft || to > scrollLeft + clientWidth)
        this.root.scrollLeft = from < scrollLeft ? from : to - clientWidth;
    });
  }

  // A window on a long text: buttons for the parts before and after.
  scroller() {
    const { app } = this;
    const [start, stop] = app.window;
    const total = app.points.length;
    if (stop - start >= total) {
      this.bar?.remove();
      this.bar = null;
      return;
    }
    if (!this.bar) {
      this.bar = element("div", "un-scroller");
      this.before = element("button", "un-button", { type: "button", textContent: "‹ earlier" });
      this.after = element("button", "un-button", { type: "button", textContent: "later ›" });
      this.before.onclick = () =>
        app.goTo(Math.max(0, app.window[0] - Math.ceil((app.window[1] - app.window[0]) / 2)));
      this.after.onclick = () => app.goTo(app.window[0] + Math.ceil((app.window[1] - app.window[0]) / 2));
      this.where = element("span", "");
      this.bar.append(this.before, this.where, this.after);
      this.root.parentElement.after(this.bar);
    }
    this.before.disabled = start === 0;
    this.after.disabled = stop >= total;
    this.where.textContent = `characters ${(start + 1).toLocaleString("en")} to ${stop.toLocaleString("en")} of ${total.toLocaleString("en")} are shown`;
  }
}
