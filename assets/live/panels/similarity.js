// How alike the typed words are, each with each: cosines in all dimensions.

import { Scale, Surface, font, ink, legend, luminance, raster } from "../canvas.js";
import { digits, short, visible } from "../dom.js";
import { MOST, cosines, lookedAt, typed } from "../typedwords.js";

const LEGEND = 34, TOP = 74;

export default class Similarity {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
    this.surface.onPointer((x, y) => this.look(x, y), (x, y) => this.keep(x, y), () => { this.over = null; panel.selection.leave(); this.draw(); });
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const { words, all } = typed(reader);
    this.words = words;
    const n = words.length;
    const width = panel.body.clientWidth;
    panel.say(panel.spec.title, `${panel.spec.says}${all > MOST ? ` The first ${MOST} of ${all} different words.` : ""}`);
    if (!n) {
      this.surface.begin(width, 1);
      this.box = null;
      return panel.read("Type two words or more that have a vector.");
    }
    this.values = cosines(words);
    const colours = ink(app.root);
    const scale = new Scale(panel.spec.scale, app.dark);
    const left = Math.min(104, width * 0.27);
    const cell = Math.max(6, Math.min(46, (width - left - 50) / n));
    const side = cell * n;
    const g = this.surface.begin(width, TOP + side + LEGEND + 8);
    g.imageSmoothingEnabled = false;
    g.drawImage(raster(this.store, this.values, n, n, 0, n, 1, scale), left, TOP, side, side);
    g.strokeStyle = colours.line;
    g.strokeRect(left - 0.5, TOP - 0.5, side + 1, side + 1);
    this.box = { left, cell, side };
    const now = this.over?.[0] ?? lookedAt(words, reader, selection.token(reader));
    this.labels(g, colours, now);
    if (cell >= 30) this.numbers(g, scale);
    if (now >= 0) {
      g.strokeStyle = colours.accent;
      g.lineWidth = 1.5;
      g.strokeRect(left - 1, TOP + now * cell, side + 2, cell);
    }
    legend(g, left, TOP + side + 12, Math.min(160, width - left - 60), scale, "cosine", colours);
    panel.read(this.said(now));
  }

  labels(g, colours, now) {
    const { left, cell } = this.box;
    g.textBaseline = "middle";
    const every = Math.max(1, Math.ceil(10 / cell));
    this.words.forEach(({ label }, i) => {
      if (i % every && i !== now) return;
      g.fillStyle = i === now ? colours.accent : colours.text;
      g.font = font(Math.max(10, Math.min(13, cell * 0.8)), i === now ? 700 : 400);
      g.textAlign = "right";
      g.fillText(short(label, 13), left - 6, TOP + (i + 0.5) * cell);
      g.save();
      g.translate(left + (i + 0.5) * cell, TOP - 6);
      g.rotate(-Math.PI / 3.2);
      g.textAlign = "left";
      g.fillText(short(label, 11), 0, 0);
      g.restore();
    });
  }

  numbers(g, scale) {
    const { left, cell } = this.box;
    const n = this.words.length;
    g.font = font(Math.min(12, cell * 0.3));
    g.textAlign = "center";
    for (let i = 0; i < n * n; i++) {
      const v = this.values[i];
      g.fillStyle = luminance(scale.packed(v)) < 128 ? "#ffffff" : "#111111";
      g.fillText(v.toFixed(2).replace("0.", ".").replace("-", "−"), left + ((i % n) + 0.5) * cell, TOP + (Math.floor(i / n) + 0.5) * cell);
    }
  }

  said(now) {
    const n = this.words.length;
    const word = (i) => `“${visible(this.words[i].label)}”`;
    if (this.over) return `${word(this.over[0])} and ${word(this.over[1])}: cosine ${digits(this.values[this.over[0] * n + this.over[1]])}`;
    if (now < 0 || n < 2) return n < 2 ? "Type a second word to compare." : "Point at a cell to read it.";
    const others = [...Array(n).keys()].filter((i) => i !== now).sort((a, b) => this.values[now * n + b] - this.values[now * n + a]);
    return `Most like ${word(now)} among the typed words: ${word(others[0])}, cosine ${digits(this.values[now * n + others[0]])}`;
  }

  find(x, y) {
    const b = this.box;
    if (!b || x < b.left || y < TOP || x >= b.left + b.side || y >= TOP + b.side) return null;
    return [Math.floor((y - TOP) / b.cell), Math.floor((x - b.left) / b.cell)];
  }

  place([row]) {
    const reader = this.panel.reader();
    const { t } = this.words[row];
    return { token: t + reader.offset, reader: reader.spec.id, span: reader.spans[t] };
  }

  look(x, y) {
    const at = this.find(x, y);
    if (String(at) === String(this.over ?? null)) return;
    this.over = at;
    if (at) this.panel.selection.look(this.place(at));
    else this.panel.selection.leave();
    this.draw();
  }

  keep(x, y) {
    const at = this.find(x, y);
    if (at) this.panel.selection.keep(this.place(at), this.panel.app);
  }

  table() {
    const names = (this.words ?? []).map((w) => visible(w.label));
    const n = names.length;
    return { columns: ["word", ...names], rows: names.map((name, i) => [name, ...names.map((_, j) => digits(this.values[i * n + j]))]) };
  }

  alt() { return `${this.panel.title.textContent}: ${(this.words ?? []).map((w) => visible(w.label)).join(", ")}. ${this.panel.readout.textContent}`; }
}
