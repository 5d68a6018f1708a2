// One step of a recurrent network in stages: what the state before adds, what the token adds, the bias and
// the sum, the squashing, the logits, the softmax.  Every product is made here from the weights and the
// states on the screen.

import { digits, element, put, visible } from "../dom.js";
import { BarList, signed } from "../marks/bars.js";
import { bar, button } from "../parts/controls.js";
import { chosenLayer, chosenUnit, squash, terms } from "../sums/weights.js";
import { STAGES } from "./steps/stages.js";

const COLUMNS = ["what", "weight", "number", "product"];

export default class Steps {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.stage = 0;
    this.before = button("‹ Prev", () => this.go(this.stage - 1));
    this.after = button("Next ›", () => this.go(this.stage + 1));
    this.place = element("span", "un-search-label");
    const label = element("label", "un-says", { textContent: "unit " });
    const max = panel.reader().spec.weights.units - 1;
    this.unit = element("input", "un-select un-number", { type: "number", min: 0, max });
    this.unit.onchange = () => {
      const unit = Math.max(0, Math.min(max, Math.round(Number(this.unit.value)) || 0));
      panel.selection.keep({ unit }, panel.app);
    };
    label.append(this.unit);
    this.sum = element("p", "un-formula");
    const list = element("ol", "un-list");
    this.list = new BarList(list, { row: "un-row un-term", bar: "un-row-bar un-signed" });
    this.note = element("p", "un-says");
    const head = bar(this.before, this.after, this.place, label);
    panel.body.append(head, this.sum, list, this.note);
  }

  go(stage) {
    this.stage = Math.max(0, Math.min(STAGES.length - 1, stage));
    this.panel.draw();
  }

  // Every number of the step looked at.
  numbers() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const layer = chosenLayer(reader, selection),
      unit = chosenUnit(reader, selection),
      token = selection.token(reader);
    const value = (name) => reader.value(name, { layer, unit, token });
    return {
      ...{ reader, layer, unit, token, ...terms(reader, layer, unit, token) },
      ...{ field: value("preactivation"), hidden: value("hidden"), squash: squash(reader) },
    };
  }

  draw() {
    const reader = this.panel.reader();
    if (!reader.labels.length) return this.empty();
    const n = this.numbers();
    const stage = STAGES[this.stage];
    this.panel.say(
      `One step at “${visible(reader.labels[n.token])}”, unit ${n.unit} of layer ${n.layer + 1}`,
      stage.says,
    );
    put(this.place, `${this.stage + 1} of ${STAGES.length}: ${stage.title}`);
    this.before.disabled = this.stage === 0;
    this.after.disabled = this.stage === STAGES.length - 1;
    if (document.activeElement !== this.unit) this.unit.value = String(n.unit);
    put(this.sum, stage.formula(n));
    const { rows, note } = stage.rows(n, this.panel.spec.most);
    const most = stage.shares ? 1 : Math.max(1e-12, ...rows.map(({ value }) => Math.abs(value)));
    this.list.draw(
      rows.map(({ name, value, said }) => ({
        label: name,
        title: name,
        value: said ?? (Number.isNaN(value) ? "…" : digits(value)),
        parts: [part(Number.isFinite(value) ? value / most : 0, stage.shares)],
      })),
    );
    put(this.note, note);
    Object.assign(this.panel.body.dataset, {
      sum: String(n.sum),
      field: String(n.field),
      hidden: String(n.hidden),
    });
  }

  empty() {
    this.panel.say("One step, number by number", "Type something to see the numbers of one step.");
    this.list.draw([]);
    put(this.sum, "");
    put(this.note, "");
  }

  table() {
    if (!this.panel.reader().labels.length) return { columns: COLUMNS, rows: [] };
    const n = this.numbers();
    const row =
      (part) =>
      ({ i, weight, value, product }) => [`${part} ${i}`, digits(weight), digits(value), digits(product)];
    const rows = [
      ...(n.state ?? []).map(row("state, unit")),
      ...n.input.map(row("input, number")),
      ["bias", "", "", digits(n.bias)],
      ["sum, a_t", "", "", digits(n.sum)],
      [`h_t = ${n.squash.said("a_t")}`, "", "", digits(n.hidden)],
    ];
    return { columns: COLUMNS, rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.place.textContent}. ${this.sum.textContent} ${this.note.textContent}`;
  }
}

// A bar from a zero in the middle, as long as the longest is whole; a share begins at the left.
function part(share, whole) {
  const className = share < 0 ? "un-less" : "un-more";
  return whole ? { share: Math.abs(share), from: 0, className } : { ...signed(share), className };
}
