// The memory of a model at one token: a row for each slot with its numbers, and at its left how much it is written and read.

import { Scale, Surface, font, ink, legend } from "../drawing/canvas.js";
import { digits, percent, small, visible } from "../dom.js";
import { cellAt, frame, grid } from "../marks/grid.js";

const [TOP, LEFT, BARS, LEGEND, LEAST] = [24, 30, 66, 34, 0.05];

export default class Slots {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      () => {},
      () => this.look(-1, -1),
    );
  }

  // As many slots as some token has written to.
  rows(reader) {
    const { shape, values } = reader.fields.get("write.address");
    let last = 5;
    for (let i = 0; i < values.length; i++) if (values[i] > LEAST) last = Math.max(last, i % shape[1]);
    return Math.min(shape[1], last + 1);
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    this.box = null;
    if (!reader.labels.length) {
      this.surface.begin(1, 1);
      panel.say(panel.spec.title, panel.spec.says);
      return panel.read("");
    }
    const t = selection.token(reader);
    const [, N, D] = reader.fields.get("memory").shape;
    const rows = this.rows(reader);
    const width = panel.body.clientWidth;
    const tall = Math.max(9, Math.min(20, 260 / rows));
    const g = this.surface.begin(width, TOP + rows * tall + LEGEND);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const scale = new Scale(reader.spec.fields.memory.scale, app.dark);
    const x = LEFT + 2 * BARS;
    const box = (this.box = { x, y: TOP, w: width - x - 2, h: rows * tall, rows, columns: D });
    const { values } = reader.fields.get("memory");
    grid(g, this.store, box, { values, start: t * N * D, down: D, across: 1 }, scale, colours);
    g.textBaseline = "middle";
    g.font = font(11);
    ["write", "read"].forEach((head, i) => {
      g.textAlign = "left";
      g.fillStyle = colours.text;
      g.fillText(head === "write" ? small("written") : small("read"), LEFT + i * BARS, TOP - 12, BARS - 10);
      g.fillStyle = style.getPropertyValue(`--un-line-${i}`);
      for (let n = 0; n < rows; n++) {
        const w = reader.value(`${head}.address`, { token: t, slot: n });
        g.fillRect(LEFT + i * BARS, TOP + n * tall + 1, (BARS - 6) * w, tall - 2);
      }
    });
    g.textAlign = "right";
    g.fillStyle = colours.faint;
    for (let n = 0; n < rows; n += tall >= 12 ? 1 : 4) g.fillText(`${n}`, LEFT - 6, TOP + (n + 0.5) * tall);
    g.textAlign = "left";
    g.fillText("numbers of the slot", x, TOP - 12, box.w);
    if (this.over) frame(g, box, { row: this.over[0], column: this.over[1] }, colours);
    legend(g, LEFT, TOP + rows * tall + 8, 120, scale, "what is in the slot", colours);
    panel.say(`The memory after “${visible(reader.labels[t])}”`, panel.spec.says);
    this.tell(reader, t, N, rows);
  }

  look(x, y) {
    this.over = cellAt(this.box, x, y);
    this.draw();
  }

  tell(reader, t, N, rows) {
    if (this.over) {
      const [slot, dim] = this.over;
      const [write, read] = ["write", "read"].map((head) =>
        percent(reader.value(`${head}.address`, { token: t, slot })),
      );
      const is = digits(reader.value("memory", { token: t, slot, dim }));
      const was = this.before(reader, t, slot, dim);
      if (was === null)
        return this.panel.read(`Slot ${slot}, number ${dim + 1}: ${is}. Written ${write}, read ${read}.`);
      const w = digits(reader.value("write.address", { token: t, slot }));
      const [erase, add] = ["erase", "add"].map((name) => digits(reader.value(name, { token: t, dim })));
      return this.panel.read(
        `Slot ${slot}, number ${dim + 1}: ${digits(was)} × (1 − ${w} × ${erase} erased) + ${w} × ${add} added = ${is}. Written ${write}, read ${read}.`,
      );
    }
    this.panel.read(
      N > rows ? `${N} slots; the ${N - rows} below are nearly as they were at the start.` : `${N} slots.`,
    );
  }

  // What stood there before this token; null where that is not known here.
  before(reader, t, slot, dim) {
    if (t) return reader.value("memory", { token: t - 1, slot, dim });
    return reader.offset ? null : this.panel.spec.start;
  }

  table() {
    const reader = this.panel.reader();
    if (!reader.labels.length) return { columns: [], rows: [] };
    const t = this.panel.selection.token(reader);
    const [, N, D] = reader.fields.get("memory").shape;
    return {
      columns: [
        small("slot"),
        small("written"),
        small("read"),
        ...Array.from({ length: D }, (_, dim) => `number ${dim + 1}`),
      ],
      rows: Array.from({ length: N }, (_, slot) => [
        slot,
        ...["write", "read"].map((head) => percent(reader.value(`${head}.address`, { token: t, slot }))),
        ...Array.from({ length: D }, (_, dim) => digits(reader.value("memory", { token: t, slot, dim }))),
      ]),
    };
  }
}
