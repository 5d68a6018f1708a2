// Bayes' rule with the numbers of this moment.

import { digits, element, percent, powerOfTen, put } from "../dom.js";
import { Bag } from "../parts/bag.js";
import { named, shown } from "../sums/bayes.js";

const TEN = Math.log10(2); // powers of ten a bit
const NORMAL = 2 ** -1022; // smaller 64-bit numbers are rounded
const FORMULA = "P(class | text) = P(class) × P(text | class) / P(text)";

const power = (bits) => (bits === -Infinity ? "0" : Number.isNaN(bits) ? "0 / 0" : powerOfTen(bits * TEN));

export default class BayesRule {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.bag = Bag.of(panel);
    this.formula = element("p", "un-formula");
    this.holder = element("div", "");
    this.says = element("p", "un-says");
    this.more = element("p", "un-says");
    panel.body.append(this.formula, this.holder, this.says, this.more);
  }

  draw() {
    const { tables, state, reading, bag } = this.bag.read();
    const cosine = state.kind === "tfidf";
    this.panel.say(cosine ? "The cosines" : this.panel.spec.title);
    put(this.formula, cosine ? "cosine(text, class) = Σ x_w · m_w" : FORMULA);
    const { columns, rows } = this.table();
    this.holder.replaceChildren(sheet(columns, rows));
    this.says.className = cosine || reading.posterior ? "un-says" : "un-total";
    put(this.says, cosine ? this.cosines(tables) : this.evidence(tables, reading, rows.length));
    const parts = [underflow(tables, reading, bag, state), orders(tables, reading, bag, state)];
    put(this.more, cosine ? "" : parts.join(" "));
  }

  cosines({ logTf }) {
    return `No Bayes' rule here: x is the text as an arrow of length 1, with one number for every word, tf × idf (tf is ${logTf ? "1 + ln of " : ""}its count here, idf is larger for rarer words); m is the mean arrow of the class. A cosine is not a probability.`;
  }

  evidence({ classes }, { posterior, evidence }, listed) {
    const left = classes.length - listed;
    return posterior
      ? `P(text), the evidence, is the sum of the products: ${power(evidence)}. Each product divided by it is a posterior${left ? ` (${left} more classes are summed, not listed)` : ""}.`
      : "Every class gives this text probability 0, so the rule gives 0 / 0, which is undefined. Add a little to every count: move the smoothing above 0.";
  }

  table() {
    const { tables, state, reading } = this.bag.read();
    const { joint, start, likelihood, posterior } = reading;
    const cosine = state.kind === "tfidf";
    const rows = shown(tables, state, joint).map((c) => [
      named(tables.classes[c], 24),
      ...(cosine
        ? [digits(joint[c])]
        : [
            digits(2 ** start[c]),
            power(likelihood[c]),
            power(joint[c]),
            posterior ? percent(posterior[c]) : "0 / 0",
          ]),
    ]);
    return {
      columns: cosine ? ["class", "cosine"] : ["class", "prior", "likelihood", "product", "posterior"],
      rows,
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.says.textContent} ${this.more.textContent}`;
  }
}

function sheet(columns, rows) {
  const made = element("table", "bag-table");
  const head = element("tr", "");
  for (const name of columns) head.append(element("th", "", { textContent: name, scope: "col" }));
  made.append(head);
  for (const row of rows) {
    const tr = element("tr", "");
    for (const cell of row) tr.append(element("td", "", { textContent: cell }));
    made.append(tr);
  }
  return made;
}

// The same product, multiplied as a computer's numbers.
function underflow(tables, reading, bag, { kind, k, a }) {
  const bits = reading.joint[a];
  if (!Number.isFinite(bits)) return "";
  let product = 2 ** reading.start[a];
  let factors = 1;
  for (const [v, n] of bag.known)
    for (let i = 0; i < (kind === "bernoulli" ? 1 : n); i++) {
      product *= tables.p(kind, k, a, v);
      factors += 1;
    }
  if (kind === "bernoulli")
    tables.vocab.forEach((_, v) => {
      if (!bag.known.has(v)) {
        product *= 1 - tables.p(kind, k, a, v);
        factors += 1;
      }
    });
  const logs = `${digits(bits)} bits`;
  if (product >= NORMAL)
    return `Logs are added instead: ${factors.toLocaleString("en")} factors make ${logs}. A 64-bit number cannot hold anything below 5 × 10⁻³²⁴, so a long text needs the logs.`;
  return `Underflow: multiplied as 64-bit numbers these ${factors.toLocaleString("en")} factors give ${product ? product.toExponential(1).replace("e-", " × 10^−") : "0"}, because nothing below 5 × 10⁻³²⁴ can be stored, and nothing below 2 × 10⁻³⁰⁸ exactly. Adding their logs instead gives ${logs}.`;
}

// A bag can be laid out in N! / prod n! orders, each as probable as the other.
function orders(tables, reading, bag, { kind, a }) {
  const counts = [...bag.known.values()];
  const N = counts.reduce((x, n) => x + n, 0);
  if (kind !== "multinomial" || N < 2 || !Number.isFinite(reading.likelihood[a])) return "";
  const factorial = (n) => {
    let bits = 0;
    for (let i = 2; i <= n; i++) bits += Math.log2(i);
    return bits;
  };
  const ways = factorial(N) - counts.reduce((x, n) => x + factorial(n), 0);
  const many = ways < 50 ? Math.round(2 ** ways).toLocaleString("en") : powerOfTen(ways * TEN);
  if (ways < 0.5) return "";
  return `These ${N.toLocaleString("en")} words can be arranged in ${many} orders, and in ${named(tables.classes[a], 18)} texts each order has the likelihood ${power(reading.likelihood[a])}. The bag, in whatever order, has ${many} times that: ${power(reading.likelihood[a] + ways)}.`;
}
