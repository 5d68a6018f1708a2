// One picture opened: a grid of cells with its labels, and the numbers in the cells where there is room.

import { Scale, Surface, ink, legend } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { cellAt, cellNumbers, columnNames, frame, grid, rowNames, share } from "../marks/grid.js";
import { strip } from "../marks/strip.js";
import { reading } from "../parts/reading.js";
import { unitNames } from "../parts/unitaxis.js";
import { Zoom } from "../parts/zoom.js";
import { pooled } from "../sums/order.js";
import { slice } from "../sums/slice.js";
import { axisName } from "../parts/axisnames.js";

const LEGEND = 30;

export default class Matrix {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
    if (panel.spec.y === "unit") this.units = new Zoom(this);
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => this.look(-1, -1),
    );
    this.units?.listen(this.canvas);
  }

  what() {
    const { spec, selection } = this.panel;
    const name = spec.fields.length === 1 ? spec.fields[0] : selection.get("field");
    const reader = this.panel.reader();
    const field = reader.fields.get(name);
    /** @type {Record<string, number>} */
    const place = {};
    for (const axis of field?.axes ?? [])
      if (axis !== spec.x && axis !== spec.y)
        place[axis] = Math.min(selection.get(axis) ?? 0, field.shape[field.axes.indexOf(axis)] - 1);
    return { reader, name, field, place };
  }

  draw() {
    const { panel, units } = this;
    const { spec, app, selection } = panel;
    const { reader, name, field, place } = this.what();
    if (!field) return;
    const about = reader.spec.fields[name];
    const scale = new Scale(about.scale, app.dark);
    const colours = ink(app.root);
    let of = slice(field, spec.y, spec.x, place);
    const rows = units?.choose(reader, place.layer, of.rows) ?? of.rows;
    const { columns } = of;
    const width = panel.body.clientWidth;
    const square = spec.y === "query";
    const left = square ? Math.min(96, width * 0.26) : 46;
    const cell = square
      ? Math.max(3, Math.min(44, (width - left - (columns > 1 ? 34 : 2)) / columns))
      : (width - left - 2) / Math.max(columns, 8);
    const top = square ? Math.min(84, 16 + cell * 1.5) : 20;
    const high = square ? cell * rows : Math.max(120, Math.min(400, of.rows * 2));
    const box = (this.box = { x: left, y: top, w: cell * columns, h: high, rows, columns });
    const height = top + high + LEGEND + 10;
    const g = this.surface.begin(width, height);
    const gate = about.kind === "gate";
    const most = Math.round(high * this.surface.ratio);
    const called = about.short ?? name;
    const where = Object.entries(place).map(([axis, i]) => `${axisName(axis)} ${i + 1}`);
    const says = `${about.says} Model: ${reader.spec.title}.${units ? pooled(rows, most, gate) : ""}`;
    panel.say(`${called} ${about.symbol}, ${where.join(", ")}`, says);
    if (units) of = { ...of, ...units.numbers(this.store, field, of.start, most, gate) };
    grid(g, this.store, box, of, scale, colours);
    const now = selection.token(reader);
    if (square) {
      rowNames(g, box, reader.labels, now, colours);
      columnNames(g, box, reader.labels, now, colours);
    } else strip(g, reader.labels, { left, step: cell, y: top - 9, now, colours });
    const value = (r, c) => of.values[of.start + r * of.down + c * of.across];
    const seen = (v, r, c) => (c <= r || spec.causal === false ? share(v) : "");
    if (square && cell >= 30) cellNumbers(g, box, Math.min(12, cell * 0.3), scale, value, seen);
    else if (!square && cell >= 27 && high / rows >= 13)
      cellNumbers(g, box, Math.min(12, cell * 0.32), scale, value, twoPlaces);
    frame(g, box, square ? { row: now } : { column: now }, colours);
    if (units) unitNames(g, box, units, colours, selection.get("unit") ?? 0);
    const said = square ? "share of the reading" : called;
    legend(g, left, height - LEGEND + 2, Math.min(160, width - left - 80), scale, said, colours);
    if (!this.over) this.resting();
  }

  spot(px, py) {
    const found = cellAt(this.box, px, py);
    if (!found) return null;
    const { spec } = this.panel;
    const { reader, name, place } = this.what();
    const kept = reader.place(spec.y === "query" ? found[0] : found[1]);
    if (spec.y === "query") kept.other = found[1] + reader.offset;
    else kept.unit = this.units.unitAt(found[0]);
    return { reader, name, kept, at: { ...place, [spec.y]: kept.unit ?? found[0], [spec.x]: found[1] } };
  }

  look(px, py) {
    const spot = this.spot(px, py);
    this.over = !!spot;
    this.panel.selection.look(spot?.kept ?? {});
    if (!spot) return this.resting();
    this.panel.read(reading(spot.reader, spot.name, spot.at, this.panel.spec));
  }

  keep(px, py) {
    const spot = this.spot(px, py);
    if (spot && !this.units?.dragged) this.panel.selection.keep(spot.kept, this.panel.app);
  }

  resting() {
    const { spec, selection } = this.panel;
    const { reader, name, field, place } = this.what();
    if (!field) return;
    const t = selection.token(reader);
    const tell = (at) => reading(reader, name, { ...place, ...at }, spec);
    if (spec.y !== "query") return this.panel.read(tell({ token: t, unit: selection.get("unit") ?? 0 }));
    const last = spec.causal === false ? reader.labels.length - 1 : t;
    const weight = (key) => reader.value(name, { ...place, query: t, key });
    let best = 0;
    for (let k = 0; k <= last; k++) if (weight(k) > weight(best)) best = k;
    this.panel.read(`Most of it: ${tell({ query: t, key: best })}`);
  }

  table() {
    const { reader, name, field, place } = this.what();
    const { spec, selection } = this.panel;
    if (!field || !reader.labels.length) return { columns: [], rows: [] }; // nothing is typed
    const t = selection.token(reader);
    const word = visible(reader.labels[t]);
    const value = (at) => digits(reader.value(name, { ...place, ...at }));
    if (spec.y === "query") {
      const keys = reader.labels.slice(0, spec.causal === false ? undefined : t + 1);
      const rows = keys.map((label, key) => [word, visible(label), value({ query: t, key })]);
      return { columns: ["query", "key", "weight"], rows };
    }
    const units = Array.from({ length: this.box.rows }, (_, row) => this.units.unitAt(row));
    const rows = units.map((unit) => [unit, word, value({ token: t, unit })]);
    return { columns: ["unit", "token", reader.spec.fields[name].symbol], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}

const twoPlaces = (v) => digits(Math.round(v * 100) / 100).replace(/(\.\d\d)\d+$/, "$1");
