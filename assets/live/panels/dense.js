// The cosines of the learned vectors of the typed words.

import { Scale } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { signed, typed } from "../sums/nearby.js";
import { WordGrid, wordTable } from "../parts/wordgrid.js";

export default class Dense {
  constructor(panel) {
    this.panel = panel;
    this.grid = new WordGrid(panel, (i, j) => [this.text.first[i], this.text.first[j]]);
    this.canvas = this.grid.canvas;
  }

  // Unit vectors of the words; null for a word that the model does not know.
  units(reader) {
    const { values, shape } = reader.fields.get("vector");
    const d = shape[1];
    return this.text.first.map((t) => {
      const vector = values.subarray(t * d, (t + 1) * d);
      const length = Math.hypot(...vector);
      return length ? Array.from(vector, (x) => x / length) : null;
    });
  }

  compare(units) {
    const n = units.length;
    this.unitVectors = units;
    this.values = new Float32Array(n * n).fill(NaN);
    for (let i = 0; i < n; i++)
      for (let j = i; j < n; j++) {
        if (!units[i] || !units[j]) continue;
        let dot = 0;
        for (let k = 0; k < units[i].length; k++) dot += units[i][k] * units[j][k];
        this.values[i * n + j] = this.values[j * n + i] = dot;
      }
  }

  draw() {
    const { panel } = this;
    const { selection } = panel,
      reader = panel.reader();
    this.text = typed(reader);
    const { words, at } = this.text;
    this.canvas.hidden = !words.length;
    if (!words.length || !reader.fields.get("vector")) return panel.read("");
    const n = words.length,
      { values } = reader.fields.get("vector");
    if (values !== this.of) {
      this.of = values;
      this.compare(this.units(reader));
    } // a hover draws again, and compares nothing
    const scale = new Scale(panel.spec.scales.cosine, panel.app.dark);
    const i = Math.max(0, at[selection.token(reader)] ?? n - 1);
    const other = at[(selection.get("other") ?? -1) - reader.offset];
    let j = other >= 0 ? other : -1;
    if (j < 0)
      for (let k = 0; k < n; k++)
        if (k !== i && (j < 0 || this.values[i * n + k] > this.values[i * n + j])) j = k;
    this.grid.draw({
      rows: words,
      columns: words,
      values: this.values,
      scale,
      marked: [i, j],
      label: "cosine",
      write: signed,
    });
    const pair = `“${visible(words[i])}” and “${visible(words[Math.max(j, 0)])}”`;
    const value = j < 0 ? NaN : this.values[i * n + j];
    const missing = [i, j].filter((k) => k >= 0 && !this.unitVectors[k]).map((k) => `“${visible(words[k])}”`);
    panel.read(
      j < 0
        ? ""
        : missing.length
          ? `${missing.join(" and ")}: not among the ${reader.spec.vocabulary.toLocaleString("en")} words of this model, so it has no vector (grey).`
          : `${pair}: cosine ${digits(value)}, distance of the unit vectors √(2 − 2 cos) = ${digits(Math.sqrt(Math.max(0, 2 - 2 * value)))}.`,
    );
  }

  table() {
    return wordTable(this.text.words, this.values, digits);
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
