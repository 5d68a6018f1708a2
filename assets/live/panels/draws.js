// What is drawn when the same place is drawn from again and again, beside the probability: few draws scatter, many settle.

import { decoded } from "../sums/decode.js";
import { element, percent, short, visible } from "../dom.js";
import { choice } from "../parts/controls.js";

const ROWS = 10;

export default class Draws {
  of;
  key;
  counts;

  constructor(panel) {
    this.panel = panel;
    this.count = 100;
    this.seed = 1;
    const bar = element("div", "un-order");
    const again = element("button", "un-button", {
      type: "button",
      textContent: "Draw again",
      onclick: () => {
        this.seed += 1;
        panel.draw();
      },
    });
    bar.append(
      choice("Draws", [10, 100, 1000, 10000], this.count, (n) => {
        this.count = n;
        panel.draw();
      }),
      again,
    );
    this.list = element("ol", "un-list un-sieve");
    panel.body.append(bar, this.list);
    this.rows = [];
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const found = decoded(reader, panel.selection.get("rules") ?? "off");
    if (found !== this.of || this.key !== `${this.count} ${this.seed}`) this.make(found);
    panel.say(
      panel.spec.title,
      `One token sampled ${this.count.toLocaleString("en")} times at the same place. Strong bars: observed frequency; light bars: probability.`,
    );
    if (!found) {
      this.list.replaceChildren();
      this.rows = [];
      return panel.read("");
    }
    const ids = Array.from(this.counts.keys()).sort(
      (a, b) => this.counts.get(b) - this.counts.get(a) || found.after[b] - found.after[a],
    );
    const shown = (this.shown = ids.slice(0, ROWS));
    const most = Math.max(...shown.map((id) => Math.max(found.after[id], this.counts.get(id) / this.count)));
    while (this.rows.length > shown.length) this.rows.pop().root.remove();
    while (this.rows.length < shown.length) this.rows.push(this.row());
    shown.forEach((id, i) => {
      const row = this.rows[i],
        share = this.counts.get(id) / this.count;
      row.label.textContent = short(reader.spec.labels.next[id], 14);
      row.before.style.width = `${(100 * found.after[id]) / most}%`;
      row.after.style.width = `${(100 * share) / most}%`;
      row.value.textContent = `${this.counts.get(id).toLocaleString("en")}, p = ${percent(found.after[id])}`;
    });
    panel.read(
      `${ids.length.toLocaleString("en")} different token${ids.length > 1 ? "s" : ""} drawn, of ${found.kept.toLocaleString("en")} possible.`,
    );
  }

  row() {
    const row = {
      root: element("li", "un-row"),
      label: element("span", "un-row-label"),
      bar: element("span", "un-row-bar un-two"),
      before: element("i", "un-light"),
      after: element("i", "un-strong"),
      value: element("span", "un-row-value"),
    };
    row.bar.append(row.before, row.after);
    row.root.append(row.label, row.bar, row.value);
    this.list.append(row.root);
    return row;
  }

  // Ids drawn by the cumulative sum, with numbers that depend on nothing but the seed.
  make(found) {
    Object.assign(this, { of: found, key: `${this.count} ${this.seed}`, counts: new Map() });
    if (!found) return;
    const upto = Float64Array.from(found.after);
    for (let i = 1; i < upto.length; i++) upto[i] += upto[i - 1];
    const next = uniform(this.seed);
    for (let n = 0; n < this.count; n++) {
      const u = next() * upto.at(-1);
      let [low, high] = [0, upto.length - 1];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (upto[middle] > u) high = middle;
        else low = middle + 1;
      }
      this.counts.set(low, (this.counts.get(low) ?? 0) + 1);
    }
  }

  table() {
    const labels = this.panel.reader().spec.labels.next;
    return {
      columns: ["token", "drawn", "share", "probability"],
      rows: (this.of ? this.shown : []).map((id) => [
        visible(labels[id]),
        this.counts.get(id),
        percent(this.counts.get(id) / this.count),
        percent(this.of.after[id]),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}

// Numbers from 0 to 1 (mulberry32).
function uniform(seed) {
  let a = (seed * 0x9e3779b9) >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
