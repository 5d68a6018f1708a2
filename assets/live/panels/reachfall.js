// How the gradient falls with the distance in words, of every model: geometric means over the words of the text, on a scale
// of powers of ten.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits } from "../dom.js";
import { rules, ticks } from "../marks/axes.js";
import { broken, dot } from "../marks/lines.js";
import { power } from "../sums/backpropagation.js";
import { blocks, fall, named, pace } from "../sums/reach.js";
import { series } from "../wire.js";

const LEFT = 46,
  LEAST = 230,
  MOST = 420,
  BESIDES = 545, // what stands over and under it on a screen
  BELOW = 36,
  LINE = 17,
  LOWEST = -9,
  ROOM = 2; // powers of ten in which a bound that rises is seen to do so

export default class ReachFall {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
  }

  get curves() {
    const { app } = this.panel;
    const words = named(app);
    return [...app.readers.values()].map((reader) => {
      const means = fall(blocks(reader, words));
      const { bound } = reader.spec;
      return { reader, means, bound: bound ? Math.log10(bound) * pace(reader, words) : null };
    });
  }

  draw() {
    const { panel, curves } = this;
    const { app } = panel;
    const width = panel.body.clientWidth;
    const bounded = curves.filter(({ bound }) => bound !== null).length;
    const top = 10 + LINE * (curves.length + bounded);
    let row = 0; // of the bounds, below the names
    const count = Math.max(0, ...curves.map(({ means }) => means.length));
    const tall = Math.max(LEAST, Math.min(MOST, innerHeight - BESIDES));
    const g = this.surface.begin(width, count > 1 ? top + tall + BELOW : 40);
    if (count < 2) return panel.read("Type three words or more.");
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const all = curves.flatMap(({ means }) => means).filter(Number.isFinite);
    const low = Math.max(LOWEST, Math.min(-1, Math.floor(Math.min(...all))));
    const rises = curves.some(({ bound }) => bound > 0);
    const high = Math.max(rises ? ROOM : 0, Math.ceil(Math.max(...all)));
    const step = (width - LEFT - 12) / Math.max(1, count - 1);
    const x = (i) => LEFT + i * step;
    const y = (v) => top + tall * (1 - (Math.max(low, v) - low) / (high - low));
    const every = Math.max(1, Math.ceil((high - low) / 7));
    const marks = [];
    for (let e = low; e <= high; e += every) marks.push([y(e), power(e)]);
    rules(g, marks, { left: LEFT, right: width - 6, colours });
    const between = Math.max(1, Math.ceil(count / 10));
    const names = [];
    for (let i = 0; i < count; i += between) names.push([x(i), String(i + 1)]);
    g.textBaseline = "middle";
    ticks(g, names, top + tall + 13, colours);
    g.fillText("words back", LEFT + (width - LEFT) / 2, top + tall + 28);
    curves.forEach(({ reader, means, bound }, n) => {
      const colour = style.getPropertyValue(`--un-reader-${n % 8}`) || colours.accent;
      g.strokeStyle = g.fillStyle = colour;
      g.lineWidth = 2;
      broken(g, means.length, x, (i) => (Number.isFinite(means[i]) ? y(means[i]) : NaN));
      means.forEach((v, i) => Number.isFinite(v) && dot(g, x(i), y(v), 2.5));
      if (bound !== null) {
        g.save();
        g.beginPath();
        g.rect(LEFT, top, width - LEFT, tall);
        g.clip();
        g.setLineDash([4, 4]);
        g.lineWidth = 1.5;
        broken(g, means.length, x, (i) => top + tall * (1 - (i * bound - low) / (high - low)));
        g.restore();
      }
      g.font = font(12, 600);
      g.textAlign = "left";
      const last = means.findLast(Number.isFinite);
      const said =
        last === undefined
          ? ""
          : `: ${digits(10 ** last)} at ${means.findLastIndex(Number.isFinite) + 1} words`;
      g.fillText(`${reader.spec.title}${said}`, LEFT, 8 + LINE * n);
      if (bound === null) return;
      g.font = font(12);
      const per = `${digits(reader.spec.bound)} per ${reader.spec.one}`;
      g.fillText(`bound: ${per}`, LEFT, 8 + LINE * (curves.length + row++));
    });
    panel.read(
      curves
        .map(
          ({ reader, means }) =>
            `${reader.spec.title}: ${digits(10 ** (means[Math.min(4, means.length - 1)] ?? NaN))}`,
        )
        .join(", ") + `, ${Math.min(5, count)} words back.`,
    );
  }

  drawn() {
    return Object.fromEntries(
      this.curves.map(({ reader, means }) => [
        reader.spec.id,
        series(
          "rank",
          means.map((_, i) => String(i + 1)),
          means.map((v) => 10 ** v),
        ),
      ]),
    );
  }

  table() {
    const { curves } = this;
    const count = Math.max(0, ...curves.map(({ means }) => means.length));
    return {
      columns: ["words back", ...curves.map(({ reader }) => reader.spec.title)],
      rows: Array.from({ length: count }, (_, i) => [
        i + 1,
        ...curves.map(({ means }) => (Number.isFinite(means[i]) ? digits(10 ** means[i]) : "")),
      ]),
    };
  }
}
