// The text itself, as much of it as is shown, and under it one row a reader: how surprised it was by each word, in bits.
// What all readers cut alike is a word, so that words, pieces and letters compare: the bits of its tokens are added up.

import { Scale, Surface, font, ink, legend, luminance } from "../drawing/canvas.js";
import { digits } from "../dom.js";
import { fold, letters, mono, monoWidth } from "../marks/cells.js";
import { boxAt, pointing } from "../marks/pointer.js";
import { cut } from "../marks/strip.js";
import { Empty } from "../parts/empty.js";
import { span, tokens, word, words } from "../sums/sameword.js";
import { spent, surprised } from "./ribbon/sentence.js";

const TEXT = 26,
  SMALL = 15,
  LARGE = 22, // of letters
  LARGEST = 36, // where there is room for pictures
  ROOMY = 1200,
  MORE = 4, // then a row is higher by this
  GAP = 12,
  LEFT = 118,
  LONGEST = 168, // of what stands at the left
  NARROW = 560, // no room for names at the left
  LEGEND = 32,
  BESIDE = 350,
  TOTAL = 150; // of the longest bar beside the rows

// The name of a reader; where it is too long for its place, without what it says of itself after a comma.
function called(g, title, room) {
  return g.measureText(title).width <= room ? title : cut(g, title.split(",")[0], room);
}

