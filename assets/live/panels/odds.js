// The duel: over each word a bar up where it speaks for the first reader, down where it speaks for the second; below, the running total.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, element, put, short, visible } from "../dom.js";
import { shade } from "../marks/axes.js";
import { cellsPointed, fold, looked, mono, monoWidth } from "../marks/cells.js";
import { segments, times } from "../sums/segments.js";

const BAR = 46,
  TEXT = 22,
  NOTE = 16,
  GAP = 12,
  HIGH = 2 * BAR + TEXT + NOTE,
  FULL = 24, // bits at the end of a bar
  MOST = 5;

const signed = (v) => (v > 0 ? `+${digits(v)}` : digits(v));
const tenths = (v) => v.toFixed(1).replace("-", "−");

export default class Odds {
  constructor(panel) {
    this.panel = panel;
    this.total = element("p", "un-total");
    panel.body.append(this.total);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.sides = element("div", "un-odds");
    panel.body.append(this.sides);
    cellsPointed(this);
  }

  draw() {
    const { panel } = this;
    const { app } = panel;
    const readers = [...app.readers.values()];
    this.readers = readers;
    this.sum = 0;
    /** @type {any[]} */
    this.cells = segments(readers, app.points, true).map((cell) => {
      const odds = cell.unknown.some(Boolean) ? NaN : cell.bits[1] - cell.bits[0];
      if (Number.isFinite(odds)) this.sum += odds;
      return { ...cell, odds, sum: this.sum };
    });
    const width = panel.body.clientWidth;
    const block = HIGH + GAP;
    const wide = (cell) => Math.max(36, monoWidth(cell.text, 14) + 8);
    const lines = fold(this.cells, wide, width, { high: HIGH, block });
    const g = this.surface.begin(width, Math.max(1, lines) * block);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const sides = readers.map((r) => style.getPropertyValue(`--un-reader-${r.spec.colour}`));
    const at = looked(this);
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.fillStyle = colours.line;
    for (let line = 0; line < lines; line++) g.fillRect(0, line * block + BAR, width, 1);
    for (const cell of this.cells) {
      if (cell === at) shade(g, cell, colours, 0.12);
      this.cell(g, cell, sides, colours);
    }
    this.say();
    panel.read(this.sentence(at));
  }

  cell(g, { x, y, w, odds, sum, text }, sides, colours) {
    const middle = x + w / 2,
      zero = y + BAR;
    const high = (BAR - 12) * Math.min(1, Math.abs(odds) / FULL) || 0;
    const up = odds > 0;
    g.fillStyle = sides[up ? 0 : 1];
    g.fillRect(x + 4, up ? zero - high : zero, w - 8, high);
    g.font = font(11, 600);
    g.fillStyle = colours.text;
    const amount = (up ? "+" : "") + (Number.isFinite(odds) ? tenths(odds) : digits(odds));
    g.fillText(Number.isNaN(odds) ? "?" : amount, middle, up ? zero - high - 6 : zero + high + 7);
    g.font = mono(14);
    g.fillText(short(text, Math.max(1, Math.floor(w / 8.4))), middle, y + 2 * BAR + TEXT / 2);
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.fillText(tenths(sum), middle, y + 2 * BAR + TEXT + NOTE / 2);
  }

  say() {
    const [a, b] = this.readers.map((r) => r.spec.title);
    put(this.total, this.cells.length ? this.verdict(a, b) : "Type a word.");
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

  verdict(a, b) {
    const { sum } = this;
    const left = this.cells.filter((c) => !Number.isFinite(c.odds)).length;
    const [those, them] = left === 1 ? ["One word does", "it"] : [`${left} words do`, "them"];
    const out = ` ${those} not count: one side does not know ${them}, or rules ${them} out.`;
    return `Together ${signed(sum)} bits: this text${left ? ", as far as it counts," : ""} is ${times(Math.abs(sum))} times as likely in ${sum < 0 ? b : a}. If both were equally likely before, it is from ${a} with ${percent(1 / (1 + 2 ** -sum))}, from ${b} with ${percent(1 / (1 + 2 ** sum))}.${left ? out : ""}`;
  }

  sentence(at) {
    if (!at) return "";
    const [a, b] = this.readers.map(
      (r, m) => `${r.spec.title} ${at.unknown[m] ? "does not know it" : `${digits(at.bits[m])} bits`}`,
    );
    const odds = Number.isNaN(at.odds) ? "" : `, so ${signed(at.odds)}`;
    return `“${visible(at.text)}”: ${a}, ${b}${odds}; up to here ${signed(at.sum)}.`;
  }

  drawn() {
    const values = Float32Array.from(this.cells, (c) => c.odds);
    return { odds: { axes: ["token"], labels: [this.cells.map((c) => c.text)], values } };
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
