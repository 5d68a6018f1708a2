// Small multiples: every layer and head (or every gate of every layer) as a thumbnail on one scale; click opens one.

import { Scale, Surface, font, ink, legend, raster } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { order, unitRows, shownRange } from "../sums/order.js";
import { OrderBar } from "../parts/orderbar.js";

const GAP = 8,
  TOP = 18,
  LEFT = 54,
  LEGEND = 30;

export default class Multiples {
  constructor(panel) {
    this.panel = panel;
    if (panel.spec.sorts) this.bar = new OrderBar(panel);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.stores = [];
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => {
        panel.selection.leave();
        panel.read(this.hint());
      },
    );
  }

  // The thumbnails in reading order: {layer, column, field, place} where place fixes the axes that are not drawn.
  items() {
    const { spec } = this.panel;
    const reader = this.panel.reader();
    const first = reader.fields.get(spec.fields[0]);
    if (!first) return { items: [], rows: 0, columns: 0 };
    const size = (axis) => first.shape[first.axes.indexOf(axis)];
    const rows = size("layer");
    const byHead = first.axes.includes("head");
    const columns = byHead ? size("head") : spec.fields.length;
    const items = [];
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++)
        items.push({
          r,
          c,
          field: byHead ? spec.fields[0] : spec.fields[c],
          place: byHead ? { layer: r, head: c } : { layer: r, field: spec.fields[c] },
        });
    return { items, rows, columns, byHead };
  }

  draw() {
    const { panel } = this;
    const { spec, app, selection } = panel;
    const reader = panel.reader();
    const { items, rows, columns, byHead } = this.items();
    const width = panel.body.clientWidth;
    const w = Math.floor((width - LEFT - GAP * (columns - 1)) / columns);
    const h = byHead ? Math.min(w, 132) : (spec.height ?? 92);
    const wide = byHead ? h : w;
    const kinds = [...new Set(items.map((i) => JSON.stringify(reader.spec.fields[i.field].scale)))];
    const height = TOP + rows * (h + GAP) + LEGEND * kinds.length;
    const g = this.surface.begin(width, height);
    const colours = ink(app.root);
    this.bar?.draw();
    this.boxes = [];
    g.font = font(12, 600);
    g.textBaseline = "middle";
    items.forEach((item, n) => {
      const x = LEFT + item.c * (w + GAP);
      const y = TOP + item.r * (h + GAP);
      const specField = reader.spec.fields[item.field];
      const scale = new Scale(specField.scale, app.dark);
      const picture = this.thumbnail(reader, item, n, scale, h * this.surface.ratio);
      g.imageSmoothingEnabled =
        picture.height > h * this.surface.ratio || picture.width > wide * this.surface.ratio;
      g.drawImage(picture, x, y, wide, h);
      const open = byHead
        ? selection.get("layer") === item.r && selection.get("head") === item.c
        : selection.get("layer") === item.r && selection.get("field") === item.field;
      g.lineWidth = open ? 2.5 : 1;
      g.strokeStyle = open ? colours.accent : colours.line;
      g.strokeRect(x - 0.5, y - 0.5, wide + 1, h + 1);
      g.fillStyle = colours.text;
      g.textAlign = "left";
      if (item.r === 0)
        g.fillText(
          byHead
            ? w < 48
              ? String(item.c + 1)
              : `head ${item.c + 1}`
            : w < 84
              ? specField.symbol.replace("_t", "")
              : `${specField.short ?? item.field}`,
          x,
          TOP / 2 - 1,
        );
      if (item.c === 0) {
        g.fillText(`layer ${item.r + 1}`, 0, y + h / 2);
      }
      this.mark(g, reader, item, x, y, wide, h, colours);
      if (open && this.bar) this.range(g, reader, item, x, y, h, colours);
      this.boxes.push({ ...item, x, y, w: wide, h });
    });
    kinds.forEach((kind, i) => {
      const names = [
        ...new Set(
          items
            .filter((it) => JSON.stringify(reader.spec.fields[it.field].scale) === kind)
            .map((it) => reader.spec.fields[it.field].short ?? it.field),
        ),
      ];
      legend(
        g,
        LEFT,
        height - LEGEND * (kinds.length - i) + 4,
        120,
        new Scale(JSON.parse(kind), app.dark),
        names.join(", "),
        colours,
      );
    });
    if (!this.over) panel.read(this.hint());
  }

  hint() {
    const { spec } = this.panel;
    const units = spec.y === "unit" && this.boxes?.length ? this.units(this.panel.reader()) : 0;
    const most = Math.round((this.boxes?.[0]?.h ?? 0) * this.surface.ratio);
    const said =
      units > most
        ? ` One row of pixels holds up to ${Math.ceil(units / most)} units: their mean for gates, otherwise the value farthest from 0.`
        : "";
    return (spec.hint ?? "") + said;
  }

  units(reader, name = this.panel.spec.fields[0]) {
    const { shape, axes } = reader.fields.get(name);
    return shape[axes.indexOf("unit")];
  }

  thumbnail(reader, item, n, scale, most) {
    const { x: xAxis, y: yAxis } = this.panel.spec;
    const field = reader.fields.get(item.field);
    const store = (this.stores[n] ??= {});
    const [rows, columns, start, rowStep, columnStep] = slice(field, item.place, yAxis, xAxis);
    if (yAxis !== "unit")
      return raster(store, field.values, rows, columns, start, rowStep, columnStep, scale);
    const units = order(reader, this.panel.selection, item.place.layer, rows);
    const {
      values,
      n: shown,
      T,
      start: at,
      step,
    } = unitRows(
      store,
      field,
      start,
      units,
      0,
      rows,
      Math.round(most),
      reader.spec.fields[item.field].kind === "gate",
    );
    return raster(store, values, shown, T, at, 1, step, scale);
  }

  // Which units the opened picture shows, where it does not show all.
  range(g, reader, item, x, y, h, colours) {
    const count = this.units(reader);
    const [first, shown] = shownRange(this.panel.selection, count);
    g.fillStyle = colours.accent;
    if (shown < count) g.fillRect(x - 6, y + (first / count) * h, 4, Math.max(2, (shown / count) * h));
  }

  // The token looked at, as a thin line through every picture.
  mark(g, reader, item, x, y, w, h, colours) {
    const { selection, spec } = this.panel;
    if (selection.kept.token === undefined && selection.hovered.token === undefined) return;
    const t = selection.token(reader);
    const count = reader.labels.length;
    g.fillStyle = colours.accent;
    if (spec.y === "query") g.fillRect(x, y + ((t + 0.5) * h) / count - 0.5, w, 1);
    else g.fillRect(x + ((t + 0.5) * w) / count - 0.5, y, 1, h);
  }

  find(px, py) {
    const box = this.boxes?.find((b) => px >= b.x && px < b.x + b.w && py >= b.y && py < b.y + b.h);
    if (!box) return null;
    const { spec } = this.panel;
    const reader = this.panel.reader();
    const field = reader.fields.get(box.field);
    const along = (axis, f) =>
      Math.min(
        field.shape[field.axes.indexOf(axis)] - 1,
        Math.floor(f * field.shape[field.axes.indexOf(axis)]),
      );
    return {
      box,
      reader,
      field,
      x: along(spec.x, (px - box.x) / box.w),
      y: along(spec.y, (py - box.y) / box.h),
    };
  }

  place({ box, reader, x, y }) {
    const { spec } = this.panel;
    const t = spec.y === "query" ? y : x;
    const place = { ...box.place, ...reader.place(t) };
    if (spec.x === "key") place.other = x + reader.offset;
    if (spec.y === "unit") place.unit = this.unit(reader, box, y);
    return place;
  }

  unit(reader, box, row) {
    return order(reader, this.panel.selection, box.place.layer, this.units(reader, box.field))?.[row] ?? row;
  }

  look(px, py) {
    const found = this.find(px, py);
    this.over = !!found;
    if (!found) {
      this.panel.selection.leave();
      this.panel.read(this.hint());
      return;
    }
    this.panel.selection.look(this.place(found));
    const { spec } = this.panel;
    const at = {
      ...found.box.place,
      [spec.x]: found.x,
      [spec.y]: spec.y === "unit" ? this.unit(found.reader, found.box, found.y) : found.y,
    };
    this.panel.read(reading(found.reader, found.box.field, at, this.panel.spec));
  }

  keep(px, py) {
    const found = this.find(px, py);
    if (found) this.panel.selection.keep(this.place(found), this.panel.app);
  }

  table() {
    const { items } = this.items();
    const reader = this.panel.reader();
    const rows = items.map((item) => {
      const field = reader.fields.get(item.field);
      const [r, c, start, rowStep, columnStep] = slice(
        field,
        item.place,
        this.panel.spec.y,
        this.panel.spec.x,
      );
      let sum = 0,
        low = Infinity,
        high = -Infinity;
      for (let i = 0; i < r; i++)
        for (let j = 0; j < c; j++) {
          const v = field.values[start + i * rowStep + j * columnStep];
          sum += v;
          low = Math.min(low, v);
          high = Math.max(high, v);
        }
      return [
        item.r + 1,
        item.place.head !== undefined ? item.place.head + 1 : reader.spec.fields[item.field].short,
        digits(sum / (r * c)),
        digits(low),
        digits(high),
      ];
    });
    return {
      columns: ["layer", items[0]?.place.head !== undefined ? "head" : "what", "mean", "lowest", "highest"],
      rows,
    };
  }

  alt() {
    const { rows, columns } = this.items();
    return `${this.panel.title.textContent}: ${rows} layers by ${columns} pictures. ${this.panel.spec.says ?? ""}`;
  }
}

