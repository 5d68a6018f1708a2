// Which order the units stand in, and which vocabulary names them.

import { element } from "../dom.js";
import { STATISTICS, chosen } from "../sums/order.js";

export class OrderBar {
  constructor(panel) {
    this.panel = panel;
    this.root = element("div", "un-order");
    const select = (key, words) => {
      const node = element("select", "un-select", { title: words });
      node.setAttribute("aria-label", words);
      node.onchange = () => this.keep({ [key]: node.value || undefined });
      return node;
    };
    this.order = select("order", "Sort the units by");
    this.by = select("by", "Numbers to sort by");
    this.other = select("with", "Numbers to compare with");
    this.of = element("span", "", { textContent: "of" });
    this.and = element("span", "", { textContent: "with" });
    this.turn = element("button", "un-button", { type: "button", textContent: "Smallest first" });
    this.turn.onclick = () => this.keep({ up: panel.selection.get("up") ? undefined : 1 });
    this.root.append(
      element("span", "un-search-label", { textContent: "Units by" }),
      this.order,
      this.of,
      this.by,
      this.and,
      this.other,
      this.turn,
    );
    for (const [value, label] of [["", "number"], ...Object.entries(STATISTICS)])
      this.order.append(element("option", "", { value, textContent: label }));
    if (panel.spec.vocabularies?.length) this.names();
    panel.body.append(this.root);
  }

  names() {
    const node = element("select", "un-select un-names", { title: "Names" });
    node.setAttribute("aria-label", "Names of the gates");
    for (const [value, label] of this.panel.spec.vocabularies)
      node.append(element("option", "", { value, textContent: label }));
    node.onchange = () => this.keep({ words: node.value || undefined });
    this.words = node;
    this.root.append(element("span", "un-search-label", { textContent: "Names" }), node);
  }

  keep(setting) {
    this.panel.selection.keep(setting, this.panel.app);
  }

  draw() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const { order, among, by, other } = chosen(reader, selection);
    const { names, keeps } = reader.spec.units;
    const written = JSON.stringify([order, by, other, selection.get("up"), reader.words]);
    if (written === this.written) return; // nothing to do for a key or a hover
    this.written = written;
    const options = (node, list, value) => {
      node.replaceChildren(
        ...list.map((name) =>
          element("option", "", { value: name, textContent: reader.spec.fields[name].short }),
        ),
      );
      node.value = value;
    };
    this.order.value = order;
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
    if (this.words) this.words.value = reader.words ?? "";
  }
}
