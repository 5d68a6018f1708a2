// The next tokens whose probability edits change most: as it is above, edited below.

import { element, fit, parts, percent, short, visible } from "../dom.js";

export default class Moves {
  constructor(panel) {
    this.panel = panel;
    this.list = element("ol", "un-list");
    this.rows = [];
    panel.body.append(this.list);
  }

  rowsNow() {
    const reader = this.panel.reader();
    const t = this.panel.selection.token(reader);
    return { reader, t, rows: reader.moves[t] ?? [] };
  }

  draw() {
    const { panel } = this;
    const { reader, t, rows } = this.rowsNow();
    const after = reader.spans[t]?.[1] === 0 ? "at the start" : `after “${visible(reader.labels[t] ?? "")}”`;
    panel.say(
      reader.spec.here ? `The word at “${visible(reader.labels[t] ?? "")}”` : `Next token ${after}`,
      `Largest changes first. Grey: original; colour: edited. Model: ${panel.reader("plain").spec.title}.`,
    );
    fit(this.rows, rows.length, () => this.row());
    rows.forEach(([label, p, q], i) => {
      const row = this.rows[i];
      row.label.textContent = short(label, 18);
      row.before.style.width = `${100 * p}%`;
      row.after.style.width = `${100 * q}%`;
      row.value.textContent = `${percent(p)} → ${percent(q)}`;
    });
    const [label, p, q] = rows[0] ?? [];
    panel.read(
      label === undefined
        ? ""
        : p === q
          ? "No probability changes."
          : `Most changed: “${visible(label)}”, ${percent(p)} as it is, ${percent(q)} edited.`,
    );
  }

  row() {
    const row = parts(element("li", "un-row un-move"), {
      label: "un-row-label",
      bars: "un-move-bars",
      value: "un-row-value",
    });
    this.list.append(row.root);
    return { ...row, ...parts(row.bars, { before: "i.un-before", after: "i.un-after" }), root: row.root };
  }

  table() {
    return {
      columns: ["next", "original", "edited", "change"],
      rows: this.rowsNow().rows.map(([label, p, q]) => [
        visible(label),
        percent(p),
        percent(q),
        `${q < p ? "−" : "+"}${percent(Math.abs(q - p))}`,
      ]),
    };
  }
}
