// What each tokenizer makes of the text, in numbers: how many tokens, how long they are, what is unknown, whether the text comes back.

import { digits, element, small, table } from "../dom.js";
import { series } from "../wire.js";

/** @type {[string, string, (said: any) => string, string][]} */
const COLUMNS = [
  [small("tokens"), "tokens", (s) => s.tokens.toLocaleString("en"), "number of pieces in the text"],
  ["per word", "per_word", (s) => say(s.per_word), "tokens per stretch between spaces"],
  [
    "chars each",
    "characters_per_token",
    (s) => say(s.characters_per_token),
    "characters of the text per token",
  ],
  ["bytes each", "bytes_per_token", (s) => say(s.bytes_per_token), "bytes of the text per token"],
  [
    small("unknown"),
    "unknown",
    (s) => s.unknown.toLocaleString("en"),
    "pieces that are not in the vocabulary",
  ],
  [
    "bits per char",
    "bits_per_character",
    (s) => say(s.bits_per_character),
    "length of the text in a code built only from token frequencies; empty where a piece is unknown or nothing was counted; word tokenizers do not count spaces",
  ],
  [
    small("vocab"),
    "vocabulary",
    (s) => s.vocabulary.toLocaleString("en"),
    "number of pieces in the vocabulary",
  ],
  [
    "comes back",
    "same",
    (s) => (s.same ? small("yes") : small("no")),
    "whether decoding the numbers gives exactly the text",
  ],
];
const say = (x) => (x === null ? "–" : digits(x));

export default class Counted {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.list = element("div", "un-table un-counted");
    this.list.tabIndex = 0;
    panel.body.append(this.list);
  }

  get readers() {
    return [...this.panel.app.readers.values()].filter((r) => r.said.tokens !== undefined);
  }

  draw() {
    const { app } = this.panel;
    const [start, stop] = app.window;
    const part =
      stop - start < app.points.length
        ? `Of the ${(stop - start).toLocaleString("en")} characters shown. `
        : "";
    this.panel.say(this.panel.spec.title, `${part}${this.panel.spec.says}`);
    const head = COLUMNS.map(([textContent, , , title]) =>
      element("th", "", { textContent, title, scope: "col" }),
    );
    const rows = this.readers.map(({ spec, said }) => [
      element("th", "", { textContent: spec.short, title: spec.about, scope: "row" }),
      ...COLUMNS.map(([, key, show, title]) =>
        element("td", key === "same" && !said.same ? "un-lost" : "", { textContent: show(said), title }),
      ),
    ]);
    this.list.replaceChildren(table(["tokenizer", ...head], rows));
  }

  table() {
    return {
      columns: ["tokenizer", ...COLUMNS.map(([name]) => name)],
      rows: this.readers.map((r) => [r.spec.title, ...COLUMNS.map(([, , show]) => show(r.said))]),
    };
  }

  drawn() {
    const { readers } = this;
    const bits = readers.map((r) => r.said.bits_per_character ?? -1);
    return {
      bits_per_character: series(
        "method",
        readers.map((r) => r.spec.title),
        bits,
      ),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.table()
      .rows.map((row) => row.slice(0, 2).join(": "))
      .join("; ")}.`;
  }
}
