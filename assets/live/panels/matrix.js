// One picture opened: a grid of cells with its labels, and the numbers in the cells where there is room.

import { Scale, Surface, font, ink, legend, luminance, raster } from "../canvas.js";
import { digits, short, visible } from "../dom.js";
import { order, pooled, shownRange, unitRows } from "../order.js";
import { Zoom } from "../zoom.js";
import { reading, slice } from "./multiples.js";

const LEGEND = 30;

export default class Matrix {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = {};
    if (panel.spec.y === "unit") this.zoom = new Zoom(this);
    this.surface.onPointer((x, y) => this.look(x, y), (x, y) => this.keep(x, y), () => { panel.selection.leave(); this.resting(); });
    this.zoom?.listen(this.canvas);
  }

  what() {
    const { spec, selection } = this.panel;
    const name = spec.fields.length === 1 ? spec.fields[0] : selection.get("field");
    const reader = this.panel.reader();
    const field = reader.fields.get(name);
    const place = {};
    for (const axis of field?.axes ?? []) if (axis !== spec.x && axis !== spec.y) place[axis] = Math.min(selection.get(axis) ?? 0, field.shape[field.axes.indexOf(axis)] - 1);
    return { reader, name, field, place };
  }

  draw() {
    const { panel } = this;
    const { spec, app, selection } = panel;
    const { reader, name, field, place } = this.what();
    if (!field) return;
    const about = reader.spec.fields[name];
    const where = Object.entries(place).map(([axis, i]) => `${axis} ${i + 1}`).join(", ");
    const scale = new Scale(about.scale, app.dark);
    const colours = ink(app.root);
    const [all, columns, start, rowStep, columnStep] = slice(field, place, spec.y, spec.x);
    const units = this.zoom ? order(reader, selection, place.layer, all) : null;
    const [first, rows] = this.zoom ? this.zoom.follow(units, all) : [0, all];
    const width = panel.body.clientWidth;
    const square = spec.y === "query";
    const left = square ? Math.min(96, width * 0.26) : 46;
    const cell = square ? Math.max(3, Math.min(44, (width - left - (columns > 1 ? 34 : 2)) / columns)) : (width - left - 2) / Math.max(columns, 8);
    const wide = cell * columns;
    const high = square ? cell * rows : Math.max(120, Math.min(400, all * 2));
    const top = square ? Math.min(84, 16 + cell * 1.5) : 20;
    const height = top + high + LEGEND + 10;
    const g = this.surface.begin(width, height);
    const picture = this.picture(field, units, first, rows, [columns, start, rowStep, columnStep], Math.round(high * this.surface.ratio), scale, about.kind === "gate");
    const many = this.zoom ? pooled(rows, Math.round(high * this.surface.ratio), about.kind === "gate") : "";
    panel.say(`${about.short ?? name} ${about.symbol}, ${where}`, `${about.says} Model: ${reader.spec.title}.${many}`);
    g.imageSmoothingEnabled = false;
    g.drawImage(picture, left, top, wide, high);
    g.strokeStyle = colours.line;
    g.strokeRect(left - 0.5, top - 0.5, wide + 1, high + 1);
    this.box = { left, top, wide, high, rows, columns, units, first };
    const now = selection.token(reader);
    this.labels(g, reader, colours, now, { left, top, cell, square });
    if (square && cell >= 30) this.numbers(g, field.values, scale, { left, top, cell, rows, columns, start, rowStep, columnStep });
    else if (!square && cell >= 27 && high / rows >= 13) this.values(g, scale, { left, top, cell, high: high / rows });
    g.strokeStyle = colours.accent;
    g.lineWidth = 1.5;
    if (square) g.strokeRect(left - 1, top + now * cell, wide + 2, cell);
    else {
      g.strokeRect(left + now * cell, top - 1, cell, high + 2);
      this.units(g, colours, selection.get("unit") ?? 0);
      if (this.band) this.drawBand(g, colours);
    }
    legend(g, left, height - LEGEND + 2, Math.min(160, width - left - 80), scale, square ? "share of the reading" : about.short ?? name, colours);
    if (!this.over) this.resting();
  }

  labels(g, reader, colours, now, { left, top, cell, square }) {
    g.textBaseline = "middle";
    const size = Math.max(9, Math.min(13, cell * 0.8));
    const every = Math.max(1, Math.ceil(9 / cell));
    reader.labels.forEach((label, t) => {
      if (t % every && t !== now) return;
      const on = t === now;
      g.fillStyle = on ? colours.accent : colours.text;
      g.font = font(size, on ? 700 : 400);
      if (square) {
        g.textAlign = "right";
        g.fillText(fit(g, label, left - 8), left - 6, top + (t + 0.5) * cell);
        g.save();
        g.translate(left + (t + 0.5) * cell, top - 5);
        g.rotate(cell > 60 ? 0 : -Math.PI / 3.2);
        g.textAlign = "left";
        g.fillText(fit(g, label, (top - 8) / 0.85), 0, 0);
        g.restore();
      } else {
        g.textAlign = "center";
        g.fillText(cell < 15 ? Array.from(visible(label))[0] : fit(g, label, cell - 1), left + (t + 0.5) * cell, top - 9);
      }
    });
  }

  picture(field, units, first, rows, [columns, start, rowStep, columnStep], most, scale, gate) {
    if (!this.zoom) return raster(this.store, field.values, rows, columns, start, rowStep, columnStep, scale);
    const { values, n, T, start: at, step } = (this.rowsDrawn = unitRows(this.store, field, start, units, first, rows, most, gate));
    return raster(this.store, values, n, T, at, 1, step, scale);
  }

  // The numbers of the units at the left: all where there is room, else the first, the last and the chosen one, framed.
  units(g, colours, chosen) {
    const { left, top, wide, high, rows } = this.box;
    const step = high / rows;
    const row = this.rowOf(chosen);
    const there = row >= 0 && row < rows;
    g.font = font(11);
    g.textAlign = "right";
    g.fillStyle = colours.faint;
    const mine = there ? top + (row + 0.5) * step : -99;
    const put = (r, y) => Math.abs(y - mine) > 11 && g.fillText(String(this.unitAt(r)), left - 5, y);
    if (step >= 12) for (let r = 0; r < rows; r++) put(r, top + (r + 0.5) * step);
    else { put(0, top + 6); put(rows - 1, top + high - 6); }
    if (!there) return;
    g.strokeRect(left - 1, top + row * step - 1, wide + 2, step + 2);
    g.fillStyle = colours.accent;
    g.font = font(11, 600);
    g.fillText(`${chosen}`, left - 5, mine);
  }

  unitAt(row) { const { units, first } = this.box; return units ? units[first + row] : first + row; }
  rowOf(unit) { const { units, first } = this.box; return (units ? units.indexOf(unit) : unit) - first; }

  drawBand(g, colours) {
    const { left, top, wide, high, rows } = this.box;
    const [from, to] = this.band;
    g.fillStyle = colours.accent;
    g.globalAlpha = 0.3;
    g.fillRect(left - 40, top + (from / rows) * high, wide + 40, ((to - from) / rows) * high);
    g.globalAlpha = 1;
  }

  // The numbers in the cells of few units.
  values(g, scale, { left, top, cell, high }) {
    const { values, n, T, start, step } = this.rowsDrawn;
    g.font = font(Math.min(12, cell * 0.32));
    g.textAlign = "center";
    for (let r = 0; r < n; r++)
      for (let t = 0; t < T; t++) {
        const v = values[start + t * step + r];
        g.fillStyle = luminance(scale.packed(v)) < 128 ? "#ffffff" : "#111111";
        g.fillText(digits(Math.round(v * 100) / 100).replace(/(\.\d\d)\d+$/, "$1"), left + (t + 0.5) * cell, top + (r + 0.5) * high);
      }
  }

  numbers(g, values, scale, { left, top, cell, rows, columns, start, rowStep, columnStep }) {
    g.font = font(Math.min(12, cell * 0.3));
    g.textAlign = "center";
    g.textBaseline = "middle";
    for (let r = 0; r < rows; r++)
      for (let c = 0; c <= (this.panel.spec.causal === false ? columns - 1 : Math.min(r, columns - 1)); c++) {
        const v = values[start + r * rowStep + c * columnStep];
        g.fillStyle = luminance(scale.packed(v)) < 128 ? "#ffffff" : "#111111";
        g.fillText(v >= 0.995 ? "1" : v.toFixed(2).slice(1), left + (c + 0.5) * cell, top + (r + 0.5) * cell);
      }
  }

  find(px, py) {
    const b = this.box;
    if (!b || px < b.left || py < b.top || px >= b.left + b.wide || py >= b.top + b.high) return null;
    return [Math.floor(((py - b.top) / b.high) * b.rows), Math.floor(((px - b.left) / b.wide) * b.columns)];
  }

  spot(px, py) {
    const found = this.find(px, py);
    if (!found) return null;
    const { spec } = this.panel;
    const { reader, name, place } = this.what();
    const t = spec.y === "query" ? found[0] : found[1];
    const kept = { token: t + reader.offset, reader: reader.spec.id, span: reader.spans[t] };
    if (spec.y === "query") kept.other = found[1] + reader.offset;
    else kept.unit = this.unitAt(found[0]);
    return { reader, name, kept, at: { ...place, [spec.y]: kept.unit ?? found[0], [spec.x]: found[1] } };
  }

  look(px, py) {
    const spot = this.spot(px, py);
    this.over = !!spot;
    if (!spot) { this.panel.selection.leave(); return this.resting(); }
    this.panel.selection.look(spot.kept);
    this.panel.read(reading(spot.reader, spot.name, spot.at, this.panel.spec));
  }

  keep(px, py) {
    const spot = this.spot(px, py);
    if (spot && !this.zoom?.dragged) this.panel.selection.keep(spot.kept, this.panel.app);
  }

  // The places from one to another while they are dragged over.
  brush(from, to) {
    this.band = from === undefined ? null : [Math.min(from, to) - this.box.first, Math.max(from, to) + 1 - this.box.first];
    this.draw();
  }

  resting() {
    const { spec, selection } = this.panel;
    const { reader, name, field, place } = this.what();
    if (!field) return;
    const t = selection.token(reader);
    if (spec.y !== "query") return this.panel.read(reading(reader, name, { ...place, token: t, unit: selection.get("unit") ?? 0 }, spec));
    let best = 0;
    const last = spec.causal === false ? reader.labels.length - 1 : t;
    for (let k = 0; k <= last; k++) if (reader.value(name, { ...place, query: t, key: k }) > reader.value(name, { ...place, query: t, key: best })) best = k;
    this.panel.read(`Most of it: ${reading(reader, name, { ...place, query: t, key: best }, spec)}`);
  }

  table() {
    const { reader, name, field, place } = this.what();
    const { spec, selection } = this.panel;
    if (!field || !reader.labels.length) return { columns: [], rows: [] }; // nothing is typed
    const t = selection.token(reader);
    if (spec.y === "query")
      return { columns: ["query", "key", "weight"], rows: reader.labels.slice(0, spec.causal === false ? undefined : t + 1).map((k, i) => [visible(reader.labels[t]), visible(k), digits(reader.value(name, { ...place, query: t, key: i }))]) };
    const rows = Array.from({ length: this.box.rows }, (_, row) => this.unitAt(row));
    return { columns: ["unit", "token", reader.spec.fields[name].symbol], rows: rows.map((u) => [u, visible(reader.labels[t]), digits(reader.value(name, { ...place, token: t, unit: u }))]) };
  }

  alt() { return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`; }
}

// As much of a label as fits into `room` pixels.
function fit(g, label, room) {
  let text = short(label, 20);
  while (text.length > 1 && g.measureText(text).width > room) text = `${Array.from(text).slice(0, -2).join("")}…`;
  return text;
}
