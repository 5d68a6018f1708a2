// Edits of any field as the page Inspect writes them, name:axis=places:how:value; a link may give the places without the
// names of their axes, in the order of the page Surgery.  engine/analysis/surgery.py reads both.

import { OPERATIONS } from "./edits.js";

const ALONG = new Set(["token", "query", "key", "source", "seen"]);
const PLACES = /^(\*|\d{1,6}(-\d{0,6})?)$/;

/** Whether an axis runs along a text, so that its places are counted without an end. @param {string} axis */
export const along = (axis) => ALONG.has(axis);

/**
 * An edit as a text; null where it is none.
 * @param {string} name @param {[string, string][]} at places per axis @param {string} how @param {string} value
 * @param {boolean} gate whether only shares can be set
 */
export function write(name, at, how, value, gate) {
  const places = at.map(([axis, said]) => [axis, said.trim() || "*"]);
  if (places.some(([, said]) => !PLACES.test(said))) return null;
  const number = Number(value);
  if (!Number.isFinite(number) || value === "") return null;
  if (how === "set" && gate && (number < 0 || number > 1)) return null;
  const somewhere = places.filter(([, said]) => said !== "*").map((place) => place.join("="));
  const amount = how === "freeze" ? [] : [String(Math.round(number * 1e6) / 1e6)];
  return [name, ...somewhere, how, ...amount].join(":");
}

/**
 * The parts of such a text.
 * @param {string} edit @param {Record<string, Record<string, number>>} sites per field the sizes of its axes
 * @returns {{name: string, at: Record<string, string>, how: string, value?: string}}
 */
export function read(edit, sites) {
  const [name, ...rest] = edit.split(":");
  const how = rest.findIndex((word) => word in OPERATIONS);
  const axes = Object.keys(sites[name] ?? {});
  const own = axes.filter((axis) => !along(axis) && !(axis === "dim" && axes.includes("head")));
  const order = [...own, ...axes.filter(along)];
  const at = rest
    .slice(0, Math.max(0, how))
    .map((word, i) => (word.includes("=") ? word.split("=") : [order[i], word]));
  return { name, at: Object.fromEntries(at), how: rest[how] ?? "", value: rest[how + 1] };
}

/** The same in words. @param {string} edit @param {Record<string, Record<string, number>>} sites */
export function words(edit, sites) {
  const { name, at, how, value } = read(edit, sites);
  const done = { set: `held at ${value}`, scale: `times ${value}`, add: `plus ${value}`, freeze: "frozen" };
  if (!done[how]) return edit;
  const counted = (axis, n) =>
    axis === "layer" || axis === "head" ? n.replace(/\d+/g, (k) => String(Number(k) + 1)) : n;
  const places = Object.entries(at)
    .filter(([, n]) => n !== "*")
    .map(([axis, n]) => `${axis} ${counted(axis, n)}`);
  const where = places.length ? ` at ${places.join(", ")}` : " everywhere";
  return `${name}${where}: ${done[how]}`.replace(/ -(?=\d)/g, " −");
}
