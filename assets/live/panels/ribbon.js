// The text itself, as much of it as is shown, and under it one row a reader: how surprised it was by each of its tokens, in bits per character,
// so that readers with different tokens compare.

import { Scale, Surface, font, ink, legend, luminance } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { pointing } from "../marks/pointer.js";

const ROW = 22,
  TEXT = 26,
  GAP = 12,
  LEFT_WIDE = 118,
  LEFT_NARROW = 0,
  LEGEND = 32;

export default class Ribbon {
  measure;

  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x, y) => this.at(x, y));
  }

  // Grapheme clusters with their first code point and width, broken into lines.
  lay(g, width) {
    const { app } = this.panel;
    const [start, stop] = app.window;
    const text = app.points.slice(start, stop).join("");
    if (this.laid?.text === text && this.laid.start === start && this.laid.width === width) return this.laid;
    const clusters = [];
    let at = start;
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      const size = Array.from(segment).length;
      clusters.push({
        at,
        size,
        label: visible(segment),
        width: Math.max(9, Math.ceil(g.measureText(visible(segment)).width) + 1),
      });
      at += size;
    }
    const lines = [];
    let line = null;
    for (const c of clusters) {
      if (!line || line.width + c.width > width || line.broken)
        lines.push((line = { first: c.at, width: 0, cells: [] }));
      line.cells.push({ ...c, x: line.width });
      line.width += c.width;
      if (c.label === "⏎") line.broken = true;
    }
    return (this.laid = { text, start, width, lines });
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const width = panel.body.clientWidth;
    const narrow = width < 560;
    const left = narrow ? LEFT_NARROW : LEFT_WIDE;
    const readers = [...app.readers.values()];
    const g0 = (this.measure ??= document.createElement("canvas").getContext("2d"));
    g0.font = mono(15);
    const { lines } = this.lay(g0, width - left - 4);
    const names = readers.map((r) => r.spec.title).join(", ");
    panel.say(
      panel.spec.title,
      `${panel.spec.says}${narrow && readers.length > 1 ? ` Rows, from the top: ${names}.` : ""}`,
    );
    const block = TEXT + readers.length * ROW + GAP;
    const height = Math.max(1, lines.length) * block + LEGEND;
    const g = this.surface.begin(width, height);
    const colours = ink(app.root);
    const scale = new Scale(panel.spec.scale, app.dark);
    this.boxes = [];
    const focus = readers.map((r) => r.spans[selection.token(r)]);
    lines.forEach((line, n) => {
      const top = n * block;
      g.font = mono(15);
      g.textBaseline = "middle";
      g.textAlign = "center";
      for (const c of line.cells) {
        const lit = focus.some((s) => s && s[0] <= c.at && c.at < s[1]);
        g.fillStyle = lit ? colours.accent : /[·⏎⇥]/.test(c.label) ? colours.faint : colours.text;
        g.fillText(c.label, left + c.x + c.width / 2, top + TEXT / 2);
      }
      readers.forEach((reader, r) =>
        this.row(g, reader, line, left, top + TEXT + r * ROW, width, scale, colours, focus[r], narrow),
      );
    });
    legend(
      g,
      left,
      height - LEGEND + 8,
      Math.min(200, width - left - 130),
      scale,
      "bits per character",
      colours,
    );
    this.explain(readers);
  }

  row(g, reader, line, left, y, width, scale, colours, focus, narrow) {
    const stop = line.cells.at(-1).at + line.cells.at(-1).size;
    if (!narrow) {
      g.font = font(12, 600);
      g.textAlign = "right";
      g.fillStyle = colours.text;
      g.fillText(reader.spec.title, left - 10, y + ROW / 2);
    }
    reader.spans.forEach(([a, b], t) => {
      if (b === 0 || a >= stop || b <= line.first) return;
      const inside = line.cells.filter((c) => c.at + c.size > a && c.at < Math.max(b, a + 1));
      if (!inside.length) return;
      const x = left + inside[0].x;
      const w = inside.at(-1).x + inside.at(-1).width - inside[0].x;
      const bits = this.perCharacter(reader, t);
      g.fillStyle = scale.css(bits);
      g.fillRect(x + 0.5, y + 1, w - 1, ROW - 3);
      if (focus && focus[0] === a && focus[1] === b) {
        g.strokeStyle = colours.accent;
        g.lineWidth = 2;
        g.strokeRect(x + 1, y + 1.5, w - 2, ROW - 4);
      }
      if (reader.unknown.has(t)) {
        // cheap as <unk>, which is not the word: not a colour of the scale
        g.fillStyle = scale.css(NaN);
        g.fillRect(x + 0.5, y + 1, w - 1, ROW - 3);
        g.fillStyle = colours.text;
        g.font = font(10);
        g.textAlign = "center";
        g.fillText(w >= 60 ? "unknown" : "?", x + w / 2, y + ROW / 2);
      } else if (w >= 26) {
        g.font = font(10);
        g.textAlign = "center";
        g.fillStyle = luminance(scale.packed(bits)) < 128 ? "#ffffff" : "#111111";
        g.fillText(Number.isFinite(bits) ? bits.toFixed(1) : digits(bits), x + w / 2, y + ROW / 2 + 0.5);
      }
      this.boxes.push({ x, y, w, h: ROW, reader, t });
    });
  }

  // A token's bits shared out over its characters and the blanks before it, which word readers get for nothing.
  perCharacter(reader, t) {
    const [a, b] = reader.spans[t];
    const before = t > 0 ? reader.spans[t - 1][1] : 0;
    return reader.bits[t] / Math.max(1, b - Math.min(a, Math.max(before, 0)));
  }

  at(px, py) {
    const box = this.boxes?.find((b) => px >= b.x && px < b.x + b.w && py >= b.y && py < b.y + b.h);
    return box && box.reader.place(box.t);
  }

  explain(readers) {
    const { selection } = this.panel;
    const looking = selection.hovered.token !== undefined || selection.kept.token !== undefined;
    if (!looking) {
      const worst = readers
        .map((r) => {
          let best = -1;
          r.bits.forEach((b, t) => {
            if (Number.isFinite(b) && (best < 0 || this.perCharacter(r, t) > this.perCharacter(r, best)))
              best = t;
          });
          return best < 0
            ? null
            : `${r.spec.title} by “${visible(r.labels[best])}” (${digits(r.bits[best])} bits)`;
        })
        .filter(Boolean);
      return this.panel.read(worst.length ? `Most surprised: ${worst.join("; ")}` : "");
    }
    this.panel.read(
      readers
        .map((r) => {
          const t = selection.token(r);
          return `${r.spec.title}: “${visible(r.labels[t] ?? "")}” ${r.spans[t]?.[1] === 0 ? "given" : `${digits(r.bits[t])} bits${r.unknown.has(t) ? " as an unknown word" : ""}`}`;
        })
        .join("; "),
    );
  }

  table() {
    const rows = [];
    for (const r of this.panel.app.readers.values())
      r.bits.forEach(
        (b, t) =>
          r.spans[t][1] &&
          rows.push([r.spec.title, visible(r.labels[t]), digits(b), digits(this.perCharacter(r, t))]),
      );
    return { columns: ["reader", "token", "bits", "bits per character"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}

const mono = (size) =>
  `${size}px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace`;
