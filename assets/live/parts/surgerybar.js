// The controls of Surgery: one edit put together or changed, the list of all, undo and redo.

import { element } from "../dom.js";
import { EditList } from "./editlist.js";
import { Amount } from "./amount.js";
import { bar, button, select } from "./controls.js";
import { input, offer, word } from "./inputs.js";
import { MOST, OPERATIONS, tokensFrom } from "../sums/edits.js";

const number = (title, more = {}) => input(title, "number", "un-amount", { title, min: 0, step: 1, ...more });
const choice = (title, options = []) =>
  Object.assign(
    select(options, () => {}, title),
    { title },
  );

export class SurgeryBar {
  constructor(view) {
    this.view = view;
    this.root = element("div", "un-surgery");
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
    this.root.append(
      bar(...this.amount.nodes),
      bar(word("the"), this.field, word("of"), ...unit, word("in"), this.layer),
      bar(word("from token"), this.from, word("to"), this.to),
    );
    this.add = button("Add this edit", () => this.put(), { title: "Add the edit set by the controls" });
    const can = (edit) =>
      view.panel.reader().spec.fields[edit.field] && edit.how in OPERATIONS && !edit.layer.includes("-"); // what the controls can say
    this.list = new EditList(view, { choose: (n) => this.choose(n), can, first: [this.add] });
    this.root.append(...this.list.nodes);
    view.panel.body.append(this.root);
    this.root.addEventListener("input", (e) => this.changed(e.target, false));
    this.root.addEventListener("change", (e) => this.changed(e.target, true));
  }

  // What the controls say, as an edit; null where it is none.
  draft() {
    const { how, value } = this.amount;
    const from = range(this.from, this.to);
    const unit = { one: range(this.first, this.first), all: "*", some: range(this.first, this.last) }[
      this.units.value
    ];
    if (!from || !unit || !Number.isFinite(Number(value.value))) return null;
    return {
      field: this.field.value,
      layer: this.layer.value,
      unit,
      tokens: from,
      how: how.value,
      value: String(Number(value.value)),
    };
  }

  // Show an edit in the controls.
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

  limits() {
    this.amount.limits(this.view.panel.reader().spec.fields[this.field.value]?.scale);
    for (const node of [this.dash, this.last]) node.hidden = this.units.value !== "some";
    this.first.hidden = this.units.value === "all";
  }

  changed(node, done) {
    const { view } = this;
    const { how, value, slider } = this.amount;
    if (node === how && !done) value.value = "0";
    if (node === slider) value.value = String(Math.round(Number(slider.value) * 100) / 100);
    this.limits();
    const draft = this.draft();
    this.add.disabled = !draft;
    if (!draft) return;
    if (view.chosen === null) {
      const place = { field: draft.field, layer: Number(draft.layer) };
      if (this.units.value !== "all") place.unit = Number(this.first.value);
      if (done && [this.field, this.layer, this.first].includes(node)) view.selection.keep(place, view.app);
      return;
    }
    const edits = view.edits;
    edits[view.chosen] = draft;
    view.change(edits, done);
  }

  put() {
    const draft = this.draft();
    const { view } = this;
    if (!draft || view.edits.length >= MOST) return;
    view.chosen = view.edits.length;
    view.change([...view.edits, draft]);
  }

  choose(n) {
    const { view } = this;
    view.chosen = view.chosen === n ? null : n;
    const { field, layer, unit } = view.edits[n];
    const place = { field };
    if (/^\d+$/.test(layer)) place.layer = Number(layer);
    if (unit !== "*") place.unit = Number(unit.split("-")[0]);
    view.selection.keep(place, view.app);
  }

  draw() {
    const { view } = this;
    const reader = view.panel.reader();
    const edits = view.edits;
    if (view.chosen !== null && !edits[view.chosen]) view.chosen = null;
    const layers = reader.fields.values().next().value?.shape[0] ?? 0;
    if (!layers) return;
    if (this.layers !== layers) this.offer(layers, reader);
    const busy =
      this.root.contains(document.activeElement) && document.activeElement.matches("input, select");
    const { layer, unit } = view.place();
    const place = { field: view.field, layer, unit, token: view.selection.keptToken(reader) + reader.offset };
    const follows = JSON.stringify([view.chosen === null ? place : edits[view.chosen], view.chosen]);
    if (follows !== this.follows && (!busy || view.chosen === null)) {
      this.follows = follows;
      const { how, value } = this.amount;
      const draft = {
        ...{ field: place.field, layer: String(layer), unit: String(unit), tokens: `${place.token}-` },
        ...{ how: how.value, value: value.value || "0" },
      };
      this.fill(edits[view.chosen] ?? draft);
    }
    this.add.disabled = edits.length >= MOST || !this.draft();
    this.list.draw();
  }

  // What can be chosen of this model.
  offer(layers, reader) {
    this.layers = layers;
    const each = Array.from({ length: layers }, (_, i) => [String(i), `layer ${i + 1}`]);
    offer(this.layer, [...each, ["*", "all layers"]]);
    const about = reader.spec.fields;
    offer(
      this.field,
      this.view.panel.spec.fields.map((name) => [name, `${about[name].short} ${about[name].symbol}`]),
    );
    this.amount.value.value = "0";
  }
}

// Two whole numbers as a range; open where the last may be left out and is.  null where it is none.
function range(first, last) {
  const [from, to] = [first, last].map((node) => (/^\d+$/.test(node.value) ? node.value : null));
  if (from === null || (last.value === "" ? !last.placeholder : to === null || Number(to) < Number(from)))
    return null;
  return tokensFrom(from, to);
}
