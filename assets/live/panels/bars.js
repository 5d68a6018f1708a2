// The distribution over what comes next, largest first; for an n-gram model each bar is made of the orders it came from.
// With `search`, a click on a bar or a word in the box chooses a word, and every reply tells its place among all words.

import { digits, element, orderColour, percent, probability, raised, short, visible } from "../dom.js";

const LOWEST = 8; // the logarithmic axis goes from 1 down to 10^-8, whatever is drawn

export default class Bars {
  constructor(panel) {
    this.panel = panel;
    this.list = element("ol", "un-list un-wide");
    this.rows = [];
    this.key = element("p", "un-key");
    if (panel.spec.search) this.searchBox();
    panel.body.append(this.key, this.list);
    this.list.addEventListener("pointerover", (e) => {
      const row = e.target.closest("[data-i]");
      this.look(row ? Number(row.dataset.i) : null);
    });
    this.list.addEventListener("pointerleave", () => this.look(null));
  }

  look(i) {
    this.over = i;
    if (!this.search) return this.explain();
    const row = this.place().rows[i];
    this.panel.selection.look(row ? { ...this.looked(), next: row[0] } : this.looked());
  }

  // Where the other panels look stays when a bar is hovered.
  looked() {
    const { next, ...rest } = this.panel.selection.hovered;
    return rest;
  }

