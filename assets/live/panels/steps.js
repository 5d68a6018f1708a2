// One step of a recurrent network in stages: what the state before adds, what the token adds, the bias and the sum, the
// squashing, the logits, the softmax.  Every product is made here from the weights and the states on the screen.

import { digits, element, percent, short, visible } from "../dom.js";
import { chosenLayer, chosenUnit, logits, squash, terms } from "../sums/weights.js";

const LIKELY = 5;

export default class Steps {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.stage = 0;
    const bar = element("div", "un-order");
    const button = (textContent, act) => {
      const node = element("button", "un-button", { type: "button", textContent });
      node.onclick = act;
      bar.append(node);
      return node;
    };
    this.before = button("‹ Prev", () => this.go(this.stage - 1));
    this.after = button("Next ›", () => this.go(this.stage + 1));
    this.place = element("span", "un-search-label");
    const label = element("label", "un-says", { textContent: "unit " });
    this.unit = element("input", "un-select un-number", {
      type: "number",
      min: 0,
      max: panel.reader().spec.weights.units - 1,
    });
    this.unit.onchange = () =>
      panel.selection.keep(
        { unit: Math.max(0, Math.min(Number(this.unit.max), Math.round(Number(this.unit.value)) || 0)) },
        panel.app,
      );
    label.append(this.unit);
    bar.append(this.place, label);
    this.sum = element("p", "un-formula");
    this.list = element("ol", "un-list");
    this.note = element("p", "un-says");
    panel.body.append(bar, this.sum, this.list, this.note);
  }

  go(stage) {
    this.stage = Math.max(0, Math.min(STAGES.length - 1, stage));
    this.panel.draw();
  }

  // Every number of the step looked at.
  numbers() {
    const { panel } = this;
    const reader = panel.reader();
    const { selection } = panel;
    const [layer, unit, token] = [
      chosenLayer(reader, selection),
      chosenUnit(reader, selection),
      selection.token(reader),
    ];
    const value = (name) => reader.value(name, { layer, unit, token });
    return {
      reader,
      layer,
      unit,
      token,
      ...terms(reader, layer, unit, token),
      field: value("preactivation"),
      hidden: value("hidden"),
      squash: squash(reader),
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
    write(this.place, `${this.stage + 1} of ${STAGES.length}: ${stage.title}`);
    this.before.disabled = this.stage === 0;
    this.after.disabled = this.stage === STAGES.length - 1;
    if (document.activeElement !== this.unit) this.unit.value = String(n.unit);
    write(this.sum, stage.formula(n));
    const { rows, note } = stage.rows(n, this.panel.spec.most);
    this.list.replaceChildren(...bars(rows));
    write(this.note, note);
    Object.assign(this.panel.body.dataset, {
      sum: String(n.sum),
      field: String(n.field),
      hidden: String(n.hidden),
    });
  }

  empty() {
    this.panel.say("One step, number by number", "Type something to see the numbers of one step.");
    this.list.replaceChildren();
    write(this.sum, "");
    write(this.note, "");
  }

  table() {
    if (!this.panel.reader().labels.length)
      return { columns: ["what", "weight", "number", "product"], rows: [] };
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
    return { columns: ["what", "weight", "number", "product"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.place.textContent}. ${this.sum.textContent} ${this.note.textContent}`;
  }
}

const write = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};
const signed = (x) => (x < 0 ? `− ${digits(-x)}` : `+ ${digits(x)}`);
const put = (x) => (Number.isNaN(x) ? "…" : digits(x));

// Bars from a zero in the middle, as long as the longest is whole; a share (`from` 0) begins at the left.
function bars(rows) {
  const most = Math.max(1e-12, ...rows.map(({ value }) => Math.abs(value)));
  return rows.map(({ name, value, said, left }) => {
    const row = element("li", "un-row un-term");
    const bar = element("span", "un-row-bar un-signed");
    const fill = element("i", value < 0 ? "un-less" : "un-more");
    const wide = Number.isFinite(value) ? (Math.abs(value) / most) * (left ? 100 : 50) : 0;
    Object.assign(fill.style, { width: `${wide}%`, left: left ? "0" : value < 0 ? `${50 - wide}%` : "50%" });
    bar.append(fill);
    row.append(
      element("span", "un-row-label", { textContent: name, title: name }),
      bar,
      element("span", "un-row-value", { textContent: said ?? put(value) }),
    );
    return row;
  });
}

// The largest products by themselves, the others as one row.
function largest(found, of, most, sum) {
  if (!found)
    return {
      rows: [],
      note: "The state before this token lies outside the part of the text that is shown: choose a later token.",
    };
  const order = [...found].sort((a, b) => Math.abs(b.product) - Math.abs(a.product) || a.i - b.i);
  const rows = order.slice(0, most).map(({ i, weight, value, product }) => ({
    name: `${of} ${i}: ${digits(weight)} · ${digits(value)}`,
    value: product,
  }));
  const left = order.slice(most);
  if (left.length)
    rows.push({
      name: `${left.length} others`,
      value: left.reduce((total, { product }) => total + product, 0),
    });
  return { rows, note: `Each row is a weight times a number. All ${found.length} together: ${digits(sum)}.` };
}

function likely(n, share) {
  const z = logits(n.reader, n.token);
  const most = z.reduce((a, b) => Math.max(a, b), -Infinity);
  const sum = z.reduce((total, x) => total + Math.exp(x - most), 0);
  const vocabulary = n.reader.top[n.token] ?? [];
  const order = Array.from(z.keys())
    .sort((a, b) => z[b] - z[a] || a - b)
    .slice(0, LIKELY);
  const name = (k) => `“${short(vocabulary[k]?.[0] ?? "", 14)}”`;
  const rows = order.map((v, k) =>
    share
      ? {
          name: `${name(k)}: e^${digits(z[v])}`,
          value: Math.exp(z[v] - most) / sum,
          said: percent(Math.exp(z[v] - most) / sum),
          left: true,
        }
      : { name: name(k), value: z[v] },
  );
  const all = Math.log(sum) + most;
  return { rows, all, count: z.length };
}

const STAGES = [
  {
    title: "contribution of the previous state",
    says: "The previous state, h_t−1, is the memory. Each of its units contributes through a weight of W_hh.",
    formula: (n) => `W_hh h_t−1 = ${put(n.stateSum)}`,
    rows: (n, most) => largest(n.state, "unit", most, n.stateSum),
  },
  {
    title: "contribution of the token",
    says: "The token is a vector x_t. Each of its numbers contributes through a weight of W_xh.",
    formula: (n) => `W_xh x_t = ${put(n.inputSum)}`,
    rows: (n, most) => largest(n.input, n.layer ? "unit below" : "number", most, n.inputSum),
  },
  {
    title: "the bias, and the sum",
    says: "The two contributions and a bias add up to the pre-activation a_t.",
    formula: (n) =>
      `a_t = W_hh h_t−1 + W_xh x_t + b\n    = ${put(n.stateSum)} ${signed(n.inputSum)} ${signed(n.bias)} = ${put(n.state ? n.sum : n.field)}`,
    rows: (n) => ({
      rows: [
        { name: "W_hh h_t−1", value: n.stateSum },
        { name: "W_xh x_t", value: n.inputSum },
        { name: "b", value: n.bias },
        { name: "a_t, the sum", value: n.state ? n.sum : n.field },
      ],
      note: n.state
        ? `The model's own a_t is ${digits(n.field)}; added up here: ${digits(n.sum)}, a difference of ${digits(Math.abs(n.sum - n.field))}.`
        : "The state before this token lies outside the part of the text that is shown.",
    }),
  },
  {
    title: "squashed",
    says: "The activation function turns the sum into the new state of this unit, which the next step reads.",
    formula: (n) =>
      `h_t = ${n.squash.said(put(n.field))} = ${put(n.hidden)}\n    slope there: ${n.squash.slopeSaid} = ${put(n.squash.slope(n.field))}`,
    rows: (n) => ({
      rows: [
        { name: "a_t", value: n.field },
        { name: "h_t", value: n.hidden },
      ],
      note: "The whole state is rewritten at each step: nothing is kept unchanged, and everything the network knows about the text has to pass through these numbers.",
    }),
  },
  {
    title: "logits",
    says: "All units of the last layer together vote for every token that could come next: y_t = W_hy h_t + b_y.",
    formula: () => "y_t = W_hy h_t + b_y",
    rows: (n) => {
      const { rows, count } = likely(n, false);
      return {
        rows,
        note: `The ${rows.length} largest of ${count} logits. They may be negative and need not add up to 1.`,
      };
    },
  },
  {
    title: "softmax",
    says: "The softmax turns the logits into probabilities: e to the power of each, divided by the sum over all.",
    formula: (n) => `p = e^y / Σ e^y,  Σ e^y = e^${digits(likely(n, true).all)}`,
    rows: (n) => {
      const { rows, count } = likely(n, true);
      return { rows, note: `The ${rows.length} likeliest of ${count}; all ${count} add up to 100 %.` };
    },
  },
];
