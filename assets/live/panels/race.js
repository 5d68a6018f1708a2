// Which model predicted best: the text cut where all readers cut; every piece in the colour of the reader that gave it the largest share, the stronger the clearer.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, element, follow, short, visible } from "../dom.js";
import { cellsPointed, fold, looked, segments, times } from "../sums/segments.js";

const TEXT = 26,
  NOTE = 16,
  GAP = 8,
  FULL = 6; // FULL: bits of margin in full colour

export default class Race {
  measure;

  constructor(panel) {
    this.panel = panel;
    this.key = element("ul", "un-race");
    panel.body.append(this.key);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.high = TEXT + NOTE;
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
    this.cells = segments(readers, app.points, false).map((cell) => ({ ...cell, ...this.judge(cell) }));
    const width = panel.body.clientWidth;
    const g = (this.measure ??= document.createElement("canvas").getContext("2d"));
    g.font = mono(15);
    const lines = fold(
      this.cells,
      (c) => Math.max(11, Math.ceil(g.measureText(visible(c.text)).width) + 3),
      width,
    );
    const block = TEXT + NOTE + GAP;
    const on = this.surface.begin(width, Math.max(1, lines) * block);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const at = looked(this);
    on.textAlign = "center";
    on.textBaseline = "middle";
    for (const cell of this.cells) {
      cell.left = cell.x;
      cell.top = cell.line * block;
      if (cell.winner >= 0) {
        on.fillStyle = style.getPropertyValue(`--un-reader-${readers[cell.winner].spec.colour}`);
        on.globalAlpha = 0.1 + 0.5 * Math.min(1, cell.margin / FULL);
        on.fillRect(cell.left + 0.5, cell.top, cell.width - 1, TEXT);
        on.globalAlpha = 1;
        on.fillRect(cell.left + 0.5, cell.top + TEXT - 3, cell.width - 1, 3);
      }
      if (cell === at) {
        on.strokeStyle = colours.accent;
        on.lineWidth = 2;
        on.strokeRect(cell.left + 1, cell.top + 1, cell.width - 2, TEXT - 2);
      }
      on.font = mono(15);
      on.fillStyle = colours.text;
      on.fillText(
        short(cell.text, Math.max(1, Math.floor(cell.width / 9))),
        cell.left + cell.width / 2,
        cell.top + TEXT / 2 - 1,
      );
      on.font = font(10);
      on.fillStyle = colours.faint;
      const note =
        cell.unknown.some(Boolean) && cell.winner < 0
          ? "?"
          : Number.isFinite(cell.margin)
            ? cell.margin.toFixed(1)
            : "";
      if (cell.width >= 22 || note === "?")
        on.fillText(note, cell.left + cell.width / 2, cell.top + TEXT + NOTE / 2);
    }
    follow(this.key, this.sums(), ({ name, colour, wins, bits, each, unknown }) => {
      const item = element("li", "un-race-item");
      const mark = element("i", "");
      mark.style.background = `var(--un-reader-${colour})`;
      const words = `${wins} of ${this.cells.length} pieces · ${bits} bits · ${each} bits per character${unknown ? ` · ${unknown} not known` : ""}`;
      item.append(mark, element("b", "", { textContent: name }), element("span", "", { textContent: words }));
      return item;
    });
    panel.read(this.sentence(at));
  }

  sums() {
    const length = this.cells.length ? this.cells.at(-1).stop - this.cells[0].start : 0;
    return this.readers.map((reader, m) => {
      const bits = this.cells.reduce((sum, c) => sum + c.bits[m], 0);
      return {
        name: reader.spec.title,
        colour: reader.spec.colour,
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
    const looking = selection.hovered.token !== undefined || selection.kept.token !== undefined;
    const most = this.cells.reduce((a, b) => ((b.spread || 0) > (a.spread || 0) ? b : a));
    const cell = looking && at ? at : most;
    const said = this.readers
      .map(
        (r, m) => `${r.spec.title} ${cell.unknown[m] ? "does not know it" : `${digits(cell.bits[m])} bits`}`,
      )
      .join(", ");
    return `${cell === at && looking ? "" : "Largest spread at "}“${visible(cell.text)}”: ${said}.${cell.winner >= 0 ? ` ${this.readers[cell.winner].spec.title} held it for ${times(cell.margin)} times as likely as the next best.` : ""}`;
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
    return {
      columns: [
        "piece",
        ...this.readers.map((r) => `${r.spec.title} (bits)`),
        "best predicted by",
        "margin (bits)",
      ],
      rows: this.cells.map((c) => [
        visible(c.text),
        ...c.bits.map((b, m) => `${digits(b)}${c.unknown[m] ? " as unknown" : ""}`),
        this.readers[c.winner]?.spec.title ?? "nobody",
        digits(c.margin),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.sums()
      .map((s) => `${s.name} saw ${s.wins} of ${this.cells.length} pieces coming best`)
      .join(", ")}. ${this.panel.readout.textContent}`;
  }
}

const mono = (size) =>
  `${size}px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace`;
