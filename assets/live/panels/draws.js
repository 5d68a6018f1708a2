// What is drawn when the same place is drawn from again and again, beside the probability: few draws scatter, many settle.

import { element, percent, short, visible } from "../dom.js";
import { bars, BarList } from "../marks/bars.js";
import { bar, button, choice } from "../parts/controls.js";
import { counted, decoded } from "../sums/decode.js";

const ROWS = 10;

export default class Draws {
  of;
  key;
  counts;

  constructor(panel) {
    this.panel = panel;
    this.count = 100;
    this.seed = 1;
    const again = () => {
      this.seed += 1;
      panel.draw();
    };
    const draws = choice("Draws", [10, 100, 1000, 10000], this.count, (n) => {
      this.count = n;
      panel.draw();
    });
    this.list = element("ol", "un-list un-sieve");
    this.bars = new BarList(this.list, { bar: "un-row-bar un-two" });
    panel.body.append(bar(draws, button("Draw again", again)), this.list);
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const found = decoded(reader, panel.selection.get("rules") ?? "off");
    const key = `${this.count} ${this.seed}`;
    if (found !== this.of || this.key !== key)
      Object.assign(this, {
        of: found,
        key,
        counts: found ? counted(found.after, this.count, this.seed) : new Map(),
      });
    panel.say(
      panel.spec.title,
      `One token sampled ${this.count.toLocaleString("en")} times at the same place, with seed ${this.seed}. Strong bars: observed frequency; light bars: probability.`,
    );
    if (!found) {
      this.bars.draw([]);
      return panel.read("");
    }
    const ids = Array.from(this.counts.keys()).sort(
      (a, b) => this.counts.get(b) - this.counts.get(a) || found.after[b] - found.after[a],
    );
    this.ids = ids;
    const shown = ids.slice(0, ROWS);
    this.bars.draw(
      shown.map((id) => {
        const count = this.counts.get(id);
        return {
          label: short(reader.spec.labels.next[id], 14),
          value: `${count.toLocaleString("en")}, p = ${percent(found.after[id])}`,
          parts: bars(found.after[id], count / this.count),
        };
      }),
    );
    panel.read(
      `${ids.length.toLocaleString("en")} different token${ids.length > 1 ? "s" : ""} drawn, of ${found.kept.toLocaleString("en")} possible.`,
    );
  }

  table() {
    const labels = this.panel.reader().spec.labels.next;
    return {
      columns: ["token", "drawn", "share", "probability", "seed"],
      rows: (this.of ? this.ids : []).map((id) => [
        visible(labels[id]),
        this.counts.get(id),
        percent(this.counts.get(id) / this.count),
        percent(this.of.after[id]),
        this.seed,
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
