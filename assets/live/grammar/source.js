// What a declared picture reads: numbers by name, at what is looked at.  engine/frame/picture.py says how they are written.

import { short, visible } from "../dom.js";
import { numberOf } from "../wire.js";

/** @typedef {{name: string, number: number, of: boolean, chosen: boolean, shift: number | "last", at: [string, Ref][]}} Ref */

const REF = /^(#)?([^@[\]]+)(?:@(last|[+-]?\d+))?(?:\[(.*)\])?$/;
const TEST = /^(.+?)(!=|=|>|<)(.+)$/;
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

  // Anew, with every drawing.
  begin() {
    const { panel } = this;
    const { selection, spec } = panel;
    const reader = (this.reader = panel.reader());
    this.count = reader.labels.length;
    this.extras = { tokens: this.count };
    this.at = this.count ? { token: Math.max(spec.drawing.start ?? 0, selection.token(reader)) } : {};
    for (const [axis, { name, follows, first = 0 }] of Object.entries(reader.spec.places ?? {})) {
      const [kept, follow] = [selection.get(name), follows ? this.number(follows) : NaN];
      const size = reader.spec.labels[axis]?.length ?? Infinity;
      this.at[axis] = kept < size ? kept : Number.isFinite(follow) ? follow : first;
    }
  }

  // The name of a field; `&name` in it stands for what is chosen under that name.
  called({ name, chosen }) {
    return chosen ? name.replace(/&(\w+)/, (_, of) => this.chosen[of]) : name;
  }

  field(name) {
    const { fields, spec } = this.reader;
    return fields.get(name) ?? table(spec.tables?.[name]);
  }

  /** @param {string | Ref} of @param {Record<string, number>} at */
  number(of, at = this.at) {
    const is = typeof of === "string" ? ref(of) : of;
    if (!Number.isNaN(is.number)) return is.number;
    if (is.of) return at[is.name] ?? NaN;
    const name = this.called(is);
    const plain = this.extras[name] ?? this.reader.said.numbers?.[name];
    if (plain !== undefined) return plain ?? NaN;
    let place = at;
    if (is.shift || is.at.length) {
      place = { ...at };
      if (is.shift === "last") place.token = this.count - 1;
      else place.token += is.shift;
      for (const [axis, where] of is.at) place[axis] = this.number(where, at);
    }
    return numberOf(this.field(name), place);
  }

  /** The same for many places: what the name stands for is looked up once; each has to be a place of its axes. @param {string | Ref} of @returns {(at: Record<string, number>) => number} */
  numbers(of) {
    const is = typeof of === "string" ? ref(of) : of;
    const { name } = is;
    if (is.of) return (at) => at[name];
    const field = is.shift || is.at.length ? undefined : this.field(this.called(is));
    if (!field || field.axes.length > 2) return (at) => this.number(is, at);
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
  label(axis, i, how = "") {
    const { spec, labels } = this.reader;
    const of =
      (how === "called" && spec.called?.[axis]) ||
      (axis === "token" ? labels : (this.labels[axis] ?? spec.labels?.[axis]));
    const found = of?.[i];
    if (found === undefined) return null;
    return how === "short" ? short(found, 16) : how === "called" ? found : visible(found);
  }

  size(axis) {
    return axis === "token"
      ? this.count
      : (this.labels[axis] ?? this.reader.spec.labels?.[axis] ?? []).length;
  }

  /** The name under which the page keeps where one looks along an axis. @param {string} axis @returns {string} */
  kept(axis) {
    return this.reader.spec.places?.[axis]?.name ?? axis;
  }

  /** Place i on an axis, for the selection of the page. @param {string} axis @param {number} i */
  place(axis, i) {
    return axis === "token" ? this.reader.place(i) : { [this.kept(axis)]: i };
  }
}
