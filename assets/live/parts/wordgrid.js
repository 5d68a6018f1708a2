// A grid of words against words or tokens: its labels, its cells, and what lies under the pointer.

import { Surface, ink, legend } from "../drawing/canvas.js";
import { short, visible } from "../dom.js";
import { cellAt, cellNumbers, columnNames, frame, grid, rowNames } from "../marks/grid.js";
import { pointing } from "../marks/pointer.js";
import { clusters } from "../segmentation.js";

const LEGEND = 30,
  TALLEST = 600; // of the cells, where they grow with the page

export class WordGrid {
  // tokens(row, column): the token of a cell and the other one, counted from the first that is shown.
  constructor(panel, tokens) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
    pointing(this, (x, y) => {
      const cell = cellAt(this.box, x, y);
      if (!cell) return null;
      const reader = panel.reader();
      const [t, other] = tokens(cell[0], cell[1]);
      return { ...reader.place(t), other: other + reader.offset };
    });
  }

  // rows, columns: labels; values row by row; marked: [row, column] framed; write: how a number is written in its cell
  /** @param {{rows: string[], columns: string[], values: Float32Array, scale: import("../drawing/canvas.js").Scale, marked: number[], most?: number,
   *   write?: (value: number) => string, label?: string}} what */
  draw({ rows, columns, values, scale, marked, write, label, most }) {
    const { panel, surface } = this;
    const width = panel.body.clientWidth;
    const colours = ink(panel.app.root);
    const left = Math.min(
      92,
      Math.max(30, 8 + 7 * Math.max(...rows.map((r) => clusters(short(r, 12)).length))),
    );
    const longest = Math.max(...columns.map((c) => clusters(short(c, 12)).length));
    const largest = most ?? Math.max(44, Math.min(64, TALLEST / rows.length));
    const cell = Math.max(2, Math.min(largest, (width - left - 12) / columns.length));
    const top = Math.min(76, 14 + 6 * longest);
    const [wide, high] = [cell * columns.length, cell * rows.length];
    const g = surface.begin(width, top + high + (label ? LEGEND + 10 : 6));
    const box = (this.box = {
      x: left,
      y: top,
      w: wide,
      h: high,
      rows: rows.length,
      columns: columns.length,
    });
    grid(g, this.store, box, { values }, scale, colours);
    rowNames(g, box, rows, marked?.[0] ?? -1, colours);
    columnNames(g, box, columns, marked?.[1] ?? -1, colours, top, -Math.PI / 2.6);
    const room = write
      ? (cell - 3) / (0.58 * Array.from(values).reduce((most, v) => Math.max(most, write(v).length), 1))
      : 0;
    if (room >= 8)
      cellNumbers(g, box, Math.min(12, room), scale, (r, c) => values[r * columns.length + c], write);
    if (marked?.[0] >= 0) frame(g, box, { row: marked[0] }, colours);
    if (marked?.[1] >= 0) frame(g, box, { column: marked[1] }, colours);
    if (label)
      legend(
        g,
        left,
        top + high + 12,
        Math.min(160, Math.max(80, width - left - 150)),
        scale,
        label,
        colours,
      );
  }
}

// Words against words as a table, row by row.
export function wordTable(words, values, write) {
  const said = (v) => (Number.isFinite(v) ? write(v) : "–");
  const rows = words.map((word, i) => {
    const row = values.subarray(i * words.length, (i + 1) * words.length);
    return [visible(word), ...Array.from(row, said)];
  });
  return { columns: ["", ...words.map((word) => visible(word))], rows };
}
