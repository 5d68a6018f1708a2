// One picture opened: a grid of cells with its labels, and the numbers in the cells where there is room.

import { Scale, Surface, font, ink, legend } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { cellAt, cellNumbers, columnNames, frame, grid, rowNames, share } from "../marks/grid.js";
import { strip } from "../marks/strip.js";
import { order, pooled, unitRows } from "../sums/order.js";
import { Zoom } from "../parts/zoom.js";
import { reading, slice } from "./multiples.js";

const LEGEND = 30;

export default class Matrix {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
    if (panel.spec.y === "unit") this.zoom = new Zoom(this);
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => {
        panel.selection.leave();
        this.resting();
      },
    );
    this.zoom?.listen(this.canvas);
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
    const { panel } = this;
    const { spec, app, selection } = panel;
    const { reader, name, field, place } = this.what();
    if (!field) return;
    const about = reader.spec.fields[name];
    const where = Object.entries(place)
      .map(([axis, i]) => `${axis} ${i + 1}`)
      .join(", ");
    const scale = new Scale(about.scale, app.dark);
    const colours = ink(app.root);
    const [all, columns, start, rowStep, columnStep] = slice(field, place, spec.y, spec.x);
    const units = this.zoom ? order(reader, selection, place.layer, all) : null;
    const [first, rows] = this.zoom ? this.zoom.follow(units, all) : [0, all];
    const width = panel.body.clientWidth;
    const square = spec.y === "query";
    const left = square ? Math.min(96, width * 0.26) : 46;
    const cell = square
      ? Math.max(3, Math.min(44, (width - left - (columns > 1 ? 34 : 2)) / columns))
      : (width - left - 2) / Math.max(columns, 8);
    const wide = cell * columns;
    const high = square ? cell * rows : Math.max(120, Math.min(400, all * 2));
    const top = square ? Math.min(84, 16 + cell * 1.5) : 20;
    const height = top + high + LEGEND + 10;
    const g = this.surface.begin(width, height);
    const ratio = this.surface.ratio;
    const gate = about.kind === "gate";
    const many = this.zoom ? pooled(rows, Math.round(high * ratio), gate) : "";
    panel.say(
      `${about.short ?? name} ${about.symbol}, ${where}`,
      `${about.says} Model: ${reader.spec.title}.${many}`,
    );
    const box = (this.box = { x: left, y: top, w: wide, h: high, rows, columns, units, first });
    const drawn = this.zoom
      ? this.pooled(field, start, Math.round(high * ratio), gate)
      : { values: field.values, start, down: rowStep, across: columnStep };
    grid(g, this.store, box, drawn, scale, colours);
    const now = selection.token(reader);
    if (square) {
      rowNames(g, box, reader.labels, now, colours);
      columnNames(g, box, reader.labels, now, colours);
    } else strip(g, reader.labels, { left, step: cell, y: top - 9, now, colours });
    const value = (r, c) => drawn.values[drawn.start + r * drawn.down + c * drawn.across];
    const seen = (v, r, c) => (c <= r || spec.causal === false ? share(v) : "");
    if (square && cell >= 30) cellNumbers(g, box, Math.min(12, cell * 0.3), scale, value, seen);
    else if (!square && cell >= 27 && high / rows >= 13)
      cellNumbers(g, box, Math.min(12, cell * 0.32), scale, value, twoPlaces);
    if (square) frame(g, box, { row: now }, colours);
    else {
      frame(g, box, { column: now }, colours);
      this.units(g, colours, selection.get("unit") ?? 0);
      if (this.band) this.drawBand(g, colours);
    }
    legend(
      g,
      left,
      height - LEGEND + 2,
      Math.min(160, width - left - 80),
      scale,
      square ? "share of the reading" : (about.short ?? name),
      colours,
    );
    if (!this.over) this.resting();
  }

  // The rows that are drawn: units in the order chosen, several to one row of pixels where there are more than `most`.
  pooled(field, start, most, gate) {
    const { units, first, rows } = this.box;
    const made = unitRows(this.store, field, start, units, first, rows, most, gate);
    return { values: made.values, rows: made.n, start: made.start, down: 1, across: made.step };
  }

  // The numbers of the units at the left: all where there is room, else the first, the last and the chosen one, framed.
  units(g, colours, chosen) {
    const { x: left, y: top, h: high, rows } = this.box;
    const step = high / rows;
    const row = this.rowOf(chosen);
    const there = row >= 0 && row < rows;
    g.font = font(11);
    g.textAlign = "right";
    g.fillStyle = colours.faint;
    const mine = there ? top + (row + 0.5) * step : -99;
    const put = (r, y) => Math.abs(y - mine) > 11 && g.fillText(String(this.unitAt(r)), left - 5, y);
    if (step >= 12) for (let r = 0; r < rows; r++) put(r, top + (r + 0.5) * step);
    else {
      put(0, top + 6);
      put(rows - 1, top + high - 6);
    }
    if (!there) return;
    frame(g, this.box, { row }, colours);
    g.fillStyle = colours.accent;
    g.font = font(11, 600);
    g.fillText(`${chosen}`, left - 5, mine);
  }

  unitAt(row) {
    const { units, first } = this.box;
    return units ? units[first + row] : first + row;
  }
  rowOf(unit) {
    const { units, first } = this.box;
    return (units ? units.indexOf(unit) : unit) - first;
  }

  drawBand(g, colours) {
    const { x: left, y: top, w: wide, h: high, rows } = this.box;
    const [from, to] = this.band;
    g.fillStyle = colours.accent;
    g.globalAlpha = 0.3;
    g.fillRect(left - 40, top + (from / rows) * high, wide + 40, ((to - from) / rows) * high);
    g.globalAlpha = 1;
  }

  spot(px, py) {
    const found = cellAt(this.box, px, py);
    if (!found) return null;
    const { spec } = this.panel;
    const { reader, name, place } = this.what();
    const t = spec.y === "query" ? found[0] : found[1];
    const kept = reader.place(t);
    if (spec.y === "query") kept.other = found[1] + reader.offset;
    else kept.unit = this.unitAt(found[0]);
    return { reader, name, kept, at: { ...place, [spec.y]: kept.unit ?? found[0], [spec.x]: found[1] } };
  }

  look(px, py) {
    const spot = this.spot(px, py);
    this.over = !!spot;
    if (!spot) {
      this.panel.selection.leave();
      return this.resting();
    }
    this.panel.selection.look(spot.kept);
    this.panel.read(reading(spot.reader, spot.name, spot.at, this.panel.spec));
  }

  keep(px, py) {
    const spot = this.spot(px, py);
    if (spot && !this.zoom?.dragged) this.panel.selection.keep(spot.kept, this.panel.app);
  }

  // The places from one to another while they are dragged over.
  brush(from, to) {
    this.band =
      from === undefined
        ? null
        : [Math.min(from, to) - this.box.first, Math.max(from, to) + 1 - this.box.first];
    this.draw();
  }

  resting() {
    const { spec, selection } = this.panel;
    const { reader, name, field, place } = this.what();
    if (!field) return;
    const t = selection.token(reader);
    if (spec.y !== "query")
      return this.panel.read(
        reading(reader, name, { ...place, token: t, unit: selection.get("unit") ?? 0 }, spec),
      );
    let best = 0;
    const last = spec.causal === false ? reader.labels.length - 1 : t;
    for (let k = 0; k <= last; k++)
      if (
        reader.value(name, { ...place, query: t, key: k }) >
        reader.value(name, { ...place, query: t, key: best })
      )
        best = k;
    this.panel.read(`Most of it: ${reading(reader, name, { ...place, query: t, key: best }, spec)}`);
  }

  table() {
    const { reader, name, field, place } = this.what();
    const { spec, selection } = this.panel;
    if (!field || !reader.labels.length) return { columns: [], rows: [] }; // nothing is typed
    const t = selection.token(reader);
    if (spec.y === "query")
      return {
        columns: ["query", "key", "weight"],
        rows: reader.labels
          .slice(0, spec.causal === false ? undefined : t + 1)
          .map((k, i) => [
            visible(reader.labels[t]),
            visible(k),
            digits(reader.value(name, { ...place, query: t, key: i })),
          ]),
      };
    const rows = Array.from({ length: this.box.rows }, (_, row) => this.unitAt(row));
    return {
      columns: ["unit", "token", reader.spec.fields[name].symbol],
      rows: rows.map((u) => [
        u,
        visible(reader.labels[t]),
        digits(reader.value(name, { ...place, token: t, unit: u })),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}

const twoPlaces = (v) => digits(Math.round(v * 100) / 100).replace(/(\.\d\d)\d+$/, "$1");
