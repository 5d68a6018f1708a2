// One moment of the ledger: who has how much in the memory then, largest first, and that it adds up to the
// memory.

import { digits, element, put, short, small, visible } from "../dom.js";
import { Scale } from "../drawing/canvas.js";
import { BarList, signed } from "../marks/bars.js";
import { account, parts, source } from "../sums/ledger.js";

const MOST = 8;

export default class Account {
  constructor(panel) {
    this.panel = panel;
    this.formula = element("p", "un-formula");
    this.total = element("p", "un-total");
    this.list = element("div", "un-account");
    this.bars = new BarList(this.list, { tag: "button", row: "un-part", made });
    panel.body.append(this.formula, this.total, this.list);
    const at = (e) => e.target.closest("[data-k]");
    const look = (e) => {
      const row = at(e);
      row && row.dataset.k >= 0
        ? panel.selection.look({ ...panel.selection.hovered, other: this.from(row) })
        : panel.selection.leave();
    };
    this.list.addEventListener("pointerover", look);
    this.list.addEventListener("pointerleave", () => panel.selection.leave());
    this.list.addEventListener("click", (e) => {
      const row = at(e);
      if (row && row.dataset.k >= 0) panel.selection.keep({ other: this.from(row) }, panel.app);
    });
  }

  from(row) {
    return Number(row.dataset.k) + this.panel.reader().offset;
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const book = account(panel, reader);
    for (const part of panel.body.children) part.hidden = !book;
    if (!book) return panel.read("");
    const t = selection.token(reader);
    const about = reader.spec.fields;
    const symbol = (name) => about[name].symbol;
    const { memory } = book;
    const { kept, parts: own, before, sum } = parts(book, t);
    const c = symbol(memory.state).replace("_t", "_T");
    const factor = memory.complement ? `(1 − ${symbol(memory.keep)})` : memory.keep && symbol(memory.keep);
    const left = factor ? `(${factor.replace("_t", "_k+1")} × … × ${factor.replace("_t", "_T")}) × ` : "";
    const start = book.cut ? " + the remainder from earlier" : "";
    panel.say(`${panel.spec.title}, at “${short(reader.labels[t], 18)}”`, panel.spec.says);
    put(
      this.formula,
      `${c} = Σ_k ${left}${memory.write.map((w) => symbol(w).replace("_t", "_k")).join(" × ")}${start}`,
    );
    const fits = Math.abs(sum - book.state[t]) <= 1e-4 * Math.max(1, Math.abs(book.state[t]));
    put(this.total, `sum ${digits(sum)} ${fits ? "=" : "≠"} ${c} ${digits(book.state[t])}`);
    const entries = Array.from(own, (part, k) => ({
      k,
      part,
      label: short(reader.labels[k], 14),
      says: `${digits(kept[k])} left of ${memory.write.map((w, i) => `${symbol(w).replace("_t", "")} ${digits(book.factors[i][k])}`).join(" × ")}`,
    }));
    if (book.cut)
      entries.push({
        k: -1,
        part: before,
        label: small("before"),
        says: `${digits(kept[0])} left of ${digits(book.carried)}`,
      });
    entries.sort((a, b) => Math.abs(b.part) - Math.abs(a.part) || b.k - a.k);
    const rest = entries.splice(MOST);
    if (rest.length)
      entries.push({
        k: -1,
        part: rest.reduce((a, e) => a + e.part, 0),
        label: rest.length === 1 ? "1 other" : `${rest.length} others`,
        says: "together",
      });
    const most = Math.max(...entries.map((e) => Math.abs(e.part)), 1e-9);
    const scale = new Scale({ ...about[memory.state].scale, low: -1, high: 1 }, app.dark);
    const chosen = source(book, selection, reader, t);
    const rows = this.bars.draw(
      entries.map(({ label, says, part }) => ({
        ...{ label, says, value: digits(part) },
        parts: [{ ...signed(part / most), colour: scale.css(part < 0 ? -0.7 : 0.7) }],
      })),
    );
    entries.forEach(({ k }, i) => {
      rows[i].root.dataset.k = k;
      rows[i].root.setAttribute("aria-pressed", String(k === chosen));
    });
    panel.read("Bars to the right add to the memory, bars to the left take away. Click one to follow it.");
  }

  table() {
    const { panel } = this;
    const reader = panel.reader();
    const book = account(panel, reader);
    if (!book) return { columns: ["token"], rows: [] };
    const t = panel.selection.token(reader);
    const { kept, parts: own, before, sum } = parts(book, t);
    const names = book.memory.write.map((w) => reader.spec.fields[w].symbol.replace("_t", "_k"));
    const rows = Array.from(own, (part, k) => [
      k + 1 + reader.offset,
      visible(reader.labels[k]),
      ...book.factors.map((f) => digits(f[k])),
      digits(kept[k]),
      digits(part),
    ]);
    if (book.cut) rows.unshift(["", "before", ...names.map(() => ""), digits(kept[0]), digits(before)]);
    rows.push(
      ["", "sum", ...names.map(() => ""), "", digits(sum)],
      ["", reader.spec.fields[book.memory.state].symbol, ...names.map(() => ""), "", digits(book.state[t])],
    );
    return { columns: ["k", "token", ...names, "left", "contribution"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.total.textContent}. ${this.bars.rows.map((r) => `${r.label.textContent} ${r.value.textContent}`).join(", ")}`;
  }
}

// A bar that can be chosen, with how its number is made below it.
function made(row) {
  row.root.type = "button";
  row.says = element("span", "un-part-says");
  row.root.append(row.says);
}
