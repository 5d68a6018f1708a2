// The same characters in every tokenizer: the pieces over them, their numbers and their bytes.

import { element, short, table, visible } from "../dom.js";
import { clusters } from "../segmentation.js";
import { looked, over } from "../sums/overlap.js";

const MOST = 16; // pieces in a row
const COLUMNS = ["tokenizer", "pieces", "numbers"];
const bytes = new TextEncoder();
// The bytes of a piece: its own, where it is only a part of a character, else those of the text under it.
const written = (reader, t, points) =>
  /^(<[0-9A-F]{2}>)+$/.test(reader.labels[t])
    ? reader.labels[t].match(/[0-9A-F]{2}/g).join(" ")
    : hex(points.slice(...reader.spans[t]).join(""));
const clip = (said) => (said.length > 60 ? `${said.slice(0, 59)}…` : said);
const hex = (text) =>
  Array.from(bytes.encode(text), (b) => b.toString(16).toUpperCase().padStart(2, "0")).join(" ");

export default class Covers {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.list = element("div", "un-table");
    panel.body.append(this.list);
  }

  rows() {
    const look = looked(this.panel);
    return [...this.panel.app.readers.values()].map((reader) => {
      const tokens = over(reader, look);
      const ids = reader.fields.get("id")?.values ?? [];
      const { points } = this.panel.app;
      const here = ([a, b]) => look.reader !== reader && look.span && a < look.span[1] && b > look.span[0];
      const lost = reader.lost.filter(here).map(([a, b]) => points.slice(a, b).join(""));
      const pieces = tokens.map((t) => reader.labels[t]);
      return { reader, tokens, pieces, lost, ids: tokens.map((t) => ids[t]) };
    });
  }

  draw() {
    const { panel } = this;
    const { points } = panel.app;
    const { span } = looked(panel);
    const part = span ? points.slice(span[0], span[1]).join("") : "";
    const signs = clusters(part).length;
    panel.say(
      part ? `“${short(part, 24)}” in every tokenizer` : panel.spec.title,
      part
        ? `${signs} ${signs === 1 ? "character" : "characters"}, ${bytes.encode(part).length} ${bytes.encode(part).length === 1 ? "byte" : "bytes"}: ${clip(hex(part))}`
        : "Type a word.",
    );
    const rows = this.rows().map(({ reader, tokens, pieces, lost, ids }) => [
      reader.spec.short,
      cover(reader, tokens, pieces, lost, points),
      element("td", "un-cover", { textContent: ids.slice(0, MOST).join(" ") }),
    ]);
    this.list.replaceChildren(table(COLUMNS, rows));
  }

  table() {
    return {
      columns: COLUMNS,
      rows: this.rows().map(({ reader, pieces, lost, ids }) => [
        reader.spec.title,
        [...pieces, ...lost].map(visible).join(" | "),
        ids.join(" "),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.rows()
      .map(
        ({ reader, pieces, lost }) =>
          `${reader.spec.title}: ${[...pieces, ...lost].map(visible).join(", ") || "nothing"}`,
      )
      .join("; ")}.`;
  }
}

function cover(reader, tokens, pieces, lost, points) {
  const cell = element("td", "un-cover");
  if (!tokens.length && !lost.length)
    cell.append(element("span", "un-says", { textContent: "dropped by this tokenizer" }));
  tokens.slice(0, MOST).forEach((t, i) => {
    const unknown = reader.unknown.has(t);
    const title = unknown ? "not in the vocabulary" : `bytes ${written(reader, t, points)}`;
    const name = unknown ? "un-piece un-unknown" : "un-piece";
    cell.append(element("span", name, { textContent: short(pieces[i], 24), title }));
  });
  for (const letters of lost.slice(0, MOST))
    cell.append(
      element("span", "un-piece un-unknown", {
        textContent: short(letters, 24),
        title: "not in the vocabulary",
      }),
    );
  if (tokens.length > MOST) cell.append(` and ${tokens.length - MOST} more`);
  return cell;
}
