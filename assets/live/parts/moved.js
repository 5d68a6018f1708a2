// The next tokens whose probability edits change most, as bars: as it is above, edited below.

import { element, percent, short } from "../dom.js";
import { BarList } from "../marks/bars.js";

export class Moved {
  constructor() {
    this.root = element("ol", "un-list");
    this.list = new BarList(this.root, { row: "un-row un-move", bar: "un-move-bars" });
  }

  /** @param {[string, number, number][]} rows label, probability as it is, probability edited */
  draw(rows) {
    this.list.draw(
      rows.map(([label, p, q]) => ({
        label: short(label, 18),
        value: `${percent(p)} → ${percent(q)}`,
        parts: [
          { share: p, className: "un-before" },
          { share: q, className: "un-after" },
        ],
      })),
    );
  }
}
