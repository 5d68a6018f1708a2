// What a declared picture reads: numbers by name, at what is looked at.  engine/frame/picture.py says how they are written.

import { short, visible } from "../dom.js";
import { axisPlace, numberOf } from "../wire.js";

/** @typedef {{name: string, number: number, of: boolean, chosen: boolean, shift: number | "last", at: [string, Ref][]}} Ref */

const REF = /^(#)?([^@[\]]+)(?:@(last|[+-]?\d+))?(?:\[(.*)\])?$/;
const TEST = /^(.+?)(!=|=|>|<)(.+)$/;
const TEXT = new Set(["token", "key", "source", "seen"]); // axes whose labels are pieces of a text
const refs = new Map();
const tests = new Map();

/** A name as it is written in a template. @param {string} text @returns {Ref} */
export function ref(text) {
  let found = refs.get(text);
  if (found) return found;
  const [, sign, name, shift = "0", at = ""] = text.match(REF) ?? ["", "", text];
  found = {
    name,
    number: Number(text),
    of: sign === "#",
    chosen: name.includes("&"),
    shift: shift === "last" ? shift : Number(shift),
    at: at ? at.split(",").map((one) => [one.split("=")[0], ref(one.slice(one.indexOf("=") + 1))]) : [],
  };
  refs.set(text, found);
  return found;
}

/** @param {string} text */
function test(text) {
  let found = tests.get(text);
  if (found) return found;
  const [, left, sign, right] = text.match(TEST) ?? [];
  const none = text.startsWith("!");
  found = sign
    ? { left: ref(left), sign, right: ref(right) }
    : { left: ref(none ? text.slice(1) : text), none };
  tests.set(text, found);
  return found;
}

const HOLDS = { "=": (a, b) => a === b, "!=": (a, b) => a !== b, ">": (a, b) => a > b, "<": (a, b) => a < b };

/** A table that Python sent once, as a field. @param {any} told */
function table(told) {
  if (!told) return undefined;
  told.values ??= new Float32Array(Uint8Array.from(atob(told.data), (c) => c.charCodeAt(0)).buffer);
  return told;
}

export class Source {
  /** @type {import("../wire.js").Reader} */
  reader;
  /** @type {Record<string, number>} where one looks along each axis */
  at = {};
  /** @type {Record<string, any>} numbers and words that the picture itself knows */
  extras = {};
  /** @type {Record<string, string[]>} labels of axes that only this picture has */
  labels = {};
  /** @type {Record<string, string>} what is chosen above the picture */
  chosen = {};
  /** @type {Record<string, () => string>} what is chosen, as a sentence says it */
  words = {};

  constructor(panel) {
    this.panel = panel;
  }

  // Anew, with every drawing.  Of several readers it reads the one that is chosen.
  begin() {
    const { panel } = this;
    const { selection } = panel;
    this.readers = Array.from(panel.app?.readers.values() ?? [panel.reader()]);
    const { places = {}, named = {} } = panel.reader().spec;
    const { name: by, first: led = 0 } = places.reader ?? {};
    const kept = by ? this.readers.findIndex(({ spec }) => spec.id === selection.get(by)) : -1;
    const reader = (this.reader = by ? this.readers[Math.max(kept, kept < 0 ? led : 0)] : panel.reader());
    this.count = reader.labels.length;
    this.extras = { tokens: this.count };
    this.at = this.count ? { token: this.looked(reader), reader: this.readers.indexOf(reader) } : {};
    for (const [axis, { name, follows, first = 0 }] of Object.entries(places)) {
      if (axis === "reader") continue;
      const [kept, follow] = [named[axis] ? NaN : selection.get(name), follows ? this.number(follows) : NaN];
      const place = axis === "key" ? kept - reader.offset : kept;
      const there = place >= 0 && place < (this.size(axis) || Infinity);
      const found = there ? place : Number.isFinite(follow) ? follow : first;
      if (found >= 0) this.at[axis] = found;
    }
  }

  // The token looked at, of a reader.
  looked(reader) {
    const { selection, spec } = this.panel;
    return Math.max(spec.drawing?.start ?? 0, selection.token(reader));
  }

  /** The reader at a place, and the place as that one has it. @returns {[import("../wire.js").Reader, Record<string, number>]} */
  read(at) {
    const reader = this.readers[at.reader] ?? this.reader;
    const other = reader !== this.reader && at.token === this.at.token;
    return [reader, other ? { ...at, token: this.looked(reader) } : at];
  }

  // The name of a field; `&name` in it stands for what is chosen under that name.
  called({ name, chosen }) {
    return chosen ? name.replace(/&(\w+)/, (_, of) => this.chosen[of]) : name;
  }

  field(name, { fields, spec } = this.reader) {
    return fields.get(name) ?? table(spec.tables?.[name]);
  }

  /** Where the numbers of a field lie over two of its axes, at a place on the others; as `grid` and `raster` read them.
   * @param {string} of @param {string} rows @param {string} columns @param {Record<string, number>} at */
  plane(of, rows, columns, at = this.at) {
    const field = this.field(this.called(ref(of)), this.read(at)[0]);
    if (!field) return null;
    const sizes = { [rows]: 1, [columns]: 1 };
    const steps = { [rows]: 0, [columns]: 0 };
    let [start, step] = [0, 1];
    for (let a = field.axes.length - 1; a >= 0; a--) {
      const [axis, size] = [field.axes[a], field.shape[a]];
      const over = [rows, columns].find((one) => one === axis || (one === "token" && axis === "query"));
      if (over) [steps[over], sizes[over]] = [step, size];
      else start += step * Math.max(0, Math.min(size - 1, axisPlace(at, axis) ?? 0));
      step *= size;
    }
    return {
      ...{ values: field.values, start, down: steps[rows], across: steps[columns] },
      ...{ rows: sizes[rows], columns: sizes[columns] },
    };
  }

  /** The colours of a field: those that its picture says, else its own. @param {{shade?: string, field?: string, value?: string}} of */
  shade({ shade, field, value }) {
    const { shades, fields } = this.reader.spec;
    const name = this.called(ref(field ?? value));
    return shade ? shades[this.called(ref(shade))] : (this.field(name)?.scale ?? fields[name].scale);
  }

  /** @param {string | Ref} of @param {Record<string, number>} at */
  number(of, at = this.at) {
    const is = typeof of === "string" ? ref(of) : of;
    if (!Number.isNaN(is.number)) return is.number;
    if (is.of) return at[is.name] ?? NaN;
    const name = this.called(is);
    const [reader, there] = this.read(this.where(is, at));
    const plain = this.extras[name] ?? reader.said?.numbers?.[name];
    if (plain !== undefined) return plain ?? NaN;
    if (name === "bits") return reader.bits[there.token] ?? NaN;
    if (name === "top.p") return this.expected(there)?.[1] ?? NaN;
    return numberOf(this.field(name, reader), there);
  }

  /** The place that a name means. @param {Ref} is @returns {Record<string, number>} */
  where({ shift, at: moved }, at) {
    if (!shift && !moved.length) return at;
    const place = { ...at, token: shift === "last" ? this.count - 1 : at.token + Number(shift) };
    for (const [axis, where] of moved) place[axis] = this.number(where, at);
    return place;
  }

  /** What is expected after a token, the likeliest or the one at the place along `top`: [label, probability]. */
  expected(at) {
    const [reader, { token, top = 0 }] = this.read(at);
    return reader.top?.[token]?.[top];
  }

  /** The same for many places: what the name stands for is looked up once; each has to be a place of its axes. @param {string | Ref} of @returns {(at: Record<string, number>) => number} */
  numbers(of) {
    const is = typeof of === "string" ? ref(of) : of;
    const { name } = is;
    if (is.of) return (at) => at[name];
    const field = is.shift || is.at.length ? undefined : this.field(this.called(is));
    if (!field || field.axes.length > 2 || this.readers.length > 1) return (at) => this.number(is, at);
    const { values } = field;
    const [one, other] = field.axes;
    const wide = field.shape[1];
    return other ? (at) => values[at[one] * wide + at[other]] : (at) => values[at[one]];
  }

  /** @param {string} text @returns {(at: Record<string, number>) => boolean} */
  tests(text) {
    const { left, sign, right } = test(text);
    if (!sign) return (at) => this.test(text, at);
    const [one, other, holds] = [this.numbers(left), this.numbers(right), HOLDS[sign]];
    return (at) => holds(one(at), other(at));
  }

  /** @param {string} text @param {Record<string, number>} at */
  test(text, at = this.at) {
    const { left, sign, right, none } = test(text);
    if (sign) return HOLDS[sign](this.number(left, at), this.number(right, at));
    const there = left.name in at ? at[left.name] >= 0 : Boolean(this.number(left, at));
    return there !== Boolean(none);
  }

  /** The label of a place, its blanks visible; null where there is none. @param {string} axis @param {number} i */
  label(axis, i, how = "", reader = this.reader) {
    const { spec, labels } = reader;
    const of =
      (how === "called" && spec.called?.[axis]) ||
      (axis === "token" || axis === "key" ? labels : this.labelled(axis, reader));
    const found = of?.[i];
    if (found === undefined) return null;
    if (how === "short") return short(found, 16);
    return axis === "reader" || (how === "called" && !TEXT.has(axis)) ? found : visible(found);
  }

  labelled(axis, { spec, source, fields, labels } = this.reader) {
    if (spec.named?.[axis]) return Array.from(fields.get(spec.named[axis])?.values ?? [], (t) => labels[t]);
    const of = this.labels[axis] ?? spec.labels?.[axis];
    if (of || axis === "source" || axis === "seen") return of ?? source?.labels;
    return axis === "reader" ? this.readers.map((reader) => reader.spec.title) : undefined;
  }

  /** How many places an axis has: as many as labels, else as a field over it. */
  size(axis) {
    if (axis === "token" || axis === "key") return this.count;
    if (axis === "top") return Math.max(0, ...this.reader.top.map((of) => of.length));
    const of = this.labelled(axis);
    if (of) return of.length;
    for (const { axes, shape } of this.reader.fields.values())
      if (axes.includes(axis)) return shape[axes.indexOf(axis)];
    return 0;
  }

  /** @returns {number[]} */
  places(axis) {
    return Array.from({ length: this.size(axis) }, (_, i) => i);
  }

  /** The labels of an axis; numbers, from 1, where it has none. @param {string} axis @param {string} how @returns {string[]} */
  names(axis, how = "") {
    return this.places(axis).map((i) => this.label(axis, i, how) ?? String(i + 1));
  }

  /** Whether all pictures look along it. */
  shared(axis) {
    return axis === "token" || axis in (this.reader.spec.places ?? {});
  }

  /** The name under which the page keeps where one looks along an axis. @param {string} axis @returns {string} */
  kept(axis) {
    return this.reader.spec.places?.[axis]?.name ?? axis;
  }

  /** Place i on an axis, for the selection of the page. @param {string} axis @param {number} i */
  place(axis, i) {
    const { reader } = this;
    const { named = {} } = reader.spec;
    if (named[axis]) return reader.place(reader.fields.get(named[axis]).values[i]);
    if (axis === "token") return reader.place(i);
    if (axis === "key") return { [this.kept(axis)]: i + reader.offset };
    return { [this.kept(axis)]: axis === "reader" ? this.readers[i].spec.id : i };
  }
}
