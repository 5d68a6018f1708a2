// An operation of an edit and its value, as a number and on a slider.

import { OPERATIONS } from "../sums/edits.js";
import { select } from "./controls.js";
import { input } from "./inputs.js";

export class Amount {
  /** @param {boolean} titled whether names are shown to who points at the controls */
  constructor(titled = false) {
    this.how = select(Object.entries(OPERATIONS), () => {}, "Operation");
    this.value = input("Value", "number", "un-amount", { step: "any", value: "0" });
    if (titled) [this.how.title, this.value.title] = ["Operation", "Value"];
    this.slider = input("Value, as a slider", "range", "un-slider");
    this.nodes = [this.how, this.value, this.slider];
  }

  // The ends of the slider, for this operation on numbers of this scale.
  limits({ low, high } = { low: -1, high: 1 }) {
    const { how, value, slider } = this;
    const reach = Math.max(Math.abs(low), Math.abs(high));
    const ends = { set: [low, high], scale: [0, 2], add: [-reach, reach], freeze: [0, 0] };
    const [min, max] = ends[how.value];
    Object.assign(slider, { min, max, step: (max - min) / 200 || 1, value: value.value });
    for (const node of [value, slider]) node.disabled = how.value === "freeze";
  }
}
