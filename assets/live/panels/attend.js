// One head as a chain of matrices: input, query, key, value; product, scaled, masked, softmax; weighted values, reading.
// Pointing at a cell lights up what it is made of; its sum stands in the panel beside.

import { Surface, ink } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { SQUARES, cell, oneHead, sources, spot } from "../sums/onehead.js";
import { cellAt, frame } from "../marks/grid.js";
import { pointing } from "../marks/pointer.js";
import { HeadBar } from "./attend/bar.js";
import { BY_KEY, boxes } from "./attend/boxes.js";
import { step } from "./attend/step.js";
import { margins } from "./attend/margins.js";

export default class Attend {
  constructor(panel) {
    this.panel = panel;
    this.stores = {};
    this.bar = new HeadBar(panel, panel.reader().spec.head);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x, y) => this.find(x, y));
  }

  get wanted() {
    const { selection } = this.panel;
    return [selection.get("layer") ?? 0, selection.get("head") ?? 0];
  }

  // For the message to Python: the head wanted, and the one whose numbers are here.
  ask() {
    this.asked = this.wanted.join();
    return { at: this.wanted, at_before: this.panel.reader().said.at ?? null };
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const wanted = this.wanted.join();
    if (wanted !== reader.said.at?.join() && wanted !== this.asked) {
      this.asked = wanted;
      panel.app.again();
    }
    const n = oneHead(reader, panel.selection);
    const [layer, head] = reader.said.at ?? [0, 0];
    this.bar.draw([layer, head], n);
    const whose = n.own
      ? "All numbers are the model's own."
      : "Changed: from your change on, the numbers are computed here, over the tokens shown.";
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
      for (const light of sources(at, n.choice)) if (light.stage === box.stage) frame(g, box, light, colours);
    }
    margins(
      g,
      all.find(({ stage }) => stage === "attention"),
      n,
      at,
      colours,
    );
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
    const before = n.own && offset > 0 ? " together with the tokens before the part shown" : "";
    const sums = n.choice.column
      ? "Each column adds up to 1, but the rows do not: the weights of a token no longer add up to 1."
      : `Each row adds up to 1${before}, but the columns do not: some tokens get more attention than others.`;
    return `${word(i)} reads ${digits(100 * n.attention[i * n.T + j])} % of ${word(j)}. ${sums} Sums: row ${digits(n.rowSums[i])}, column ${digits(n.columnSums[j])}.`;
  }

  // What is on the screen besides the fields, for checks from outside.
  drawn() {
    const { labels, n } = this.now();
    const of = (stage) => ({
      axes: ["query", "key"],
      labels: [labels, labels],
      values: Float32Array.from(n[stage]),
    });
    return n.T ? Object.fromEntries(SQUARES.map((stage) => [`drawn.${stage}`, of(stage)])) : {};
  }

  now() {
    const reader = this.panel.reader();
    return { labels: reader.labels, n: oneHead(reader, this.panel.selection) };
  }

  table() {
    const { labels, n } = this.now();
    const rows = [];
    for (let i = 0; i < n.T; i++)
      for (let j = 0; j < n.T; j++) {
        const numbers = SQUARES.map((stage) => digits(n[stage][i * n.T + j]));
        rows.push([visible(labels[i]), visible(labels[j]), ...numbers]);
      }
    return { columns: ["looks", "looked at", "q · k", "scaled", "masked", "weight"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