// How to walk a field with all axes but two fixed: [rows, columns, start, row step, column step].
export function slice(field, place, yAxis, xAxis) {
  const steps = field.shape.map((_, a) => field.shape.slice(a + 1).reduce((p, q) => p * q, 1));
  let start = 0;
  field.axes.forEach((axis, a) => {
    if (axis !== yAxis && axis !== xAxis) start += (place[axis] ?? 0) * steps[a];
  });
  const y = field.axes.indexOf(yAxis),
    x = field.axes.indexOf(xAxis);
  return [field.shape[y], field.shape[x], start, steps[y], steps[x]];
}

// One number in words: its symbol, where it stands, its value.
export function reading(reader, name, at, { y, causal }) {
  const spec = reader.spec.fields[name];
  const word = (t) => `“${visible(reader.labels[t] ?? "")}”`;
  const value = reader.value(name, at);
  const where = `layer ${at.layer + 1}${at.head === undefined ? "" : `, head ${at.head + 1}`}`;
  if (reader.spec.of && y === "query")
    return `${where}: ${word(at.query)} takes ${value > 0 ? "+" : ""}${digits(100 * value)} points of its reading from ${word(at.key)}`;
  if (at.source !== undefined)
    return `${where}: ${word(at.query)} takes ${digits(100 * value)} % of its reading from “${visible(reader.source?.labels[at.source] ?? "")}”`;
  if (y === "query")
    return at.key > at.query && causal !== false
      ? `${where}: ${word(at.query)} can't look ahead at ${word(at.key)}`
      : `${where}: ${word(at.query)} takes ${digits(100 * value)} % of its reading from ${word(at.key)}`;
  return `${spec.symbol}[unit ${at.unit}] = ${digits(value)} at ${word(at.token)}, ${where}. ${spec.says}`;
}
