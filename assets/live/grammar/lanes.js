// Rows of words or numbers, one for each token or place of another axis, under a sentence.

import { element, put } from "../dom.js";
import { listPointing } from "../marks/pointer.js";
import { Picture } from "./picture.js";
import { fill, said } from "./template.js";

export default class Lanes extends Picture {
  constructor(panel) {
    super(panel);
    this.above = element("p", "un-total");
    this.strip = element("div", "un-strip", { tabIndex: 0, role: "group" }); // it scrolls by keyboard, too
    this.strip.setAttribute("aria-label", panel.spec.title);
    this.node = element("table", "un-lanes");
    this.strip.append(this.node);
    panel.body.append(this.above, this.strip);
    listPointing(panel, this.node, "t", (t) => this.source.place(this.along, t));
  }

  get along() {
    const { along } = this.drawing;
    return this.source.shared(along) ? along : "token";
  }

  paint(source) {
    const { lanes, total, start = 0, along } = this.drawing;
    const count = source.count && source.size(along);
    const there = count > start;
    const shown = there ? lanes.filter(({ when }) => !when || source.test(when)) : [];
    this.node.replaceChildren(
      ...shown.map(({ head, cell, strong, mark }) => {
        const line = element("tr", strong ? "un-target" : "");
        line.append(element("th", "", { textContent: said(source, head), scope: "row" }));
        for (let t = start; t < count; t++) {
          const at = { ...source.at, [along]: t };
          const textContent = fill(source, cell, at) ?? "";
          const on = mark ? source.test(mark, at) : t === source.at[along];
          const node = element("td", on ? "un-chosen" : "", { textContent });
          node.dataset.t = String(t);
          line.append(node);
        }
        return line;
      }),
    );
    put(this.above, there ? said(source, total) : "");
  }
}
