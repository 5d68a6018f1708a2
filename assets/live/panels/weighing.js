// One head opened as it is edited: choose a cell, and the slider below sets its weight.

import { ink } from "../drawing/canvas.js";
import { digits, element, visible } from "../dom.js";
import { bar, button, slider } from "../parts/controls.js";
import { MOST, covers } from "../sums/edits.js";
import Matrix from "./matrix.js";

const OFF = -1000;

export default class Weighing extends Matrix {
  constructor(panel) {
    super(panel);
    this.name = element("span");
    const weigh = (done) => this.weigh(Number(this.slider.value), done);
    this.slider = slider(() => weigh(false), { min: 0, max: 1, step: 0.01 }, "Weight");
    this.slider.onchange = () => weigh(true);
    this.evens = element("input", "", { type: "checkbox", id: `un-rest-${panel.spec.id}` });
    this.evens.onchange = () => {
      if (this.edited(this.cell())) weigh(true);
    };
    const label = element("label", "", { htmlFor: this.evens.id, textContent: "the others share the rest" });
    const both = element("span", "un-both");
    both.append(this.evens, label);
    this.put = button("As it was", () => this.operating.change(this.others()));
    panel.body.append(bar(this.name, this.slider, both, this.put));
  }

  get operating() {
    return this.panel.app.panels.find((p) => p.spec.kind === "switches").view;
  }

  // The cell chosen: layer, head, the token that looks and the one looked at, in the whole text; null where none is.
  /** @returns {any} */
  cell() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const { place } = this.what();
    const { other } = selection.kept;
    if (other === undefined) return null;
    const query = selection.keptToken(reader);
    const key = other - reader.offset;
    if (key < 0 || key >= reader.labels.length || (key > query && this.panel.spec.causal)) return null;
    return { ...place, query, key };
  }

  mine(e, { layer, head, query, key }) {
    const { offset } = this.panel.reader();
    return (
      (e.field === "attention" || e.field === "score") &&
      e.layer === String(layer) &&
      e.unit === String(head) &&
      e.tokens === String(query + offset) &&
      e.keys === String(key + offset)
    );
  }

  // The edit of a cell, if there is one.
  edited(cell) {
    return cell && this.operating.edits.find((e) => this.mine(e, cell));
  }

  others() {
    const cell = this.cell();
    return this.operating.edits.filter((e) => !this.mine(e, cell));
  }

  // A weight alone, or through its score: then softmax shares the rest of the row out among the others.
  weigh(value, done) {
    const cell = this.cell();
    const left = cell && this.others();
    if (!cell || left.length >= MOST) return;
    const { offset } = this.panel.reader();
    const was = this.panel.reader("plain").value("attention", cell);
    const through = this.evens.checked;
    const add = value <= 0 ? OFF : value >= 1 ? -OFF : Math.log((value * (1 - was)) / (was * (1 - value)));
    if (through && !Number.isFinite(add)) return; // the first token has no others to share with
    const edit = {
      field: through ? "score" : "attention",
      layer: String(cell.layer),
      unit: String(cell.head),
      tokens: String(cell.query + offset),
      keys: String(cell.key + offset),
      how: through && Math.abs(add) < -OFF ? "add" : "set",
      value: String(Math.round((through ? add : value) * 1000) / 1000),
    };
    this.operating.change([...left, edit], done);
  }

  draw() {
    super.draw();
    const { panel } = this;
    const { reader, field, place } = this.what();
    if (!field || !this.box) return;
    const colours = ink(panel.app.root);
    const { g } = this.surface;
    const { x: left, y: top, w: wide, columns } = this.box;
    const size = wide / columns;
    const word = (t) => `“${visible(reader.labels[t] ?? "")}”`;
    g.lineWidth = 2;
    for (const e of this.operating.edits) {
      if (
        (e.field !== "attention" && e.field !== "score") ||
        !covers(e.layer, place.layer) ||
        !covers(e.unit, place.head)
      )
        continue;
      g.strokeStyle = getComputedStyle(panel.app.root).getPropertyValue(`--un-reader-${reader.spec.colour}`);
      for (let q = 0; q < columns; q++)
        for (let k = 0; k < columns; k++)
          if (covers(e.tokens, q + reader.offset) && covers(e.keys, k + reader.offset))
            g.strokeRect(left + k * size, top + q * size, size, size);
    }
    const cell = this.cell();
    for (const node of [this.slider, this.evens, this.put]) node.disabled = !cell;
    if (!cell) {
      this.name.textContent = "Click a cell to weigh it:";
      return;
    }
    g.strokeStyle = colours.accent;
    g.strokeRect(left + cell.key * size - 1, top + cell.query * size - 1, size + 2, size + 2);
    const [was, is] = [panel.reader("plain"), reader].map((r) => r.value("attention", cell));
    this.name.textContent = `${word(cell.query)} looks at ${word(cell.key)}: ${digits(100 * was)} %${was === is ? "" : ` → ${digits(100 * is)} %`}`;
    if (document.activeElement !== this.slider) this.slider.value = String(is);
    const edited = this.edited(cell);
    this.put.disabled = !edited;
    if (edited) this.evens.checked = edited.field === "score";
  }
}
