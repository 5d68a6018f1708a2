// Words with a number each, the largest first: those that the model has at a place of an axis.

import { element, percent, visible } from "../dom.js";
import { BarList } from "../marks/bars.js";
import { listed } from "../marks/rows.js";
import { Picture } from "./picture.js";

export default class List extends Picture {
  constructor(panel) {
    super(panel);
    this.list = element("ol", "un-list");
    this.bars = new BarList(this.list);
    panel.body.append(this.list);
  }

  /** @returns {[string, number][][]} for each place */
  get items() {
    return this.source.reader.spec.lists[this.drawing.items];
  }

  paint(source) {
    const items = this.items[source.at[this.drawing.axis]];
    listed(this.bars, items, { most: items[0]?.[1] ?? 1, colour: "var(--un-accent)" });
    source.extras.count = items.length;
    source.extras.sum = items.reduce((all, [, p]) => all + p, 0);
  }

  table() {
    const { items, source, drawing } = this;
    const rows = items.flatMap((of, i) =>
      of.map(([label, p]) => [source.label(drawing.axis, i), visible(label), percent(p)]),
    );
    return { columns: drawing.heads, rows };
  }
}
