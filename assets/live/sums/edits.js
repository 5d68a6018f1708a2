// Edits as the address writes them, field:layer:unit:tokens:how:value, joined by commas; engine/analysis/surgery.py reads the same.
// A head may stand in place of the unit; from token to token there is one more: field:layer:head:tokens:keys:how:value.
// And what was done before: each state is such a text.

import { small, visible } from "../dom.js";

export const OPERATIONS = { set: "Hold at", scale: "Scale by", add: "Add", freeze: "Freeze" };
export const MOST = 32;

const PAIRS = new Set(["attention", "score"]);
const HEADS = new Set([...PAIRS, "query", "key", "value", "reading"]);
const OFF = "-1000"; // a score that leaves nothing of a weight

/** @import { Edit } from "../types.js" */

/** @param {string | undefined} text @returns {Edit[]} */
export function parse(text) {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part) => {
      const [field, layer = "", unit = "", tokens = "", ...rest] = part.split(":");
      const keys = PAIRS.has(field) ? (rest.shift() ?? "") : undefined;
      const [how = "", value] = rest;
      return { field, layer, unit, tokens, keys, how, value };
    });
}

/** @param {Edit[]} edits */
export const format = (edits) =>
  edits
    .map(({ field, layer, unit, tokens, keys, how, value }) =>
      [
        field,
        layer,
        unit,
        tokens,
        ...(keys === undefined ? [] : [keys]),
        how,
        ...(how === "freeze" ? [] : [value]),
      ].join(":"),
    )
    .join(",");

/** Whether a range ("3", "3-9", "3-", "*") holds a number. @param {string} range @param {number} n */
export function covers(range, n) {
  if (range === "*") return true;
  const [first, last] = range.split("-");
  return n >= Number(first) && (last === "" || n <= Number(last ?? first));
}

export const tokensFrom = (first, last) =>
  last === null ? `${first}-` : first === last ? `${first}` : `${first}-${last}`;

// An edit in words.
export function words(edit, reader) {
  const { field, layer, unit, tokens, keys, how, value } = edit;
  const about = reader.spec.fields[field];
  const named = about?.short ?? reader.spec.parts?.[field];
  if (!named || !(how in OPERATIONS)) return `“${format([edit])}”`;
  const where =
    layer === "*"
      ? "all layers"
      : `layer ${
          layer.includes("-")
            ? layer
                .split("-")
                .map((n) => Number(n) + 1)
                .join(" to ")
            : Number(layer) + 1
        }`;
  const name = (t) =>
    reader.labels[t - reader.offset] === undefined
      ? `token ${t}`
      : `“${visible(reader.labels[t - reader.offset])}” (token ${t})`;
  const range = (of, at) => {
    const [first, last] = of.split("-");
    return of === "*"
      ? ""
      : last === undefined
        ? `${at}${name(first)}`
        : last === ""
          ? `from ${name(first)} on`
          : `from ${name(first)} to ${name(last)}`;
  };
  const done = { set: `held at ${value}`, scale: `times ${value}`, add: `plus ${value}`, freeze: "frozen" }[
    how
  ];
  const head = HEADS.has(field)
    ? `${
        unit === "*"
          ? "all heads"
          : `head ${unit
              .split("-")
              .map((n) => Number(n) + 1)
              .join(" to ")}`
      }, ${where}`
    : null;
  const minus = (text) => text.replace(/-(?=\d)/g, "−");
  if (keys !== undefined) {
    const of = `${range(tokens, "") || "every token"} looking at ${range(keys, "") || "every token"}`;
    return minus(
      `${head}, ${of}: ${field === "score" ? (value === OFF ? "switched off; the others are renormalised" : `score ${done}, the others share the rest`) : `weight ${done}`}`,
    );
  }
  const when = range(tokens, "at ") || small("everywhere");
  if (head)
    return minus(
      `${small(named)} of ${head}: ${how === "scale" && value === "0" ? "switched off" : done} ${when}`,
    );
  const of =
    unit === "*" ? "all units" : `${unit.includes("-") ? "units" : "unit"} ${unit.replace("-", " to ")}`;
  if (reader.spec.parts)
    return minus(
      `${named}, ${where}: ${how === "scale" && value === "0" ? "switched off" : done}${unit === "*" ? "" : ` in ${of}`} ${when}`,
    );
  return minus(`${about.short} of ${of}, ${where}: ${done} ${when}`);
}

export class History {
  constructor() {
    this.past = [];
    this.future = [];
  }

  did(before) {
    this.past.push(before);
    this.future = [];
  }

  // The text before `now`, or after it again; undefined where there is none.
  undo(now) {
    return this.step(now, this.past, this.future);
  }
  redo(now) {
    return this.step(now, this.future, this.past);
  }

  step(now, from, to) {
    if (!from.length) return undefined;
    to.push(now);
    return from.pop();
  }
}
