// A task shape over the typed tokens: which steps read, which states are handed on, which steps answer, and with what.
// Each row is one reader.  What the answer looked at depends on is drawn strong, everything else faint.

import { Surface, font, ink } from "../drawing/canvas.js";
import { percent, short, visible } from "../dom.js";
import { pointing } from "../marks/pointer.js";

const BOX = 26,
  GAP = 22,
  RADIUS = 9,
  HEAD = 22,
  EDGE = 14,
  LATER = 4; // LATER: steps of an answer that is still to come

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
    const high = (row) => HEAD + 2 * BOX + 2 * (GAP + RADIUS) + (row.both ? BOX + 8 : 0) + 30;
    this.tops = rows.map((_, i) => rows.slice(0, i).reduce((sum, row) => sum + high(row), 0));
    const g = this.surface.begin(width, this.tops.at(-1) + high(rows.at(-1)));
    g.font = font(13);
    const widest = Math.max(
      0,
      ...rows.flatMap((row) => panel.reader(row.reader).labels.map((l) => g.measureText(short(l, 12)).width)),
    );
    const later = rows.some((row) => row.later) ? LATER : 0;
    this.step = Math.max(64, Math.min(120, widest + 22));
    const fits = Math.max(1, Math.floor((width - 2 * EDGE) / this.step) - later);
    const { hovered, kept } = panel.selection;
    const chosen = hovered.token !== undefined || kept.token !== undefined;
    const centre = rows[0].writes && !chosen ? 0 : panel.selection.token(lead); // what is written is read from its start
    this.first = Math.max(0, Math.min(centre - Math.floor(fits / 2), lead.labels.length - fits));
    this.last = Math.min(lead.labels.length, this.first + fits);
    this.ink = ink(panel.app.root);
    rows.forEach((row, i) => this.row(g, row, this.tops[i]));
    const t = panel.selection.token(lead);
    const place = rows[0].writes
      ? `, from “${short(lead.labels[0] ?? "", 18)}”`
      : `, at “${short(lead.labels[t] ?? "", 18)}”`;
    panel.say(`${panel.spec.title}${lead.labels.length ? place : ""}`, panel.spec.says);
    panel.read(lead.labels.length ? rows.map((row) => this.words(row)).join(" ") : "Type a word.");
  }

  // Whether the answer at `now` depends on what is read at t.
  depends(row, t, now) {
    if (row.reads === "one") return t === now;
    if (row.reads === "first") return t === 0;
    return row.both || row.later || t <= now;
  }

  answer(row, t) {
    const reader = this.panel.reader(row.reader);
    if (!row.writes) return reader.top[t]?.[0];
    const label = reader.labels[t + 1];
    return label === undefined ? null : [label, reader.value("drawn", { token: t })];
  }

  row(g, row, top) {
    const { first, last, ink: colours } = this;
    const reader = this.panel.reader(row.reader);
    const now = this.panel.selection.token(reader);
    const end = reader.labels.length - 1;
    const x = (t) => EDGE + (t - first + 0.5) * this.step;
    const read = top + HEAD,
      state = read + BOX + GAP + RADIUS,
      back = state + BOX + 8;
    const low = row.both ? back : state,
      out = low + RADIUS + GAP;
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.font = font(12, 600);
    g.fillStyle = colours.text;
    const title = row.says ? `${row.name}: ${row.says}` : row.name;
    g.fillText(
      g.measureText(title).width < this.panel.body.clientWidth - 2 * EDGE ? title : row.name,
      EDGE,
      top + HEAD / 2 - 2,
    );
    const handed = row.reads !== "one";
    for (let t = first; t < last; t++) {
      const strong = this.depends(row, t, now);
      const reads = row.reads === "all" || (row.reads === "one" ? t === now : t === 0);
      const emits =
        row.emits === "all" || (row.emits === "one" ? t === now : row.emits === "last" && t === end);
      const stated = handed || t === now;
      g.globalAlpha = reads ? 1 : 0.35;
      if (row.reads !== "first" || t === 0)
        this.box(g, x(t), read, short(reader.labels[t], 12), {
          strong: strong && reads,
          dashed: !reads,
          bold: t === now,
        });
      g.globalAlpha = 1;
      if (reads) this.arrow(g, x(t), read + BOX, x(t), state - RADIUS, strong);
      if (reads && row.both) this.arrow(g, x(t) - 12, read + BOX, x(t) - 12, back - RADIUS + 2, strong);
      if (handed && t > 0)
        this.arrow(
          g,
          t === first ? EDGE - 10 : x(t - 1) + RADIUS,
          state,
          x(t) - RADIUS,
          state,
          row.reads === "first" ? t <= now : t <= now || row.later,
        );
      if (row.both && t < end)
        this.arrow(
          g,
          t === last - 1 ? x(t) + this.step / 2 : x(t + 1) - RADIUS,
          back,
          x(t) + RADIUS,
          back,
          t >= now,
        );
      if (stated) this.circle(g, x(t), state, row.later || t <= now);
      if (row.both) this.circle(g, x(t), back, t >= now);
      const found = this.answer(row, t);
      if (row.emits === "none" || !found || !(emits || row.ghosts)) continue;
      this.arrow(g, x(t), low + RADIUS, x(t), out, t === now, !emits);
      this.box(g, x(t), out, short(found[0], 12), {
        strong: t === now,
        dashed: !emits,
        bold: t === now,
        differs: row.against && this.differs(row, t),
      });
      g.fillStyle = t === now ? colours.text : colours.faint;
      g.font = font(11);
      g.fillText(percent(found[1]), x(t), out + BOX + 9);
      if (row.writes && row.reads === "all" && t + 1 < last)
        this.arrow(g, x(t) + this.step / 2 - 8, out, x(t + 1) - this.step / 2 + 8, read + BOX, t < now, true);
    }
    if (row.later) this.later(g, x, state, out, read);
  }

  // Steps whose answers come only when all has been read.
  later(g, x, state, out, read) {
    for (let k = 0; k < LATER; k++) {
      const at = x(this.last + k);
      this.arrow(g, x(this.last + k - 1) + RADIUS, state, at - RADIUS, state, true);
      this.circle(g, at, state, true);
      this.arrow(g, at, state + RADIUS, at, out, true);
      this.box(g, at, out, "?", { dashed: true });
      if (k) this.arrow(g, at - this.step / 2 - 8, out, at - this.step / 2 + 8, read + BOX, false, true);
      if (k) this.box(g, at, read, "?", { dashed: true });
      if (k) this.arrow(g, at, read + BOX, at, state - RADIUS, false);
    }
  }

  differs(row, t) {
    return this.answer(row, t)?.[0] !== this.panel.reader(row.against).top[t]?.[0]?.[0];
  }

  box(g, x, y, label, { strong = false, dashed = false, bold = false, differs = false }) {
    const { ink: colours } = this;
    const wide = this.step - 10;
    g.setLineDash(dashed ? [3, 3] : []);
    g.lineWidth = differs ? 3 : strong ? 1.6 : 1;
    g.strokeStyle = strong || differs ? colours.accent : colours.line;
    g.strokeRect(x - wide / 2 + 0.5, y + 0.5, wide - 1, BOX - 1);
    g.setLineDash([]);
    g.fillStyle = strong ? colours.text : colours.faint;
    g.font = font(13, bold ? 700 : 400);
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.fillText(label, x, y + BOX / 2, wide - 8);
  }

  circle(g, x, y, strong) {
    g.beginPath();
    g.arc(x, y, RADIUS, 0, 2 * Math.PI);
    g.lineWidth = strong ? 1.8 : 1;
    g.strokeStyle = strong ? this.ink.accent : this.ink.faint;
    g.fillStyle = this.ink.ground;
    g.fill();
    g.stroke();
  }

  arrow(g, x, y, to, down, strong, dashed = false) {
    const { ink: colours } = this;
    const turn = Math.atan2(down - y, to - x);
    g.strokeStyle = g.fillStyle = strong ? colours.accent : colours.faint;
    g.lineWidth = strong ? 1.6 : 0.8;
    g.setLineDash(dashed ? [3, 3] : []);
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(to, down);
    g.stroke();
    g.setLineDash([]);
    g.beginPath();
    g.moveTo(to, down);
    for (const side of [-0.45, 0.45])
      g.lineTo(to - 7 * Math.cos(turn + side), down - 7 * Math.sin(turn + side));
    g.fill();
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
      return `${row.name}: ${reader.labels
        .slice(1)
        .map((l) => (l === "\n" ? "⏎" : l))
        .join(row.join)}.${shown}`;
    if (row.emits === "none")
      return `The answer begins after “${visible(reader.labels[count - 1])}”, the last of ${count} tokens.${shown}`;
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
    return `${row.name}, at “${visible(reader.labels[t] ?? "")}”: ${best}. ${on}${shown}`;
  }

  table() {
    const { rows } = this.panel.spec;
    const lead = this.panel.reader(rows[0].reader);
    const answers = rows.filter((row) => row.emits !== "none");
    return {
      columns: ["token", ...answers.flatMap((row) => [row.name, "probability"])],
      rows: lead.labels.map((label, t) => [
        visible(label),
        ...answers.flatMap((row) => {
          const found = this.answer(row, t);
          return [found ? visible(found[0]) : "", found ? percent(found[1]) : ""];
        }),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
