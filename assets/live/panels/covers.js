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
      return { reader, tokens, pieces: tokens.map((t) => reader.labels[t]), ids: tokens.map((t) => ids[t]) };
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
    const rows = this.rows().map(({ reader, tokens, pieces, ids }) => [
      reader.spec.short,
      cover(reader, tokens, pieces, points),
      element("td", "un-cover", { textContent: ids.slice(0, MOST).join(" ") }),
    ]);
    this.list.replaceChildren(table(COLUMNS, rows));
  }

  table() {
    return {
      columns: COLUMNS,
      rows: this.rows().map(({ reader, pieces, ids }) => [
        reader.spec.title,
        pieces.map(visible).join(" | "),
        ids.join(" "),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.rows()
      .map(({ reader, pieces }) => `${reader.spec.title}: ${pieces.map(visible).join(", ") || "nothing"}`)
      .join("; ")}.`;
  }
}

function cover(reader, tokens, pieces, points) {
  const cell = element("td", "un-cover");
  if (!tokens.length) cell.append(element("span", "un-says", { textContent: "dropped by this tokenizer" }));
  tokens.slice(0, MOST).forEach((t, i) => {
    const unknown = reader.unknown.has(t);
    const title = unknown ? "not in the vocabulary" : `bytes ${written(reader, t, points)}`;
    const name = unknown ? "un-piece un-unknown" : "un-piece";
    cell.append(element("span", name, { textContent: short(pieces[i], 24), title }));
  });
  if (tokens.length > MOST) cell.append(` and ${tokens.length - MOST} more`);
  return cell;
}
