// Small multiples: every layer and head (or gate) as a thumbnail on one scale; a click opens one.

import { Scale, Surface, font, ink, raster, widest } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { legends, legendsHigh, scales } from "../marks/legends.js";
import { boxAt, pointing } from "../marks/pointer.js";
import { thumbnail } from "../marks/thumbnail.js";
import { OrderBar } from "../parts/orderbar.js";
import { reading } from "../parts/reading.js";
import { UnitRows } from "../parts/unitrows.js";
import { ends, slice } from "../sums/slice.js";

const GAP = 8,
  TOP = 18,
  LEAST = 54; // left of the pictures

export default class Multiples {
  constructor(panel) {
    this.panel = panel;
    if (panel.spec.sorts) this.bar = new OrderBar(panel);
    if (panel.spec.y === "unit") this.units = new UnitRows(panel);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.stores = [];
    const find = (x, y) => this.find(x, y);
    pointing(this, find, () => this.find(-1, -1));
  }

  // The thumbnails in reading order; `place` fixes the axes that are not drawn.
  items() {
    const { fields } = this.panel.spec;
    const reader = this.panel.reader();
    const first = reader.fields.get(fields[0]);
    if (!first) return { items: [], rows: 0, columns: 0 };
    const size = (axis) => first.shape[first.axes.indexOf(axis)];
    const rows = size("layer");
    const byHead = first.axes.includes("head");
    const columns = byHead ? size("head") : fields.length;
    const items = Array.from({ length: rows * columns }, (_, n) => {
      const [r, c] = [Math.floor(n / columns), n % columns];
      const field = fields[byHead ? 0 : c];
      const place = byHead ? { layer: r, head: c } : { layer: r, field };
      return { r, c, field, about: reader.spec.fields[field], place };
    });
    return { items, rows, columns, byHead };
  }

  draw() {
    const { panel, surface } = this;
    const { spec, app, selection } = panel;
    const reader = panel.reader();
    const { items, rows, columns, byHead } = this.items();
    const width = panel.body.clientWidth;
    const named = (r) => `layer ${r + 1}`;
    const left = Math.max(LEAST, Math.ceil(widest([named(rows - 1)], font(12, 600))) + GAP);
    const step = Math.floor((width - left - GAP * (columns - 1)) / columns);
    const h = byHead ? Math.min(step, 132) : (spec.height ?? 92);
    const w = byHead ? h : step;
    const bottom = TOP + rows * (h + GAP);
    const kinds = scales(
      items.map(({ about, field }) => ({ scale: about.scale, name: about.short ?? field })),
    );
    const g = surface.begin(width, bottom + legendsHigh(kinds));
    const colours = ink(app.root);
    this.bar?.draw();
    const at = ({ r, c }) => ({ x: left + c * (step + GAP), y: TOP + r * (h + GAP), w, h });
    this.boxes = items.map((item) => ({ ...item, ...at(item) }));
    g.font = font(12, 600);
    g.textBaseline = "middle";
    g.textAlign = "left";
    this.boxes.forEach((box, n) => {
      const picture = this.picture(reader, box, (this.stores[n] ??= {}));
      const smooth = picture.height > h * surface.ratio || picture.width > w * surface.ratio;
      const open = Object.entries(box.place).every(([axis, at]) => selection.get(axis) === at);
      thumbnail(g, picture, box, open, smooth, colours);
      g.fillStyle = colours.text;
      if (box.r === 0) g.fillText(byHead ? headName(box.c, step) : fieldName(box, step), box.x, TOP / 2 - 1);
      if (box.c === 0) g.fillText(named(box.r), 0, box.y + h / 2);
      g.fillStyle = colours.accent;
      this.mark(g, reader, box);
      if (open && this.bar) this.units.range(g, box);
    });
    legends(g, kinds, left, bottom, app.dark, colours);
    if (!this.over) panel.read(this.hint());
  }

  hint() {
    const most = Math.round((this.boxes?.[0]?.h ?? 0) * this.surface.ratio);
    return (this.panel.spec.hint ?? "") + (this.units && most ? this.units.pooled(most) : "");
  }

