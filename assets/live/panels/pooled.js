// What the one vector of a text is made of, under several ways to pool: a row for each way, a bar for each word.

import { Surface, font, ink } from "../drawing/canvas.js";
import { percent, visible } from "../dom.js";
import { frame } from "../marks/grid.js";
import { along } from "../marks/pointer.js";
import { strip } from "../marks/strip.js";
import { marked, said } from "../sums/marked.js";

const [TOP, HIGH, GAP, LEFT, RIGHT, WIDEST] = [30, 48, 12, 112, 128, 74];

export default class Pooled {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    along(this, LEFT);
  }

  get ways() {
    return Object.entries(this.panel.spec.called).map(([way, title]) => ({
      way,
      title,
      reader: this.panel.reader(way),
    }));
  }

  draw() {
    const { panel, ways } = this;
    const { app, selection, spec } = panel;
    const [{ reader }] = ways;
    const count = reader.labels.length;
    panel.say(spec.title, spec.says);
    if (!count) {
      this.surface.begin(1, 1);
      return panel.read("Type some words, one of them behind the sign !.");
    }
    const width = panel.body.clientWidth;
    const right = width < 520 ? 0 : RIGHT;
    const step = (this.step = Math.min(WIDEST, (width - LEFT - right - 4) / count));
    const rows = ways.length + 1;
    const g = this.surface.begin(width, TOP + rows * (HIGH + GAP) + (right ? 0 : 4));
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const now = selection.token(reader);
    const truth = marked(reader.labels, spec.mark, spec.kinds, now);
    strip(g, reader.labels, { left: LEFT, step, y: 12, now, colours });
    ways.forEach(({ way, title, reader }, i) => {
      const y = TOP + i * (HIGH + GAP);
      const weight = (t) => reader.value("pool.weight", { query: now, key: t });
      this.bars(g, y, count, step, weight, style.getPropertyValue(`--un-reader-${i}`), colours);
      this.name(g, title, y, colours);
      if (right) this.answer(g, said(reader, now), truth, LEFT + step * count + 12, y, colours);
    });
    const y = TOP + ways.length * (HIGH + GAP);
    const open = (t) => this.gate(ways[0].reader, t);
    this.bars(g, y, count, step, open, colours.faint, colours);
    this.name(g, "output gate", y, colours);
    if (truth)
      frame(
        g,
        {
          x: LEFT,
          y: TOP - 2,
          w: step * count,
          h: ways.length * (HIGH + GAP) - GAP + 4,
          rows: 1,
          columns: count,
        },
        { column: truth.at },
        colours,
      );
    panel.read(this.words(ways, now, truth));
  }

  // The mean of the output gate over the units: a share for each unit, no share of the whole.
  gate(reader, t) {
    const { shape } = reader.fields.get("gate.output");
    let sum = 0;
    for (let unit = 0; unit < shape[2]; unit++)
      sum += reader.value("gate.output", { layer: 0, token: t, unit });
    return sum / shape[2];
  }

  bars(g, y, count, step, of, colour, colours) {
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(LEFT, y + HIGH + 0.5);
    g.lineTo(LEFT + step * count, y + HIGH + 0.5);
    g.stroke();
    for (let t = 0; t < count; t++) {
      const w = of(t);
      if (!(w > 0)) continue;
      const x = LEFT + t * step;
      g.fillStyle = colour;
      g.fillRect(x + 2, y + HIGH * (1 - w), Math.max(1, step - 4), HIGH * w);
      if (step < 34 || w < 0.005) continue;
      g.font = font(11);
      g.textAlign = "center";
      g.textBaseline = "middle";
      g.fillStyle = w > 0.75 ? colours.ground : colours.text;
      g.fillText(percent(w), x + step / 2, w > 0.75 ? y + 10 : y + HIGH * (1 - w) - 7, step - 2);
    }
  }

  name(g, title, y, colours) {
    g.textAlign = "right";
    g.textBaseline = "middle";
    g.font = font(13);
    g.fillStyle = colours.text;
    g.fillText(title, LEFT - 8, y + HIGH / 2, LEFT - 10);
  }

  answer(g, { label, p }, truth, x, y, colours) {
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.font = font(13, 700);
    g.fillStyle = colours.text;
    const sign = truth?.kind ? (truth.kind === label ? "✓ " : "✗ ") : "";
    g.fillText(`${sign}${visible(label)}`, x, y + HIGH / 2 - 8, RIGHT - 14);
    g.font = font(12);
    g.fillStyle = colours.faint;
    g.fillText(percent(p), x, y + HIGH / 2 + 9, RIGHT - 14);
  }

  words(ways, now, truth) {
    const parts = ways.map(({ title, reader }) => {
      const { label, p } = said(reader, now);
      const here = truth
        ? `, ${percent(reader.value("pool.weight", { query: now, key: truth.at }))} of it from there`
        : "";
      return `${title} says “${visible(label)}” (${percent(p)})${here}`;
    });
    const known = truth?.kind
      ? `“${visible(ways[0].reader.labels[truth.at])}” is marked, so “${truth.kind}” is right. `
      : "";
    return `${known}${parts.join("; ")}.`;
  }

  table() {
    const { ways } = this;
    const [{ reader }] = ways;
    if (!reader.labels.length) return { columns: [], rows: [] };
    const now = this.panel.selection.token(reader);
    return {
      columns: ["word", ...ways.map(({ title }) => title), "output gate"],
      rows: reader.labels.map((label, t) => [
        visible(label),
        ...ways.map(({ reader }) => percent(reader.value("pool.weight", { query: now, key: t }))),
        percent(this.gate(reader, t)),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
