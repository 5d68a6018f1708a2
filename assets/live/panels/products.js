// One filter at one place, opened: a row for each word that it covers, a cell for each channel, their sums, the bias, ReLU.

import { Scale, Surface, font, ink, legend } from "../drawing/canvas.js";
import { digits, small, visible } from "../dom.js";
import { cellAt, frame, grid } from "../marks/grid.js";
import { cut } from "../marks/strip.js";
import { answer, covered, matchedAt, opened, switchedOff, tables } from "../sums/textcnn.js";
import { series } from "../wire.js";
import { phrase } from "./phrases.js";

const ROW = 30,
  TOP = 18,
  FOOT = 62;

export default class Products {
  constructor(panel) {
    this.panel = panel;
    this.store = {};
    this.over = /** @type {[number, number] | null} */ (null);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.point(cellAt(this.box, x, y)),
      () => {},
      () => this.point(null),
    );
  }

  point(over) {
    if (String(over) === String(this.over)) return;
    this.over = over;
    this.draw();
  }

  // The filter chosen, else the one that adds most; at the place that is pointed at, else at its best match.
  look() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const model = tables(reader);
    if (!reader.labels.length) return null;
    const t = selection.token(reader);
    let unit = selection.get("unit");
    if (!(unit < model.count)) {
      const { each } = answer(reader, t, switchedOff(selection.get("picks"), model.count));
      unit = each.reduce((best, value, u) => (Math.abs(value) > Math.abs(each[best]) ? u : best), 0);
    }
    const { other } = selection.hovered;
    const last = other === undefined ? matchedAt(reader, unit, t) : Math.min(t, other - reader.offset);
    return last < 0 ? null : { reader, model, unit, last, ...opened(reader, unit, last) };
  }

  draw() {
    const { panel } = this;
    const what = this.look();
    const width = panel.body.clientWidth;
    this.box = null;
    if (!what) {
      this.surface.begin(width, 1);
      panel.say(panel.spec.title, panel.spec.says);
      return panel.read("Type a sentence.");
    }
    const { reader, model, unit, last, words, bias, sum } = what;
    panel.say(`Filter ${unit} at “${phrase(reader, model, unit, last)}”, every product`, panel.spec.says);
    const left = Math.min(130, width * 0.24);
    const right = Math.min(110, width * 0.2);
    const rows = words.length;
    const box = { x: left, y: TOP, w: width - left - right, h: rows * ROW, rows, columns: model.width };
    this.box = box;
    const g = this.surface.begin(width, TOP + box.h + FOOT + 10);
    const colours = ink(panel.app.root);
    const scale = new Scale(model.scales.product, panel.app.dark);
    const values = new Float32Array(rows * model.width);
    words.forEach(({ products }, k) => values.set(products, k * model.width));
    g.textBaseline = "middle";
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.textAlign = "left";
    g.fillText(cut(g, `${model.width} channels`, box.w), left, 8);
    g.textAlign = "right";
    g.fillText(small("sum"), width - 4, 8);
    grid(g, this.store, box, { values }, scale, colours);
    words.forEach(({ token, sum: part }, k) => {
      const y = TOP + (k + 0.5) * ROW;
      g.font = font(13, 600);
      g.textAlign = "right";
      g.fillStyle = token < 0 ? colours.faint : colours.text;
      g.fillText(cut(g, token < 0 ? "zeros" : visible(reader.labels[token]), left - 12), left - 8, y);
      g.font = font(13);
      g.fillText(digits(part), width - 4, y);
    });
    if (this.over) frame(g, box, { row: this.over[0], column: this.over[1] }, colours, 2);
    const below = TOP + box.h;
    g.fillStyle = colours.faint;
    g.font = font(12);
    g.fillText(`bias ${digits(bias)}`, width - 4, below + 14);
    g.fillStyle = colours.text;
    g.font = font(13, 700);
    g.fillText(`ReLU(${digits(sum)}) = ${digits(Math.max(0, sum))}`, width - 4, below + 34);
    legend(g, left, below + 14, Math.min(150, box.w / 2), scale, width < 560 ? "" : "product", colours);
    panel.read(this.said(what));
  }

  said({ reader, model, unit, words, bias, sum }) {
    const { over } = this;
    const [k, d] = over ?? [0, 0];
    if (over && words[k]?.token >= 0) {
      const { token, weights, products } = words[k];
      const x = reader.value("vector", { token, dim: d });
      return `Channel ${d + 1} of “${visible(reader.labels[token])}”: ${digits(x)} · ${digits(weights[d])} = ${digits(products[d])}.`;
    }
    return `${covered(model, unit)} words · ${model.width} channels = ${covered(model, unit) * model.width} products; with the bias ${digits(bias)} they sum to ${digits(sum)}.`;
  }

  drawn() {
    const what = this.look();
    if (!what) return {};
    const sums = what.words.map(({ sum }) => sum);
    return { "drawn.sums": series("step", Object.keys(sums), [...sums]) };
  }

  table() {
    const what = this.look();
    const columns = ["word", "sum of its products"];
    if (!what) return { columns, rows: [] };
    const { reader, words, bias, sum } = what;
    return {
      columns,
      rows: [
        ...words.map(({ token, sum: part }) => [
          token < 0 ? "zeros" : visible(reader.labels[token]),
          digits(part),
        ]),
        ["bias", digits(bias)],
        ["sum of all", digits(sum)],
      ],
    };
  }
}
