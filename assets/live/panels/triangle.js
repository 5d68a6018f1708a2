// Which step teaches which loss: a row for the loss of each token, a column for each step before it, and how long the
// gradient still is there.  It flows back along a row; where it is truncated, walls stand.

import { Scale, Surface, font, ink, legend } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { cellAt, columnNames, frame, grid, rowNames } from "../marks/grid.js";
import { bar, select, slider } from "../parts/controls.js";
import { chosen, cutAt, logs, power, size } from "../sums/backpropagation.js";
import { clusters } from "../segmentation.js";

const WHAT = [
  ["gradient.state", "the state"],
  ["gradient.weights", "the recurrent weights"],
  ["gradient.input", "the vector of the token"],
];

export default class Triangle {
  store = {};
  kept = {};

  constructor(panel) {
    this.panel = panel;
    const { selection, app } = panel;
    const keep = (place) => selection.keep(place, app);
    this.what = select(WHAT, (field) => keep({ field }), "Gradient with respect to");
    const { layers } = panel.reader().spec;
    const names = Array.from({ length: layers }, (_, n) => [n, `layer ${n + 1}`]);
    this.layer = layers > 1 ? select(names, (n) => keep({ layer: Number(n) }), "Layer") : null;
    this.cut = slider((chunk) => keep({ chunk }), { min: 0, step: 1 }, "Truncate after this many steps");
    this.cutSays = document.createElement("span");
    this.cutSays.className = "un-search-label";
    panel.body.append(bar(this.what, this.layer ?? "", this.cut, this.cutSays));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => selection.look(this.spot(x, y) ?? {}),
      (x, y) => {
        const spot = this.spot(x, y);
        if (spot) keep(spot);
      },
      () => selection.leave(),
    );
  }

  /** The loss looked at, q, and the step, k. */
  get at() {
    return chosen(this.panel.selection, this.panel.reader());
  }

  spotOf(q, k) {
    const reader = this.panel.reader();
    return { ...reader.place(q), other: k + reader.offset };
  }

  spot(x, y) {
    const found = cellAt(this.box, x, y);
    if (!found || found[0] < 1) return null;
    return this.spotOf(found[0], Math.min(found[1], found[0] - 1));
  }

  draw() {
    const { panel } = this;
    const { app } = panel;
    const reader = panel.reader();
    const n = reader.labels.length;
    const { q, k, name, layer, chunk } = this.at;
    this.what.value = name;
    if (this.layer) {
      this.layer.value = String(layer);
      this.layer.hidden = name === "gradient.input";
    }
    this.cut.max = String(Math.max(1, n - 1));
    if (Number(this.cut.value) !== chunk) this.cut.value = String(chunk);
    this.cutSays.textContent = chunk
      ? `truncated after ${chunk} steps: ${this.left(n, chunk)}`
      : "not truncated";
    const field = reader.fields.get(name);
    if (!field || n < 2) {
      this.box = null;
      this.surface.begin(10, 40);
      return panel.read("Type something: the first token that is predicted has the first row.");
    }
    const width = panel.body.clientWidth;
    const left = Math.min(84, width * 0.2);
    const tall = Math.max(360, innerHeight - 330); // all of it on the screen, where there is room
    const cell = Math.min(34, (width - left - 8) / n, Math.max(8, tall / n));
    const top = 12 + Math.min(64, this.longest(reader) * 6, cell * 3.2);
    const box = (this.box = { x: left, y: top, w: cell * n, h: cell * n, rows: n, columns: n });
    const g = this.surface.begin(width, top + box.h + 8);
    const colours = ink(app.root);
    const scale = new Scale(reader.spec.shades, app.dark);
    grid(g, this.store, box, { values: logs(this.kept, field, layer) }, scale, colours);
    rowNames(g, box, reader.labels, q, colours);
    columnNames(g, box, reader.labels, k, colours);
    if (chunk) this.walls(g, box, chunk, colours);
    frame(g, box, { row: q }, colours);
    if (k < q) frame(g, box, { row: q, column: k }, colours, 2.5);
    this.words(g, box, scale, colours, width);
    panel.read(this.told(q, k));
  }

  longest(reader) {
    return reader.labels.reduce((most, label) => Math.max(most, clusters(label).length), 1);
  }

  // What stands in the empty half: how to read it, and the colours.
  words(g, box, scale, colours, width) {
    const x = box.x + box.w * 0.5,
      room = Math.min(width, box.x + box.w) - x - 8;
    if (room < 120) return;
    g.font = font(12);
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillStyle = colours.faint;
    const lines = ["row: the loss of a token", "column: a step before it"];
    lines.forEach((line, i) => g.fillText(line, x, box.y + 14 + i * 17, room));
    legend(g, x, box.y + 50, Math.min(150, room - 10), scale, "", colours, power);
  }

  /** Of all terms, how many are left: a chunk of k steps is used by the losses of its k next tokens. */
  left(n, chunk) {
    let sum = 0;
    for (let q = 1; q < n; q++) sum += q - cutAt(q, chunk);
    return `${sum} of ${(n * (n - 1)) / 2} terms left`;
  }

  // Chunks of steps: what lies before the chunk of a loss is not reached.
  walls(g, box, chunk, colours) {
    const cell = box.w / box.columns;
    for (let from = chunk; from < box.columns; from += chunk) {
      const stop = Math.min(box.rows, from + chunk + 1);
      const [y, high] = [box.y + (from + 1) * cell, (stop - from - 1) * cell];
      g.fillStyle = colours.ground;
      g.globalAlpha = 0.82;
      g.fillRect(box.x, y, from * cell, high);
      g.globalAlpha = 1;
      g.fillStyle = colours.accent;
      g.fillRect(box.x + from * cell - 1, y, 2, high);
    }
  }

  told(q, k) {
    const reader = this.panel.reader();
    const { name, layer, chunk } = this.at;
    if (q < 1 || k >= q) return "";
    const value = size(reader, name, layer, q, k);
    const [loss, step] = [q, k].map((t) => `“${visible(reader.labels[t] ?? "")}”`);
    const back = q - k === 1 ? "1 step back" : `${q - k} steps back`;
    const what = WHAT.find(([id]) => id === name)?.[1];
    if (chunk && k < cutAt(q, chunk))
      return `Loss of ${loss} (${digits(reader.bits[q])} bits), ${back}, at ${step}: cut off; untruncated ${digits(value)}`;
    return `Loss of ${loss} (${digits(reader.bits[q])} bits), ${back}, at ${step}: gradient of ${what} ${digits(value)}`;
  }

  table() {
    const reader = this.panel.reader();
    const { name, layer } = this.at;
    const rows = [];
    for (let q = 1; q < reader.labels.length; q++)
      for (let k = 0; k < q; k++)
        rows.push([
          visible(reader.labels[q]),
          visible(reader.labels[k]),
          q - k,
          digits(size(reader, name, layer, q, k)),
        ]);
    return { columns: ["loss of", "at", "steps back", "length of the gradient"], rows };
  }
}
