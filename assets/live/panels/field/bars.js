// The largest numbers of one row of a field as bars, with a search for any other.

import { walked } from "../../marks/pointer.js";
import { element, percent, short, visible } from "../../dom.js";
import { BarList } from "../../marks/bars.js";
import { WordSearch } from "../../parts/wordsearch.js";
import { brief, exact } from "../../sums/statistics.js";

const MOST = 16;

export class FieldBars {
  constructor(panel, left) {
    this.panel = panel;
    this.list = element("ol", "un-list un-wide");
    this.rows = new BarList(this.list);
    this.bars = [];
    if (panel.spec.search) {
      this.search = new WordSearch(panel, panel.spec.field, "un-says");
      panel.body.append(this.search.bar, this.search.answer);
    }
    panel.body.append(this.list, left);
    walked(this.list, "[data-i]");
    this.list.addEventListener("pointerover", (e) => {
      const row = e.target.closest("[data-i]");
      if (row) panel.read(this.reading(Number(row.dataset.i)));
    });
    this.list.addEventListener("pointerleave", () => panel.read(this.reading(0)));
  }

  // Returns what the picture leaves out, in words.
  draw(part) {
    this.part = part;
    const { about, share } = part;
    const bars = (this.bars = this.best());
    this.list.hidden = false;
    // shares fill a track of 100 %; other numbers have no whole, so their bars have no track
    const most = share ? 1 : Math.max(...bars.map(([, v]) => Math.abs(v)).filter(Number.isFinite), 1e-30);
    this.list.classList.toggle("un-free", !share);
    this.rows.draw(
      bars.map(([label, v]) => ({
        label: short(label, 18),
        title: visible(label),
        value: share ? percent(v) : brief(v),
        parts: [
          {
            share: Number.isFinite(v) ? Math.abs(v) / most : 0,
            colour: v < 0 ? "var(--un-line-0)" : "var(--un-accent)",
          },
        ],
      })),
    );
    this.search?.draw("Type any word to see its number and its place among all.", (word) => this.find(word));
    const sum = bars.reduce((a, [, v]) => a + (v || 0), 0);
    const count = about.sizes[about.across];
    const where = about.down ? ` at ${part.place(about.down, part.row)}` : "";
    const others = share ? `; the others share ${percent(Math.max(0, 1 - sum))}` : "";
    return bars.length < count
      ? `The ${bars.length} largest of ${count.toLocaleString("en")}${where}${others}.`
      : `All ${count}${where}, largest first.`;
  }

  /** Largest first. @returns {any[][]} labels and numbers */
  best() {
    const { ranked, about, slice, change, row } = this.part;
    if (ranked) {
      const top = ranked.rows[ranked.along ? row : 0]?.top ?? [];
      return top.map(([label, v]) => [label, v ?? NaN]);
    }
    const { across } = about;
    const all = Array.from({ length: slice.columns }, (_, c) => {
      const at = c + this.part.first(across);
      return [this.part.label(across, at) ?? `${across} ${at}`, this.part.value(row, c)];
    });
    const size = (v) => (Number.isFinite(v) ? (change ? Math.abs(v) : v) : -Infinity);
    return all.sort((p, q) => size(q[1]) - size(p[1])).slice(0, MOST);
  }

  // Where a word stands, as Python found it among many, or among the few that are here.
  find(word) {
    const { ranked, about, slice, row } = this.part;
    if (ranked) {
      const { find, along } = ranked;
      if (find?.word !== word) return undefined;
      const found = find.rows[along ? row : 0];
      return found
        ? `${this.told(find.label, found[0], found[1])} ${find.says}`.trim()
        : `“${visible(word)}”: ${find.says}`;
    }
    const { across } = about;
    let at = 0;
    while (at < slice.columns && this.part.label(across, at + this.part.first(across)) !== word) at += 1;
    if (at === slice.columns) return `“${visible(word)}”: there is no such word here.`;
    const v = this.part.value(row, at);
    let place = 1;
    for (let c = 0; c < slice.columns; c++) if (this.part.value(row, c) > v) place += 1;
    return this.told(word, v, place);
  }

  told(label, v, at) {
    const { about, share } = this.part;
    const value = share ? `${percent(v)} (${exact(v)})` : exact(v);
    return `“${visible(label)}”: place ${at.toLocaleString("en")} of ${about.sizes[about.across].toLocaleString("en")}, ${value}.`;
  }

  reading(i) {
    const [label, v] = this.bars[i] ?? [];
    if (label === undefined) return "";
    const { name, about, share } = this.part;
    return `${name}, ${about.across} “${visible(String(label))}” = ${exact(v)}${share ? ` = ${percent(v)}` : ""}`;
  }

  table() {
    return {
      columns: ["place", this.part.about.across, this.part.name],
      rows: this.best().map(([label, v], i) => [i + 1, visible(String(label)), exact(v)]),
    };
  }

  // For checks from outside: the bars stand in no field.
  drawn() {
    return {
      [`${this.part.name}#bars`]: {
        axes: [this.part.about.across],
        labels: [this.bars.map(([label]) => String(label))],
        values: Float32Array.from(this.bars.map(([, v]) => v)),
      },
    };
  }
}
