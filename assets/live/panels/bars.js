// The distribution over what comes next, largest first; for an n-gram model each bar is made of the orders it
// came from. With `search`, a click on a bar or a word in the box chooses a word, and every reply tells its
// place among all words.

import { walked } from "../marks/pointer.js";
import { digits, element, named, orderColour, percent, short, visible } from "../dom.js";
import { BarList } from "../marks/bars.js";
import { high } from "../parts/card.js";
import { keyItem } from "../parts/controls.js";
import { counted } from "../sums/backoff.js";
import { Search } from "./bars/search.js";

const [ROW, KEY] = [24, 20]; // pixels of a bar, and of the names of the orders

export default class Bars {
  constructor(panel) {
    this.panel = panel;
    this.list = element("ol", "un-list un-wide");
    this.bars = new BarList(this.list, { made: (row, i) => this.made(row, i) });
    this.key = element("p", "un-key");
    if (panel.spec.search) this.search = new Search(this);
    panel.body.append(this.key, this.list);
    if (!this.search) walked(this.list, "[data-i]");
    this.list.addEventListener("pointerover", (e) => {
      const row = e.target.closest("[data-i]");
      this.look(row ? Number(row.dataset.i) : null);
    });
    this.list.addEventListener("pointerleave", () => this.look(null));
  }

  made({ root }, i) {
    if (!this.search) return;
    root.setAttribute("role", "option");
    root.id = `un-${this.panel.spec.id}-${i}`;
  }

  // Where the other panels look stays when a bar is hovered.
  look(i) {
    this.over = i;
    if (!this.search) return this.explain();
    const { next, ...rest } = this.panel.selection.hovered;
    const row = this.rows[i];
    this.panel.selection.look(row ? { ...rest, next: row[0] } : rest);
  }

  place() {
    const reader = this.panel.reader();
    return { reader, t: this.panel.selection.token(reader) };
  }

  // [label, probability, its parts by order], largest first.
  get rows() {
    const { reader, t } = this.place();
    const { most, lesson } = this.panel.spec;
    return (reader.top[t] ?? []).slice(0, lesson ? Math.floor((high(this.panel.app) - KEY) / ROW) : most);
  }

  draw() {
    const { panel, search, rows } = this;
    const { reader, t } = this.place();
    const word = short(reader.labels[t] ?? "", 18);
    const first = !reader.labels.length || reader.spans[t]?.[1] === 0;
    const start = first ? "at the start of the text" : `after “${word}”`;
    const after = reader.spec.here ? `at “${word}”` : start;
    const { orders } = reader.spec;
    if (panel.spec.lesson && orders) panel.say(panel.spec.title, counted(reader, t, rows));
    else panel.say(`${panel.spec.title}, ${after}`, this.shown(reader, rows, t));
    if (orders && !this.key.childElementCount)
      orders.forEach((name, m) => this.key.append(keyItem(`var(${orderColour(m, orders.length)})`, name)));
    this.bars.draw(
      rows.map(([label, p, parts]) => ({
        label: named(label, 18),
        title: visible(label),
        value: percent(p),
        parts: this.parts(p, parts),
      })),
    );
    search?.draw(reader, t, after);
    this.explain();
  }

  parts(p, parts) {
    const logs = this.search?.logs;
    if (!parts) return [{ share: logs ? this.search.width(p) : Math.max(0, p), colour: "var(--un-accent)" }];
    const shares = parts.map((x) => x[0]);
    const lead = shares.indexOf(Math.max(...shares)); // parts do not add up along a logarithmic axis: the largest gives the colour
    return shares.map((share, m) => ({
      share: logs ? (m === lead ? this.search.width(p) : 0) : Math.max(0, share),
      colour: `var(${orderColour(m, shares.length)})`,
    }));
  }

  shown(reader, rows, t) {
    if (!rows.length) return "Type a word: what is likely to follow it is listed here.";
    const sum = rows.reduce((a, r) => a + r[1], 0);
    const said = `The ${rows.length} likeliest of ${reader.spec.vocabulary.toLocaleString("en")}`;
    const others = `; the others share ${percent(Math.max(0, 1 - sum))}.`;
    if (!this.search) return said + others;
    const { extra } = reader;
    const here = extra?.token === t + reader.offset && extra.of === this.panel.app.text;
    const half = here ? extra.needed[0] : 0;
    const mass = half
      ? ` Half of the mass is in ${half.toLocaleString("en")} word${half > 1 ? "s" : ""}.`
      : "";
    return `${said} hold ${percent(sum)} of the probability${others}${mass}`;
  }

  explain() {
    const { reader } = this.place();
    const row = this.rows[this.over ?? Math.max(0, this.search?.at ?? 0)];
    if (!row) return this.panel.read("");
    const [label, p, parts] = row;
    const named = `P(${visible(label)}) = ${percent(p)}`;
    if (!parts) return this.panel.read(`${named}, a surprise of ${digits(-Math.log2(p))} bits if it comes`);
    const terms = parts
      .map(([share, count, total], m) => {
        const counted = count > 0 ? ` (${count.toLocaleString("en")} of ${total.toLocaleString("en")})` : "";
        return share > 0 ? `${percent(share)} from ${reader.spec.orders[m]}${counted}` : "";
      })
      .filter(Boolean);
    this.panel.read(`${named} = ${terms.reverse().join(" + ")}`);
  }

  table() {
    let sum = 0;
    return {
      columns: ["place", "next", "probability", "bits", "together"],
      rows: this.rows.map(([label, p], i) => [
        i + 1,
        visible(label),
        percent(p),
        digits(-Math.log2(p)),
        percent((sum += p)),
      ]),
    };
  }

  alt() {
    const { rows } = this;
    const { reader, t } = this.place();
    const best = rows.slice(0, 5).map(([label, p]) => `${visible(label)} ${percent(p)}`);
    return `${this.panel.title.textContent}: ${best.join(", ")}. ${this.shown(reader, rows, t)}`;
  }
}
