// The text itself, as much of it as is shown, and under it one row a reader: how surprised it was by each of
// its tokens, in bits per character, so that readers with different tokens compare.

import { Scale, Surface, font, ink, legend, luminance } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { fold, letters, mono, monoWidth } from "../marks/cells.js";
import { boxAt, pointing } from "../marks/pointer.js";
import { mostSurprising, perCharacter } from "../sums/segments.js";

const ROW = 22,
  TEXT = 26,
  GAP = 12,
  LEFT = 118,
  NARROW = 560, // no room for names at the left
  LEGEND = 32;

export default class Ribbon {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x, y) => {
      const box = boxAt(this.boxes, x, y);
      return box && box.reader.place(box.t);
    });
  }

  // The letters in lines.
  lay(left, width, block) {
    const { app } = this.panel;
    const [start, stop] = app.window;
    const text = app.points.slice(start, stop).join("");
    const of = [text, start, width, block];
    if (this.laid?.of.every((part, i) => part === of[i])) return this.laid.lines;
    const cells = letters(text, start);
    const wide = (cell) => Math.max(9, monoWidth(cell.text, 15) + 1);
    const lines = Array.from({ length: fold(cells, wide, width, { left, block }) }, () => []);
    for (const cell of cells) lines[cell.line].push(cell);
    this.laid = { of, lines };
    return lines;
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const width = panel.body.clientWidth;
    const narrow = width < NARROW;
    const left = narrow ? 0 : LEFT;
    const readers = [...app.readers.values()];
    const names = ` Rows, from the top: ${readers.map((r) => r.spec.title).join(", ")}.`;
    panel.say(panel.spec.title, panel.spec.says + (narrow && readers.length > 1 ? names : ""));
    const block = TEXT + readers.length * ROW + GAP;
    const lines = this.lay(left, width - left - 4, block);
    const bottom = Math.max(1, lines.length) * block;
    const g = this.surface.begin(width, bottom + LEGEND);
    const colours = ink(app.root);
    const scale = new Scale(panel.spec.scale, app.dark);
    const focus = readers.map((r) => r.spans[selection.token(r)]);
    this.boxes = [];
    g.textBaseline = "middle";
    for (const cells of lines) {
      g.font = mono(15);
      g.textAlign = "center";
      for (const { x, y, w, start, label } of cells) {
        const lit = focus.some((s) => s && s[0] <= start && start < s[1]);
        g.fillStyle = lit ? colours.accent : /[·⏎⇥]/.test(label) ? colours.faint : colours.text;
        g.fillText(label, x + w / 2, y + TEXT / 2);
      }
      readers.forEach((reader, r) => {
        const y = cells[0].y + TEXT + r * ROW;
        if (!narrow) {
          g.font = font(12, 600);
          g.textAlign = "right";
          g.fillStyle = colours.text;
          g.fillText(reader.spec.title, left - 10, y + ROW / 2);
        }
        this.row(g, reader, cells, y, scale, colours, focus[r]);
      });
    }
    const long = Math.min(200, width - left - 130);
    legend(g, left, bottom + 8, long, scale, "bits per character", colours);
    panel.read(this.sentence(readers));
  }

  // The tokens of a reader under a line of the text.
  row(g, reader, cells, y, scale, colours, focus) {
    const [start, stop] = [cells[0].start, cells.at(-1).stop];
    g.textAlign = "center";
    reader.spans.forEach(([a, b], t) => {
      if (b === 0 || a >= stop || b <= start) return;
      const inside = cells.filter((c) => c.stop > a && c.start < Math.max(b, a + 1));
      if (!inside.length) return;
      const last = inside.at(-1);
      const box = { x: inside[0].x, y, w: last.x + last.w - inside[0].x, h: ROW, reader, t };
      const { x, w } = box;
      this.boxes.push(box);
      const fill = (bits) => {
        g.fillStyle = scale.css(bits);
        g.fillRect(x + 0.5, y + 1, w - 1, ROW - 3);
      };
      const bits = perCharacter(reader, t);
      fill(bits);
      if (focus && focus[0] === a && focus[1] === b) {
        g.strokeStyle = colours.accent;
        g.lineWidth = 2;
        g.strokeRect(x + 1, y + 1.5, w - 2, ROW - 4);
      }
      g.font = font(10);
      if (reader.unknown.has(t)) {
        fill(NaN); // cheap as <unk>, which is not the word: not a colour of the scale
        g.fillStyle = colours.text;
        g.fillText(w >= 60 ? "unknown" : "?", x + w / 2, y + ROW / 2);
      } else if (w >= 26) {
        g.fillStyle = luminance(scale.packed(bits)) < 128 ? "#ffffff" : "#111111";
        g.fillText(Number.isFinite(bits) ? bits.toFixed(1) : digits(bits), x + w / 2, y + ROW / 2 + 0.5);
      }
    });
  }

  sentence(readers) {
    const { selection } = this.panel;
    const word = (r, t) => `${r.spec.title}: “${visible(r.labels[t] ?? "")}”`;
    if (selection.hovered.token === undefined && selection.kept.token === undefined) {
      const worst = readers
        .map((r) => [r, mostSurprising(r)])
        .filter(([, t]) => t >= 0)
        .map(
          ([{ spec, labels, bits }, t]) =>
            `${spec.title} by “${visible(labels[t])}” (${digits(bits[t])} bits)`,
        );
      return worst.length ? `Most surprised: ${worst.join("; ")}` : "";
    }
    const told = (r, t) => `${digits(r.bits[t])} bits${r.unknown.has(t) ? " as an unknown word" : ""}`;
    const said = (r, t) => `${word(r, t)} ${r.spans[t]?.[1] === 0 ? "given" : told(r, t)}`;
    return readers.map((r) => said(r, selection.token(r))).join("; ");
  }

  table() {
    const rows = [...this.panel.app.readers.values()].flatMap((r) =>
      r.bits
        .map((b, t) => [r.spec.title, visible(r.labels[t]), digits(b), digits(perCharacter(r, t))])
        .filter((_, t) => r.spans[t][1]),
    );
    return { columns: ["reader", "token", "bits", "bits per character"], rows };
  }
}
