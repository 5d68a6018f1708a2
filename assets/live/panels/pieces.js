// The same text in every tokenizer, one row each, pieces under their characters.  Point at a piece: all others over the same characters light up.
// A piece has the same colour wherever its number comes again in a row.

import { Surface, font, ink } from "../drawing/canvas.js";
import { element, short, visible } from "../dom.js";
import { pointing } from "../marks/pointer.js";

const ROW = 25,
  NAME = 15,
  TEXT = 28,
  GAP = 16,
  LEFT = 150,
  COLOURS = 8;

// The characters looked at: under the pointer, else clicked, else the last piece of the reader that leads.
export function looked(panel) {
  const { hovered, kept } = panel.selection;
  const place = hovered.token !== undefined ? hovered : kept.token !== undefined ? kept : null;
  const reader = place ? panel.reader(place.reader) : panel.reader();
  const t = Math.min(place?.token ?? Infinity, reader.labels.length - 1);
  return { chosen: !!place, reader, t, span: reader.spans[t] };
}

// Which tokens of a reader lie over any of these characters; of the reader itself the token alone.
export function over(reader, look) {
  if (!look.span) return [];
  if (look.reader === reader) return [look.t];
  const found = [];
  reader.spans.forEach(([a, b], t) => {
    if (a < look.span[1] && b > look.span[0]) found.push(t);
  });
  return found;
}

export default class Pieces {
  measure;

