// The controls of Surgery: one edit put together or changed, the list of all, undo and redo.

import { element } from "../dom.js";
import { EditList } from "./editlist.js";
import { MOST, OPERATIONS, tokensFrom } from "../sums/edits.js";

export class SurgeryBar {
  constructor(view) {
    this.view = view;
    this.root = element("div", "un-surgery");
    this.how = this.select("Operation", Object.entries(OPERATIONS));
    this.value = this.number("Value", { step: "any" });
    this.slider = element("input", "un-slider", { type: "range" });
    this.slider.setAttribute("aria-label", "Value, as a slider");
    this.field = this.select("Gate or state", []);
    this.units = this.select("Which units", [
      ["one", "unit"],
      ["some", "units"],
      ["all", "all units"],
    ]);
    this.first = this.number("Unit", { min: 0, step: 1 });
    this.last = this.number("Last unit", { min: 0, step: 1 });
    this.layer = this.select("Layer", []);
    this.from = this.number("First token", { min: 0, step: 1 });
    this.to = this.number("Last token", { min: 0, step: 1, placeholder: "the end" });
    const say = (textContent) => element("span", "", { textContent });
    const line = (...parts) => {
      const node = element("div", "un-order");
      node.append(...parts);
      this.root.append(node);
    };
    this.dash = say("to");
    line(this.how, this.value, this.slider);
    line(
      say("the"),
      this.field,
      say("of"),
      this.units,
      this.first,
      this.dash,
      this.last,
      say("in"),
      this.layer,
    );
    line(say("from token"), this.from, say("to"), this.to);
    this.add = element("button", "un-button", {
      type: "button",
      textContent: "Add this edit",
      title: "Add the edit set by the controls",
      onclick: () => this.put(),
    });
    const can = (edit) =>
      view.panel.reader().spec.fields[edit.field] && edit.how in OPERATIONS && !edit.layer.includes("-"); // what the controls can say
    this.list = new EditList(view, { choose: (n) => this.choose(n), can, first: [this.add] });
    this.root.append(...this.list.nodes);
    view.panel.body.append(this.root);
    this.root.addEventListener("input", (e) => this.changed(e.target, false));
    this.root.addEventListener("change", (e) => this.changed(e.target, true));
  }

  select(name, options) {
    const node = element("select", "un-select");
    node.setAttribute("aria-label", name);
    node.title = name;
    node.append(...options.map(([value, textContent]) => element("option", "", { value, textContent })));
    return node;
  }

  number(name, properties) {
    const node = element("input", "un-amount", { type: "number", title: name, ...properties });
    node.setAttribute("aria-label", name);
    return node;
  }

  // What the controls say, as an edit; null where it is none.
  draft() {
    const whole = (node) => (/^\d+$/.test(node.value) ? node.value : null);
    const [first, last, from, to] = [this.first, this.last, this.from, this.to].map(whole);
    const unit = { one: first, all: "*", some: first === last ? first : `${first}-${last}` }[
      this.units.value
    ];
    const value = Number(this.value.value);
    if (
      from === null ||
      (this.to.value !== "" && (to === null || Number(to) < Number(from))) ||
      !Number.isFinite(value)
    )
      return null;
    if (
      this.units.value !== "all" &&
      (first === null || (this.units.value === "some" && (last === null || Number(last) < Number(first))))
    )
      return null;
    return {
      field: this.field.value,
      layer: this.layer.value,
      unit,
      tokens: tokensFrom(from, to),
      how: this.how.value,
      value: String(value),
    };
  }

  // Show an edit in the controls.
  fill({ field, layer, unit, tokens, how, value }) {
    const [first, last] = unit.split("-");
    const [from, to] = tokens === "*" ? ["0", ""] : tokens.split("-");
    this.how.value = how;
    this.field.value = field;
    this.layer.value = layer;
    this.units.value = unit === "*" ? "all" : last === undefined ? "one" : "some";
    if (unit !== "*") {
      this.first.value = first;
      this.last.value = last ?? first;
    }
    this.from.value = from;
    this.to.value = to ?? from;
    if (value !== undefined) this.value.value = value;
    this.limits();
  }

  // The ends of the slider, for this operation on this field.
  limits() {
    const { low, high } = this.view.panel.reader().spec.fields[this.field.value]?.scale ?? {
      low: -1,
      high: 1,
    };
    const reach = Math.max(Math.abs(low), Math.abs(high));
    const [min, max] = { set: [low, high], scale: [0, 2], add: [-reach, reach], freeze: [0, 0] }[
      this.how.value
    ];
    Object.assign(this.slider, { min, max, step: (max - min) / 200 || 1, value: this.value.value });
    for (const node of [this.value, this.slider]) node.disabled = this.how.value === "freeze";
    for (const node of [this.dash, this.last]) node.hidden = this.units.value !== "some";
    this.first.hidden = this.units.value === "all";
  }

  changed(node, done) {
    const { view } = this;
    if (node === this.how && !done)
      this.value.value = { set: "0", scale: "0", add: "0", freeze: "0" }[this.how.value];
    if (node === this.slider) this.value.value = String(Math.round(Number(this.slider.value) * 100) / 100);
    this.limits();
    const draft = this.draft();
    this.add.disabled = !draft;
    if (!draft) return;
    if (view.chosen === null) {
      const place = {
        field: draft.field,
        layer: Number(draft.layer),
        ...(this.units.value === "all" ? {} : { unit: Number(this.first.value) }),
      };
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
    const { selection } = view;
    const reader = view.panel.reader();
    const edits = view.edits;
    if (view.chosen !== null && !edits[view.chosen]) view.chosen = null;
    const layers = reader.fields.values().next().value?.shape[0] ?? 0;
    if (!layers) return;
    if (this.layers !== layers) {
      this.layers = layers;
      this.layer.replaceChildren(
        ...Array.from({ length: layers }, (_, i) =>
          element("option", "", { value: String(i), textContent: `layer ${i + 1}` }),
        ),
        element("option", "", { value: "*", textContent: "all layers" }),
      );
      this.field.replaceChildren(
        ...view.panel.spec.fields.map((name) =>
          element("option", "", {
            value: name,
            textContent: `${reader.spec.fields[name].short} ${reader.spec.fields[name].symbol}`,
          }),
        ),
      );
      this.value.value = "0";
    }
    const busy =
      this.root.contains(document.activeElement) && document.activeElement.matches("input, select");
    const place = {
      field: view.field,
      layer: selection.get("layer") ?? 0,
      unit: selection.get("unit") ?? 0,
      token: selection.keptToken(reader) + reader.offset,
    };
    const follows = JSON.stringify([view.chosen === null ? place : edits[view.chosen], view.chosen]);
    if (follows !== this.follows && (!busy || view.chosen === null)) {
      this.follows = follows;
      if (view.chosen !== null) this.fill(edits[view.chosen]);
      else
        this.fill({
          ...place,
          layer: String(place.layer),
          unit: String(place.unit),
          tokens: `${place.token}-`,
          how: this.how.value,
          value: this.value.value || "0",
        });
    }
    this.add.disabled = edits.length >= MOST || !this.draft();
    this.list.draw();
  }
}
