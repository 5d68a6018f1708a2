// The logit lens: what every layer would already answer after the chosen token, and how far the final answer has come there.

import { element, fit, parts, percent, short, visible } from "../dom.js";

export default class Lens {
  constructor(panel) {
    this.panel = panel;
    this.list = element("ol", "un-list un-lens");
    this.rows = [];
    panel.body.append(this.list);
  }

  // Depths from the last one down to the embedding, as the stream is read from below.
  place() {
    const reader = this.panel.reader();
    const t = this.panel.selection.token(reader);
    return { reader, t, depths: reader.notes[t]?.lens ?? [], answer: reader.notes[t]?.answer ?? "" };
  }

  name(depth) {
    return depth ? `after layer ${depth}` : "embedding";
  }
  number(name, depth, t) {
    return this.panel.reader().value(name, { layer: depth, token: t });
  }

  draw() {
    const { panel } = this;
    const { reader, t, depths, answer } = this.place();
    panel.say(
      `What each layer would predict ${reader.spec.here ? "at" : "after"} “${short(reader.labels[t] ?? "", 18)}”`,
      `${panel.spec.says} Model: ${reader.spec.title}.`,
    );
    fit(this.rows, depths.length, () => this.row());
    depths.forEach((words, depth) => {
      const row = this.rows[depth];
      const p = this.number("lens.probability", depth, t);
      row.name.textContent = this.name(depth);
      row.bar.style.width = `${100 * p}%`;
      row.value.textContent = `${percent(p)}, rank ${this.number("lens.rank", depth, t).toLocaleString("en")}`;
      words.forEach(([label, share], k) => {
        const chip = (row.chips[k] ??= row.words.appendChild(element("span", "un-lens-word")));
        chip.textContent = short(label, 14);
        chip.title = `${visible(label)}: ${percent(share)}`;
        chip.style.setProperty("--un-share", `${Math.round(100 * share)}%`);
        chip.classList.toggle("un-answered", label === answer);
      });
    });
    panel.read(answer ? this.sentence(depths, t, answer) : "");
  }

  row() {
    const row = parts(element("li", "un-lens-row"), {
      name: "un-lens-name",
      words: "un-lens-words",
      track: "un-row-bar",
      value: "un-row-value",
    });
    this.list.prepend(row.root); // the last layer stands at the top
    return { ...row, bar: row.track.appendChild(element("i", "un-lens-bar")), chips: [] };
  }

  sentence(depths, t, answer) {
    let first = depths.length - 1;
    while (first > 0 && this.number("lens.rank", first - 1, t) === 1) first--;
    const end = percent(this.number("lens.probability", depths.length - 1, t));
    const when =
      first === depths.length - 1
        ? "only the last layer ranks it first"
        : first === 0
          ? "it ranks first from the embedding on"
          : `it ranks first from layer ${first} on`;
    return `The answer is “${visible(answer)}” (${end}): ${when}.`;
  }

  table() {
    const { t, depths } = this.place();
    return {
      columns: ["depth", "answer's probability", "its place", "likeliest words"],
      rows: depths.map((words, d) => [
        this.name(d),
        percent(this.number("lens.probability", d, t)),
        this.number("lens.rank", d, t),
        words.map(([w, p]) => `${visible(w)} ${percent(p)}`).join(", "),
      ]),
    };
  }
}
