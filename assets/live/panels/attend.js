// One head as a chain of matrices: input, query, key, value; product, scaled, masked, softmax; weighted values, reading.
// Pointing at a cell lights up what it is made of; its sum stands in the panel beside.

import { Surface, ink } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { cellAt, frame } from "../marks/grid.js";
import { pointing } from "../marks/pointer.js";
import { boxes } from "./attend/boxes.js";
import { BY_KEY, SQUARES, cell, numbers, sources, spot } from "./attend/cell.js";
import { step } from "./attend/step.js";

export default class Attend {
  constructor(panel) {
    this.panel = panel;
    this.stores = {};
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x, y) => this.find(x, y));
  }

  // For the message to Python: the head whose numbers are here.
  ask() {
    return { before: this.panel.reader().said.at ?? null };
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const n = numbers(reader);
    const [layer = 0, head = 0] = reader.said.at ?? [];
    const own = n.how === "scale.mask";
    const whose = own ? "All numbers are the model's own." : "Changed: not what the model computes.";
    panel.say(
      `Layer ${layer + 1}, head ${head + 1}, step by step`,
      `A row is a token. Point at any cell to see how it is computed; click to keep it. ${whose}`,
    );
    this.boxes = [];
    if (!n.T) {
      this.surface.begin(1, 1);
      return panel.read("Type something to see its tokens pass through this head.");
    }
    const at = cell(reader, panel.selection, n);
    this.paint(reader, n, at);
    panel.read(this.reading(reader, n, at));
  }

  paint(reader, n, at) {
    const width = this.panel.body.clientWidth;
    const colours = ink(this.panel.app.root);
    const g = this.surface.begin(width, this.height ?? 10); // for measuring; begun again below where the height is another
    const { all, height } = boxes(g, width, reader.labels, n, at.i);
    this.boxes = all;
    this.height = height;
    this.surface.begin(width, height);
    for (const box of all)
      step(g, (this.stores[box.stage] ??= {}), reader, n, box, at, colours, this.panel.app.dark);
    const [row, column] = spot(at);
    for (const box of all) {
      if (box.stage === at.stage) frame(g, box, { row, column }, colours, 2.5);
      for (const light of sources(at, n.how)) if (light.stage === box.stage) frame(g, box, light, colours);
    }
  }

  find(px, py) {
    const box = this.boxes?.find((b) => cellAt(b, px, py));
    if (!box) return null;
    const reader = this.panel.reader();
    const [row, column] = cellAt(box, px, py);
    const token = reader.place(row);
    if (box.square) return { ...token, other: column + reader.offset, field: box.stage };
    if (BY_KEY.has(box.stage)) return { other: row + reader.offset, unit: column, field: box.stage };
    return { ...token, unit: column, field: box.stage };
  }

  reading({ labels, offset }, n, { i, j }) {
    const word = (t) => `“${visible(labels[t])}”`;
    const sum = (at) => digits(labels.reduce((all, _, t) => all + n.attention[at(t)], 0));
    const before =
      n.how === "scale.mask" && offset > 0 ? " together with the tokens before the part shown" : "";
    const sums =
      n.how === "column"
        ? "Each column adds up to 1, but the rows do not: the weights of a token no longer add up to 1."
        : `Each row adds up to 1${before}, but the columns do not: some tokens get more attention than others.`;
    return `${word(i)} reads ${digits(100 * n.attention[i * n.T + j])} % of ${word(j)}. ${sums} Sums: row ${sum((t) => i * n.T + t)}, column ${sum((t) => t * n.T + j)}.`;
  }

  table() {
    const reader = this.panel.reader();
    const n = numbers(reader);
    const rows = Array.from({ length: n.T ** 2 }, (_, at) => [
      ...[Math.floor(at / n.T), at % n.T].map((t) => visible(reader.labels[t])),
      ...SQUARES.map((stage) => digits(n[stage][at])),
    ]);
    return { columns: ["looks", "looked at", "q · k", "scaled", "masked", "weight"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
