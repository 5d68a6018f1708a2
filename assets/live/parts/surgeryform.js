// One edit of Surgery in controls: what is done, to which gate or state, of which units of which layer, from which token to which.

import { tokensFrom } from "../sums/edits.js";
import { Amount } from "./amount.js";
import { bar, select } from "./controls.js";
import { input, offer, word } from "./inputs.js";

/** @import { Edit } from "../types.js" */

const number = (title, more = {}) => input(title, "number", "un-amount", { title, min: 0, step: 1, ...more });
const choice = (title, options = []) =>
  Object.assign(
    select(options, () => {}, title),
    { title },
  );

export class SurgeryForm {
  /** @param {any} panel */
  constructor(panel) {
    this.panel = panel;
    this.amount = new Amount(true);
    this.field = choice("Gate or state");
    this.units = choice("Which units", [
      ["one", "unit"],
      ["some", "units"],
      ["all", "all units"],
    ]);
    this.first = number("Unit");
    this.last = number("Last unit");
    this.layer = choice("Layer");
    this.from = number("First token");
    this.to = number("Last token", { placeholder: "the end" });
    this.dash = word("to");
    const unit = [this.units, this.first, this.dash, this.last];
    this.lines = [
      bar(...this.amount.nodes),
      bar(word("the"), this.field, word("of"), ...unit, word("in"), this.layer),
      bar(word("from token"), this.from, word("to"), this.to),
    ];
  }

  // What can be chosen of this model.
  offer(layers) {
    if (this.layers === layers) return;
    this.layers = layers;
    const each = Array.from({ length: layers }, (_, i) => [String(i), `layer ${i + 1}`]);
    offer(this.layer, [...each, ["*", "all layers"]]);
    const about = this.panel.reader().spec.fields;
    const names = this.panel.spec.fields;
    offer(
      this.field,
      names.map((name) => [name, `${about[name].short} ${about[name].symbol}`]),
    );
    this.amount.value.value = "0";
  }

  /** What the controls say; null where it is no edit. @returns {Edit | null} */
  get draft() {
    const { how, value } = this.amount;
    const tokens = range(this.from, this.to);
    const units = { one: range(this.first, this.first), all: "*", some: range(this.first, this.last) };
    const unit = units[this.units.value];
    if (!tokens || !unit || !Number.isFinite(Number(value.value))) return null;
    const at = { field: this.field.value, layer: this.layer.value, unit, tokens };
    return { ...at, how: how.value, value: String(Number(value.value)) };
  }

  /** Show an edit. @param {Edit} edit */
  fill({ field, layer, unit, tokens, how, value }) {
    const [first, last] = unit.split("-");
    const [from, to] = tokens === "*" ? ["0", ""] : tokens.split("-");
    this.amount.how.value = how;
    this.field.value = field;
    this.layer.value = layer;
    this.units.value = unit === "*" ? "all" : last === undefined ? "one" : "some";
    if (unit !== "*") {
      this.first.value = first;
      this.last.value = last ?? first;
    }
    this.from.value = from;
    this.to.value = to ?? from;
    if (value !== undefined) this.amount.value.value = value;
    this.limits();
  }

  // A control has changed: what follows from it.
  changed(node, done) {
    const { how, value, slider } = this.amount;
    if (node === how && !done) value.value = "0";
    if (node === slider) value.value = String(Math.round(Number(slider.value) * 100) / 100);
    this.limits();
  }

  limits() {
    this.amount.limits(this.panel.reader().spec.fields[this.field.value]?.scale);
    for (const node of [this.dash, this.last]) node.hidden = this.units.value !== "some";
    this.first.hidden = this.units.value === "all";
  }

  // The place that the controls name, for the selection of the page.
  get place() {
    const place = { field: this.field.value, layer: Number(this.layer.value) };
    return this.units.value === "all" ? place : { ...place, unit: Number(this.first.value) };
  }

  // Whether a control says where the page shall look.
  places(node) {
    return node === this.field || node === this.layer || node === this.first;
  }
}

// Two whole numbers as a range; open where the last may be left out and is.  null where it is none.
function range(first, last) {
  const [from, to] = [first, last].map((node) => (/^\d+$/.test(node.value) ? node.value : null));
  if (from === null || (last.value === "" ? !last.placeholder : to === null || Number(to) < Number(from)))
    return null;
  return tokensFrom(from, to);
}
