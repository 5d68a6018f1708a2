// The distribution over what comes next, largest first; for an n-gram model each bar is made of the orders it came from.

import { digits, element, orderColour, percent, short, visible } from "../dom.js";

export class Bars {
  constructor(panel) {
    this.panel = panel;
    this.list = element("ol", "un-list un-wide");
    this.rows = [];
    this.key = element("p", "un-key");
    panel.body.append(this.key, this.list);
    this.list.addEventListener("pointerover", (e) => { const row = e.target.closest("[data-i]"); this.over = row ? Number(row.dataset.i) : null; this.explain(); });
    this.list.addEventListener("pointerleave", () => { this.over = null; this.explain(); });
  }

  place() {
    const reader = this.panel.reader();
    const t = this.panel.selection.token(reader);
    return { reader, t, rows: (reader.top[t] ?? []).slice(0, this.panel.spec.most) };
  }

  draw() {
    const { panel } = this;
    const { reader, t, rows } = this.place();
    const after = reader.spans[t]?.[1] === 0 ? "at the start of the text" : `after “${short(reader.labels[t] ?? "", 18)}”`;
    panel.say(`${panel.spec.title}, ${after}`, this.shown(reader, rows));
    const orders = reader.spec.orders;
    if (orders && !this.key.childElementCount)
      for (const [i, name] of orders.entries()) {
        const item = element("span", "un-key-item");
        const dot = element("i", "");
        dot.style.background = `var(${orderColour(i, orders.length)})`;
        item.append(dot, document.createTextNode(name));
        this.key.append(item);
      }
    while (this.rows.length > rows.length) this.rows.pop().root.remove();
    while (this.rows.length < rows.length) this.rows.push(this.row());
    const most = Math.max(...rows.map((r) => r[1]), 1e-9);
    rows.forEach(([label, p, parts], i) => {
      const row = this.rows[i];
      if (row.text !== label) { row.text = label; row.label.textContent = short(label, 18); row.label.title = visible(label); }
      row.value.textContent = percent(p);
      const shares = parts ? parts.map((x) => x[0]) : [p];
      while (row.fills.length > shares.length) row.fills.pop().remove();
      while (row.fills.length < shares.length) { const fill = element("i", ""); row.fills.push(fill); row.bar.append(fill); }
      shares.forEach((share, m) => {
        row.fills[m].style.width = `${((100 * share) / most).toFixed(2)}%`;
        row.fills[m].style.background = parts ? `var(${orderColour(m, shares.length)})` : "var(--un-accent)";
      });
    });
    this.explain();
  }

  row() {
    const row = { root: element("li", "un-row"), label: element("span", "un-row-label"), bar: element("span", "un-row-bar"), value: element("span", "un-row-value"), fills: [] };
    row.root.dataset.i = String(this.rows.length);
    row.root.append(row.label, row.bar, row.value);
    this.list.append(row.root);
    return row;
  }

  shown(reader, rows) {
    const sum = rows.reduce((a, r) => a + r[1], 0);
    return `The ${rows.length} likeliest of ${reader.spec.vocabulary.toLocaleString("en")}; the others share ${percent(Math.max(0, 1 - sum))}.`;
  }

  explain() {
    const { rows, reader, t } = this.place();
    const row = rows[this.over ?? 0];
    if (!row) return this.panel.read("");
    const [label, p, parts] = row;
    if (!parts) return this.panel.read(`P(${visible(label)}) = ${percent(p)}, a surprise of ${digits(-Math.log2(p))} bits if it comes`);
    const terms = parts.map(([share, count, total], m) => ({ share, count, total, name: reader.spec.orders[m] })).filter((x) => x.share > 0).reverse();
    const sum = terms.map((x) => `${percent(x.share)} from ${x.name}${x.count > 0 ? ` (${x.count.toLocaleString("en")} of ${x.total.toLocaleString("en")})` : ""}`).join(" + ");
    this.panel.read(`P(${visible(label)}) = ${percent(p)} = ${sum}`);
  }

  table() {
    const { rows } = this.place();
    return { columns: ["next", "probability", "bits"], rows: rows.map(([label, p]) => [visible(label), percent(p), digits(-Math.log2(p))]) };
  }

  alt() {
    const { rows, reader } = this.place();
    return `${this.panel.title.textContent}: ${rows.slice(0, 5).map(([l, p]) => `${visible(l)} ${percent(p)}`).join(", ")}. ${this.shown(reader, rows)}`;
  }
}
