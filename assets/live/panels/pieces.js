// The same text in every tokenizer, one row each, pieces under their characters.  Point at a piece: all others over the same characters light up.
// A piece has the same colour wherever its number comes again in a row.

import { Surface, ink } from "../drawing/canvas.js";
import { element, put, short, visible } from "../dom.js";
import { boxAt, pointing } from "../marks/pointer.js";
import { bar, slider } from "../parts/controls.js";
import { covering, hues, lay, looked, over } from "../sums/overlap.js";
import { series } from "../wire.js";
import { NAME, ROW, mono, named, pieces } from "./pieces/row.js";

const TEXT = 28,
  GAP = 16,
  LEFT = 150,
  COLOURS = 8;

export default class Pieces {
  constructor(panel) {
    this.panel = panel;
    const { sizes } = panel.spec;
    const choose = (n) => {
      panel.selection.keep({ size: sizes[n] }, panel.app);
      panel.app.again();
    };
    this.slider = slider(choose, { min: 0, max: sizes.length - 1, step: 1, id: "un-size" });
    this.size = element("output", "un-size", { htmlFor: "un-size" });
    const label = element("label", "un-search-label", {
      htmlFor: "un-size",
      textContent: "Vocabulary of at most",
    });
    panel.body.append(bar(label, this.slider, this.size));
    this.measure = document.createElement("canvas").getContext("2d");
    this.measure.font = mono(15);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x, y) => {
      const box = boxAt(this.boxes, x, y);
      return box && box.reader.place(box.t);
    });
  }

  ask() {
    return { size: this.panel.selection.get("size") };
  }

  lines(room) {
    const { app } = this.panel;
    const [start, stop] = app.window;
    const text = app.points.slice(start, stop).join("");
    const of = JSON.stringify([text, start, room]);
    if (this.laidOf === of) return this.laid;
    this.laidOf = of;
    // a joined emoji stays one sign
    const sign = (segment, size) => (size > 1 && segment > " " ? segment : visible(segment));
    const widthOf = (label) => Math.max(10, Math.ceil(this.measure.measureText(label).width) + 1);
    return (this.laid = lay(text, start, room, sign, widthOf));
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const size = selection.get("size");
    this.slider.value = String(Math.max(0, panel.spec.sizes.indexOf(size)));
    this.slider.setAttribute("aria-valuetext", `${size} pieces`);
    put(this.size, `${size.toLocaleString("en")} pieces`);
    const width = panel.body.clientWidth;
    const narrow = width < 620;
    const left = narrow ? 0 : LEFT,
      high = narrow ? ROW + NAME : ROW;
    const lines = this.lines(width - left - 4);
    const look = looked(panel);
    const rows = [...app.readers.values()].map((reader) => ({
      reader,
      hues: hues(reader),
      shared: covering(reader),
      lit: new Set(look.chosen ? over(reader, look) : []),
    }));
    const block = TEXT + rows.length * high + GAP;
    const g = this.surface.begin(width, Math.max(1, lines.length) * block);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const palette = Array.from({ length: COLOURS }, (_, i) => style.getPropertyValue(`--un-line-${i}`));
    this.boxes = [];
    lines.forEach((cells, n) => {
      const top = n * block;
      g.textBaseline = "middle";
      g.textAlign = "center";
      g.font = mono(15);
      for (const c of cells) {
        const lit = look.chosen && look.span && c.at < look.span[1] && c.at + c.size > look.span[0];
        g.fillStyle = lit ? colours.accent : /[·⏎⇥]/.test(c.label) ? colours.faint : colours.text;
        g.fillText(c.label, left + c.x + c.width / 2, top + TEXT / 2);
      }
      rows.forEach((row, r) => {
        const y = top + TEXT + r * high;
        named(g, row.reader, colours, narrow ? 0 : left - 12, y, narrow);
        const here = narrow ? y + NAME : y;
        this.boxes.push(...pieces(g, row, cells, left, here, palette, look.chosen, colours));
      });
    });
    this.explain(look);
  }

  explain({ chosen, reader, t, span }) {
    if (!chosen || !span)
      return this.panel.read(
        `A dashed frame marks a piece that is not in the vocabulary. Bytes of one character appear side by side under it.${/[\u0590-\u08ff]/.test(this.panel.app.text) ? " Right-to-left letters appear here in text order, from left to right." : ""}`,
      );
    const id = reader.fields.get("id")?.values[t];
    const others = [...this.panel.app.readers.values()].filter((other) => other !== reader);
    const cut = others.map((other) => {
      const pieces = over(other, { reader, t, span }).map((i) => visible(other.labels[i]));
      return `${other.spec.short} ${short(pieces.join(" | "), 60) || "–"}`;
    });
    this.panel.read(
      `${reader.spec.title}: “${short(reader.labels[t], 40)}”, number ${id}${reader.unknown.has(t) ? " (unknown)" : ""}, ${span[1] - span[0] === 1 ? `character ${span[0] + 1}` : `characters ${span[0] + 1} to ${span[1]}`}. Over the same characters: ${cut.join("; ")}.`,
    );
  }

  table() {
    const rows = [];
    const { app } = this.panel;
    for (const r of app.readers.values()) {
      r.labels.forEach((label, t) =>
        rows.push([
          r.spec.title,
          visible(label),
          r.fields.get("id")?.values[t],
          r.spans[t][0] + 1,
          r.spans[t][1],
          r.unknown.has(t) ? "unknown" : "",
        ]),
      );
      for (const [a, b] of r.lost)
        rows.push([r.spec.title, visible(app.points.slice(a, b).join("")), "", a + 1, b, "unknown"]);
    }
    return { columns: ["tokenizer", "piece", "number", "from character", "to", ""], rows };
  }

  drawn() {
    const readers = [...this.panel.app.readers.values()];
    const [names, counts] = [readers.map((r) => r.spec.title), readers.map((r) => r.labels.length)];
    return { tokens: series("method", names, counts) };
  }

  alt() {
    return `${this.panel.title.textContent}. ${[...this.panel.app.readers.values()].map((r) => `${r.spec.title}: ${r.labels.length} tokens`).join("; ")}. ${this.panel.readout.textContent}`;
  }
}
