// Each typed word as a column with a single 1; under it the formula of the pair looked at: every pair is equally far apart.

import { Scale } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { typed } from "../sums/nearby.js";
import { WordGrid } from "../parts/wordgrid.js";

export default class OneHot {
  constructor(panel) {
    this.panel = panel;
    this.grid = new WordGrid(panel, (i, t) => [this.tokens[t], this.text.first[i]]);
    this.canvas = this.grid.canvas;
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    this.text = typed(reader);
    const { words, at } = this.text;
    this.tokens = at.flatMap((word, t) => (word < 0 ? [] : [t]));
    this.canvas.hidden = !words.length;
    if (!words.length) return panel.read("Type a word.");
    const columns = this.tokens.map((t) => words[at[t]]);
    this.values = new Float32Array(words.length * columns.length);
    this.tokens.forEach((t, k) => {
      this.values[at[t] * columns.length + k] = 1;
    });
    const now = this.tokens.indexOf(panel.selection.token(reader));
    const t = now < 0 ? this.tokens.length - 1 : now;
    const scale = new Scale({ ...panel.spec.scales.count, low: 0, high: 1 }, panel.app.dark);
    this.grid.draw({
      rows: words,
      columns,
      values: this.values,
      scale,
      marked: [at[this.tokens[t]], t],
      most: 26,
    });
    const i = at[this.tokens[t]];
    const other = at[(panel.selection.get("other") ?? -1) - reader.offset];
    const j = other >= 0 && other !== i ? other : words.findIndex((_, k) => k !== i);
    const row = `“${visible(words[i])}” is word ${i + 1} of ${words.length}: a 1 at place ${i + 1}, 0 elsewhere.`;
    panel.read(
      j < 0
        ? row
        : `${row} Compared with “${visible(words[j])}”: cosine 0, distance √(1² + 1²) = ${digits(Math.SQRT2)}. The same for any two different words.`,
    );
  }

  table() {
    const { words } = this.text ?? { words: [] };
    return {
      columns: ["word", "place of its 1", "length of the vector"],
      rows: words.map((w, i) => [visible(w), String(i + 1), String(words.length)]),
    };
  }
}
