// All units of a layer from the shortest memory to the longest: half-life in this text, and over a corpus.

import { Surface, font, ink } from "../drawing/canvas.js";
import { account, halfLives, lasting } from "../sums/ledger.js";
import { rules } from "../marks/axes.js";
import { pointing } from "../marks/pointer.js";

const LEFT = 46,
  HIGH = 190,
  TOP = 24,
  BOTTOM = 30,
  LOW = 0.05,
  MOST = 5000;

export default class HalfLife {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x, y) => this.at(x, y));
  }

  at(x, y) {
    if (!this.order || y > TOP + HIGH + BOTTOM) return null;
    const rank = Math.max(0, Math.min(this.order.length - 1, Math.floor((x - LEFT) / this.step)));
    return { unit: this.order[rank] };
  }

  draw() {
    const { panel } = this;
    const { app } = panel;
    const reader = panel.reader();
    const book = account(panel, reader);
    this.canvas.hidden = !book;
    if (!book) return panel.read("");
    const { tokens, longer, order } = halfLives(reader, book.memory, book.layer);
    const corpus = reader.spec.corpus.memories[book.memory.state];
    this.order = order;
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, TOP + HIGH + BOTTOM);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const across = width - LEFT - 6;
    this.step = across / order.length;
    const y = (n) =>
      TOP + HIGH * (1 - Math.log(Math.min(MOST, Math.max(LOW, n)) / LOW) / Math.log(MOST / LOW));
    panel.say(
      `Half-lives of the ${order.length} units of layer ${book.layer + 1}`,
      `${panel.spec.says} ${reader.spec.corpus.says}`,
    );
    const marks = [0.1, 1, 10, 100, 1000].map((n) => [y(n), n.toLocaleString("en")]);
    rules(g, marks, { left: LEFT, right: LEFT + across, colours, gap: 6 });
    const below = "units, from the shortest half-life in this text to the longest";
    g.textAlign = "center";
    g.fillText(below, LEFT + across / 2, TOP + HIGH + 16, across);
    const radius = Math.max(1.6, Math.min(4, this.step * 0.45));
    const dot = (rank, n, colour, hollow) => {
      g.beginPath();
      g.arc(LEFT + (rank + 0.5) * this.step, y(n), radius, 0, 7);
      g.fillStyle = g.strokeStyle = colour;
      hollow ? g.stroke() : g.fill();
    };
    const [here, over] = [0, 1].map((i) => style.getPropertyValue(`--un-line-${i}`));
    g.lineWidth = 1;
    const layer = { mean: corpus.mean[book.layer], meanLonger: corpus.mean_longer[book.layer] };
    order.forEach((u, rank) => dot(rank, layer.mean[u], over, layer.meanLonger[u]));
    order.forEach((u, rank) => dot(rank, tokens[u], here, longer[u]));
    let at = LEFT;
    g.textAlign = "left";
    for (const [name, colour] of [
      ["in this text", here],
      ["over the corpus", over],
    ]) {
      g.fillStyle = colour;
      g.fillRect(at, 6, 10, 10);
      g.fillStyle = colours.text;
      g.fillText(name, at + 14, 11);
      at += 30 + g.measureText(name).width;
    }
    const rank = order.indexOf(book.unit);
    g.strokeStyle = colours.accent;
    g.lineWidth = 1.5;
    g.strokeRect(LEFT + rank * this.step - 1, TOP, this.step + 2, HIGH);
    g.fillStyle = colours.accent;
    g.font = font(12, 700);
    g.textAlign = rank > order.length / 2 ? "right" : "left";
    g.fillText(
      `unit ${book.unit}`,
      LEFT + rank * this.step + (rank > order.length / 2 ? -7 : this.step + 7),
      TOP + 8,
    );
    const said = (part) =>
      lasting(corpus[part][book.layer][book.unit], corpus[`${part}_longer`][book.layer][book.unit]);
    if (!book.memory.keep)
      return panel.read("This memory has no forget gate: nothing fades, and every written value stays.");
    panel.read(
      `Unit ${book.unit}, place ${rank + 1} of ${order.length}: half-life ${lasting(tokens[book.unit], longer[book.unit])} in this text, ${said("mean")} over the corpus, both from the mean of ln ${this.gate(reader, book)}. Median half-life actually observed for single tokens of the corpus: ${said("median")}.`,
    );
  }

  gate(reader, { memory }) {
    const { symbol } = reader.spec.fields[memory.keep];
    return memory.complement ? `(1 − ${symbol})` : symbol;
  }

  drawn() {
    const book = account(this.panel, this.panel.reader());
    if (!book) return {};
    const { tokens } = halfLives(this.panel.reader(), book.memory, book.layer);
    return {
      half_life: {
        axes: ["unit"],
        labels: [Array.from(tokens, (_, u) => String(u))],
        values: Float32Array.from(tokens),
      },
    };
  }

  table() {
    const { panel } = this;
    const reader = panel.reader();
    const book = account(panel, reader);
    if (!book) return { columns: ["unit"], rows: [] };
    const { tokens, longer, order } = halfLives(reader, book.memory, book.layer);
    const corpus = reader.spec.corpus.memories[book.memory.state];
    const said = (part, u) => lasting(corpus[part][book.layer][u], corpus[`${part}_longer`][book.layer][u]);
    return {
      columns: ["place", "unit", "in this text", "over the corpus", "median over the corpus"],
      rows: order.map((u, i) => [
        i + 1,
        u,
        lasting(tokens[u], longer[u]),
        said("mean", u),
        said("median", u),
      ]),
    };
  }
}
