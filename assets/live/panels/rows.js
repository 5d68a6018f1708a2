// A table that the model records: its rows at the token looked at.

import { digits, element, visible } from "../dom.js";
import { answered } from "../parts/inspected.js";

export default class Rows {
  constructor(panel) {
    this.panel = panel;
    this.grid = element("div", "un-rows", { tabIndex: 0 });
    panel.body.append(this.grid);
  }

  now() {
    return answered(this.panel.reader()).tables[this.panel.spec.table];
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const found = this.now();
    panel.root.hidden = !answered(reader).shows.includes(panel.spec.table);
    panel.root.style.order = String(answered(reader).shows.indexOf(panel.spec.table));
    if (panel.root.hidden) return;
    const table = element("table", "");
    const head = element("tr", "");
    for (const c of found?.columns ?? []) head.append(element("th", "", { textContent: c, scope: "col" }));
    table.append(head);
    for (const row of found?.rows ?? []) {
      const tr = element("tr", "");
      for (const cell of row)
        tr.append(
          element("td", "", {
            textContent:
              typeof cell === "number"
                ? Number.isInteger(cell)
                  ? String(cell)
                  : digits(cell)
                : visible(String(cell)),
          }),
        );
      table.append(tr);
    }
    this.grid.replaceChildren(table);
    const { rows = [], count = 0, all = 0, place } = found ?? {};
    const where =
      place === null || place === undefined
        ? ""
        : ` at token ${place} “${visible(reader.labels[place - reader.offset] ?? "")}”; click another token to see its own`;
    panel.read(
      `${rows.length < count ? `${rows.length} of ${count.toLocaleString("en")}` : count} rows${where}${all > count ? `. The whole table has ${all.toLocaleString("en")} rows` : ""}.`,
    );
  }

  table() {
    const { columns = [], rows = [] } = this.now() ?? {};
    return {
      columns,
      rows: rows.map((row) => row.map((cell) => (typeof cell === "number" ? cell : visible(String(cell))))),
    };
  }
}
