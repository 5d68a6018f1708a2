// What a state writes: its likeliest tokens, and the token looked at among them.

import { element, percent, visible } from "../dom.js";
import { BarList } from "../marks/bars.js";
import { listed } from "../marks/rows.js";
import { bar, select } from "../parts/controls.js";
import * as hmm from "../sums/hmm.js";

export default class Writes {
  constructor(panel) {
    this.panel = panel;
    const model = hmm.tables(panel.reader());
    const names = model.states.map((_, s) => [s, hmm.called(model, s)]);
    this.choice = select(names, (s) => panel.selection.keep({ unit: Number(s) }, panel.app), "State");
    this.list = element("ol", "un-list");
    this.bars = new BarList(this.list);
    panel.body.append(bar(this.choice), this.list);
  }

  get at() {
    const { panel } = this;
    const reader = panel.reader();
    const t = reader.labels.length ? panel.selection.token(reader) : -1;
    const state = t < 0 ? 1 : hmm.chosenState(reader, panel.selection, t);
    return { reader, model: hmm.tables(reader), t, state };
  }

  draw() {
    const { panel } = this;
    const { reader, model, t, state } = this.at;
    if (document.activeElement !== this.choice) this.choice.value = String(state);
    const items = model.writes[state];
    listed(this.bars, items, { most: items[0]?.[1] ?? 1, colour: "var(--un-accent)" });
    const name = model.states[state];
    const sum = items.reduce((all, [, p]) => all + p, 0);
    panel.say(
      `What ${hmm.called(model, state)} writes`,
      `The ${items.length} likeliest tokens of this state, ${percent(sum)} of all that it writes; the longest bar is the likeliest. A state writes without looking at its neighbours: all that it knows of them is which state it is.`,
    );
    panel.read(
      t < 0
        ? ""
        : `“${visible(reader.labels[t])}”: ${name} writes it with ${percent(reader.value("likely", { token: t, state }))}.`,
    );
  }

  table() {
    const { model } = this.at;
    const rows = model.states.flatMap((name, s) =>
      model.writes[s].map(([label, p]) => [name, visible(label), percent(p)]),
    );
    return { columns: ["state", "token", "probability"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
