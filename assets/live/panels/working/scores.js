// A number of the scores, the weights and what they add up to, opened: in words, as a formula, as the terms of a sum.

import { digits, visible } from "../../dom.js";
import { total } from "../../marks/equation.js";
import { weighted as weightedValues } from "../../sums/onehead.js";

const count = (n, make) => Array.from({ length: n }, (_, i) => make(i));
const times = (a, b) => ({ said: `${digits(a)} × ${digits(b)}`, value: a * b });

export function product({ i, j, n, word }) {
  const terms = count(n.d, (u) => ({ name: `${u}`, ...times(n.query[i * n.d + u], n.key[j * n.d + u]) }));
  return {
    title: "q · k",
    says: `The query of ${word(i)} times the key of ${word(j)}, number by number.`,
    formula: `q · k = Σ q[u] × k[u], u = 0 … ${n.d - 1}\n      = ${digits(total(terms))}`,
    terms,
    sum: total(terms),
    field: n.product[i * n.T + j],
  };
}

export function scaled({ i, j, n, reader, word }) {
  const [raw, field] = [n.product[i * n.T + j], n.scaled[i * n.T + j]];
  const root = 1 / reader.spec.head.factor;
  const bias = field - raw / root;
  const says = `The score of ${word(j)} for ${word(i)}.`;
  if (!n.choice.scale)
    return {
      title: "not divided",
      says,
      formula: `${digits(raw)}, unchanged`,
      note: `The model divides by √${n.d} = ${digits(root)}.`,
      sum: raw,
      field,
    };
  if (root === 1)
    return {
      title: "not divided",
      says: `${says} This model does not divide its scores.`,
      formula: `q · k${n.biased ? " + b" : ""} = ${digits(field)}`,
      sum: raw + bias,
      field,
    };
  const place = n.biased && !n.hidden(i, j) ? ` + ${digits(bias)} for their places` : "";
  return {
    title: `÷ √${n.d}`,
    says,
    formula: `q · k / √${n.d}\n= ${digits(raw)} / ${digits(root)}${place} = ${digits(field)}`,
    note: `The more numbers in a vector, here ${n.d}, the larger the products; √${n.d} corrects for that.`,
    sum: raw / root + (place ? bias : 0),
    field,
  };
}

export function masked({ i, j, n, word }) {
  const before = digits(n.scaled[i * n.T + j]);
  const hidden = n.hidden(i, j);
  const why =
    j > i
      ? `${word(j)} comes after ${word(i)}: the model may not look ahead.`
      : hidden
        ? `${word(j)} is too far back.`
        : `${word(j)} may be looked at.`;
  const said = hidden && !n.choice.mask ? " The mask is off, so it is visible anyway." : "";
  return {
    title: n.choice.mask ? "mask" : "no mask",
    says: why + said,
    formula: hidden && n.choice.mask ? `${before} → −∞, and e^−∞ = 0` : `${before} stays`,
    field: n.masked[i * n.T + j],
  };
}

export function attention({ i, j, n, reader, word }) {
  const { T, choice, masked } = n;
  const scores = count(T, (t) => (choice.column ? masked[t * T + j] : masked[i * T + t]));
  const most = Math.max(...scores);
  const terms = scores
    .map((score, t) => ({
      name: visible(reader.labels[t]),
      said: `e^${digits(score - most)}`,
      value: Math.exp(score - most),
    }))
    .filter((_, t) => scores[t] > -Infinity);
  const field = n.attention[i * T + j];
  const mine = Math.exp(masked[i * T + j] - most);
  const outside = n.own && reader.offset > 0 && field > 0 ? mine / field - total(terms) : 0;
  const sum = total(terms) + outside;
  const along = choice.column ? `column of ${word(j)}` : `row of ${word(i)}`;
  return {
    title: "softmax",
    says: `The weight of ${word(j)} for ${word(i)}: its share of the ${along}.`,
    formula: `e^${digits(masked[i * T + j] - most)} / Σ e^(s ${most < 0 ? `+ ${digits(-most)}` : `− ${digits(most)}`})\n= ${digits(mine)} / ${digits(sum)} = ${digits(mine / sum)}`,
    terms,
    share: true,
    note: `To keep e^s small, the largest score, ${digits(most)}, is subtracted first; the weights stay the same.${outside > 1e-6 * sum ? " Tokens before the part shown are in the sum too." : ""}`,
    sum: mine / sum,
    field,
  };
}

export function weighted({ i, j, u, n, word }) {
  const { said, value } = times(n.attention[i * n.T + j], n.value[j * n.d + u]);
  return {
    title: "weight × v",
    says: `The contribution of ${word(j)} to number ${u} of the output for ${word(i)}.`,
    formula: `weight × v[${u}] = ${said} = ${digits(value)}`,
    sum: value,
    field: weightedValues(n, i)[j * n.d + u],
  };
}

export function reading({ i, u, n, reader, word }) {
  const weight = (t) => n.attention[i * n.T + t];
  const terms = count(n.T, (t) => ({
    name: visible(reader.labels[t]),
    ...times(weight(t), n.value[t * n.d + u]),
  })).filter((_, t) => weight(t) > 0);
  const field = n.reading[i * n.d + u];
  const before = n.own && reader.offset > 0;
  return {
    title: "reading z",
    says: `Number ${u} of the output for ${word(i)}: every value times its weight.`,
    formula: `z[${u}] = Σ weight × v[${u}] = ${digits(field)}`,
    terms,
    note: before ? "Tokens before the part shown count too; they are missing from this sum." : "",
    sum: total(terms),
    field,
  };
}
