// How often each typed word stands near each other one; the sliders change what counts, in the browser.

import { Scale } from "../drawing/canvas.js";
import { element, visible } from "../dom.js";
import { STEPS, pmi, readRules, signed, table, typed, value, writeRules } from "../sums/nearby.js";
import { WordGrid } from "../parts/wordgrid.js";

const SAYS = {
  count:
    "Row: the word. Column: a word near it. Each occurrence of one in the window of the other adds 1, or 1 divided by the distance.",
  log: "ln of the count: the step from 1 to 2 is as large as from 10 to 20. Grey: never together, and ln 0 is not a number.",
  ppmi: "How much more often than chance: ln of the pair's share divided by the product of the two words' shares; 0 where that is negative or the two never occur together.",
  cosine:
    "Two words are alike when their rows of counts point the same way: 1 for the same neighbours, 0 for none in common.",
};
const WORDS = { count: "count", log: "ln count", ppmi: "PPMI, nats", cosine: "cosine" };

export default class Nearby {
  constructor(panel) {
    this.panel = panel;
    const steps = element("div", "un-order"),
      bar = element("div", "un-order");
    const keep = (part) => {
      panel.selection.kept.rules = writeRules({ ...this.rules, ...part });
      panel.selection.soon();
      panel.app.restSoon();
    };
    const choice = (label, options, read) => {
      const node = element("select", "un-select");
      node.setAttribute("aria-label", label);
      for (const [value, said] of options) node.append(element("option", "", { value, textContent: said }));
      node.onchange = () => keep(read(node.value));
      bar.append(node);
      return node;
    };
    this.steps = Object.entries(STEPS).map(([step, title]) => {
      const node = element("button", "un-button", {
        type: "button",
        textContent: title,
        onclick: () => keep({ step }),
      });
      steps.append(node);
      return [step, node];
    });
    const label = element("label", "un-search-label", { textContent: "Window", htmlFor: "un-window" });
    this.slider = element("input", "un-slider", { type: "range", id: "un-window", min: 1, max: 10, step: 1 });
    this.slider.oninput = () => keep({ window: Number(this.slider.value) });
    this.width = element("span", "un-rule-value");
    bar.append(label, this.slider, this.width);
    this.sides = choice(
      "Sides",
      [
        ["b", "both sides"],
        ["l", "left side"],
        ["r", "right side"],
      ],
      (sides) => ({ sides }),
    );
    this.weight = choice(
      "Weight of a neighbour",
      [
        ["f", "each counts 1"],
        ["d", "counts 1 / distance"],
      ],
      (w) => ({ flat: w === "f" }),
    );
    this.alpha = choice(
      "Context smoothing",
      [
        ["1", "no smoothing"],
        ["0.75", "contexts to the power 0.75"],
      ],
      (a) => ({ alpha: Number(a) }),
    );
    this.shift = choice(
      "Shift",
      [
        ["1", "no shift"],
        ["5", "minus ln 5"],
      ],
      (s) => ({ shift: Number(s) }),
    );
    panel.body.append(steps, bar);
    this.grid = new WordGrid(panel, (i, j, kept) => {
      const { first } = this.text,
        reader = panel.reader();
      const place = {
        token: first[i] + reader.offset,
        other: first[j] + reader.offset,
        reader: reader.spec.id,
        span: reader.spans[first[i]],
      };
      kept ? panel.selection.keep(place, panel.app) : panel.selection.look(place);
    });
    this.canvas = this.grid.surface.node;
  }

  get rules() {
    return readRules(this.panel.selection.get("rules"));
  }

  // [row, column] of the cell looked at; the pair that stands together most where none is.
  cell() {
    const { selection } = this.panel,
      reader = this.panel.reader();
    const { text, found } = this;
    const asked = selection.get("token");
    const i = asked === undefined ? -1 : (text.at[selection.token(reader)] ?? -1);
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
    for (const [step, node] of this.steps) node.setAttribute("aria-pressed", String(step === rules.step));
    this.slider.value = rules.window;
    const said = `${rules.window} ${rules.window === 1 ? "word" : "words"}`;
    this.width.textContent = said;
    this.slider.setAttribute("aria-valuetext", said);
    this.sides.value = rules.sides;
    this.weight.value = rules.flat ? "f" : "d";
    this.alpha.value = String(rules.alpha);
    this.shift.value = String(rules.shift);
    this.alpha.hidden = this.shift.hidden = rules.step !== "ppmi";
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
      label: WORDS[rules.step],
      write: rules.step === "log" || rules.step === "cosine" ? signed : whole,
    });
    panel.read(this.formula(...marked));
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

  formula(i, j) {
    const { rules, found, text } = this;
    const { n, counts, all } = found;
    const x = counts[i * n + j],
      [a, b] = [visible(text.words[i]), visible(text.words[j])];
    const pair = `“${a}” with “${b}”`;
    if (rules.step === "cosine") {
      const cos = found.values[i * n + j];
      return Number.isFinite(cos)
        ? `cos = ${value(cos)}: the similarity of the rows of “${a}” and “${b}”.`
        : `“${a}” or “${b}” has no neighbour in the window, so there is nothing to compare.`;
    }
    if (rules.step === "count")
      return `${pair}: X = ${value(x)}. All neighbours of “${a}” together: ${value(all.row[i])}, so P(“${b}” | “${a}”) = ${all.row[i] ? value(x / all.row[i]) : "n/a"}.`;
    if (!x)
      return `${pair}: never together in the window, so X = 0${rules.step === "log" ? ", and 0 has no logarithm" : " and PPMI = 0"}.`;
    if (rules.step === "log") return `${pair}: ln X = ln ${value(x)} = ${value(Math.log(x))}.`;
    const raw = pmi(x, all, i, j, rules.shift);
    const context =
      rules.alpha === 1
        ? `${value(all.column[j])} / ${value(all.total)}`
        : `${value(all.smooth[j])} / ${value(all.smoothTotal)}`;
    const shift = rules.shift > 1 ? ` − ln ${rules.shift}` : "";
    return `${pair}: ln[ (${value(x)} / ${value(all.total)}) ÷ (${value(all.row[i])} / ${value(all.total)} × ${context}) ]${shift} = ${value(raw)}${raw < 0 ? ", below 0, so 0" : ""}.`;
  }

  table() {
    const { n, values } = this.found;
    const { words } = this.text;
    return {
      columns: ["", ...words.map((w) => visible(w))],
      rows: words.map((w, i) => [
        visible(w),
        ...Array.from({ length: n }, (_, j) =>
          Number.isFinite(values[i * n + j]) ? value(values[i * n + j]) : "–",
        ),
      ]),
    };
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
