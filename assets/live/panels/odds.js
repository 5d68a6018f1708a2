// The duel: over each word a bar up where it speaks for the first reader, down where it speaks for the second; below, the running total.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, element, short, visible } from "../dom.js";
import { cellsPointed, fold, looked, segments, times } from "../sums/segments.js";

const BAR = 46,
  TEXT = 22,
  NOTE = 16,
  GAP = 12,
  FULL = 24,
  MOST = 5; // FULL: bits at the end of a bar

const signed = (v) => (v > 0 ? `+${digits(v)}` : digits(v));

export default class Odds {
  measure;

  constructor(panel) {
    this.panel = panel;
    this.total = element("p", "un-total");
    panel.body.append(this.total);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.sides = element("div", "un-odds");
    panel.body.append(this.sides);
    this.high = 2 * BAR + TEXT + NOTE;
    cellsPointed(this);
  }

  draw() {
    const { panel } = this;
    const { app } = panel;
    const readers = [...app.readers.values()];
    this.readers = readers;
    let sum = 0;
    this.cells = segments(readers, app.points, true).map((cell) => {
      const odds = cell.unknown.some(Boolean) ? NaN : cell.bits[1] - cell.bits[0];
      if (Number.isFinite(odds)) sum += odds;
      return { ...cell, odds, sum };
    });
    this.sum = sum;
    const width = panel.body.clientWidth;
    const measure = (this.measure ??= document.createElement("canvas").getContext("2d"));
    measure.font = mono(14);
    const lines = fold(
      this.cells,
      (c) => Math.max(36, Math.ceil(measure.measureText(visible(c.text)).width) + 8),
      width,
    );
    const block = this.high + GAP;
    const g = this.surface.begin(width, Math.max(1, lines) * block);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const side = readers.map((r) => style.getPropertyValue(`--un-reader-${r.spec.colour}`));
    const at = looked(this);
    g.textAlign = "center";
    g.textBaseline = "middle";
    for (let line = 0; line < lines; line++) {
      g.strokeStyle = colours.line;
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(0, line * block + BAR + 0.5);
      g.lineTo(width, line * block + BAR + 0.5);
      g.stroke();
    }
    for (const cell of this.cells) {
      cell.left = cell.x;
      cell.top = cell.line * block;
      const middle = cell.left + cell.width / 2,
        zero = cell.top + BAR;
      if (cell === at) {
        g.fillStyle = colours.accent;
        g.globalAlpha = 0.12;
        g.fillRect(cell.left, cell.top, cell.width, this.high);
        g.globalAlpha = 1;
      }
      const high = (BAR - 12) * Math.min(1, Math.abs(cell.odds) / FULL) || 0;
      g.fillStyle = side[cell.odds > 0 ? 0 : 1];
      g.fillRect(cell.left + 4, cell.odds > 0 ? zero - high : zero, cell.width - 8, high);
      g.font = font(11, 600);
      g.fillStyle = colours.text;
      g.fillText(
        Number.isNaN(cell.odds)
          ? "?"
          : `${cell.odds > 0 ? "+" : ""}${Number.isFinite(cell.odds) ? cell.odds.toFixed(1).replace("-", "−") : digits(cell.odds)}`,
        middle,
        cell.odds > 0 ? zero - high - 6 : zero + high + 7,
      );
      g.font = mono(14);
      g.fillText(
        short(cell.text, Math.max(1, Math.floor(cell.width / 8.4))),
        middle,
        cell.top + 2 * BAR + TEXT / 2,
      );
      g.font = font(11);
      g.fillStyle = colours.faint;
      g.fillText(cell.sum.toFixed(1).replace("-", "−"), middle, cell.top + 2 * BAR + TEXT + NOTE / 2);
    }
    this.say();
    panel.read(this.sentence(at));
  }

  say() {
    const [a, b] = this.readers.map((r) => r.spec.title);
    const left = this.cells.filter((c) => !Number.isFinite(c.odds)).length;
    const total = this.cells.length
      ? `Together ${signed(this.sum)} bits: this text${left ? ", as far as it counts," : ""} is ${times(Math.abs(this.sum))} times as likely in ${this.sum < 0 ? b : a}. If both were equally likely before, it is from ${a} with ${percent(1 / (1 + 2 ** -this.sum))}, from ${b} with ${percent(1 / (1 + 2 ** this.sum))}.${left ? ` ${left === 1 ? "One word does" : `${left} words do`} not count: one side does not know ${left === 1 ? "it" : "them"}, or rules ${left === 1 ? "it" : "them"} out.` : ""}`
      : "Type a word.";
    if (this.total.textContent !== total) this.total.textContent = total;
    const best = (sign) =>
      this.cells
        .filter((c) => sign * c.odds > 0 && Number.isFinite(c.odds))
        .sort((x, y) => sign * (y.odds - x.odds))
        .slice(0, MOST)
        .map((c) => `${visible(c.text.trim() || c.text)} ${signed(c.odds)}`)
        .join(", ") || "nothing here";
    const words = [`Strongest evidence for ${a}: ${best(1)}.`, `For ${b}: ${best(-1)}.`];
    if (this.sides.textContent === words.join("")) return;
    this.sides.replaceChildren(
      ...words.map((w, i) => {
        const p = element("p", "un-odds-side", { textContent: w });
        p.style.borderColor = `var(--un-reader-${this.readers[i].spec.colour})`;
        return p;
      }),
    );
  }

  sentence(at) {
    if (!at) return "";
    const [a, b] = this.readers.map(
      (r, m) => `${r.spec.title} ${at.unknown[m] ? "does not know it" : `${digits(at.bits[m])} bits`}`,
    );
    return `“${visible(at.text)}”: ${a}, ${b}${Number.isNaN(at.odds) ? "" : `, so ${signed(at.odds)}`}; up to here ${signed(at.sum)}.`;
  }

  drawn() {
    return {
      odds: {
        axes: ["token"],
        labels: [this.cells.map((c) => c.text)],
        values: Float32Array.from(this.cells, (c) => c.odds),
      },
    };
  }

  table() {
    const [a, b] = this.readers.map((r) => r.spec.title);
    return {
      columns: ["word", `${a} (bits)`, `${b} (bits)`, `for ${a} (bits)`, "running total"],
      rows: this.cells.map((c) => [
        visible(c.text),
        ...c.bits.map((v, m) => `${digits(v)}${c.unknown[m] ? " as unknown" : ""}`),
        signed(c.odds),
        signed(c.sum),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.total.textContent} ${this.sides.textContent}`;
  }
}

// Close to 0 and to 1 a share is told from its end.
const percent = (p) =>
  p > 0.9999 ? "more than 99.99 %" : p < 0.0001 ? "less than 0.01 %" : `${(100 * p).toPrecision(3)} %`;
const mono = (size) =>
  `${size}px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace`;
