// What is being looked at: hover looks, click keeps, Esc lets go, arrow keys move.  One for the whole page.

import { LINKED, keepText } from "./kept.js";
import { order } from "./sums/order.js";

/** @import { Reader } from "./wire.js" */
/** @import { Kept, Span } from "./types.js" */

// What an address may name, as in pages/ui/address.py: whole numbers, and the rest, which are texts whatever they look like.
export const NUMBERS = [
  ...["token", "other", "layer", "head", "unit", "stop"],
  ...["up", "first", "shown", "seed", "size", "chunk", "rate", "times", "pattern"],
];
export const NAMES = [
  ...["field", "reader", "next"],
  ...["order", "by", "with", "edits", "rules", "masks", "steps"],
  ...["shows", "ways", "picks", "reads", "matrix"],
];
const PLACES = new Set(["token", "other", "layer", "head", "unit", "field", "reader", "next", "stop"]);
const SETTINGS = [...NUMBERS, ...NAMES].filter((name) => !PLACES.has(name)); // how it is shown: Esc leaves them

export class Selection {
  /** @param {() => void} changed */
  constructor(changed) {
    /** @type {Kept} */
    this.kept = {}; // reader, token (in the whole text), other, layer, head, unit, field
    /** @type {Kept} */
    this.hovered = {};
    /** @type {Kept} */
    this.defaults = {};
    this.changed = changed;
  }

  /** @param {string} name */
  get(name) {
    return this.hovered[name] ?? this.kept[name] ?? this.defaults?.[name];
  }

  /** The same, whatever the pointer is over. @param {string} name */
  keptPlace(name) {
    return this.kept[name] ?? this.defaults?.[name];
  }

  /**
   * Position in the window of `reader` of the token looked at; the last one when nothing is.
   * @param {Reader} reader
   */
  token(reader) {
    const place =
      this.hovered.token !== undefined ? this.hovered : this.kept.token !== undefined ? this.kept : null;
    const last = reader.labels.length - 1;
    return place ? this.position(place, reader, last) : last;
  }

  /** The same, whatever the pointer is over. @param {Reader} reader */
  keptToken(reader) {
    const last = reader.labels.length - 1;
    return this.kept.token === undefined ? last : this.position(this.kept, reader, last);
  }

  /** @param {Kept} place @param {Reader} reader @param {number} last */
  position(place, reader, last) {
    if (place.reader === reader.spec.id || place.reader === undefined)
      return clamp(place.token - reader.offset, last);
    return this.sameCharacters(reader, place.span, last);
  }

  /** @param {Reader} reader @param {Span} span @param {number} last */
  sameCharacters(reader, span, last) {
    if (!span || span[1] === 0) return 0;
    let found = last;
    for (let t = 0; t <= last; t++) {
      const [, b] = reader.spans[t];
      if (b > 0 && b > span[1] - 1) {
        found = t;
        break;
      }
    }
    return found;
  }

  /**
   * A link names a token, not its characters; the other readers of a page find their own token by these.
   * @param {Map<string, Reader>} readers
   */
  place(readers) {
    const { kept } = this;
    if (kept.token === undefined || kept.span) return;
    const reader = readers.get(kept.reader) ?? readers.values().next().value;
    kept.span = reader.spans[kept.token - reader.offset];
  }

  /** @param {Kept} place */
  look(place) {
    const same =
      Object.keys(place).length === Object.keys(this.hovered).length &&
      Object.entries(place).every(([k, v]) => this.hovered[k] === v);
    if (same) return;
    this.hovered = place;
    this.soon();
  }

  leave() {
    this.look({});
  }

  /** @param {Kept} place @param {any} app */
  keep(place, app) {
    this.kept = { ...this.kept, ...place };
    this.hovered = {};
    this.changed();
    app.restSoon();
  }

  release() {
    this.kept = Object.fromEntries(
      SETTINGS.filter((name) => name in this.kept).map((name) => [name, this.kept[name]]),
    );
    this.hovered = {};
    this.changed();
  }

  // Typing means looking at the end again; what was opened stays open.
  textChanged() {
    for (const name of ["token", "other", "reader", "span"]) {
      delete this.kept[name];
      delete this.hovered[name];
    }
  }

  soon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.changed();
    });
  }

  /** @param {any} event @param {any} app */
  key(event, app) {
    if (event.key === "Escape") {
      this.release();
      app.restSoon();
      return;
    }
    const typing = event.target.matches("textarea, input");
    /** @type {Record<string, number>[]} */
    const [steps, rises] = [
      { ArrowLeft: -1, ArrowRight: 1 },
      { ArrowUp: -1, ArrowDown: 1 },
    ];
    const [step, rise] = [steps[event.key], rises[event.key]];
    if (typing || (step === undefined && rise === undefined) || event.target.closest("details, select"))
      return;
    const reader = this.lead(app);
    if (step !== undefined) {
      const t = clamp(this.token(reader) + step, reader.labels.length - 1);
      this.keep(reader.place(t), app);
    } else if (app.layout.vertical) {
      const { name, size } = app.layout.vertical;
      const units = name === "unit" && order(reader, this, this.get("layer") ?? 0, size);
      const place = clamp(
        (units ? units.indexOf(this.get(name) ?? 0) : (this.get(name) ?? 0)) + rise,
        size - 1,
      );
      this.keep({ [name]: units ? units[place] : place }, app);
    }
    event.preventDefault();
  }

  /** @param {any} app */
  lead(app) {
    return app.readers.get(this.kept.reader) ?? app.readers.values().next().value;
  }

  /** For Python: every index that a saved picture depends on. @param {any} app */
  settled(app) {
    const reader = this.lead(app);
    return {
      ...this.defaults,
      ...this.kept,
      token: this.token(reader) + reader.offset,
      reader: reader.spec.id,
    };
  }

  // What an example chooses, written like an address.
  take(link = "") {
    for (const [name, value] of new URLSearchParams(link)) {
      const whole = /^\d{1,6}$/.test(value);
      if (NUMBERS.includes(name) && !whole) continue;
      this.kept[name] = whole && !NAMES.includes(name) ? Number(value) : value;
    }
  }

  /** @param {Kept} initial */
  restore(initial) {
    this.kept = { ...initial };
  }

  /** @param {string} text */
  toAddress(text, part = {}) {
    const url = new URL(location.href);
    /** @param {string} name @param {any} value */
    const put = (name, value) =>
      value === undefined || value === null || value === ""
        ? url.searchParams.delete(name)
        : url.searchParams.set(name, value);
    const fits = Array.from(text).length <= LINKED;
    keepText(fits ? null : text);
    put("text", fits ? text : undefined);
    for (const [name, value] of Object.entries(part)) put(name, fits ? value : undefined);
    if (text === "") url.searchParams.set("text", ""); // an emptied box is a state too
    for (const name of [...NUMBERS, ...NAMES]) put(name, this.kept[name]);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }
}

/** @param {number} x @param {number} most */
const clamp = (x, most) => Math.max(0, Math.min(x, most));
