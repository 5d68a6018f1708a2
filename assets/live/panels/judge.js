// Texts that were never counted: how many are called right, and which are taken for what.

import { element, percent } from "../dom.js";
import { Bag } from "../parts/bag.js";
import { judged, named } from "../sums/bayes.js";

const MOST = 40; // texts listed
const REST_MS = 400;
const AT_ONCE = 400_000; // numbers looked up while a slider moves: about 10 ms

export default class Judge {
  cell = null; // [true, said] that is listed

  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.bag = Bag.of(panel);
    this.total = element("p", "un-total");
    this.matrix = element("div", "bag-matrix");
    this.list = element("div", "bag-texts");
    panel.body.append(this.total, this.matrix, this.list);
  }

  destroy() {
    clearTimeout(this.timer);
  }

  // At once, unless that would hold up a slider: then when it rests.
  draw() {
    const { state, prior, tables } = this.bag.read();
    const key = JSON.stringify([state, this.cell]);
    if (key === this.key) return;
    this.key = key;
    clearTimeout(this.timer);
    const work = tables.classes.length * this.bag.held.bags.reduce((n, bag) => n + bag.length, 0);
    if (work < AT_ONCE) this.judge(state, prior);
    else this.timer = setTimeout(() => this.judge(state, prior), REST_MS);
  }

  judge({ kind, k }, prior) {
    const { tables, held } = this.bag;
    const n = held.true.length;
    if (!n) {
      this.total.textContent =
        "Every text is counted here, so none is left for a test. Choose the short reviews, or add more texts.";
      this.matrix.replaceChildren();
      this.list.replaceChildren();
      return;
    }
    const { said, right, commonest } = judged(tables, held, kind, k, prior);
    this.said = said;
    this.accuracy = right / n;
    this.total.textContent = `${right.toLocaleString("en")} of ${n.toLocaleString("en")} are classified correctly: ${percent(right / n)}. Always predicting the most common class would get ${percent(commonest / n)}.`;
    this.columns = [...tables.classes.keys(), ...(this.said.includes(-1) ? [-1] : [])];
    this.counts = tables.classes.map((_, t) =>
      this.columns.map((c) => this.said.filter((s, d) => s === c && held.true[d] === t).length),
    );
    this.draws();
    this.texts();
  }

  called(c, most, none) {
    return c < 0 ? none : named(this.bag.tables.classes[c], most);
  }

  draws() {
    const table = element("table", "bag-confusion"),
      head = element("tr", "");
    head.append(
      element("th", "", { textContent: "true ↓  predicted →" }),
      ...this.columns.map((c) =>
        element("th", "", { textContent: this.called(c, 14, "no answer"), scope: "col" }),
      ),
    );
    table.append(head);
    this.counts.forEach((counts, t) => {
      const row = element("tr", ""),
        most = Math.max(1, ...counts);
      row.append(element("th", "", { textContent: this.called(t, 14, ""), scope: "row" }));
      counts.forEach((count, i) => {
        const cell = element("td", "");
        cell.append(this.button(t, this.columns[i], count, most));
        row.append(cell);
      });
      table.append(row);
    });
    this.matrix.replaceChildren(table);
  }

  button(t, c, count, most) {
    const node = element("button", `bag-cell${t === c ? " bag-right-cell" : ""}`, {
      type: "button",
      textContent: count.toLocaleString("en"),
    });
    const label = `${this.called(t, 14, "")}, called ${this.called(c, 14, "nothing")}: ${count}; list them`;
    node.setAttribute("aria-label", label);
    node.setAttribute("aria-pressed", String(this.cell?.[0] === t && this.cell[1] === c));
    node.style.setProperty("--share", `${Math.round((70 * count) / most)}%`);
    node.onclick = () => {
      this.cell = [t, c];
      this.draw();
    };
    return node;
  }

  texts() {
    const { tables, held } = this.bag;
    if (!this.cell || !(this.cell[0] in tables.classes))
      return this.list.replaceChildren(
        element("p", "un-says", { textContent: "Click a number to read its texts." }),
      );
    const [t, c] = this.cell;
    const found = [...held.true.keys()].filter((d) => held.true[d] === t && this.said[d] === c);
    const cut = found.some((d) => held.texts[d].endsWith(" …"));
    const title = `${found.length.toLocaleString("en")} ${this.called(t, 18, "")}, called ${this.called(c, 18, "nothing")}${found.length > MOST ? `; the first ${MOST}` : ""}. Click one to read it above.${cut ? " Long texts are cut here; the classifier read all of each." : ""}`;
    this.list.replaceChildren(
      element("p", "un-says", { textContent: title }),
      ...found.slice(0, MOST).map((d) => {
        const b = element("button", "bag-text", { type: "button", textContent: held.texts[d] });
        b.onclick = () => this.panel.app.setText(held.texts[d]);
        return b;
      }),
    );
  }

  drawn() {
    return this.said
      ? { accuracy: { axes: ["step"], labels: [["accuracy"]], values: Float32Array.of(this.accuracy) } }
      : {};
  }

  table() {
    const { classes } = this.bag.tables;
    const name = (c) => classes[c] ?? "no answer";
    const columns = this.columns ?? [];
    return {
      columns: ["true", ...columns.map(name)],
      rows: (this.counts ?? []).map((counts, t) => [name(t), ...counts]),
    };
  }

  alt() {
    return `${this.panel.title.textContent} ${this.total.textContent}`;
  }
}
