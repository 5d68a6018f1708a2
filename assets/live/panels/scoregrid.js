// One step of several decoders: a row for each source word, a column for each score, in a cell the weight and the score.

import { Scale, Surface, font, ink, legend, luminance } from "../drawing/canvas.js";
import { digits, percent, small, visible } from "../dom.js";
import { cellAt, frame } from "../marks/grid.js";
import { cut, fitted } from "../marks/strip.js";
import { scoreOf, scoredBy } from "../sums/scored.js";

const [HEAD, FOOT, LEGEND] = [26, 30, 30];
const tenths = (/** @type {number} */ w) => (w > 0 && w < 0.0005 ? "<0.1 %" : `${(100 * w).toFixed(1)} %`);

export default class ScoreGrid {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    const { selection, app } = panel;
    this.surface.onPointer(
      (x, y) => selection.look(this.find(x, y)?.row ?? {}),
      (x, y) => this.keep(this.find(x, y), selection, app),
      () => selection.leave(),
    );
  }

  get kinds() {
    return Object.keys(this.panel.spec.called);
  }

  keep(found, selection, app) {
    if (found) selection.keep({ ...found.row, by: found.by }, app);
  }

  // The source word under the pointer, and the score; over the names the score alone.
  find(x, y) {
    const { box } = this;
    if (!box) return null;
    const at = cellAt({ ...box, y: box.y - HEAD, h: box.h + HEAD, rows: 1 }, x, y);
    if (!at) return null;
    const cell = cellAt(box, x, y);
    return { by: this.kinds[at[1]], row: cell ? { other: cell[0] } : {} };
  }

  // Per score its numbers at the step looked at.
  columns() {
    return this.kinds.map((kind) => {
      const reader = this.panel.reader(kind);
      return { kind, reader, ...scoreOf(reader, this.panel.selection.token(reader)) };
    });
  }

  // Their names whole: where they are too wide, a word on each line, in letters that all of them have room for.
  titles(g, room) {
    const names = this.kinds.map((kind) => this.panel.spec.called[kind]);
    const wide = (lines, size) => {
      g.font = font(size, 700);
      return Math.max(...lines.map((line) => g.measureText(line).width));
    };
    if (wide(names, 13) <= room) return { titles: names.map((name) => [name]), size: 13 };
    const titles = names.map((name) => name.split(" "));
    const size = [12, 11, 10].find((size) => wide(titles.flat(), size) <= room) ?? 9;
    return { titles, size };
  }

  draw() {
    const { panel } = this;
    const { spec, selection, app } = panel;
    const columns = this.columns();
    const [{ reader, t, S }] = columns;
    const width = panel.body.clientWidth;
    const names = reader.source?.labels ?? [];
    const writes = (c) => c.reader.top[c.t]?.[0] ?? ["", NaN];
    panel.say(
      reader.labels.length ? `One step under each score, behind “${visible(reader.labels[t])}”` : spec.title,
      spec.says,
    );
    this.box = null;
    if (!S) {
      this.surface.begin(1, 1);
      return panel.read("Type an English sentence.");
    }
    const left = Math.min(100, width * 0.2);
    const tall = Math.max(20, Math.min(40, 330 / S));
    const g = this.surface.begin(width, HEAD + S * tall + FOOT + LEGEND);
    const colours = ink(app.root);
    const scale = new Scale(reader.spec.fields["cross.attention"].scale, app.dark);
    const box = { x: left, y: HEAD, w: width - left - 2, h: S * tall, rows: S, columns: columns.length };
    const step = box.w / box.columns;
    const by = scoredBy(panel);
    const other = selection.get("other");
    this.box = box;
    g.textBaseline = "middle";
    names.forEach((name, s) => {
      g.textAlign = "right";
      g.font = font(13, s === other ? 700 : 400);
      g.fillStyle = s === other ? colours.accent : colours.text;
      g.fillText(fitted(g, name, left - 10), left - 8, HEAD + (s + 0.5) * tall);
    });
    const { titles, size } = this.titles(g, step - 4);
    columns.forEach((c, n) => {
      const x = left + (n + 0.5) * step;
      g.textAlign = "center";
      g.font = font(size, c.kind === by ? 700 : 400);
      g.fillStyle = c.kind === by ? colours.accent : colours.text;
      titles[n].forEach((line, i, lines) =>
        g.fillText(line, x, HEAD / 2 + (i - (lines.length - 1) / 2) * 12),
      );
      for (let s = 0; s < S; s++) {
        const weight = c.weight(s),
          y = HEAD + s * tall;
        g.fillStyle = scale.css(weight);
        g.fillRect(left + n * step, y, step - 2, tall - 2);
        g.fillStyle = luminance(scale.packed(weight)) < 128 ? "#ffffff" : "#111111";
        const two = tall >= 30;
        g.font = font(13, weight > 0.5 ? 700 : 400);
        if (step > 34) g.fillText(tenths(weight), x - 1, y + (two ? tall * 0.33 : tall / 2), step - 6);
        g.font = font(11);
        if (two && step > 34) g.fillText(digits(c.score(s)), x - 1, y + tall * 0.72, step - 6);
      }
      const [label, p] = writes(c);
      g.font = font(13, 600);
      g.fillStyle = colours.text;
      g.fillText(cut(g, visible(label), step - 4), x, HEAD + S * tall + 9);
      g.font = font(11);
      g.fillStyle = colours.faint;
      g.fillText(tenths(p), x, HEAD + S * tall + 24, step - 4);
    });
    g.textAlign = "right";
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.fillText(small("writes"), left - 8, HEAD + S * tall + 9);
    frame(g, { ...box, y: 0, h: HEAD + S * tall + FOOT }, { column: this.kinds.indexOf(by) }, colours, 2);
    if (other !== undefined && other < S) frame(g, box, { row: other }, colours);
    legend(g, left, HEAD + S * tall + FOOT + 8, Math.min(150, box.w / 2), scale, "attention weight", colours);
    panel.read(this.words(columns, writes, names));
  }

  words(columns, writes, names) {
    const { called } = this.panel.spec;
    const right = columns[0].reader.labels[columns[0].t + 1];
    const most = (c) => {
      let best = 0;
      for (let s = 1; s < c.S; s++) if (c.weight(s) > c.weight(best)) best = s;
      return `${called[c.kind]} “${visible(names[best])}” ${percent(c.weight(best))}, writes “${visible(writes(c)[0])}”`;
    };
    const { other } = this.panel.selection.hovered;
    const there = (c) => `${called[c.kind]} ${percent(c.weight(other))} (${digits(c.score(other))})`;
    if (other < names.length)
      return `Weights of “${visible(names[other])}”, in brackets the scores: ${columns.map(there).join("; ")}.`;
    const typed = right === undefined ? "" : ` You typed “${visible(right)}”.`;
    return `Looks most at: ${columns.map(most).join("; ")}.${typed}`;
  }

  table() {
    const columns = this.columns();
    const { called } = this.panel.spec;
    const [{ reader, S }] = columns;
    return {
      columns: [
        "source word",
        ...columns.flatMap((c) => [`score, ${called[c.kind]}`, `weight, ${called[c.kind]}`]),
      ],
      rows: Array.from({ length: S }, (_, s) => [
        visible(reader.source.labels[s]),
        ...columns.flatMap((c) => [digits(c.score(s)), digits(c.weight(s))]),
      ]),
    };
  }
}
