// Which order the units stand in.

import { element } from "../dom.js";
import { STATISTICS, chosen } from "../sums/order.js";
import { bar, button, select } from "./controls.js";
import { offer, word } from "./inputs.js";

const named = (textContent) => element("span", "un-search-label", { textContent });

export class OrderBar {
  constructor(panel) {
    this.panel = panel;
    const choice = (key, options, title) => {
      const node = select(options, (value) => this.keep({ [key]: value || undefined }), title);
      node.title = title;
      return node;
    };
    this.order = choice("order", [["number", "number"], ...Object.entries(STATISTICS)], "Sort the units by");
    this.by = choice("by", [], "Numbers to sort by");
    this.other = choice("with", [], "Numbers to compare with");
    this.of = word("of");
    this.and = word("with");
    this.turn = button("Smallest first", () => this.keep({ up: panel.selection.get("up") ? undefined : 1 }));
    const parts = [this.order, this.of, this.by, this.and, this.other, this.turn];
    this.root = bar(named("Units by"), ...parts);
    panel.body.append(this.root);
  }

  keep(setting) {
    this.panel.selection.keep(setting, this.panel.app);
  }

  draw() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const { order, among, by, other } = chosen(reader, selection);
    const { names, keeps } = reader.spec.units;
    const written = JSON.stringify([order, by, other, selection.get("up")]);
    if (written === this.written) return; // nothing to do for a key or a hover
    this.written = written;
    const options = (node, list, value) => {
      offer(
        node,
        list.map((name) => [name, reader.spec.fields[name].short]),
      );
      node.value = value;
    };
    this.order.value = order || "number";
    for (const option of this.order.options)
      if (option.value === "half_life") option.disabled = !Object.keys(keeps).length;
    options(this.by, among, by);
    options(this.other, names, other);
    for (const [node, on] of [
      [this.of, order],
      [this.by, order],
      [this.turn, order],
      [this.and, order === "correlation"],
      [this.other, order === "correlation"],
    ])
      node.hidden = !on;
    this.turn.setAttribute("aria-pressed", String(!!selection.get("up")));
  }
}
