// The part of a field that is drawn: what Python made of the wish, the numbers of its two axes, their names, and where
// along them the page looks.

import { visible } from "../../dom.js";
import { answered, labelOf, pickOf, place } from "../../parts/inspected.js";
import { slice } from "../../sums/slice.js";
import { exact, said, scaleOf } from "../../sums/statistics.js";

const SHARES = new Set(["probability", "attention"]);
const FIXED = new Set(["gate", "attention", "cosine"]);
export const LONG = 512; // positions of an axis that are drawn at a time

const BEYOND = " Numbers beyond the scale get its end colour.";

export class Part {
  constructor(panel, name, about) {
    const reader = panel.reader();
    this.panel = panel;
    this.name = name;
    this.about = about;
    this.reader = reader;
    this.spec = reader.spec.fields[name];
    this.change = answered(reader).reads === "change";
    this.ranked = about.ranked ? reader.tops[name] : undefined; // too many to send: the largest, as Python found them
    this.field = this.ranked ? null : reader.fields.get(name);
    this.slice = this.field && slice(this.field, about.down, about.across);
    this.share = SHARES.has(this.spec.kind) && !this.change;
    this.gate = this.spec.kind === "gate" && !this.change;
    this.ends = FIXED.has(this.spec.kind); // of the scale: fixed by what the number is
  }

  value(r, c) {
    const { values, down, across } = this.slice;
    return values[r * down + c * across];
  }

  first(axis) {
    return this.about.start[axis] ?? 0;
  }

  place(axis, i) {
    return place(this.reader, this.about, axis, i);
  }

  label(axis, i) {
    return labelOf(this.reader, this.about, axis, i);
  }

  // Where along an axis the page looks: a place among those drawn, or -1.
  chosen(axis) {
    const { selection } = this.panel;
    if (!axis) return 0;
    if (axis === "token" || axis === "query") return selection.token(this.reader);
    if (axis === "key") return (selection.get("other") ?? -1) - this.reader.offset;
    return pickOf(selection, axis) - this.first(axis);
  }

  get row() {
    return Math.max(0, this.chosen(this.about.down));
  }

  names(axis, count) {
    const first = this.first(axis);
    const from = axis === "layer" || axis === "head" ? 1 : first; // counted as people do
    return Array.from({ length: count }, (_, i) => {
      const label = this.label(axis, i + first);
      return label === null ? String(i + from) : visible(label);
    });
  }

  // One number in words.
  reading(r, c) {
    const { down, across, at } = this.about;
    const here = { ...at, [across]: c + this.first(across) };
    if (down) here[down] = r + this.first(down);
    const where = this.panel.spec.axes.map((axis) => this.place(axis, here[axis])).join(", ");
    return `${this.name}, ${where} = ${exact(this.value(r, c))}`;
  }

  // The number at the place looked at; of a row of weights the largest, where the page looks at none.
  resting() {
    const { down, across } = this.about;
    const { rows, columns } = this.slice;
    const clamp = (n, most) => Math.max(0, Math.min(n, most - 1));
    const r = clamp(this.chosen(down), rows);
    let c = this.chosen(across);
    if (across === "key" && c < 0)
      for (let k = (c = 0); k < columns; k++) if (this.value(r, k) > this.value(r, c)) c = k;
    return rows && columns ? this.reading(r, clamp(c, columns)) : "";
  }

  scale(numbers) {
    const spec = this.change ? this.reader.spec.signed : this.spec.scale;
    return scaleOf(spec, numbers, !this.change && (this.panel.spec.domain || this.ends));
  }

  // Which positions are drawn, where it is not all of them.
  get cut() {
    const { start, sizes, left_out } = this.about;
    const parts = Object.entries(start).map(
      ([axis, first]) =>
        `${LONG} of ${sizes[axis].toLocaleString("en")} ${axis} positions are drawn, from ${first}; the slider moves on.`,
    );
    return [...parts, left_out].filter(Boolean).join(" ");
  }

  // The statistics in words.
  said(numbers, scale) {
    const { field, ranked, row, about } = this;
    if (!field) {
      const found = ranked?.rows[ranked.along ? row : 0]?.says;
      const label = visible(this.reader.labels[row] ?? "");
      return found ? said(found, ranked.along ? `at “${label}”` : "in all") : "";
    }
    const { low, high } = scale;
    const beyond = numbers[3] > high * 1.0001 || numbers[1] < low - Math.abs(low) * 1e-4;
    const coloured = about.drawing !== "bars" && about.drawing !== "lines";
    return said(numbers, "in this picture") + (beyond && coloured ? BEYOND : "");
  }
}
