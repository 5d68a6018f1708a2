// The first merges over the same words, by count and by WordPiece's score, side by side.

import { digits, element, follow, parts, put } from "../dom.js";
import { said, tint } from "../sums/merging.js";
import { series } from "../wire.js";

const SIDES = ["BPE: largest count", "WordPiece: largest score"];

export default class MergeOrders {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.grid = element("div", "un-tops");
    this.lists = SIDES.map((title) => {
      const root = element("div", ""),
        list = element("ol", "un-list un-orders");
      root.append(element("h4", "", { textContent: title }), list);
      this.grid.append(root);
      return list;
    });
    this.note = element("p", "un-says");
    panel.body.append(this.grid, this.note);
  }

  draw() {
    const { orders } = this.panel.reader().said;
    if (!orders) return;
    const made = orders.map((rows) => rows.map(([a, b]) => a + b.replace(/^##/, "")));
    const both = new Set(made.flat().filter((p) => made.every((side) => side.includes(p))));
    const colour = new Map([...both].map((p, i) => [p, i % 8]));
    orders.forEach((rows, s) =>
      follow(
        this.lists[s],
        rows.map(([a, b, n, score], i) => [
          i + 1,
          `${said("", a)} + ${said("", b)}`,
          n,
          digits(score),
          colour.get(made[s][i]) ?? -1,
        ]),
        row,
      ),
    );
    const place = made[0].findIndex((piece, i) => piece !== made[1][i]);
    const text = !made[0].length
      ? "No pair occurs twice in this text."
      : place < 0
        ? "Here both merge the same pairs in the same order."
        : `They diverge at merge ${place + 1}. Coloured: tokens that both lists create. The numbers are the count and the score at that moment.`;
    put(this.note, text);
  }

  table() {
    const { orders = [[], []] } = this.panel.reader().said;
    return {
      columns: ["rule", "merge", "first", "second", "count", "score"],
      rows: orders.flatMap((rows, s) =>
        rows.map(([a, b, n, score], i) => [
          s ? "WordPiece" : "BPE",
          i + 1,
          said("", a),
          said("", b),
          n,
          score.toPrecision(4),
        ]),
      ),
    };
  }

  drawn() {
    const { orders } = this.panel.reader().said;
    const found = (orders ?? []).map((rows, s) => [
      s ? "order.score" : "order.count",
      series(
        "step",
        rows.map(([a, b]) => `${a} ${b}`),
        rows.map((r) => r[2 + s]),
      ),
    ]);
    return Object.fromEntries(found.filter(([, { values }]) => values.length));
  }

  alt() {
    return `BPE and WordPiece. ${this.note.textContent}`;
  }
}

function row([n, pair, count, score, colour]) {
  const row = parts(element("li", "un-orders-row"), {
    n: "un-replay-how",
    label: "un-token",
    count: "un-row-value",
    score: "un-row-value",
  });
  row.label.title = pair;
  put(row.n, String(n));
  put(row.label, pair);
  put(row.count, `${count} ×`);
  put(row.score, score);
  if (colour >= 0) row.label.style.background = tint(colour + 1);
  return row.root;
}
