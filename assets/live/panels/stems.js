// Each different word of the text with its three stems and its lemma: struck out is what was cut, marked is what was put in.

import { walked } from "../marks/pointer.js";
import { element, follow, short } from "../dom.js";

export default class Stems {
  constructor(panel) {
    this.panel = panel;
    this.box = element("div", "un-stems");
    walked(this.box, "[data-n]");
    this.box.addEventListener("pointerover", (e) => this.tell(e.target.closest("[data-n]")));
    this.sheet = element("table", "");
    this.head = element("tr", "");
    this.body = element("tbody", "");
    const head = element("thead", "");
    head.append(this.head);
    this.sheet.append(head, this.body);
    this.box.append(this.sheet);
    panel.body.append(this.box);
  }

  get rows() {
    return this.panel.reader().said.stems ?? [];
  }
  get columns() {
    const [snowball, lemma] = this.panel.reader().said.languages ?? ["English", "English"];
    return [
      "Porter",
      snowball === "English" ? "Snowball" : `Snowball, ${snowball}`,
      "Lancaster",
      lemma === "English" ? "Lemma" : `Lemma, ${lemma}`,
    ];
  }

  tell(node) {
    if (!node) return;
    const [word, , , , , trace] = this.rows[Number(node.dataset.n)] ?? [];
    if (!word) return;
    this.panel.read(`Porter: ${way(word, trace)}`);
  }

  draw() {
    const { rows, columns } = this;
    const { left = 0 } = this.panel.reader().said;
    if (rows === this.shown) return;
    this.shown = rows;
    follow(this.head, ["Word", ...columns], (textContent) =>
      element("th", "", { textContent, scope: "col" }),
    );
    follow(this.body, rows, line);
    this.sheet.hidden = !rows.length;
    const different = columns
      .map((name, k) => `${new Set(rows.map((row) => row[k + 1])).size} by ${name}`)
      .join(", ");
    this.panel.read(
      rows.length
        ? `${rows.length} different ${rows.length === 1 ? "word" : "words"}; stems and lemmas that differ: ${different}.${left ? ` ${left} more words are not shown.` : ""}`
        : "No words to cut.",
    );
  }

  drawn() {
    const { rows } = this;
    const lengths = rows.flatMap((row) => row.slice(1, 5).map((made) => Array.from(made).length));
    return rows.length
      ? {
          "stem.length": {
            axes: ["word", "method"],
            labels: [rows.map((row) => row[0]), ["porter", "snowball", "lancaster", "lemma"]],
            values: Float32Array.from(lengths),
          },
        }
      : {};
  }

  table() {
    return {
      columns: ["word", ...this.columns, "Porter’s phases"],
      rows: this.rows.map((row) => [...row.slice(0, 5), way(row[0], row[5])]),
    };
  }

  alt() {
    return `Stems and lemmas. ${this.rows
      .slice(0, 20)
      .map(([word, ...made]) => `${word}: ${made.slice(0, 4).join(", ")}`)
      .join("; ")}.`;
  }
}

const way = (word, trace) =>
  trace.length
    ? [word, ...trace.map(([phase, after]) => `${after} (${phase})`)].join(" → ")
    : `no rule changes ${word}`;

function line([word, ...made], n) {
  const tr = element("tr", "");
  tr.dataset.n = String(n);
  tr.append(
    element("th", "", { textContent: short(word, 24), scope: "row" }),
    ...made.slice(0, 4).map((now) => cell(word, now)),
  );
  return tr;
}

function cell(word, now) {
  const td = element("td", "", { title: now });
  let same = 0;
  while (same < word.length && word[same] === now[same]) same++;
  td.append(element("span", "", { textContent: now.slice(0, same) }));
  if (same < word.length) td.append(element("del", "", { textContent: word.slice(same) }));
  if (same < now.length) td.append(element("ins", "", { textContent: now.slice(same) }));
  return td;
}