export default class Ribbon {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    const { app, spec } = panel;
    if (spec.empty) this.empty = new Empty(app, panel.body, spec.empty);
    pointing(this, (x, y) => {
      const box = boxAt(this.boxes, x, y);
      return box && box.reader.place(box.t);
    });
  }

  // The letters in lines.
  lay(left, width, block, size) {
    const { app } = this.panel;
    const [start, stop] = app.window;
    const text = app.points.slice(start, stop).join("");
    const of = [text, start, width, block, size];
    if (this.laid?.of.every((part, i) => part === of[i])) return this.laid.lines;
    const cells = letters(text, start);
    const wide = (cell) => Math.max(9, monoWidth(cell.text, size) + 1);
    const lines = Array.from({ length: fold(cells, wide, width, { left, block }) }, () => []);
    for (const cell of cells) lines[cell.line].push(cell);
    this.laid = { of, lines };
    return lines;
  }

  // A short text has larger letters, where it stays in one line.
  size(room, roomy) {
    const { app } = this.panel;
    const text = app.points.slice(...app.window).join("");
    return Math.max(
      SMALL,
      Math.min(
        roomy ? LARGEST : LARGE,
        Math.floor((SMALL * room) / (monoWidth(text, SMALL) + text.length + 1)),
      ),
    );
  }

  // Room for the names of the rows.
  left(readers) {
    const g = this.canvas.getContext("2d");
    g.font = font(12, 600);
    const wide = readers.map((reader) => g.measureText(reader.spec.title).width);
    return Math.max(LEFT, Math.min(LONGEST, 14 + Math.max(...wide)));
  }

  draw() {
    const { panel } = this;
    const { app } = panel;
    if (this.empty) this.canvas.hidden = this.empty.shown;
    const width = panel.body.clientWidth;
    const narrow = width < NARROW;
    const readers = [...app.readers.values()];
    const left = narrow ? 0 : this.left(readers);
    const names = `Rows, from the top: ${readers.map((r) => r.spec.title).join(", ")}.`;
    panel.say(panel.spec.title, `${panel.spec.says} ${narrow && readers.length > 1 ? names : ""}`.trim());
    const room = width - left - 4;
    const roomy = room >= ROOMY;
    this.high = (panel.spec.compact ? 18 : 22) + (roomy ? MORE : 0);
    const { high } = this;
    const size = this.size(panel.spec.compact ? room - BESIDE : room, roomy);
    const tall = Math.max(TEXT, size + 6);
    const block = tall + readers.length * high + (panel.spec.compact ? 5 : GAP);
    const lines = this.lay(left, room, block, size);
    const bottom = Math.max(1, lines.length) * block;
    const right = Math.max(0, ...lines.map((cells) => cells.at(-1).x + cells.at(-1).w));
    const beside = panel.spec.compact && right + BESIDE < width; // room for the legend at the right
    const g = this.surface.begin(width, bottom + (beside ? 0 : LEGEND));
    const colours = ink(app.root);
    const scale = new Scale(panel.spec.scale, app.dark);
    const focus = span(app) ? word(app) : undefined;
    this.boxes = [];
    g.textBaseline = "middle";
    for (const cells of lines) {
      g.font = mono(size);
      g.textAlign = "center";
      for (const { x, y, w, start, label } of cells) {
        const lit = focus && focus.start <= start && start < focus.stop;
        g.fillStyle = lit ? colours.accent : /[·⏎⇥]/.test(label) ? colours.faint : colours.text;
        g.fillText(label, x + w / 2, y + tall / 2);
      }
      readers.forEach((reader, r) => {
        const y = cells[0].y + tall + r * high;
        if (!narrow) {
          g.font = font(12, 600);
          g.textAlign = "right";
          g.fillStyle = colours.text;
          g.fillText(called(g, reader.spec.title, left - 12), left - 10, y + high / 2);
        }
        this.row(g, reader, r, cells, y, scale, colours, focus);
      });
    }
    const long = Math.min(200, width - left - 150);
    const [x, y] = beside ? [width - BESIDE + 40, TEXT / 2 - 4] : [left, bottom + 8];
    legend(g, x, y, long, scale, "bits of the word", colours);
    if (beside && lines.length === 1) this.totals(g, readers, x, TOTAL, tall, colours);
    const all = panel.spec.compact || readers.length < 2 ? "" : spent(app, readers);
    panel.read([all, surprised(app, readers)].filter(Boolean).join(" "));
    if (panel.spec.compact && app.text !== this.text) panel.body.scrollTop = panel.body.scrollHeight; // where one types
    this.text = app.text;
  }

  // What the words that all know cost each reader together, on one scale: who saw the text coming.
  totals(g, readers, x, long, top, colours) {
    const found = words(this.panel.app);
    const known = found.filter((of) => !of.unknown.some(Boolean) && !of.bits.some(Number.isNaN));
    if (known.length < 2) return;
    const spent = readers.map((_, r) => known.reduce((sum, of) => sum + of.bits[r], 0));
    const [least, most] = [Math.min(...spent), Math.max(...spent.filter(Number.isFinite), 1)];
    g.textAlign = "left";
    spent.forEach((bits, r) => {
      const y = top + r * this.high;
      const w = long * Math.min(1, bits / most);
      g.fillStyle = bits === least ? colours.accent : colours.faint;
      g.fillRect(x, y + 4, w, this.high - 9);
      g.font = font(11, bits === least ? 700 : 400);
      g.fillStyle = colours.text;
      const said =
        known.length < found.length ? `${digits(bits)} bits for known words` : `${digits(bits)} bits in all`;
      g.fillText(said, x + w + 8, y + this.high / 2);
    });
  }

  // The words of a reader under a line of the text.
  row(g, reader, r, cells, y, scale, colours, focus) {
    const { high } = this;
    const [start, stop] = [cells[0].start, cells.at(-1).stop];
    g.textAlign = "center";
    for (const of of words(this.panel.app)) {
      if (of.start >= stop || of.stop <= start) continue;
      const inside = cells.filter((c) => c.start >= of.start && c.stop <= of.stop && c.text.trim());
      if (!inside.length) continue;
      const last = inside.at(-1);
      const t = tokens(reader, of)[1];
      const box = { x: inside[0].x, y, w: last.x + last.w - inside[0].x, h: high, reader, t };
      const { x, w } = box;
      if (t >= 0) this.boxes.push(box);
      const [bits, unknown] = [of.bits[r], of.unknown[r]];
      g.fillStyle = scale.css(unknown ? NaN : bits); // cheap as <unk>, which is not the word: not a colour of the scale
      g.fillRect(x + 0.5, y + 1, w - 1, high - 3);
      if (of === focus) {
        g.strokeStyle = colours.accent;
        g.lineWidth = 2;
        g.strokeRect(x + 1, y + 1.5, w - 2, high - 4);
      }
      g.font = font(10);
      if (unknown) {
        g.fillStyle = colours.text;
        g.fillText(w >= 60 ? "unknown" : "?", x + w / 2, y + high / 2);
      } else if (w >= 18) {
        g.fillStyle = luminance(scale.packed(bits)) < 128 ? "#ffffff" : "#111111";
        const said = Number.isFinite(bits) ? bits.toFixed(w >= 26 ? 1 : 0) : digits(bits);
        g.fillText(said, x + w / 2, y + high / 2);
      }
    }
  }

  drawn() {
    const { app } = this.panel;
    const [found, readers] = [words(app), Array.from(app.readers.values(), ({ spec }) => spec.title)];
    const values = Float32Array.from(found.flatMap(({ bits }) => bits));
    return {
      segments: { axes: ["token", "method"], labels: [found.map(({ text }) => text), readers], values },
    };
  }

  table() {
    const { app } = this.panel;
    const rows = [...app.readers.values()].flatMap((reader, r) =>
      words(app).map((w) => [reader.spec.title, w.text.trim(), w.unknown[r] ? "unknown" : digits(w.bits[r])]),
    );
    return { columns: ["reader", "word", "bits"], rows };
  }
}
