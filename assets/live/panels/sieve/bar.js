// The sliders of the decoding rules, each with what it cuts; they change the picture, never the model.

import { element, percent, put } from "../../dom.js";
import { bar, button, slider } from "../../parts/controls.js";
import { OFF, readRules, writeRules } from "../../sums/decode.js";

const STOPS = [1, 2, 3, 5, 10, 20, 40, 100, 200, 500, 1000, 2000, 5000, 10000, 20000];
const RULES = [
  ["r", "Repetition penalty", "makes tokens that already occurred less likely", 1, 2, 0.05],
  ["t", "Temperature", "0 picks the likeliest, above 1 flattens the distribution", 0, 2, 0.05],
  ["k", "Top-k", "keep the k likeliest", 0, 0, 1],
  ["p", "Top-p", "keep the smallest set that holds the share p", 0.05, 1, 0.01],
  ["m", "Min-p", "keep all that reach m times the likeliest", 0, 0.5, 0.01],
  ["y", "Typical", "keep what is about as surprising as the average", 0.05, 1, 0.01],
];
const PRESETS = [
  ["Model's distribution", "off"],
  ["Greedy", "t0"],
  ["Top-k 40", "k40"],
  ["Top-p 0.9", "p0.9"],
  ["Min-p 0.1", "m0.1"],
  ["Typical 0.9", "y0.9"],
];

export class RuleBar {
  constructor(panel) {
    this.panel = panel;
    this.root = element("div", "un-rules");
    this.presets = PRESETS.map(([name, rules]) => ({ node: button(name, () => this.keep(rules)), rules }));
    const says = element("span", "un-search-label", { textContent: "Rules" });
    this.root.append(bar(says, ...this.presets.map(({ node }) => node)));
    const size = panel.reader().spec.vocabulary;
    this.stops = [...STOPS.filter((n) => n < size), 0];
    this.rows = RULES.map(([name, title, says, min, max, step]) => {
      const row = element("div", "un-rule");
      const chosen = (value) =>
        this.keep(writeRules({ ...this.rules, [name]: name === "k" ? this.stops[value] : value }));
      const range = name === "k" ? { min: 0, max: this.stops.length - 1, step: 1 } : { min, max, step };
      const node = slider(chosen, { id: `un-rule-${name}`, ...range, title: says });
      const label = element("label", "", { htmlFor: node.id, textContent: title, title: says });
      const value = element("span", "un-rule-value"),
        cut = element("span", "un-rule-cut");
      row.append(label, node, value, cut);
      this.root.append(row);
      return { name, slider: node, value, cut };
    });
  }

  get text() {
    return this.panel.selection.get("rules") ?? "off";
  }
  get rules() {
    return readRules(this.text);
  }

  // Drawn with the next frame, however fast a slider moves.
  keep(rules) {
    const { selection, app } = this.panel;
    selection.kept.rules = rules;
    selection.soon();
    app.restSoon();
  }

  draw(found) {
    const { rules } = this;
    const now = writeRules(rules);
    for (const { node, rules: preset } of this.presets)
      node.setAttribute("aria-pressed", String(preset === now));
    for (const { name, slider, value, cut } of this.rows) {
      const at = name === "k" ? nearest(this.stops, rules.k) : rules[name];
      if (Number(slider.value) !== at) slider.value = at;
      const said =
        rules[name] === OFF[name] && name !== "t"
          ? "off"
          : name === "k"
            ? rules.k.toLocaleString("en")
            : rules[name].toFixed(2);
      put(value, said);
      slider.setAttribute("aria-valuetext", said);
      const part = found?.cuts.find((c) => c.name === name);
      const lost = part ? `cuts ${percent(part.mass)}` : "";
      put(cut, lost);
    }
  }
}

function nearest(stops, k) {
  const far = (n) => Math.abs(Math.log((n || 1e6) / (k || 1e6)));
  return stops.reduce((best, n, i) => (far(n) < far(stops[best]) ? i : best), 0);
}