  searchBox() {
    const { app } = this.panel;
    this.search = element("input", "un-search", {
      type: "search",
      maxLength: 60,
      autocomplete: "off",
      spellcheck: false,
      id: `un-search-${this.panel.spec.id}`,
    });
    const label = element("label", "un-search-label", { htmlFor: this.search.id, textContent: "Where is" });
    this.search.placeholder = "any word";
    this.search.addEventListener("input", (e) => {
      if (!e.isComposing) app.choose(this.search.value.trim());
    });
    this.search.addEventListener("compositionend", () => app.choose(this.search.value.trim()));
    this.log = element("button", "un-button", { type: "button", textContent: "Log axis" });
    this.log.setAttribute("aria-pressed", "false");
    this.log.onclick = () => {
      this.log.setAttribute("aria-pressed", String(!this.logs));
      this.panel.draw();
    };
    const bar = element("div", "un-search-bar");
    bar.append(label, this.search, this.log);
    this.answer = element("p", "un-answer", { role: "status" });
    this.axis = element("div", "un-axis");
    for (let e = LOWEST; e >= 0; e -= 2)
      this.axis.append(element("span", "", { textContent: e ? `10${raised(-e)}` : "1" }));
    this.panel.body.append(bar, this.answer);
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Likeliest next words: up and down choose one");
    this.list.tabIndex = 0;
    this.list.addEventListener("click", (e) => {
      const row = e.target.closest("[data-i]");
      if (row) this.toggle(Number(row.dataset.i));
    });
    this.list.addEventListener("keydown", (e) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[e.key];
      const { rows } = this.place();
      if (!step || !rows.length) return;
      const now = rows.findIndex((row) => row[0] === app.word());
      app.choose(rows[Math.max(0, Math.min(rows.length - 1, now + step))][0]);
      e.preventDefault();
      e.stopPropagation();
    });
  }

  get logs() {
    return this.log?.getAttribute("aria-pressed") === "true";
  }

  toggle(i) {
    const { app } = this.panel;
    const word = this.place().rows[i]?.[0];
    app.choose(word === app.word() ? "" : word);
  }

  place() {
    const reader = this.panel.reader();
    const t = this.panel.selection.token(reader);
    return { reader, t, rows: (reader.top[t] ?? []).slice(0, this.panel.spec.most) };
  }

  draw() {
    const { panel } = this;
    const { reader, t, rows } = this.place();
    const after = reader.spec.here
      ? `at “${short(reader.labels[t] ?? "", 18)}”`
      : reader.spans[t]?.[1] === 0
        ? "at the start of the text"
        : `after “${short(reader.labels[t] ?? "", 18)}”`;
    panel.say(`${panel.spec.title}, ${after}`, this.shown(reader, rows, t));
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
    const { logs } = this;
    const chosen = this.search ? reader.find?.label || panel.app.word() : null;
    rows.forEach(([label, p, parts], i) => {
      const row = this.rows[i];
      if (row.text !== label) {
        row.text = label;
        row.label.textContent = short(label, 18);
        row.label.title = visible(label);
      }
      row.value.textContent = percent(p);
      const shares = parts ? parts.map((x) => x[0]) : [p];
      const lead = shares.indexOf(Math.max(...shares)); // parts do not add up along a logarithmic axis: the largest gives the colour
      while (row.fills.length > shares.length) row.fills.pop().remove();
      while (row.fills.length < shares.length) {
        const fill = element("i", "");
        row.fills.push(fill);
        row.bar.append(fill);
      }
      shares.forEach((share, m) => {
        const width = logs ? (m === lead ? 1 + Math.log10(Math.max(p, 1e-12)) / LOWEST : 0) : share / most;
        row.fills[m].style.width = `${(100 * Math.max(0, width)).toFixed(2)}%`;
        row.fills[m].style.background = parts ? `var(${orderColour(m, shares.length)})` : "var(--un-accent)";
      });
      if (chosen !== null) row.root.setAttribute("aria-selected", String(label === chosen));
    });
    if (this.search) this.drawSearch(reader, t, after, chosen);
    this.explain();
  }

  drawSearch(reader, t, after, chosen) {
    const { app } = this.panel;
    if (this.logs !== this.axis.isConnected) this.logs ? this.list.after(this.axis) : this.axis.remove();
    const word = app.word();
    if (document.activeElement !== this.search && this.search.value !== word) this.search.value = word;
    const said = !word
      ? "Type any word, or click a bar: its rank among all words is updated as you type."
      : reader.find?.word === word
        ? this.where(reader, t, after)
        : "…";
    if (this.answer.textContent !== said) this.answer.textContent = said;
    this.chosen = this.place().rows.findIndex((row) => row[0] === chosen);
    this.chosen >= 0
      ? this.list.setAttribute("aria-activedescendant", this.rows[this.chosen].root.id)
      : this.list.removeAttribute("aria-activedescendant");
  }

  // The answer to "where is this word?".
  where(reader, t, after) {
    const { find, found } = reader;
    if (!found[t]?.length) return `“${visible(find.word)}”: ${find.says}`;
    const [p, place, same] = found[t];
    const whole = reader.spec.vocabulary.toLocaleString("en");
    const ties = same
      ? `; ${same.toLocaleString("en")} other${same > 1 ? "s have" : " has"} the same probability`
      : "";
    const numbers =
      p > 0
        ? `P = ${probability(p)}${p >= 1e-5 ? ` (${percent(p)})` : ""}, ${digits(-Math.log2(p))} bits`
        : "P = 0: the model rules it out here";
    return `“${visible(find.word)}”: ${find.says} place ${place.toLocaleString("en")} of ${whole} ${after}, ${numbers}${ties}.`.replace(
      ":  ",
      ": ",
    );
  }

  row() {
    const row = {
      root: element("li", "un-row"),
      label: element("span", "un-row-label"),
      bar: element("span", "un-row-bar"),
      value: element("span", "un-row-value"),
      fills: [],
    };
    row.root.dataset.i = String(this.rows.length);
    if (this.search) {
      row.root.setAttribute("role", "option");
      row.root.id = `un-${this.panel.spec.id}-${this.rows.length}`;
    }
    row.root.append(row.label, row.bar, row.value);
    this.list.append(row.root);
    return row;
  }

  shown(reader, rows, t) {
    const sum = rows.reduce((a, r) => a + r[1], 0);
    const said = `The ${rows.length} likeliest of ${reader.spec.vocabulary.toLocaleString("en")}`;
    if (!this.search) return `${said}; the others share ${percent(Math.max(0, 1 - sum))}.`;
    const half =
      reader.extra?.token === t + reader.offset && reader.extra.of === this.panel.app.text
        ? reader.extra.needed[0]
        : 0;
    return `${said} hold ${percent(sum)} of the probability; the others share ${percent(Math.max(0, 1 - sum))}.${half ? ` Half of the mass is in ${half.toLocaleString("en")} word${half > 1 ? "s" : ""}.` : ""}`;
  }

  explain() {
    const { rows, reader } = this.place();
    const row = rows[this.over ?? Math.max(0, this.chosen ?? 0)];
    if (!row) return this.panel.read("");
    const [label, p, parts] = row;
    if (!parts)
      return this.panel.read(
        `P(${visible(label)}) = ${percent(p)}, a surprise of ${digits(-Math.log2(p))} bits if it comes`,
      );
    const terms = parts
      .map(([share, count, total], m) => ({ share, count, total, name: reader.spec.orders[m] }))
      .filter((x) => x.share > 0)
      .reverse();
    const sum = terms
      .map(
        (x) =>
          `${percent(x.share)} from ${x.name}${x.count > 0 ? ` (${x.count.toLocaleString("en")} of ${x.total.toLocaleString("en")})` : ""}`,
      )
      .join(" + ");
    this.panel.read(`P(${visible(label)}) = ${percent(p)} = ${sum}`);
  }

  table() {
    const { rows } = this.place();
    let sum = 0;
    return {
      columns: ["place", "next", "probability", "bits", "together"],
      rows: rows.map(([label, p], i) => [
        i + 1,
        visible(label),
        percent(p),
        digits(-Math.log2(p)),
        percent((sum += p)),
      ]),
    };
  }

  alt() {
    const { rows, reader, t } = this.place();
    return `${this.panel.title.textContent}: ${rows
      .slice(0, 5)
      .map(([l, p]) => `${visible(l)} ${percent(p)}`)
      .join(", ")}. ${this.shown(reader, rows, t)}`;
  }
}
