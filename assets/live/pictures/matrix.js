// Pictures across, captions down: cosines, and at a temperature what each caption says of the pictures, or each picture of
// the captions.

import { digits, element, percent, put } from "../dom.js";
import { heading } from "../convolution/squares.js";
import { Board, mounting } from "../descend/board.js";
import { Scale, font, luminance } from "../drawing/canvas.js";
import { bar, select, slider } from "../parts/controls.js";
import { softmax } from "../sums/digits.js";

const WAYS = [
  ["pictures", "each caption: which picture?"],
  ["captions", "each picture: which caption?"],
  ["cosine", "cosines"],
];
const WIDE = 640,
  LABEL = 290;

/** A picture of side x side cells, three bytes each. @param {string} bytes in base64 @param {number} side */
function thumbnail(bytes, side) {
  const canvas = Object.assign(document.createElement("canvas"), { width: side, height: side });
  const g = canvas.getContext("2d"),
    into = g.createImageData(side, side);
  const held = atob(bytes);
  for (let n = 0; n < side * side; n++)
    for (let k = 0; k < 4; k++) into.data[4 * n + k] = k < 3 ? held.charCodeAt(3 * n + k) : 255;
  g.putImageData(into, 0, 0);
  return canvas;
}

class Matrix extends Board {
  way = "pictures";
  /** @type {number | null} */
  log = null; // of the temperature
  /** @type {[number, number] | null} row and column under the pointer */
  over = null;

  constructor(parent) {
    super(parent, "Pictures across, captions down");
    this.choice = select(WAYS, (way) => this.show({ way }), "What a cell shows");
    this.heat = slider((log) => this.show({ log }), { min: "-2.5", max: "0.5", step: "0.05" }, "Temperature");
    this.said = element("span", "un-player-said");
    this.root.prepend(
      bar(this.choice, element("label", "", { textContent: "Temperature" }), this.heat, this.said),
    );
    this.root.append(this.says);
    Object.defineProperty(this.root, "matrix", { get: () => ({ shares: this.shares(), loss: this.loss() }) });
  }

  show(what) {
    Object.assign(this, what);
    this.refresh();
  }

  get temperature() {
    return this.log === null ? this.news.temperature : 10 ** this.log;
  }

  /** What the cells hold, row after row: nothing where a caption has no known word. */
  shares() {
    const { cosines, known } = this.news;
    const logits = cosines.map((row) => row.map((x) => x / this.temperature));
    if (this.way === "cosine") return cosines;
    if (this.way === "pictures") return logits.map((row, n) => (known[n] ? softmax(row) : row.map(() => 0)));
    const there = logits.filter((_, n) => known[n]);
    const columns = cosines[0].map((_, j) => softmax(there.map((row) => row[j])));
    let at = -1;
    return known.map((is) => (is ? ((at += 1), columns.map((column) => column[at])) : columns.map(() => 0)));
  }

  /** The symmetric cross-entropy, where each picture has its caption. @returns {number | null} */
  loss() {
    const { cosines, square } = this.news;
    if (!square) return null;
    const logits = cosines.map((row) => row.map((x) => x / this.temperature));
    const turned = logits.map((_, i) => logits.map((row) => row[i]));
    const one = (rows) => rows.reduce((sum, row, i) => sum - Math.log(Math.max(softmax(row)[i], 1e-300)), 0);
    return (one(logits) + one(turned)) / (2 * logits.length);
  }

  look(px, py) {
    const { left, top, cell, high } = this.place ?? {};
    const [i, j] = [Math.floor((py - top) / high), Math.floor((px - left) / cell)];
    const there = i >= 0 && j >= 0 && i < this.news.captions.length && j < this.news.pictures.length;
    this.over = there ? [i, j] : null;
    this.refresh();
  }

  draw(ink, width) {
    const { pictures, captions, known, side, square } = this.news;
    if (this.drawn !== pictures.join()) {
      this.drawn = pictures.join();
      this.images = pictures.map((one) => thumbnail(one, side));
    }
    if (this.log === null) this.heat.value = String(Math.log10(this.news.temperature));
    const wide = width >= WIDE,
      left = wide ? LABEL : 0,
      cell = Math.min(110, (width - left) / pictures.length),
      top = cell + 8,
      high = wide ? 40 : 62,
      lead = wide ? 0 : 22;
    this.place = { left, top, cell, high };
    const g = this.surface.begin(width, top + captions.length * high + 4);
    const shares = this.shares(),
      scale = new Scale(this.news.scales[this.way === "cosine" ? "cosine" : "share"], this.dark);
    g.imageSmoothingEnabled = false;
    this.images.forEach((image, j) => g.drawImage(image, left + j * cell + 2, 0, cell - 4, cell - 4));
    captions.forEach((caption, i) => {
      const y = top + i * high;
      const most = Math.max(...shares[i]);
      heading(
        g,
        caption.length > 38 ? `${caption.slice(0, 37)}…` : caption,
        0,
        y + (wide ? high / 2 : lead / 2),
        known[i] ? ink.text : ink.faint,
        wide ? 13 : 12,
      );
      shares[i].forEach((value, j) => {
        const x = left + j * cell;
        g.fillStyle = scale.css(value);
        g.fillRect(x + 1, y + lead, cell - 2, high - lead - 3);
        g.fillStyle = luminance(scale.packed(value)) < 128 ? "#ffffff" : "#111111";
        g.font = font(cell < 60 ? 11 : 13, value === most && known[i] ? 700 : 400);
        g.textAlign = "center";
        g.textBaseline = "middle";
        const said = !known[i]
          ? "–"
          : this.way === "cosine"
            ? digits(value)
            : value < 5e-4
              ? "0 %"
              : percent(value);
        g.fillText(said, x + cell / 2, y + lead + (high - lead) / 2);
        const here = this.over && this.over[0] === i && this.over[1] === j;
        if (!here && !(square && i === j)) return;
        g.strokeStyle = here ? ink.accent : ink.text;
        g.lineWidth = here ? 2.5 : 1.5;
        g.strokeRect(x + 1.5, y + lead + 0.5, cell - 3, high - lead - 4);
      });
    });
    this.words(shares);
  }

  words(shares) {
    const { captions, square, cosines } = this.news;
    const loss = this.loss();
    put(
      this.said,
      loss === null
        ? `${digits(this.temperature)}`
        : `${digits(this.temperature)}, loss ${digits(loss)} nats`,
    );
    const framed = square ? "Framed: what belongs together." : "One caption for each picture gives a loss.";
    const [i, j] = this.over ?? [0, 0];
    const one = `“${captions[i]}”, picture ${j + 1}: cosine ${digits(cosines[i][j])}, logit ${digits(cosines[i][j] / this.temperature)}.`;
    put(this.says, this.over ? one : `${framed} Point at a cell.`);
    this.node.setAttribute("role", "img");
    this.node.setAttribute(
      "aria-label",
      `${captions.length} captions and ${shares[0].length} pictures. ${framed}`,
    );
  }

  table() {
    const { captions, cosines } = this.news;
    const shares = this.shares();
    return {
      columns: ["caption", "picture", "cosine", "shown"],
      rows: captions.flatMap((caption, i) => cosines[i].map((x, j) => [caption, j + 1, x, shares[i][j]])),
    };
  }
}

export const mount = mounting(Matrix);
