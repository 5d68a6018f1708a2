// Which model predicted best: the text cut where all readers cut; every piece in the colour of the reader
// that gave it the largest share, the stronger the clearer.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, element, follow, short, visible } from "../dom.js";
import { cellsPointed, fold, looked, mono, monoWidth } from "../marks/cells.js";
import { segments, times } from "../sums/segments.js";

const TEXT = 26,
  NOTE = 16,
  GAP = 8,
  FULL = 6; // bits of margin in full colour

export default class Race {
  constructor(panel) {
    this.panel = panel;
    this.key = element("ul", "un-race");
    panel.body.append(this.key);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    cellsPointed(this);
  }

  // The winner of a piece, how many bits it was ahead of the next, and between the best and the worst.
  judge(cell) {
    const known = cell.bits
      .map((bits, m) => ({ bits, m }))
      .filter(({ m }) => !cell.unknown[m])
      .sort((a, b) => a.bits - b.bits);
    if (known.length < 2 || !Number.isFinite(known[0].bits)) return { winner: -1, margin: NaN, spread: NaN };
    const margin = known[1].bits - known[0].bits;
    return { winner: margin > 1e-9 ? known[0].m : -1, margin, spread: known.at(-1).bits - known[0].bits };
  }

  draw() {
    const { panel } = this;
    const { app } = panel;
    const readers = [...app.readers.values()];
    this.readers = readers;
    /** @type {any[]} */
    this.cells = segments(readers, app.points, false).map((cell) => ({ ...cell, ...this.judge(cell) }));
    const width = panel.body.clientWidth;
    const block = TEXT + NOTE + GAP;
    const wide = (cell) => Math.max(11, monoWidth(cell.text, 15) + 3);
    const lines = fold(this.cells, wide, width, { high: TEXT + NOTE, block });
    const g = this.surface.begin(width, Math.max(1, lines) * block);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const sides = readers.map((r) => style.getPropertyValue(`--un-reader-${r.spec.colour}`));
    const at = looked(this);
    g.textAlign = "center";
    g.textBaseline = "middle";
    for (const cell of this.cells) this.cell(g, cell, cell === at, sides, colours);
    follow(this.key, this.sums(), (sum) => this.item(sum));
    panel.read(this.sentence(at));
  }

  cell(g, { x, y, w, winner, margin, text, unknown }, here, sides, colours) {
    if (winner >= 0) {
      g.fillStyle = sides[winner];
      g.globalAlpha = 0.1 + 0.5 * Math.min(1, margin / FULL);
      g.fillRect(x + 0.5, y, w - 1, TEXT);
      g.globalAlpha = 1;
      g.fillRect(x + 0.5, y + TEXT - 3, w - 1, 3);
    }
    if (here) {
      g.strokeStyle = colours.accent;
      g.lineWidth = 2;
      g.strokeRect(x + 1, y + 1, w - 2, TEXT - 2);
    }
    g.font = mono(15);
    g.fillStyle = colours.text;
    g.fillText(short(text, Math.max(1, Math.floor(w / 9))), x + w / 2, y + TEXT / 2 - 1);
    g.font = font(10);
    g.fillStyle = colours.faint;
    const lost = unknown.some(Boolean) && winner < 0;
    if (lost) g.fillText("?", x + w / 2, y + TEXT + NOTE / 2);
    else if (w >= 22)
      g.fillText(Number.isFinite(margin) ? margin.toFixed(1) : "", x + w / 2, y + TEXT + NOTE / 2);
  }

  item({ name, colour, wins, bits, each, unknown }) {
    const item = element("li", "un-race-item");
    const mark = element("i", "");
    mark.style.background = `var(--un-reader-${colour})`;
    const words = `${wins} of ${this.cells.length} pieces, ${bits} bits, ${each} bits per character${unknown ? `, ${unknown} not known` : ""}`;
    item.append(mark, element("b", "", { textContent: name }), element("span", "", { textContent: words }));
    return item;
  }

  sums() {
    const length = this.cells.length ? this.cells.at(-1).stop - this.cells[0].start : 0;
    return this.readers.map(({ spec }, m) => {
      const bits = this.cells.reduce((sum, c) => sum + c.bits[m], 0);
      return {
        name: spec.title,
        colour: spec.colour,
        wins: this.cells.filter((c) => c.winner === m).length,
        bits: digits(bits),
        each: digits(length ? bits / length : NaN),
        unknown: this.cells.filter((c) => c.unknown[m]).length,
      };
    });
  }

  sentence(at) {
    if (!this.cells.length) return "Nothing can be compared yet: the models have no split point in common.";
    const { selection } = this.panel;
    const looking = at && (selection.hovered.token !== undefined || selection.kept.token !== undefined);
    const most = this.cells.reduce((a, b) => ((b.spread || 0) > (a.spread || 0) ? b : a));
    const { text, bits, unknown, winner, margin } = looking ? at : most;
    const said = this.readers.map(
      ({ spec }, m) => `${spec.title} ${unknown[m] ? "does not know it" : `${digits(bits[m])} bits`}`,
    );
    const held = `${this.readers[winner]?.spec.title} held it for ${times(margin)} times as likely as the next best.`;
    return `${looking ? "" : "Largest spread at "}“${visible(text)}”: ${said.join(", ")}.${winner >= 0 ? ` ${held}` : ""}`;
  }

  drawn() {
    const { cells, readers } = this;
    return {
      segments: {
        axes: ["token", "method"],
        labels: [cells.map((c) => c.text), readers.map((r) => r.spec.title)],
        values: Float32Array.from(cells.flatMap((c) => c.bits)),
      },
    };
  }

  table() {
    const names = this.readers.map((r) => r.spec.title);
    return {
      columns: ["piece", ...names.map((name) => `${name} (bits)`), "best predicted by", "margin (bits)"],
      rows: this.cells.map((c) => [
        visible(c.text),
        ...c.bits.map((b, m) => `${digits(b)}${c.unknown[m] ? " as unknown" : ""}`),
        names[c.winner] ?? "nobody",
        digits(c.margin),
      ]),
    };
  }

  alt() {
    const won = this.sums().map((s) => `${s.name} predicted ${s.wins} of ${this.cells.length} pieces best`);
    return `${this.panel.title.textContent}. ${won.join(", ")}. ${this.panel.readout.textContent}`;
  }
}
