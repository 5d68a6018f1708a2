// Where the sums of a trained LSTM stand on the curves that squash them: a histogram under each curve, and in grey where the
// curve is flat.  The border of what counts as flat is dragged.

import { percent, put } from "../dom.js";
import { font } from "../drawing/canvas.js";
import { ticks } from "../marks/axes.js";
import { course } from "../marks/lines.js";
import { halo, title } from "../marks/words.js";
import { bar, slider } from "../parts/controls.js";
import { Board, mounting } from "../descend/board.js";
import { ACTIVATIONS, border, shareAt } from "../sums/activations.js";

const TALL = 78,
  HEAD = 24,
  FOOT = 24,
  GAP = 26,
  LEAST = 0.01,
  MOST = 0.6;

class Gates extends Board {
  share = 0.1; // of the largest slope
  /** @type {any} the row under the pointer */
  over = null;

  constructor(parent) {
    super(parent, "The sums of a trained LSTM on their curves");
    this.root.classList.add("nr");
    this.node.classList.add("nr-gates");
    this.slide = slider(
      (v) => this.move(v / 100),
      { min: 100 * LEAST, max: 100 * MOST, step: 1 },
      "Flat where the slope is below this percentage of the largest",
    );
    this.told = document.createElement("span");
    this.told.className = "nr-told";
    this.root.prepend(bar(this.told, this.slide));
    this.root.append(this.says);
    Object.defineProperty(this.root, "gates", {
      get: () => ({ share: this.share, rows: this.cells?.map(({ row, flat }) => ({ ...row, flat })) }),
    });
  }

  move(share) {
    this.share = Math.min(MOST, Math.max(LEAST, share));
    this.refresh();
  }

  at_(px, py) {
    return this.cells?.find((c) => px >= c.x - 9 && px < c.x + c.w + 9 && py >= c.y && py < c.y + TALL);
  }

  grab(px, py) {
    this.held = this.at_(px, py);
    return !!this.held;
  }

  drag(px) {
    const { x, w, row } = this.held;
    const z = Math.abs(((px - x) / w) * 2 - 1) * this.news.farthest;
    this.move(shareAt(row.squash, z));
  }

  look(px, py) {
    this.over = this.at_(px, py) ?? null;
    this.refresh();
  }

  key(e) {
    const way = { ArrowLeft: 1, ArrowRight: -1 }[e.key];
    if (!way) return false;
    this.move(this.share + way / 100);
    return true;
  }

  /** What part of the sums lies below −z and above z; inside a column as much as its part. */
  flat({ counts, squash }) {
    const { farthest } = this.news;
    const wide = (2 * farthest) / counts.length;
    const z = border(squash, this.share);
    const total = counts.reduce((sum, n) => sum + n, 0);
    let [low, high] = [0, 0];
    counts.forEach((n, k) => {
      const from = -farthest + k * wide;
      low += n * Math.min(1, Math.max(0, (-z - from) / wide));
      high += n * Math.min(1, Math.max(0, (from + wide - z) / wide));
    });
    return [low / total, high / total];
  }

  draw(ink, width, colours) {
    const { layers, farthest } = this.news;
    const across = width < 700 ? 1 : Math.min(2, layers.length);
    const wide = (width - (across - 1) * GAP) / across;
    const block = HEAD + layers[0].rows.length * TALL + FOOT;
    const g = this.surface.begin(width, block * Math.ceil(layers.length / across));
    this.cells = [];
    layers.forEach((layer, n) => {
      const left = (n % across) * (wide + GAP) + 10,
        top = Math.floor(n / across) * block;
      title(g, layer.name, left, top + 9, ink);
      const w = wide - 20;
      layer.rows.forEach((row, r) => {
        const cell = { x: left, y: top + HEAD + r * TALL, w, row, layer: layer.name, flat: this.flat(row) };
        this.cells.push(cell);
        this.row(g, ink, colours, cell);
      });
      const marks = [-12, -8, -4, 0, 4, 8, 12].map((v) => [
        left + ((v + farthest) / (2 * farthest)) * w,
        String(v).replace("-", "−"),
      ]);
      ticks(g, marks, top + block - FOOT + 10, ink);
    });
    this.slide.value = String(Math.round(100 * this.share));
    put(
      this.told,
      `Flat, in grey: where the slope is below ${Math.round(100 * this.share)} % of the largest. Drag its border, or here:`,
    );
    const { over } = this;
    const found = over && this.cells.find((c) => c.row.name === over.row.name && c.layer === over.layer);
    put(
      this.says,
      found
        ? `${found.row.name}, ${found.layer}: ${percent(found.flat[0] + found.flat[1])} of the sums stand where the curve is flat, ${percent(found.flat[0])} on the left and ${percent(found.flat[1])} on the right.`
        : "The height of a column says how many sums fall there; the last one at each end holds all beyond ±12. Point at a row to read its numbers.",
    );
    this.node.setAttribute(
      "aria-label",
      `Histograms of the sums under their curves. Left and right move the border. ${this.cells
        .map((c) => `${c.row.name}, ${c.layer}: ${percent(c.flat[0] + c.flat[1])}`)
        .join("; ")}`,
    );
  }

  table() {
    const { layers, farthest } = this.news;
    const rows = layers.flatMap((layer) =>
      layer.rows.flatMap(({ name, counts }) => {
        const at = (k) => (2 * farthest * k) / counts.length - farthest;
        return counts.map((n, k) => [layer.name, name, at(k), at(k + 1), n]);
      }),
    );
    return { columns: ["Layer", "What is squashed", "from", "to", "how many"], rows };
  }

  row(g, ink, colours, { x, y, w, row, flat }) {
    const { farthest } = this.news;
    const base = y + TALL - 8,
      high = TALL - 22;
    const px = (v) => x + ((v + farthest) / (2 * farthest)) * w;
    const z = border(row.squash, this.share);
    g.fillStyle = ink.faint;
    g.globalAlpha = 0.15;
    g.fillRect(x, base - high, px(-z) - x, high);
    g.fillRect(px(z), base - high, x + w - px(z), high);
    g.globalAlpha = 1;
    const most = Math.max(...row.counts.slice(1, -1), 1);
    const step = w / row.counts.length;
    row.counts.forEach((n, k) => {
      const v = -farthest + ((k + 0.5) / row.counts.length) * 2 * farthest;
      g.fillStyle = Math.abs(v) > z ? colours[1] : colours[2];
      g.globalAlpha = 0.8;
      const tall = Math.min(1, n / most) * high;
      g.fillRect(x + k * step, base - tall, step + 0.3, tall);
    });
    g.globalAlpha = 1;
    g.fillStyle = ink.line;
    g.fillRect(x, base, w, 1);
    const { of, low } = ACTIVATIONS[row.squash];
    const v = (k) => farthest * (k / 120 - 1);
    course(
      g,
      241,
      (k) => px(v(k)),
      (k) => base - (high * (of(v(k)) - low)) / (1 - low),
      colours[0],
      2,
    );
    g.strokeStyle = ink.text;
    g.lineWidth = 1;
    g.setLineDash([3, 3]);
    for (const at of [-z, z]) {
      g.beginPath();
      g.moveTo(px(at), base - high);
      g.lineTo(px(at), base);
      g.stroke();
    }
    g.setLineDash([]);
    g.font = font(12);
    halo(g, row.name, x, y + 5, "left", ink);
    halo(g, percent(flat[0]), x + 4, base - high / 2, "left", ink);
    halo(g, percent(flat[1]), x + w - 4, base - high / 2, "right", ink);
  }
}

export const mount = mounting(Gates);
