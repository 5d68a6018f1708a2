// One step of several decoders, a lane each: which source words the step may look at, and what each of them weighs.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, percent, visible } from "../dom.js";
import { columnNames, frame } from "../marks/grid.js";
import { pointer } from "../marks/lines.js";
import { cut } from "../marks/strip.js";
import { heaviest, scopeOf } from "../sums/scoped.js";
import { scoredBy } from "../sums/scored.js";

// Short, as it stands under a bar: 0 where it is none to speak of.
const share = (/** @type {number} */ w) => (w < 0.0005 ? "0" : `${(100 * w).toFixed(w < 0.0995 ? 1 : 0)} %`);

const [TOP, LANE, BASE, HIGH] = [62, 74, 60, 44]; // a lane, where its bars stand, how high they grow

export default class Scopes {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    const { selection, app } = panel;
    this.surface.onPointer(
      (x, y) => selection.look(this.find(x, y)?.word ?? {}),
      (x, y) => {
        const found = this.find(x, y);
        if (found) selection.keep({ ...found.word, by: found.by }, app);
      },
      () => selection.leave(),
    );
  }

  get kinds() {
    return Object.keys(this.panel.spec.called);
  }

  find(x, y) {
    const { box } = this;
    const lane = Math.floor((y - TOP) / LANE);
    if (!box || lane < 0 || lane >= this.kinds.length) return null;
    const s = Math.floor(((x - box.x) / box.w) * box.columns);
    return { by: this.kinds[lane], word: s >= 0 && s < box.columns ? { other: s } : {} };
  }

  lanes() {
    return this.kinds.map((kind) => {
      const reader = this.panel.reader(kind);
      return { kind, reader, ...scopeOf(reader, this.panel.selection.token(reader)) };
    });
  }

  draw() {
    const { panel } = this;
    const lanes = this.lanes();
    const [{ reader, S, t }] = lanes;
    panel.say(
      S ? `Where each may look, behind “${visible(reader.labels[t])}”` : panel.spec.title,
      panel.spec.says,
    );
    this.box = null;
    if (!S) {
      this.surface.begin(1, 1);
      return panel.read("Type an English sentence.");
    }
    const width = panel.body.clientWidth;
    const left = Math.min(84, width * 0.2);
    const right = Math.min(104, width * 0.2);
    const g = this.surface.begin(width, TOP + lanes.length * LANE);
    const colours = ink(panel.app.root);
    const box = {
      x: left,
      y: TOP,
      w: width - left - right,
      h: lanes.length * LANE,
      rows: lanes.length,
      columns: S,
    };
    this.box = box;
    const step = box.w / S;
    const other = panel.selection.get("other") ?? -1;
    const names = reader.source?.labels ?? [];
    columnNames(g, box, names, other, colours);
    g.textAlign = "left";
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.fillText("it writes", width - right + 8, TOP - 12);
    lanes.forEach((lane, n) =>
      this.lane(g, lane, { ...box, y: TOP + n * LANE, step, width, right }, colours),
    );
    const by = this.kinds.indexOf(scoredBy(panel));
    frame(g, { ...box, x: 2, w: width - 4, y: TOP + 2, h: box.h - 4 }, { row: by }, colours, 1.5);
    panel.read(this.words(lanes, names));
  }

  lane(g, lane, { x, y, w, step, width, right }, colours) {
    const { kind, S, look, weight, centre, half, inside, bell, weighs } = lane;
    const by = kind === scoredBy(this.panel);
    const base = y + BASE;
    const at = (/** @type {number} */ place) => x + (place - 0.5) * step; // of a place counted from 1
    if (!Number.isNaN(centre)) {
      const [from, to] = [Math.max(x, at(centre - half)), Math.min(x + w, at(centre + half))];
      g.globalAlpha = 0.16;
      g.fillStyle = colours.accent;
      g.fillRect(from, y + 6, to - from, BASE - 6);
      g.globalAlpha = 1;
    }
    g.fillStyle = colours.line;
    g.fillRect(x, base, w, 1);
    const room = Math.max(3, Math.min(40, step - 8));
    g.textBaseline = "middle";
    g.textAlign = "center";
    for (let s = 0; s < S; s++) {
      const middle = at(s + 1);
      const tall = HIGH * weight(s);
      g.fillStyle = colours.accent;
      g.fillRect(middle - room / 2, base - tall, room, tall);
      if (weighs && look(s) > 0.004) {
        g.strokeStyle = colours.text;
        g.lineWidth = 1;
        g.strokeRect(middle - room / 2 + 0.5, base - HIGH * look(s), room - 1, HIGH * look(s));
      }
      g.font = font(11);
      g.fillStyle = inside(s) ? colours.text : colours.faint;
      const said = inside(s) ? (step > 34 ? share(weight(s)) : "") : "–";
      g.fillText(said, middle, base + 7, step - 2);
    }
    if (!Number.isNaN(centre)) {
      if (weighs) {
        g.strokeStyle = colours.faint;
        g.lineWidth = 1.2;
        g.beginPath();
        for (let i = 0; i <= 40; i++) {
          const place = centre + half * (i / 20 - 1);
          if (place >= 0.5 && place <= S + 0.5) g.lineTo(at(place), base - HIGH * bell(place));
        }
        g.stroke();
      }
      g.fillStyle = colours.text;
      pointer(g, Math.min(x + w, Math.max(x, at(centre))), y + 14, 8);
    }
    g.textAlign = "left";
    g.font = font(13, by ? 700 : 400);
    g.fillStyle = by ? colours.accent : colours.text;
    g.fillText(cut(g, this.panel.spec.called[kind], x - 12), 8, y + 36);
    const [word, p] = lane.reader.top[lane.t]?.[0] ?? ["", NaN];
    g.font = font(13, 600);
    g.fillStyle = colours.text;
    g.fillText(cut(g, visible(word), right - 14), width - right + 8, y + 28);
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.fillText(percent(p), width - right + 8, y + 46);
  }

  words(lanes, names) {
    const of = (lane) => {
      const best = heaviest(lane);
      const count = Array.from({ length: lane.S }, (_, s) => lane.inside(s)).filter((x) => x).length;
      const where = Number.isNaN(lane.centre) ? "" : ` around place ${digits(lane.centre)}`;
      const name = this.panel.spec.called[lane.kind];
      return lane.kind === "hard"
        ? `${name}: takes “${visible(names[best])}” alone, chance ${percent(lane.look(best))}`
        : `${name}: ${count} of ${lane.S} words${where}, most “${visible(names[best])}” ${percent(lane.weight(best))}`;
    };
    const { other } = this.panel.selection.hovered;
    const there = (lane) =>
      `${this.panel.spec.called[lane.kind]} ${percent(lane.kind === "hard" ? lane.look(other) : lane.weight(other))}`;
    return other < names.length
      ? `Weights of “${visible(names[other])}”: ${lanes.map(there).join("; ")}.`
      : `${lanes.map(of).join("; ")}.`;
  }

  table() {
    const lanes = this.lanes();
    const { called } = this.panel.spec;
    const [{ reader, S }] = lanes;
    return {
      columns: ["source word", ...lanes.map(({ kind }) => `its weight, ${called[kind]}`)],
      rows: Array.from({ length: S }, (_, s) => [
        visible(reader.source.labels[s]),
        ...lanes.map((lane) => digits(lane.weight(s))),
      ]),
    };
  }
}
