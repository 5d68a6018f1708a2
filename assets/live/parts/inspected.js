// What the page Inspect looks at: the fields chosen, how each is drawn, and where along every other axis.
// Kept in the selection (and so in the address); Python answers with what it made of it, and only that is drawn.

import { digits, visible } from "../dom.js";

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
    ? `${axis} ${n}`
    : `${axis} ${n + (ALONG_TEXT.has(axis) ? reader.offset : 0)} “${visible(label)}”`;
}

// Its label; null where it has none but its number.
export function labelOf(reader, about, axis, i) {
  if (ALONG_TEXT.has(axis)) return reader.labels[i] ?? "";
  if (reader.source && (axis === "source" || axis === "seen")) return reader.source.labels[i] ?? "";
  return about.labels[axis]?.[i - (about.start[axis] ?? 0)] ?? null;
}

// A number as it is, to the last digit that a 32-bit float has.
export const exact = (v) =>
  Number.isFinite(v) ? String(Number(v.toPrecision(8))).replace("-", "−") : digits(v);

// A number as it is read at a glance: a whole one whole.
export const brief = (v) =>
  Number.isInteger(v) && Math.abs(v) < 1e9 ? v.toLocaleString("en").replace("-", "−") : digits(v);

// [how many, min, mean, max, not a number, infinite] of an array, and of a gate the shares at its ends.
export function statistics(values, gate) {
  let low = Infinity,
    high = -Infinity,
    sum = 0,
    n = 0,
    nan = 0,
    shut = 0,
    open = 0;
  for (const v of values) {
    if (Number.isNaN(v)) {
      nan += 1;
      continue;
    }
    if (!Number.isFinite(v)) continue;
    if (v < low) low = v;
    if (v > high) high = v;
    if (v < 0.05) shut += 1;
    else if (v > 0.95) open += 1;
    sum += v;
    n += 1;
  }
  return [
    values.length,
    n ? low : 0,
    n ? sum / n : 0,
    n ? high : 0,
    nan,
    values.length - n - nan,
    ...(gate ? [shut / (n || 1), open / (n || 1)] : []),
  ];
}

export function said([count, low, mean, high, nan, infinite, shut, open], of) {
  const share = (x) => `${(100 * x).toFixed(x && x < 0.01 ? 2 : 0)} %`;
  const parts = [
    `${count.toLocaleString("en")} ${count === 1 ? "number" : "numbers"} ${of}: min ${brief(low)}, mean ${digits(mean)}, max ${brief(high)}`,
  ];
  if (shut !== undefined) parts.push(`${share(shut)} shut (below 0.05), ${share(open)} open (above 0.95)`);
  parts.push(nan ? `${nan.toLocaleString("en")} not a number` : "none is NaN");
  parts.push(infinite ? `${infinite.toLocaleString("en")} infinite (masked)` : "none infinite");
  return `${parts.join("; ")}.`;
}

// The colour scale of a picture: that of the field where it has ends of its own, else up to the largest number drawn, rounded up.
export function scaleOf(about, numbers, fixed) {
  const [, low, , high] = numbers;
  const { scale } = about;
  if (fixed) return scale;
  const most = Math.max(Math.abs(low), Math.abs(high));
  const ten = 10 ** Math.floor(Math.log10(most || 1));
  const end = !most ? 1 : [1, 1.5, 2, 3, 5, 7, 10].map((m) => m * ten).find((x) => x >= most * 0.999);
  return { ...scale, low: scale.low < 0 || low < 0 ? -end : 0, high: end };
}
