// A grid of words against words or tokens: its labels, its cells, and what lies under the pointer.

import { Surface, font, ink, legend, luminance, raster } from "./canvas.js";
import { short } from "./dom.js";

const LEGEND = 30;

export class WordGrid {
  // `cell(row, column, kept)` is called for what the pointer is over, and once more when it is clicked.
  constructor(panel, cell) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.store = {};
    this.surface.onPointer(
      (x, y) => this.at(x, y, (r, c) => { this.over = true; cell(r, c, false); }) || this.leave(),
      (x, y) => this.at(x, y, (r, c) => cell(r, c, true)),
      () => this.leave(),
    );
  }

  leave() {
    this.over = false;
    this.panel.selection.leave();
  }

  at(x, y, use) {
    const b = this.box;
    if (!b || x < b.left || y < b.top || x >= b.left + b.wide || y >= b.top + b.high) return false;
    use(Math.floor((y - b.top) / b.cell), Math.floor((x - b.left) / b.cell));
    return true;
  }

  // rows, columns: labels; values row by row; marked: [row, column] framed; write: how a number is written in its cell
  draw({ rows, columns, values, scale, marked, write, label, most = 44 }) {
    const { panel, surface } = this;
    const width = panel.body.clientWidth;
    const colours = ink(panel.app.root);
    const left = Math.min(92, Math.max(30, 8 + 7 * Math.max(...rows.map((r) => Array.from(short(r, 12)).length))));
    const longest = Math.max(...columns.map((c) => Array.from(short(c, 12)).length));
    const cell = Math.max(2, Math.min(most, (width - left - 12) / columns.length));
    const top = Math.min(76, 14 + 6 * longest);
    const [wide, high] = [cell * columns.length, cell * rows.length];
    const g = surface.begin(width, top + high + (label ? LEGEND + 10 : 6));
    g.imageSmoothingEnabled = false;
    g.drawImage(raster(this.store, values, rows.length, columns.length, 0, columns.length, 1, scale), left, top, wide, high);
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.strokeRect(left - 0.5, top - 0.5, wide + 1, high + 1);
    this.box = { left, top, wide, high, cell };
    const size = Math.max(9, Math.min(13, cell * 0.8));
    const every = Math.max(1, Math.ceil(9 / cell));
    g.textBaseline = "middle";
    const put = (word, k, on, draw) => {
      if (k % every && !on) return;
      g.fillStyle = on ? colours.accent : colours.text;
      g.font = font(size, on ? 700 : 400);
      draw(short(word, 12));
    };
    rows.forEach((word, i) => put(word, i, i === marked?.[0], (said) => { g.textAlign = "right"; g.fillText(said, left - 6, top + (i + 0.5) * cell); }));
    columns.forEach((word, j) => put(word, j, j === marked?.[1], (said) => {
      g.save();
      g.translate(left + (j + 0.5) * cell, top - 6);
      g.rotate(-Math.PI / 2.6);
      g.textAlign = "left";
      g.fillText(said, 0, 0);
      g.restore();
    }));
    const room = write ? (cell - 3) / (0.58 * Array.from(values).reduce((most, v) => Math.max(most, write(v).length), 1)) : 0;
    if (room >= 8) {
      g.textAlign = "center";
      g.font = font(Math.min(12, room));
      for (let i = 0; i < rows.length; i++)
        for (let j = 0; j < columns.length; j++) {
          const said = write(values[i * columns.length + j]);
          if (!said) continue;
          g.fillStyle = luminance(scale.packed(values[i * columns.length + j])) < 128 ? "#ffffff" : "#111111";
          g.fillText(said, left + (j + 0.5) * cell, top + (i + 0.5) * cell);
        }
    }
    if (marked) {
      g.strokeStyle = colours.accent;
      g.lineWidth = 1.5;
      if (marked[0] >= 0) g.strokeRect(left - 1, top + marked[0] * cell, wide + 2, cell);
      if (marked[1] >= 0) g.strokeRect(left + marked[1] * cell, top - 1, cell, high + 2);
    }
    if (label) legend(g, left, top + high + 12, Math.min(160, Math.max(80, width - left - 150)), scale, label, colours);
  }
}
