// Sentences with places, as engine/frame/picture.py describes them, filled with what is looked at.

import { digits, percent, powerOfTen, visible } from "../dom.js";
import { ref } from "./source.js";

/** @import { Source } from "./source.js" */

/** Whole ones whole, others with three digits. @param {number} v */
export const plain = (v) => (Number.isInteger(v) ? String(v) : digits(v));

const CUT = /\{[^{}]*\}|\\?[[\]]/g;
const parsed = new Map();

/** @param {string} text @returns {any[]} strings, places {what, how}, groups (lists) */
function parts(text) {
  const known = parsed.get(text);
  if (known) return known;
  const [all, open] = [[], []];
  let [into, at] = [all, 0];
  for (const { 0: sign, index } of text.matchAll(CUT)) {
    if (index > at) into.push(text.slice(at, index));
    at = index + sign.length;
    if (sign[0] === "\\") into.push(sign[1]);
    else if (sign === "[") {
      open.push(into);
      into.push((into = []));
    } else if (sign === "]") into = open.pop() ?? all;
    else {
      const inner = sign.slice(1, -1);
      const [what, one, many] = inner.split("|");
      const [name, how = ""] = what.split(/:(?=[^\]]*$)/);
      const [axis, shift = 0] = name.split("@");
      into.push(
        inner[0] === "?" ? { test: inner.slice(1) } : { name, how, one, many, axis, shift: Number(shift) },
      );
    }
  }
  if (at < text.length) into.push(text.slice(at));
  parsed.set(text, all);
  return all;
}

/**
 * The sentence, null where something in it is none.
 * @param {Source} source @param {string} text @param {Record<string, number>} at @param {number[]} seen gets the numbers
 * @returns {string | null}
 */
export const fill = (source, text, at = source.at, seen = []) => joined(source, parts(text), at, seen);

function joined(source, of, at, seen) {
  let said = "";
  for (const part of of) {
    if (typeof part === "string") said += part;
    else if (Array.isArray(part)) said += joined(source, part, at, seen) ?? "";
    else if (part.test !== undefined) {
      if (!source.test(part.test, at)) return null;
    } else {
      const found = placed(source, part, at, seen);
      if (found === null) return null;
      said += found;
    }
  }
  return said;
}

function placed(source, { name, how, one, many, axis, shift }, at, seen) {
  if (one !== undefined) return source.number(name, at) === 1 ? one : many;
  const is = ref(name);
  if (is.name === "top") {
    const found = source.expected(source.where(is, at));
    return found ? visible(found[0]) : null;
  }
  if (axis in at) return source.label(axis, at[axis] + shift, how);
  if (name in source.words) return source.words[name]();
  const series = source.panel.spec.parts?.[name];
  if (series) return listed(source, series, at);
  const value = source.number(name, at);
  if (Number.isNaN(value)) return null;
  if (name[0] !== "#") seen.push(value);
  if (how === "")
    return name[0] === "#" || Number.isInteger(source.extras[name]) ? String(value) : digits(value);
  if (how === "n") return String(value);
  if (how === "plain") return plain(value);
  if (how === "%") return percent(value);
  return how === "power"
    ? powerOfTen(-value * Math.log10(2))
    : source.label(how, value, how === "token" ? "short" : "", source.read(source.where(is, at))[0]);
}

// A term for each place; of a sum the largest, by the product of what is in it or by another number, and what is left.
function listed(source, { over, term, join, most, by, rest }, at) {
  const found = [];
  for (const i of source.places(over)) {
    const [seen, there] = [[], { ...at, [over]: i }];
    const said = fill(source, term, there, seen);
    if (said !== null)
      found.push({ said, worth: by ? source.number(by, there) : seen.reduce((a, b) => a * b, 1) });
  }
  if (!found.length) return null;
  if (!most || found.length <= most) return found.map(({ said }) => said).join(join);
  found.sort((one, other) => Math.abs(other.worth) - Math.abs(one.worth));
  const left = found.splice(most);
  const sum = left.reduce((all, { worth }) => all + worth, 0);
  Object.assign(source.extras, { rest: sum, others: left.length });
  return found.map(({ said }) => said).join(join) + (rest ? fill(source, rest, at) : "");
}

/**
 * Of several sentences the first in which nothing is none; "" where there is no such.
 * @param {Source} source @param {any} of one, or several, each perhaps for where a test holds
 */
export function said(source, of, at = source.at) {
  for (const one of Array.isArray(of) ? of : of ? [of] : []) {
    if (one.test !== undefined && !source.test(one.test, at)) continue;
    const found = fill(source, one.say ?? one, at);
    if (found !== null) return found;
  }
  return "";
}
