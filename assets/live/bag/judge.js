// Texts that were never counted: how many are called right, and which are taken for what.

import { element, percent } from "../dom.js";
import { named } from "./bayes.js";

const MOST = 40; // texts listed

export class Judge {
  constructor(app) {
    this.app = app;
    this.total = element("p", "un-total");
    this.table = element("div", "bag-matrix");
    this.list = element("div", "bag-texts");
    this.root = [this.total, this.table, this.list];
    this.cell = null; // [true, said] that is listed
  }

  // What each held-out text is taken for; -1 where there is no answer.
  answers(kind, k, prior) {
    const { tables, held } = this.app;
    return held.bags.map((bag) => {
      const known = new Map();
      for (let i = 0; i < bag.length; i += 2) known.set(bag[i], bag[i + 1]);
      return tables.read(kind, k, prior, known).best;
    });
  }

  draw({ kind, k }, prior) {
    const { tables, held } = this.app;
    const n = held.true.length;
    if (!n) {
      this.total.textContent =
        "Every text is counted here, so none is left for a test. Choose the short reviews, or add more texts.";
      this.table.replaceChildren();
      this.list.replaceChildren();
      return;
    }
    this.said = this.answers(kind, k, prior);
    const right = this.said.filter((c, d) => c === held.true[d]).length;
    this.accuracy = right / n;
    this.total.textContent = `${right.toLocaleString("en")} of ${n.toLocaleString("en")} are classified correctly: ${percent(right / n)}. Always predicting the most common class would get ${percent(this.commonest())}.`;
    const names = tables.classes.map((name) => named(name, 14));
    const columns = [...names.keys()];
    if (this.said.includes(-1)) columns.push(-1);
    const made = element("table", "bag-confusion");
    const head = element("tr", "");
    head.append(
      element("th", "", { textContent: "true ↓  predicted →" }),
      ...columns.map((c) => element("th", "", { textContent: c < 0 ? "no answer" : names[c], scope: "col" })),
    );
    made.append(head);
    const counts = names.map((_, t) =>
      columns.map((c) => this.said.filter((s, d) => s === c && held.true[d] === t).length),
    );
    names.forEach((name, t) => {
      const row = element("tr", "");
      row.append(element("th", "", { textContent: name, scope: "row" }));
      const most = Math.max(1, ...counts[t]);
      counts[t].forEach((count, i) => {
        const cell = element("td", "");
        const b = element("button", `bag-cell${t === columns[i] ? " bag-right-cell" : ""}`, {
          type: "button",
          textContent: count.toLocaleString("en"),
        });
        b.setAttribute(
          "aria-label",
          `${name}, called ${columns[i] < 0 ? "nothing" : names[columns[i]]}: ${count}; list them`,
        );
        b.setAttribute("aria-pressed", String(this.cell?.[0] === t && this.cell[1] === columns[i]));
        b.style.setProperty("--share", `${Math.round((70 * count) / most)}%`);
        b.onclick = () => {
          this.cell = [t, columns[i]];
          this.draw(this.app.state, this.app.prior);
        };
        cell.append(b);
        row.append(cell);
      });
      made.append(row);
    });
    this.table.replaceChildren(made);
    this.texts();
  }

  commonest() {
    const { tables, held } = this.app;
    const guess = tables.docs_C.indexOf(Math.max(...tables.docs_C));
    return held.true.filter((c) => c === guess).length / held.true.length;
  }

  texts() {
    const { tables, held } = this.app;
    if (!this.cell || !(this.cell[0] in tables.classes))
      return this.list.replaceChildren(
        element("p", "un-says", { textContent: "Click a number to read its texts." }),
      );
    const [t, c] = this.cell;
    const found = [...held.true.keys()].filter((d) => held.true[d] === t && this.said[d] === c);
    const name = (i) => (i < 0 ? "nothing" : named(tables.classes[i], 18));
    const title = `${found.length.toLocaleString("en")} ${name(t)}, called ${name(c)}${found.length > MOST ? `; the first ${MOST}` : ""}. Click one to read it above.${found.some((d) => held.texts[d].endsWith(" …")) ? " Long texts are cut here; the classifier read all of each." : ""}`;
    this.list.replaceChildren(
      element("p", "un-says", { textContent: title }),
      ...found.slice(0, MOST).map((d) => {
        const b = element("button", "bag-text", { type: "button", textContent: held.texts[d] });
        b.onclick = () => this.app.setText(held.texts[d]);
        return b;
      }),
    );
  }
}
