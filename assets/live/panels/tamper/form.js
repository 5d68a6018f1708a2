// One edit in controls: which field, where along each of its axes, what is done, and by how much.

import { element } from "../../dom.js";
import { Amount } from "../../parts/amount.js";
import { bar, select } from "../../parts/controls.js";
import { input, word } from "../../parts/inputs.js";
import { pickOf } from "../../parts/inspected.js";
import { along, read, write } from "../../sums/fieldedits.js";
import { axisName } from "../../parts/axisnames.js";

export class Form {
  /**
   * @param {any} panel
   * @param {(done: boolean) => void} changed is called with every change, `done` when it is complete
   */
  constructor(panel, changed) {
    this.panel = panel;
    this.changed = changed;
    this.touched = false; // by a person: it no longer follows the pictures
    const names = Object.keys(panel.spec.sites).map((name) => [name, name]);
    this.field = select(names, () => this.moved(), "Field");
    this.amount = new Amount();
    const { how, value, slider, nodes } = this.amount;
    this.places = bar();
    this.lines = [bar(word("In"), this.field), this.places, bar(...nodes)];
    how.onchange = () => {
      this.limits();
      changed(true);
    };
    const follows = (one, other) => () => {
      other.value = one.value;
      changed(false);
    };
    value.oninput = follows(value, slider);
    slider.oninput = follows(slider, value);
    slider.onchange = value.onchange = () => changed(true);
  }

  // Another field.
  moved() {
    this.touched = true;
    this.place();
    this.changed(true);
  }

  get site() {
    return this.panel.spec.sites[this.field.value] ?? {};
  }

  // An input for each axis of the field, filled with where the page looks.
  place() {
    this.inputs = new Map();
    const nodes = Object.entries(this.site).map(([axis, size]) => {
      const label = element("label", "un-pick", { textContent: `${axisName(axis)} ` });
      const end = along(axis) ? ", to the end (3-)" : "";
      const all = size ? `, from 0 to ${size - 1}` : ", counted from 0";
      const node = input(`${axis}: one (3), several (3-9) or all (*)`, "text", "un-amount", {
        value: this.first(axis, size),
        maxLength: 13,
        title: `One ${axisName(axis)} (3), several (3-9)${end} or all (*)${all}`,
      });
      node.oninput = () => {
        this.touched = true;
        this.changed(false);
      };
      node.onchange = () => this.changed(true);
      label.append(node);
      this.inputs.set(axis, node);
      return label;
    });
    this.places.replaceChildren(word("at"), ...nodes);
    this.limits();
  }

  first(axis, size) {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const token = String(selection.keptToken(reader) + reader.offset);
    if (axis === "query") return token;
    if (axis === "token") return selection.kept.token === undefined ? "*" : token;
    if (along(axis) || axis === "dim" || axis === "next") return "*";
    return String(Math.min(pickOf(selection, axis), (size ?? 1) - 1));
  }

  limits() {
    const { how } = this.amount;
    const name = this.field.value;
    for (const option of how.options)
      option.disabled = option.value === "freeze" && !this.panel.spec.frozen.includes(name);
    if (how.selectedOptions[0]?.disabled) how.value = "set";
    this.amount.limits(this.panel.reader().spec.fields[name]?.scale);
  }

  // What the controls say, as an edit; null where it is none.
  get draft() {
    const { how, value } = this.amount;
    const name = this.field.value;
    /** @type {[string, string][]} */
    const at = Array.from(this.inputs ?? [], ([axis, node]) => [axis, node.value]);
    return write(name, at, how.value, value.value, this.panel.spec.gates.includes(name));
  }

  // Show an edit.
  fill(edit) {
    const { name, at, how, value } = read(edit, this.panel.spec.sites);
    if (!this.panel.spec.sites[name]) return;
    this.field.value = name;
    this.amount.how.value = how;
    this.place();
    for (const [axis, node] of this.inputs) node.value = at[axis] ?? "*";
    if (value !== undefined) this.amount.value.value = value;
    this.limits();
  }

  // Follow the pictures: the field `name`, and where the page looks while the controls are `free`.
  follow(name, free) {
    if (name && this.field.value !== name) {
      this.field.value = name;
      this.where = null;
    }
    const { layer, head, unit, picks, token } = this.panel.selection.kept;
    const where = JSON.stringify([this.field.value, layer, head, unit, picks, token]);
    if (this.where !== where && free) {
      this.where = where;
      this.place();
    }
    if (!this.inputs) this.place();
  }
}
