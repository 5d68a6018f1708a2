// A task shape over the typed tokens: which steps read, which states are handed on, which steps answer, and with what.
// Each row is one reader.  What the answer looked at depends on is drawn strong, everything else faint.

import { Surface, font, ink } from "../drawing/canvas.js";
import { percent, short, visible } from "../dom.js";
import { pointing } from "../marks/pointer.js";
import { highOf, ShapeRow, sizeOf } from "./shapes/row.js";

const EDGE = 14,
  LATER = 4, // steps of an answer that is still to come
  LEAST = 52,
  NARROW = 64,
  WIDE = 150; // of a step

export default class Shapes {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x, y) => this.at(x, y));
  }

  at(x, y) {
    const { rows } = this.panel.spec;
    const under = this.tops?.findLastIndex((top) => y >= top) ?? 0;
    const reader = this.panel.reader(rows[Math.max(0, under)].reader);
    if (!reader.labels.length || !this.step) return null;
    const t = Math.max(
      0,
      Math.min(reader.labels.length - 1, this.first + Math.floor((x - EDGE) / this.step)),
    );
    return reader.place(t);
  }

  draw() {
    const { panel } = this;
    const { rows } = panel.spec;
    const lead = panel.reader(rows[0].reader);
    const width = panel.body.clientWidth;
    const sizes = sizeOf(rows);
    this.tops = rows.map((_, i) => rows.slice(0, i).reduce((sum, row) => sum + highOf(row, sizes), 0));
    const g = this.surface.begin(width, this.tops.at(-1) + highOf(rows.at(-1), sizes));
    g.font = font(sizes.size);
    const widest = Math.max(
      0,
      ...rows.flatMap((row) => panel.reader(row.reader).labels.map((l) => g.measureText(short(l, 12)).width)),
    );
    const later = rows.some((row) => row.later) ? LATER : 0;
    const room = (width - 2 * EDGE) / Math.max(1, lead.labels.length + later);
    const behind = rows[0].emits === "behind"; // two texts one after the other: all of both, if they fit
    this.step = Math.max(
      behind ? LEAST : NARROW,
      Math.min(WIDE, behind ? room : Math.max(room, widest + 22)),
    );
    const fits = Math.max(1, Math.floor((width - 2 * EDGE) / this.step) - later);
    const { hovered, kept } = panel.selection;
    const chosen = hovered.token !== undefined || kept.token !== undefined;
    const centre = rows[0].writes && !chosen ? 0 : panel.selection.token(lead); // what is written is read from its start
    this.first = Math.max(0, Math.min(centre - Math.floor(fits / 2), lead.labels.length - fits));
    this.last = Math.min(lead.labels.length, this.first + fits);
    const where = { edge: EDGE, first: this.first, last: this.last, step: this.step, width, ...sizes };
    if (this.step < NARROW) Object.assign(where, { size: 13, small: 11 });
    rows.forEach((row, i) => {
      const drawn = new ShapeRow(g, row, this.tops[i], where, ink(panel.app.root));
      drawn.draw(this.steps(row), panel.selection.token(panel.reader(row.reader)));
      if (row.later) drawn.later(LATER);
    });
    const t = panel.selection.token(lead);
    const place = rows[0].writes
      ? `, from “${short(lead.labels[0] ?? "", 18)}”`
      : `, at “${short(lead.labels[t] ?? "", 18)}”`;
    panel.say(`${panel.spec.title}${lead.labels.length ? place : ""}`, panel.spec.says);
    panel.read(lead.labels.length ? rows.map((row) => this.words(row)).join(" ") : "Type a word.");
  }

  // The step from which on there are answers.
  begins(row) {
    const { labels, spec } = this.panel.reader(row.reader);
    return row.emits === "behind" ? labels.indexOf(spec.start) : 0;
  }

  answer(row, t) {
    const reader = this.panel.reader(row.reader);
    if (t < this.begins(row)) return null;
    if (!row.writes) return reader.top[t]?.[0];
    const label = reader.labels[t + 1];
    return label === undefined ? null : [label, reader.value("drawn", { token: t })];
  }

  // What is drawn of each step: its label, the answer, and whether that differs from another reader's.
  steps(row) {
    const other = row.against && this.panel.reader(row.against);
    return this.panel.reader(row.reader).labels.map((label, t) => {
      const answer = this.answer(row, t);
      return {
        label,
        answer,
        again: row.emits === "behind" && t > this.begins(row),
        differs: other && answer?.[0] !== other.top[t]?.[0]?.[0],
      };
    });
  }

  // The answer looked at, in words.
  words(row) {
    const reader = this.panel.reader(row.reader);
    const t = this.panel.selection.token(reader);
    const count = reader.labels.length;
    const shown =
      this.last - this.first < count
        ? ` Tokens ${this.first + 1} to ${this.last} of ${count} are drawn.`
        : "";
    if (row.writes)
      return `${row.title}: ${reader.labels
        .slice(1)
        .map((l) => (l === "\n" ? "⏎" : l))
        .join(row.join)}.${shown}`;
    if (row.emits === "none")
      return `The answer begins after “${visible(reader.labels[count - 1])}”, the last of ${count} tokens.${shown}`;
    const begins = this.begins(row);
    if (t < begins)
      return `“${visible(reader.labels[t] ?? "")}” is read, and nothing is answered yet. The first of ${count - begins} answers comes at step ${begins + 1}.${shown}`;
    const best = (reader.top[t] ?? [])
      .slice(0, 2)
      .map(([label, p]) => `${visible(label)} ${percent(p)}`)
      .join(", ");
    const on =
      row.reads === "one"
        ? "It depends only on this token."
        : row.both
          ? `It depends on all ${count} tokens.`
          : `It depends on ${t ? `the ${t + 1} tokens up to here` : "this token"}.`;
    if (!(reader.top[t] ?? []).length) return "";
    return `${row.title}, at “${visible(reader.labels[t] ?? "")}”: ${best}. ${on}${shown}`;
  }

  table() {
    const { rows } = this.panel.spec;
    const lead = this.panel.reader(rows[0].reader);
    const answers = rows.filter((row) => row.emits !== "none");
    return {
      columns: ["token", ...answers.flatMap((row) => [row.title, "probability"])],
      rows: lead.labels.map((label, t) => [
        visible(label),
        ...answers.flatMap((row) => {
          const found = this.answer(row, t);
          return [found ? visible(found[0]) : "", found ? percent(found[1]) : ""];
        }),
      ]),
    };
  }
}
