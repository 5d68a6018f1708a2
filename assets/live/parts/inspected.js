// What the page Inspect looks at: the fields chosen, how each is drawn, and where along every other axis.
// Kept in the selection (and so in the address); Python answers with what it made of it, and only that is
// drawn.

import { visible } from "../dom.js";
import { axisName } from "./axisnames.js";

export const ALONG_TEXT = new Set(["token", "query", "key"]);
const PLACED = new Set(["layer", "head", "unit"]);
const FROM_ONE = new Set(["layer", "head"]); // counted as people do; everything else from 0, as in the code

export const answered = (reader) => reader.said.inspect ?? { shows: [], fields: {}, tables: {} };

const kept = (selection, name) => selection.kept[name] ?? selection.defaults?.[name];

// What is asked of Python with every message.
export function asked(selection) {
  const found = {};
  for (const name of ["shows", "ways", "picks", "reads", "layer", "head", "unit", "edits"])
    if (kept(selection, name) !== undefined) found[name] = kept(selection, name);
  if (selection.kept.token !== undefined) found.token = selection.kept.token;
  return found;
}

// Choose something that Python has to answer.
export function choose(panel, place) {
  panel.selection.keep(place, panel.app);
  panel.app.again();
}

export const pickOf = (selection, axis) =>
  (PLACED.has(axis) ? kept(selection, axis) : listed(selection.kept.picks)[axis]) ?? 0;

export function pick(panel, axis, position) {
  if (PLACED.has(axis)) return choose(panel, { [axis]: position });
  const reader = panel.reader();
  if (ALONG_TEXT.has(axis)) return choose(panel, reader.place(position));
  choose(panel, { picks: written({ ...listed(panel.selection.kept.picks), [axis]: position }) });
}

// Several at once, such as a layer and a head.
export function pickAll(panel, at) {
  const places = Object.entries(at).filter(([axis]) => PLACED.has(axis));
  if (places.length) panel.selection.keep(Object.fromEntries(places), panel.app);
  for (const [axis, i] of Object.entries(at)) if (!PLACED.has(axis)) pick(panel, axis, i);
  panel.app.again();
}

export function setWay(panel, name, way) {
  const ways = (panel.selection.kept.ways ?? "")
    .split(",")
    .filter((part) => part && !part.startsWith(`${name}:`));
  choose(panel, { ways: [...ways, [name, ...way].join(":")].join(",") });
}

// The fields chosen, answered or not yet.
export function chosen(panel) {
  const { shows } = panel.selection.kept;
  return shows === undefined
    ? answered(panel.reader()).shows
    : shows.split(",").filter((name) => name && name !== "-");
}

export function show(panel, name, on) {
  const shows = chosen(panel);
  const now = on
    ? [...shows.filter((other) => other !== name), name]
    : shows.filter((other) => other !== name);
  choose(panel, { shows: now.join(",") || "-" });
}

const listed = (text) =>
  Object.fromEntries(
    (text ?? "")
      .split(",")
      .filter(Boolean)
      .map((part) => {
        const [axis, at] = part.split(":");
        return [axis, Number(at)];
      }),
  );
const written = (picks) =>
  Object.entries(picks)
    .map(([axis, at]) => `${axis}:${at}`)
    .join(",");

// The name of a position of an axis: its label, and its number as the page counts it.
export function place(reader, about, axis, i) {
  const n = FROM_ONE.has(axis) ? i + 1 : i;
  const label = labelOf(reader, about, axis, i);
  return label === null
    ? `${axisName(axis)} ${n}`
    : `${axisName(axis)} ${n + (ALONG_TEXT.has(axis) ? reader.offset : 0)} “${visible(label)}”`;
}

// Its label; null where it has none but its number.
export function labelOf(reader, about, axis, i) {
  if (ALONG_TEXT.has(axis)) return reader.labels[i] ?? "";
  if (reader.source && (axis === "source" || axis === "seen")) return reader.source.labels[i] ?? "";
  return about.labels[axis]?.[i - (about.start[axis] ?? 0)] ?? null;
}