  constructor(panel) {
    this.panel = panel;
    this.bar();
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x, y) => this.at(x, y));
  }

  bar() {
    const { panel } = this;
    const { sizes } = panel.spec;
    const label = element("label", "un-search-label", {
      htmlFor: "un-size",
      textContent: "Vocabulary of at most",
    });
    this.slider = element("input", "un-slider", {
      type: "range",
      min: 0,
      max: sizes.length - 1,
      step: 1,
      id: "un-size",
    });
    this.size = element("output", "un-size", { htmlFor: "un-size" });
    this.slider.oninput = () => {
      panel.selection.keep({ size: sizes[this.slider.value] }, panel.app);
      panel.app.again();
    };
    const root = element("div", "un-order");
    root.append(label, this.slider, this.size);
    panel.body.append(root);
  }

  ask() {
    return { size: this.panel.selection.get("size") };
  }

  // Grapheme clusters with their first code point and width, broken into lines, at a blank where there is one.
  lay(g, width) {
    const { app } = this.panel;
    const [start, stop] = app.window;
    const text = app.points.slice(start, stop).join("");
    if (this.laid?.text === text && this.laid.start === start && this.laid.width === width) return this.laid;
    const cells = [];
    let at = start;
    for (const { segment } of new Intl.Segmenter().segment(text)) {
      const size = Array.from(segment).length;
      const label = size > 1 && segment > " " ? segment : visible(segment); // a joined emoji stays one sign
      cells.push({ at, size, label, width: Math.max(10, Math.ceil(g.measureText(label).width) + 1) });
      at += size;
    }
    const lines = [];
    let first = 0;
    while (first < cells.length) {
      let x = 0,
        last = first;
      while (last < cells.length && (last === first || x + cells[last].width <= width)) {
        x += cells[last].width;
        last += 1;
        if (cells[last - 1].label === "⏎") break;
      }
      if (last < cells.length && cells[last - 1].label !== "⏎") {
        let blank = last;
        while (blank > first + 1 && cells[blank].label !== "·") blank -= 1;
        if (blank > first + (last - first) / 2) last = blank;
      }
      x = 0;
      lines.push(
        cells.slice(first, last).map((c) => {
          const cell = { ...c, x };
          x += c.width;
          return cell;
        }),
      );
      first = last;
    }
    return (this.laid = { text, start, width, lines });
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const { sizes } = panel.spec;
    const size = selection.get("size");
    this.slider.value = Math.max(0, sizes.indexOf(size));
    this.slider.setAttribute("aria-valuetext", `${size} pieces`);
    this.size.textContent = `${size.toLocaleString("en")} pieces`;
    const readers = [...app.readers.values()];
    const width = panel.body.clientWidth;
    const narrow = width < 620;
    const left = narrow ? 0 : LEFT,
      row = narrow ? ROW + NAME : ROW;
    const g0 = (this.measure ??= document.createElement("canvas").getContext("2d"));
    g0.font = mono(15);
    const { lines } = this.lay(g0, width - left - 4);
    const block = TEXT + readers.length * row + GAP;
    const g = this.surface.begin(width, Math.max(1, lines.length) * block);
    const colours = ink(app.root);
    const look = looked(panel);
    const style = getComputedStyle(app.root);
    this.palette = Array.from({ length: COLOURS }, (_, i) => style.getPropertyValue(`--un-line-${i}`));
    this.boxes = [];
    const hues = readers.map((reader) => hue(reader));
    const shared = readers.map((reader) => covering(reader));
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
      readers.forEach((reader, r) => {
        const y = top + TEXT + r * row;
        this.name(g, reader, colours, narrow ? 0 : left - 12, y, narrow);
        this.row(
          g,
          reader,
          cells,
          left,
          narrow ? y + NAME : y,
          hues[r],
          shared[r],
          new Set(look.chosen ? over(reader, look) : []),
          look.chosen,
          colours,
        );
      });
    });
    this.explain(look);
  }

  name(g, reader, colours, x, y, narrow) {
    const middle = y + (narrow ? NAME : ROW) / 2;
    const count = reader.labels.length.toLocaleString("en");
    g.textAlign = narrow ? "left" : "right";
    g.font = font(narrow ? 12 : 13, 700);
    g.fillStyle = colours.text;
    const wide = g.measureText("0000").width + 6;
    if (!narrow) g.fillText(count, x, middle);
    g.font = font(narrow ? 12 : 13);
    g.fillText(narrow ? `${reader.spec.title}: ${count}` : reader.spec.short, narrow ? x : x - wide, middle);
  }

  row(g, reader, cells, left, y, hues, shared, lit, chosen, colours) {
    const first = cells[0].at,
      stop = cells.at(-1).at + cells.at(-1).size;
    reader.spans.forEach(([a, b], t) => {
      if (a >= stop || b <= first) return;
      const inside = cells.filter((c) => c.at + c.size > a && c.at < b);
      if (!inside.length) return;
      const [p, q] = [inside[0], inside.at(-1)];
      const x = left + p.x + part(shared, p, t, a, 0) * p.width;
      const w = left + q.x + part(shared, q, t, b - 1, 1) * q.width - x;
      const unknown = reader.unknown.has(t);
      g.globalAlpha = chosen ? (lit.has(t) ? 0.8 : 0.2) : 0.42;
      g.fillStyle = this.palette[hues[t] % COLOURS];
      g.beginPath();
      g.roundRect(x + 1, y + 2, Math.max(1, w - 2), ROW - 5, w > 8 ? 4 : 0);
      if (!unknown) g.fill();
      g.globalAlpha = 1;
      g.lineWidth = lit.has(t) ? 2 : 1.2;
      g.setLineDash(unknown ? [4, 3] : []);
      g.strokeStyle = lit.has(t) ? colours.accent : colours.text;
      if (unknown || lit.has(t)) g.stroke();
      g.setLineDash([]);
      this.boxes.push({ x, y, w, reader, t });
    });
    g.font = mono(13);
    g.textAlign = "center";
    g.fillStyle = colours.text;
    for (const c of cells) {
      if (c.label === "·" || !(shared.get(c.at)?.length === 1)) continue;
      g.fillText(c.label, left + c.x + c.width / 2, y + ROW / 2, c.width + 2);
    }
  }

  at(px, py) {
    const box = this.boxes?.find((b) => px >= b.x && px < b.x + b.w && py >= b.y && py < b.y + ROW);
    return box && box.reader.place(box.t);
  }

  explain({ chosen, reader, t, span }) {
    if (!chosen || !span)
      return this.panel.read(
        `A dashed frame marks a piece that is not in the vocabulary. Bytes of one character appear side by side under it.${/[\u0590-\u08ff]/.test(this.panel.app.text) ? " Right-to-left letters appear here in text order, from left to right." : ""}`,
      );
    const id = reader.fields.get("id")?.values[t];
    this.panel.read(
      `${reader.spec.title}: “${short(reader.labels[t], 40)}”, number ${id}${reader.unknown.has(t) ? " (unknown)" : ""}, ${span[1] - span[0] === 1 ? `character ${span[0] + 1}` : `characters ${span[0] + 1} to ${span[1]}`}.`,
    );
  }

  table() {
    const rows = [];
    for (const r of this.panel.app.readers.values())
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
    return { columns: ["tokenizer", "piece", "number", "from character", "to", ""], rows };
  }

  drawn() {
    const readers = [...this.panel.app.readers.values()];
    return {
      tokens: {
        axes: ["method"],
        labels: [readers.map((r) => r.spec.title)],
        values: Float32Array.from(readers, (r) => r.labels.length),
      },
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${[...this.panel.app.readers.values()].map((r) => `${r.spec.title}: ${r.labels.length} tokens`).join("; ")}. ${this.panel.readout.textContent}`;
  }
}

// Per token the place of its number among those of the row, in the order of their coming.
function hue(reader) {
  const seen = new Map();
  const ids = reader.fields.get("id")?.values ?? [];
  return Array.from(ids, (id) => {
    if (!seen.has(id)) seen.set(id, seen.size);
    return seen.get(id);
  });
}

// Per character the tokens that lie over it: several where one character is more than one piece.
function covering(reader) {
  const found = new Map();
  reader.spans.forEach(([a, b], t) => {
    for (let i = a; i < b; i++) found.has(i) ? found.get(i).push(t) : found.set(i, [t]);
  });
  return found;
}

// Where inside a cell a token begins (end = 0) or ends (end = 1), as a share of its width.
function part(shared, cell, t, character, end) {
  const tokens = shared.get(Math.max(cell.at, Math.min(character, cell.at + cell.size - 1))) ?? [t];
  const n = cell.size,
    place = Math.max(0, Math.min(character - cell.at, n - 1));
  const inside = tokens.includes(t) ? tokens.indexOf(t) + end : end * tokens.length;
  return (place + inside / tokens.length) / n;
}

const mono = (size) =>
  `${size}px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace`;
