// Rows of words or numbers, one for each token, under a sentence.

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
    listPointing(panel, this.node, "t", (t) => panel.reader().place(t));
  }

  paint(source) {
    const { lanes, total, start = 0 } = this.drawing;
    const there = source.count > start;
    const shown = there ? lanes.filter(({ when }) => !when || source.test(when)) : [];
    this.node.replaceChildren(
      ...shown.map(({ head, cell, strong }) => {
        const line = element("tr", strong ? "un-target" : "");
        line.append(element("th", "", { textContent: said(source, head), scope: "row" }));
        for (let t = start; t < source.count; t++) {
          const textContent = fill(source, cell, { ...source.at, token: t }) ?? "";
          const node = element("td", t === source.at.token ? "un-chosen" : "", { textContent });
          node.dataset.t = String(t);
          line.append(node);
        }
        return line;
      }),
    );
    put(this.above, there ? said(source, total) : "");
  }
}
