// The stages of one step of a recurrent network: what each says, its formula with numbers put in, and its
// rows.

import { digits, percent, short } from "../../dom.js";
import { logits } from "../../sums/weights.js";

const LIKELY = 5;

const put = (x) => (Number.isNaN(x) ? "…" : digits(x));
const signed = (x) => (x < 0 ? `− ${digits(-x)}` : `+ ${digits(x)}`);

// The largest products by themselves, the others as one row.
function largest(found, of, most, sum) {
  if (!found)
    return {
      rows: [],
      note: "The state before this token lies outside the part of the text that is shown: choose a later token.",
    };
  const order = [...found].sort((a, b) => Math.abs(b.product) - Math.abs(a.product) || a.i - b.i);
  const rows = order.slice(0, most).map(({ i, weight, value, product }) => ({
    name: `${of} ${i}: ${digits(weight)} × ${digits(value)}`,
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

// The likeliest next tokens: their names, logits and shares, and the logarithm of the sum that all are
// divided by.
function likely({ reader, token }) {
  const z = logits(reader, token);
  const most = z.reduce((a, b) => Math.max(a, b), -Infinity);
  const sum = z.reduce((total, x) => total + Math.exp(x - most), 0);
  const order = Array.from(z.keys())
    .sort((a, b) => z[b] - z[a] || a - b)
    .slice(0, LIKELY);
  const rows = order.map((v, k) => ({
    name: `“${short(reader.top[token]?.[k]?.[0] ?? "", 14)}”`,
    logit: z[v],
    share: Math.exp(z[v] - most) / sum,
  }));
  return { rows, all: Math.log(sum) + most, count: z.length };
}

/**
 * @type {{title: string, says: string, shares?: boolean, formula: (n: any) => string, rows: (n: any, most?:
 *   number) => {rows: any[], note: string}}[]}
 */
export const STAGES = [
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
      const { rows, count } = likely(n);
      return {
        rows: rows.map(({ name, logit }) => ({ name, value: logit })),
        note: `The ${rows.length} largest of ${count} logits. They may be negative and need not add up to 1.`,
      };
    },
  },
  {
    title: "softmax",
    says: "The softmax turns the logits into probabilities: e to the power of each, divided by the sum over all.",
    shares: true,
    formula: (n) => `p = e^y / Σ e^y,  Σ e^y = e^${digits(likely(n).all)}`,
    rows: (n) => {
      const { rows, count } = likely(n);
      return {
        rows: rows.map(({ name, logit, share }) => ({
          ...{ name: `${name}: e^${digits(logit)}`, value: share },
          said: percent(share),
        })),
        note: `The ${rows.length} likeliest of ${count}; all ${count} add up to 100 %.`,
      };
    },
  },
];
