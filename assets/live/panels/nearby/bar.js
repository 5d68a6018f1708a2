// What counts as near and what becomes of the counts: steps, window, sides, weights, smoothing, shift.

import { element } from "../../dom.js";
import { bar, button, select, slider } from "../../parts/controls.js";
import { STEPS } from "../../sums/nearby.js";

const SIDES = [
  ["b", "both sides"],
  ["l", "left side"],
  ["r", "right side"],
];
const WEIGHTS = [
  ["f", "each counts 1"],
  ["d", "counts 1 / distance"],
];
const SMOOTHED = [
  ["1", "no smoothing"],
  ["0.75", "contexts to the power 0.75"],
];
const SHIFTS = [
  ["1", "no shift"],
  ["5", "minus ln 5"],
];

export class CountBar {
  // keep(part): some of the rules are chosen
  constructor(keep) {
    this.steps = Object.entries(STEPS).map(([step, title]) => [step, button(title, () => keep({ step }))]);
    this.slider = slider((window) => keep({ window }), { id: "un-window", min: 1, max: 10, step: 1 });
    this.width = element("span", "un-rule-value");
    this.sides = select(SIDES, (sides) => keep({ sides }), "Sides");
    this.weight = select(WEIGHTS, (weight) => keep({ flat: weight === "f" }), "Weight of a neighbour");
    this.alpha = select(SMOOTHED, (alpha) => keep({ alpha: Number(alpha) }), "Context smoothing");
    this.shift = select(SHIFTS, (shift) => keep({ shift: Number(shift) }), "Shift");
    const label = element("label", "un-search-label", { textContent: "Window", htmlFor: "un-window" });
    this.root = [
      bar(...this.steps.map(([, node]) => node)),
      bar(label, this.slider, this.width, this.sides, this.weight, this.alpha, this.shift),
    ];
  }

  draw(rules) {
    for (const [step, node] of this.steps) node.setAttribute("aria-pressed", String(step === rules.step));
    const said = rules.window === 1 ? "1 word" : `${rules.window} words`;
    this.slider.value = rules.window;
    this.slider.setAttribute("aria-valuetext", said);
    this.width.textContent = said;
    this.sides.value = rules.sides;
    this.weight.value = rules.flat ? "f" : "d";
    this.alpha.value = String(rules.alpha);
    this.shift.value = String(rules.shift);
    this.alpha.hidden = this.shift.hidden = rules.step !== "ppmi";
  }
}
