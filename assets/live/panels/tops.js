// What each of several readers expects after the token looked at: one short list a reader, side by side.

import { element, percent, put, short, visible } from "../dom.js";
import { column, expected } from "../marks/rows.js";
import { words } from "../sums/sameword.js";

export default class Tops {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.columns = new Map();
    this.grid = element("div", "un-tops");
    panel.body.append(this.grid);
  }

  // Those with words of their own, which the difference of two does not have.
  get readers() {
    return Array.from(this.panel.app.readers.values()).filter(({ spec }) => !spec.of);
  }

  draw() {
    const { selection, spec } = this.panel;
    for (const reader of this.readers) {
      const { id, title } = reader.spec;
      const what = reader.spec.next ? `${title}: next ${reader.spec.next}` : title;
      if (!this.columns.has(id)) this.columns.set(id, column(this.grid, what));
      const mine = this.columns.get(id);
      const t = selection.token(reader);
      const read = this.read(reader, t);
      const place = spec.place ? `${spec.place} ${read}` : `after ${read}`;
      put(mine.after, reader.spans[t]?.[1] === 0 ? "at the start" : place);
      expected(mine.bars, (reader.top[t] ?? []).slice(0, spec.most), reader);
    }
  }

  // The token; of a page that says what comes next, the word as far as it is read: a letter says little.
  read(reader, t) {
    const { app } = this.panel;
    const stop = reader.spans[t]?.[1] ?? 0;
    const of = reader.spec.next && words(app).find((w) => w.start < stop && stop <= w.stop);
    return short(of ? app.points.slice(of.start, stop).join("").trimStart() : (reader.labels[t] ?? ""), 18);
  }

  table() {
    const rows = [];
    for (const reader of this.readers)
      for (const [label, p] of reader.top[this.panel.selection.token(reader)] ?? [])
        rows.push([reader.spec.title, visible(label), percent(p)]);
    return { columns: ["reader", "next", "probability"], rows };
  }

  alt() {
    return this.readers
      .map((r) => {
        const best = r.top[this.panel.selection.token(r)]?.[0];
        return best ? `${r.spec.title} expects ${visible(best[0])} at ${percent(best[1])}` : "";
      })
      .join("; ");
  }
}
