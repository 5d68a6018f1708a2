// The next token before and after the rules: what is kept, what is struck out, and how much of the mass went with it.

import { walked } from "../marks/pointer.js";
import { element, percent, probability, short, visible } from "../dom.js";
import { bars, BarList } from "../marks/bars.js";
import { decoded, readRules, sifted } from "../sums/decode.js";
import { RuleBar } from "./sieve/bar.js";
import { Mass } from "./sieve/mass.js";

const KEPT = 9,
  STRUCK = 6; // rows of each kind at most; the others are counted in a row of their own

export default class Sieve {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.bar = new RuleBar(panel);
    this.mass = new Mass();
    this.list = element("ol", "un-list un-sieve");
    this.bars = new BarList(this.list, { bar: "un-row-bar un-two" });
    panel.body.append(this.bar.root, ...this.mass.root, this.list);
    const at = (e) => {
      const row = e.target.closest("[data-id]");
      return row ? { choice: Number(row.dataset.id) } : {};
    };
    walked(this.list, "[data-id]");
    this.list.addEventListener("pointerover", (e) => panel.selection.look(at(e)));
    this.list.addEventListener("pointerleave", () => panel.selection.leave());
    this.list.addEventListener("click", (e) => panel.selection.keep(at(e), panel.app));
  }

  // The token of the text behind which is looked; another one than the last is asked for.
  ask() {
    return { after: this.panel.selection.kept.token ?? null };
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const wanted = selection.keptToken(reader) + reader.offset;
    if (reader.said.after !== wanted && reader.labels.length && this.wanted !== `${app.text} ${wanted}`) {
      this.wanted = `${app.text} ${wanted}`;
      app.again();
    }
    const found = decoded(reader, this.bar.text);
    this.bar.draw(found);
    const t = (reader.said.after ?? 0) - reader.offset;
    const where = reader.spans[t]?.[1]
      ? `after “${short(reader.labels[t] ?? "", 18)}”`
      : "at the start of the text";
    if (!found) return this.nothing(reader, where);
    this.found = found;
    panel.say(`${panel.spec.title}, ${where}`, this.says(reader, found));
    this.mass.draw(found);
    this.rows = sifted(found, KEPT, STRUCK);
    const drawn = this.bars.draw(this.rows.map((row) => barOf(row, found, reader.spec.labels.next)));
    this.rows.forEach(({ id }, i) => {
      const { root } = drawn[i];
      const gap = id === undefined;
      const struck = !gap && !(found.after[id] > 0);
      root.className = `un-row${gap ? " un-gap" : ""}${struck ? " un-struck" : ""}${id === selection.get("choice") ? " un-chosen" : ""}`;
      if (gap) delete root.dataset.id;
      else root.dataset.id = String(id);
    });
  }

  nothing(reader, where) {
    this.found = null;
    this.panel.say(
      `${this.panel.spec.title}, ${where}`,
      reader.labels.length
        ? "Nothing can follow here: the model gives every token probability 0."
        : "This model cannot start from an empty text: type a first word.",
    );
    this.bars.draw([]);
    this.mass.draw(null);
  }

  says(reader, found) {
    const all = reader.spec.vocabulary;
    const rules = readRules(this.bar.text);
    const tail = found.cuts.length
      ? `The rules leave ${found.kept.toLocaleString("en")} of ${all.toLocaleString("en")} tokens and cut ${percent(1 - found.left)} of the probability mass; the rest is renormalised to 100 %.`
      : `All ${all.toLocaleString("en")} tokens can be drawn.`;
    return `${rules.t === 0 ? "Temperature 0: the likeliest token is always taken." : tail} Light bars: the model's distribution; strong bars: the distribution sampled from. Model: ${reader.spec.title}.`;
  }

  drawn() {
    const { found } = this;
    if (!found) return {};
    const vocabulary = this.panel.reader().spec.labels.next;
    const over = (values) => ({ axes: ["next"], labels: [vocabulary], values: Float32Array.from(values) });
    return {
      "drawn.before": over(found.before),
      "drawn.after": over(found.after),
      "drawn.cut": {
        axes: ["method"],
        labels: [found.cuts.map((c) => c.title)],
        values: Float32Array.from(found.cuts, (c) => c.mass),
      },
    };
  }

  table() {
    const { found } = this;
    const labels = this.panel.reader().spec.labels.next;
    const shown = found ? Array.from(found.order.subarray(0, 200)) : [];
    return {
      columns: ["rank", "next", "the model says", "drawn with", "cut by"],
      rows: shown.map((id, i) => [
        i + 1,
        visible(labels[id]),
        probability(found.before[id]),
        probability(found.after[id]),
        found.after[id] > 0 ? "" : (found.by[id] ?? "temperature"),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.mass.said}`;
  }
}

// One row: what the model says, what is drawn from, and what cut it.
function barOf({ id, says }, found, labels) {
  if (id === undefined) return { label: says, title: says, value: "", parts: bars(0, 0) };
  const [was, is] = [found.before[id], found.after[id]];
  const same = Math.abs(was - is) < 1e-9;
  const value = !(is > 0)
    ? `${percent(was)} → cut by ${found.by[id] ?? "temperature"}`
    : same
      ? percent(is)
      : `${percent(was)} → ${percent(is)}`;
  const label = visible(labels[id]);
  return { label, title: label, value, parts: bars(was, is) };
}
