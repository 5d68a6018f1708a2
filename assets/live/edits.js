// Edits as the address writes them, field:layer:unit:tokens:how:value, joined by commas; engine/surgery.py reads the same.
// And what was done before: each state is such a text.

import { visible } from "./dom.js";

export const OPERATIONS = { set: "Hold at", scale: "Scale by", add: "Add", freeze: "Freeze" };
export const MOST = 32;

export function parse(text) {
  return (text ?? "").split(",").filter(Boolean).map((part) => {
    const [field, layer = "", unit = "", tokens = "", how = "", value] = part.split(":");
    return { field, layer, unit, tokens, how, value };
  });
}

export const format = (edits) => edits.map(({ field, layer, unit, tokens, how, value }) => [field, layer, unit, tokens, how, ...(how === "freeze" ? [] : [value])].join(":")).join(",");

// Whether a range ("3", "3-9", "3-", "*") holds a number.
export function covers(range, n) {
  if (range === "*") return true;
  const [first, last] = range.split("-");
  return n >= Number(first) && (last === "" || n <= Number(last ?? first));
}

export const tokensFrom = (first, last) => (last === null ? `${first}-` : first === last ? `${first}` : `${first}-${last}`);

// An edit in words.
export function words({ field, layer, unit, tokens, how, value }, reader) {
  const about = reader.spec.fields[field];
  if (!about || !(how in OPERATIONS)) return `“${[field, layer, unit, tokens, how, value].filter(Boolean).join(":")}”`;
  const done = { set: `held at ${value}`, scale: `times ${value}`, add: `plus ${value}`, freeze: "frozen" }[how];
  const of = unit === "*" ? "all units" : `${unit.includes("-") ? "units" : "unit"} ${unit.replace("-", " to ")}`;
  const where = layer === "*" ? "all layers" : `layer ${layer.includes("-") ? layer.split("-").map((n) => Number(n) + 1).join(" to ") : Number(layer) + 1}`;
  const [first, last] = tokens.split("-");
  const name = (t) => (reader.labels[t - reader.offset] === undefined ? `token ${t}` : `“${visible(reader.labels[t - reader.offset])}” (token ${t})`);
  const when = tokens === "*" ? "everywhere" : last === undefined ? `at ${name(first)}` : last === "" ? `from ${name(first)} on` : `from ${name(first)} to ${name(last)}`;
  return `${about.short} of ${of}, ${where}: ${done} ${when}`.replace(/-(?=\d)/g, "−");
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
  undo(now) { return this.step(now, this.past, this.future); }
  redo(now) { return this.step(now, this.future, this.past); }

  step(now, from, to) {
    if (!from.length) return undefined;
    to.push(now);
    return from.pop();
  }
}
