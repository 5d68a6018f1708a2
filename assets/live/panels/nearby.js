// How often each typed word stands near each other one; the sliders change what counts, in the browser.

import { Scale } from "../drawing/canvas.js";
import { WordGrid, wordTable } from "../parts/wordgrid.js";
import { readRules, signed, table, typed, value, writeRules } from "../sums/nearby.js";
import { CountBar } from "./nearby/bar.js";
import { SAYS, UNITS, formula } from "./nearby/words.js";

export default class Nearby {
  constructor(panel) {
    this.panel = panel;
    this.bar = new CountBar((part) => {
      panel.selection.kept.rules = writeRules({ ...this.rules, ...part });
      panel.selection.soon();
      panel.app.restSoon();
    });
    panel.body.append(...this.bar.root);
    this.grid = new WordGrid(panel, (i, j) => [this.text.first[i], this.text.first[j]]);
    this.canvas = this.grid.canvas;
  }

  get rules() {
    return readRules(this.panel.selection.get("rules"));
  }

  // [row, column] of the cell looked at: of the word that the chips mark the pair that stands together most, of none
  // of them the one of all words.
  cell() {
    const { selection } = this.panel,
      reader = this.panel.reader();
    const { text, found } = this;
    const i = text.at[selection.token(reader)] ?? -1;
    const j = text.at[(selection.get("other") ?? -1) - reader.offset] ?? -1;
    if (i >= 0 && j >= 0) return [i, j];
    let best = [Math.max(i, 0), 0],
      most = -1;
    for (let r = i >= 0 ? i : 0; r <= (i >= 0 ? i : found.n - 1); r++)
      for (let c = 0; c < found.n; c++)
        if (r !== c && found.values[r * found.n + c] > most) {
          most = found.values[r * found.n + c];
          best = [r, c];
        }
    return best;
  }

  draw() {
    const { panel, rules } = this;
    this.text = typed(panel.reader());
    const { words } = this.text;
    this.bar.draw(rules);
    const reader = panel.reader();
    const part = reader.total > reader.labels.length ? " Only the visible part of the text is counted." : "";
    panel.say(panel.spec.title, SAYS[rules.step] + part);
    this.canvas.hidden = !words.length;
    const of = JSON.stringify([words, this.text.at, this.text.line, rules]);
    if (of !== this.of) {
      this.of = of;
      this.found = table(this.text, rules);
    } // a hover draws again, and counts nothing
    if (!words.length) return panel.read("Type a few words; a new line begins a new text.");
    const scale = this.scale(rules);
    const marked = this.cell();
    this.marked = marked;
    this.grid.draw({
      rows: words,
      columns: words,
      values: this.found.values,
      scale,
      marked,
      label: UNITS[rules.step],
      write: rules.step === "log" || rules.step === "cosine" ? signed : whole,
    });
    panel.read(formula(rules, this.found, words, marked[0], marked[1]));
  }

  // The scale grows in steps, so that it does not change with every key.
  scale(rules) {
    const colours = this.panel.spec.scales[rules.step === "cosine" ? "cosine" : "count"];
    if (rules.step === "cosine") return new Scale(colours, this.panel.app.dark);
    const most = this.found.values.reduce((a, b) => (b > a ? b : a), 0);
    return new Scale(
      { ...colours, low: 0, high: [1, 2, 4, 8, 16, 32, 64, 128, 256].find((n) => n >= most) ?? most },
      this.panel.app.dark,
    );
  }

  table() {
    return wordTable(this.text.words, this.found.values, value);
  }

  drawn() {
    if (!this.found) return {};
    const { words } = this.text,
      { n, values } = this.found;
    return {
      [`near.${this.rules.step}`]: {
        axes: ["source", "target"],
        labels: [words, words],
        values: Float32Array.from(values, (v) => (Number.isFinite(v) ? v : 0)),
        shape: [n, n],
      },
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}

const whole = (v) => (v ? (Number.isInteger(v) ? String(v) : v.toFixed(2)) : "");
