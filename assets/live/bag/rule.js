// Bayes' rule with the numbers of this moment, and what the three readings say side by side.

import { digits, element, percent, powerOfTen } from "../dom.js";
import { named } from "./bayes.js";

const TEN = Math.log10(2); // powers of ten a bit
const CLASSES = 6; // rows
const NORMAL = 2 ** -1022; // smaller 64-bit numbers are rounded
const FORMULA = "P(class | text) = P(class) × P(text | class) / P(text)";

const power = (bits) => (bits === -Infinity ? "0" : Number.isNaN(bits) ? "0 / 0" : powerOfTen(bits * TEN));

export function table(columns, rows) {
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

// The classes in the order in which they are shown: the two compared ones, then the likeliest.
export function shown(tables, { a, b }, joint) {
  const rest = tables.classes
    .map((_, c) => c)
    .filter((c) => c !== a && c !== b)
    .sort((x, y) => joint[y] - joint[x]);
  return [a, b, ...rest].slice(0, CLASSES);
}

export function rule({ inner: body, heading }, tables, reading, bag, state) {
  heading.textContent = state.kind === "tfidf" ? "The cosines" : "Bayes' rule with these numbers";
  if (state.kind === "tfidf") {
    const rows = shown(tables, state, reading.joint).map((c) => [
      named(tables.classes[c], 24),
      digits(reading.joint[c]),
    ]);
    body.replaceChildren(
      element("p", "un-formula", { textContent: "cosine(text, class) = Σ x_w · m_w" }),
      table(["class", "cosine"], rows),
      element("p", "un-says", {
        textContent: `No Bayes' rule here: x is the text as an arrow of length 1, with one number for every word, tf × idf (tf is ${tables.logTf ? "1 + ln of " : ""}its count here, idf is larger for rarer words); m is the mean arrow of the class. A cosine is not a probability.`,
      }),
    );
    return;
  }
  const listed = shown(tables, state, reading.joint);
  const rows = listed.map((c) => [
    named(tables.classes[c], 24),
    digits(2 ** reading.start[c]),
    power(reading.likelihood[c]),
    power(reading.joint[c]),
    reading.posterior ? percent(reading.posterior[c]) : "0 / 0",
  ]);
  const left = tables.classes.length - listed.length;
  const evidence = power(reading.evidence);
  body.replaceChildren(
    element("p", "un-formula", { textContent: FORMULA }),
    table(["class", "prior", "likelihood", "product", "posterior"], rows),
    element("p", reading.posterior ? "un-says" : "un-total", {
      textContent: reading.posterior
        ? `P(text), the evidence, is the sum of the products: ${evidence}. Each product divided by it is a posterior${left ? ` (${left} more classes are summed, not listed)` : ""}.`
        : "Every class gives this text probability 0, so the rule gives 0 / 0, which is undefined. Add a little to every count: move the smoothing above 0.",
    }),
    element("p", "un-says", {
      textContent: `${underflow(tables, reading, bag, state)} ${orders(tables, reading, bag, state)}`,
    }),
  );
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

// Three readings of the same words.
export function beside(body, tables, readings, { a, b, kind }) {
  const blocks = readings.map(({ id, title, reading }) => {
    const block = element("div", `bag-beside${id === kind ? " bag-chosen" : ""}`);
    block.append(element("h4", "", { textContent: title }));
    const values = reading.posterior ?? reading.joint;
    for (const c of shown(tables, { a, b }, reading.joint)) {
      const row = element("div", "un-row");
      const bar = element("span", "un-row-bar");
      const fill = element("i", c === a ? "un-more" : c === b ? "un-less" : "bag-third");
      const known = id === "tfidf" || reading.posterior;
      fill.style.width = `${known ? 100 * Math.max(0, values[c]) : 0}%`;
      bar.append(fill);
      const said = !known ? "0 / 0" : id === "tfidf" ? digits(values[c]) : percent(values[c]);
      row.append(
        element("span", "un-row-label", { textContent: named(tables.classes[c], 14) }),
        bar,
        element("span", "un-row-value", { textContent: said }),
      );
      block.append(row);
    }
    return block;
  });
  body.replaceChildren(...blocks);
}
