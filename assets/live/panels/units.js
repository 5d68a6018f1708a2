// A few units of a recurrent model over the letters of the text: the memory of each as a row of cells, under it the gate
// that says how much of it stays.

import { Scale, Surface, font, ink, legend, raster } from "../drawing/canvas.js";
import { capital, digits, visible } from "../dom.js";
import { shade } from "../marks/axes.js";
import { pointing } from "../marks/pointer.js";
import { cut, strip } from "../marks/strip.js";
import { high } from "../parts/card.js";
import { span, tokens, word } from "../sums/sameword.js";
import { largestStep } from "./units/step.js";

const NARROW = 4, // pixels of a letter, where the text is long
  WIDE = 18,
  ROOMY = 640, // where letters may be WIDEST
  WIDEST = 28,
  GAPS = 6, // letters that are wider have a gap between them
  NARROWER = 420, // no room for legends beside the names
  LETTERS = 18,
  LEGEND = 26;

export default class Units {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.stores = [];
    pointing(this, (x) => {
      const t = this.first + Math.floor((x - this.left) / this.step);
      const { spans } = panel.reader();
      return x >= this.left && spans[t]?.[1] ? panel.reader().place(t) : null;
    });
  }

  // What the next message says of the units on the screen: of the same ones only new letters are sent.
  ask() {
    return { units: (this.panel.reader().said.units ?? []).flatMap(([layer, unit]) => [layer, unit]) };
  }

  // [{layer, unit, role, lower, auc}]
  get units() {
    return (this.panel.reader().said.units ?? []).map(([layer, unit, role, auc]) => ({
      ...{ layer, unit, role, lower: auc < 0.5, auc: Math.max(auc, 1 - auc) },
    }));
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const [width, tall] = [panel.body.clientWidth, high(this.panel.app)];
    const g = this.surface.begin(width, tall);
    const colours = ink(app.root);
    const { units } = this;
    const marks = reader.spans.filter((s) => s[1] === 0).length;
    const left = (this.left = Math.min(172, width * 0.4));
    const room = Math.max(1, Math.floor((width - left) / NARROW));
    const count = Math.min(room, reader.labels.length - marks);
    const now = selection.token(reader);
    const last = Math.max(now + 1, Math.min(reader.labels.length, now + Math.ceil(count / 2)));
    const first = (this.first = Math.max(marks, last - count));
    const step = (this.step = Math.min(width < ROOMY ? WIDE : WIDEST, (width - left) / Math.max(1, count)));
    panel.say(panel.spec.title, largestStep(panel, units));
    if (!units.length || count < 1) return;
    const row = (tall - LETTERS - LEGEND) / units.length;
    const fields = this.fields(reader);
    const cells = fields.map(({ name, scale }, n) => {
      const { values, shape } = reader.fields.get(name);
      return raster((this.stores[n] ??= {}), values, shape[0], count, first, shape[1], 1, scale);
    });
    g.imageSmoothingEnabled = false;
    units.forEach((unit, u) => {
      const y = LETTERS + u * row;
      this.name(g, unit, left - 8, y + (row - 4) / 2, row, colours);
      fields.forEach((_, n) => {
        const memory = fields.length === 1 ? row - 4 : Math.round((row - 4) * 0.68);
        const [top, h] = n ? [y + memory + 1, row - 5 - memory] : [y, memory];
        g.drawImage(cells[n], 0, u, count, 1, left, top, count * step, h);
      });
    });
    g.fillStyle = colours.ground;
    if (step > GAPS)
      for (let t = 1; t <= count; t++) g.fillRect(left + t * step - 1, LETTERS, 1, units.length * row);
    const [a, b] = tokens(reader, word(app));
    if (span(app) && a >= 0) {
      const x = left + (Math.max(a, first) - first) * step;
      shade(g, { x, y: 0, w: (b - Math.max(a, first) + 1) * step, h: tall - LEGEND }, colours, 0.16);
    }
    const labels = reader.labels.slice(first, first + count);
    strip(g, labels, { left, step, y: LETTERS / 2, now: now - first, colours });
    const x = width < NARROWER ? 0 : left;
    const long = (width - x) / 2 < 170 ? 50 : 90;
    fields.forEach(({ scale, short }, n) =>
      legend(g, x + n * ((width - x) / 2), tall - LEGEND + 4, long, scale, short, colours),
    );
  }

  fields(reader) {
    return ["units.state", "units.keep"]
      .filter((name) => reader.fields.has(name) && reader.spec.fields[name])
      .map((name) => ({
        name,
        scale: new Scale(reader.spec.fields[name].scale, this.panel.app.dark),
        short: name === "units.state" ? "Memory" : capital(`${this.panel.spec.keeps} gate`),
      }));
  }

  // At the left of a row: what the unit responds to, and its number.
  name(g, { layer, unit, role, lower }, right, y, row, colours) {
    g.textAlign = "right";
    g.textBaseline = "middle";
    const number = `unit ${unit}, layer ${layer + 1}${role ? `, ${lower ? "low" : "high"}` : ""}`;
    const both = role && row > 22;
    g.fillStyle = colours.text;
    g.font = font(12, 600);
    g.fillText(cut(g, role ?? number, right), right, both ? y - 6 : y);
    if (!both) return;
    g.fillStyle = colours.faint;
    g.font = font(10.5);
    g.fillText(cut(g, number, right), right, y + 7);
  }

  table() {
    const reader = this.panel.reader();
    const fields = this.fields(reader);
    const rows = this.units.flatMap(({ layer, unit, role, lower, auc }, u) =>
      reader.labels.map((label, token) => [
        ...[layer + 1, unit, role ? `${lower ? "low" : "high"}: ${role}` : "", role ? digits(auc) : ""],
        ...[visible(label), ...fields.map(({ name }) => digits(reader.value(name, { unit: u, token })))],
      ]),
    );
    const columns = ["layer", "unit", "measured role", "AUC", "token", ...fields.map((f) => f.short)];
    return { columns, rows };
  }

  // Under the names of the units: layer and number.
  drawn() {
    const { spec, labels, fields } = this.panel.reader();
    const names = this.units.map(({ layer, unit }) => `${layer + 1}.${unit}`);
    const named = (/** @type {string} */ name) => [
      `${spec.id}.${name}`,
      { ...fields.get(name), labels: [names, labels] },
    ];
    return Object.fromEntries(this.fields(this.panel.reader()).map(({ name }) => named(name)));
  }

  alt() {
    const rows = this.units.map(({ unit, role }) => `unit ${unit}${role ? ` (${role})` : ""}`);
    return `${this.panel.title.textContent}. Rows: ${rows.join(", ")}. ${this.panel.says.textContent}`;
  }
}