  slice(reader, { field, place }) {
    return slice(reader.fields.get(field), this.panel.spec.y, this.panel.spec.x, place);
  }

  picture(reader, box, store) {
    const of = this.slice(reader, box);
    const scale = new Scale(box.about.scale, this.panel.app.dark);
    const most = Math.round(box.h * this.surface.ratio);
    return this.units
      ? this.units.picture(store, box.field, box.place.layer, of, most, scale)
      : raster(store, of.values, of.rows, of.columns, of.start, of.down, of.across, scale);
  }

  // The token looked at, as a thin line through every picture.
  mark(g, reader, { x, y, w, h }) {
    const { selection, spec } = this.panel;
    if (selection.kept.token === undefined && selection.hovered.token === undefined) return;
    const share = (selection.token(reader) + 0.5) / reader.labels.length;
    if (spec.y === "query") g.fillRect(x, y + share * h - 0.5, w, 1);
    else g.fillRect(x + share * w - 0.5, y, 1, h);
  }

  // The number under the pointer, for the selection; it is read out.
  find(px, py) {
    const { panel } = this;
    const { x, y } = panel.spec;
    const box = boxAt(this.boxes, px, py);
    this.over = !!box;
    if (!box) return void panel.read(this.hint());
    const reader = panel.reader();
    const { rows, columns } = this.slice(reader, box);
    const row = Math.min(rows - 1, Math.floor(((py - box.y) / box.h) * rows));
    const column = Math.min(columns - 1, Math.floor(((px - box.x) / box.w) * columns));
    const place = { ...box.place, ...reader.place(y === "query" ? row : column) };
    if (x === "key") place.other = column + reader.offset;
    if (this.units) place.unit = this.units.at(row, box.place.layer, box.field);
    panel.read(reading(reader, box.field, { ...box.place, [x]: column, [y]: place.unit ?? row }, panel.spec));
    return place;
  }

  // Of what is open, at the token looked at: the numbers of a unit, or where a head looks most.
  spoken() {
    const { spec, selection } = this.panel;
    const reader = this.panel.reader();
    const { items, byHead } = this.items();
    const token = selection.token(reader);
    const [layer, head, unit] = ["layer", "head", "unit"].map((axis) => selection.get(axis) ?? 0);
    const opened = items.filter(({ place }) => place.layer === layer && (!byHead || place.head === head));
    if (!opened.length || (!byHead && !this.units)) return undefined;
    if (!byHead) {
      const numbers = opened.map(({ about, field }) => {
        return `${about.short ?? field} ${digits(reader.value(field, { layer, token, unit }))}`;
      });
      const word = visible(reader.labels[token] ?? "");
      return `“${word}”, layer ${layer + 1}, unit ${unit}: ${numbers.join(", ")}.`;
    }
    const [box] = opened;
    const { values, columns, start, down, across } = this.slice(reader, box);
    const row = Array.from({ length: columns }, (_, i) => values[start + token * down + i * across]);
    const most = row.reduce((best, value, i) => (value > row[best] ? i : best), 0);
    return reading(reader, box.field, { ...box.place, [spec.y]: token, [spec.x]: most }, spec);
  }

  table() {
    const reader = this.panel.reader();
    const { items, byHead } = this.items();
    const rows = items.map((item) => {
      const { mean, low, high } = ends(this.slice(reader, item));
      const what = byHead ? item.c + 1 : item.about.short;
      return [item.r + 1, what, digits(mean), digits(low), digits(high)];
    });
    return { columns: ["layer", byHead ? "head" : "what", "mean", "lowest", "highest"], rows };
  }

  alt() {
    const { rows, columns } = this.items();
    return `${this.panel.title.textContent}: ${rows} layers by ${columns} pictures. ${this.panel.spec.says ?? ""}`;
  }
}

const headName = (head, room) => (room < 48 ? String(head + 1) : `head ${head + 1}`);
const fieldName = ({ about, field }, room) =>
  room < 84 ? about.symbol.replace("_t", "") : (about.short ?? field);
