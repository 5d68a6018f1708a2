// What each of several readers expects after the token looked at: one short list a reader, side by side.

import { element, percent, short, visible } from "../dom.js";

export default class Tops {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.columns = new Map();
    this.grid = element("div", "un-tops");
    panel.body.append(this.grid);
  }

  draw() {
    const { panel } = this;
    const { app, selection, spec } = panel;
    for (const reader of app.readers.values()) {
      let column = this.columns.get(reader.spec.id);
      if (!column) {
        column = {
          root: element("div", "un-top"),
          title: element("h4", "", { textContent: reader.spec.title }),
          after: element("p", "un-says"),
          list: element("ol", "un-list"),
          rows: [],
        };
        column.root.append(column.title, column.after, column.list);
        this.grid.append(column.root);
        this.columns.set(reader.spec.id, column);
      }
      const t = selection.token(reader);
      const rows = (reader.top[t] ?? []).slice(0, spec.most);
      const after =
        reader.spans[t]?.[1] === 0
          ? "at the start"
          : `${spec.place ?? "after"} ${short(reader.labels[t] ?? "", 18)}`;
      if (column.after.textContent !== after) column.after.textContent = after;
      fill(column, rows, reader);
    }
  }

  table() {
    const rows = [];
    for (const reader of this.panel.app.readers.values())
      for (const [label, p] of reader.top[this.panel.selection.token(reader)] ?? [])
        rows.push([reader.spec.title, visible(label), percent(p)]);
    return { columns: ["reader", "next", "probability"], rows };
  }

  alt() {
    return [...this.panel.app.readers.values()]
      .map((r) => {
        const best = r.top[this.panel.selection.token(r)]?.[0];
        return best ? `${r.spec.title} expects ${visible(best[0])} at ${percent(best[1])}` : "";
      })
      .join("; ");
  }
}

// Rows are reused from key to key: only what changed is touched.
export function fill(column, rows, reader) {
  while (column.rows.length > rows.length) column.rows.pop().root.remove();
  while (column.rows.length < rows.length) {
    const row = {
      root: element("li", "un-row"),
      label: element("span", "un-row-label"),
      bar: element("span", "un-row-bar"),
      value: element("span", "un-row-value"),
    };
    row.fill = element("i", "");
    row.bar.append(row.fill);
    row.root.append(row.label, row.bar, row.value);
    column.rows.push(row);
    column.list.append(row.root);
  }
  const most = Math.max(...rows.map((r) => r[1]), 1e-9);
  rows.forEach(([label, p], i) => {
    const row = column.rows[i];
    if (row.text !== label) {
      row.text = label;
      row.label.textContent = short(label, 16);
      row.label.title = visible(label);
    }
    const shown = percent(p);
    if (row.value.textContent !== shown) row.value.textContent = shown;
    row.fill.style.width = `${((100 * p) / most).toFixed(1)}%`;
    row.fill.style.background = `var(--un-reader-${reader.spec.colour}, var(--un-accent))`;
  });
}
