// A number of one head, opened: in words, as a formula, as the terms of a sum.

import { digits, visible } from "../../dom.js";
import { total } from "../../marks/equation.js";

const count = (n, make) => Array.from({ length: n }, (_, i) => make(i));
const times = (a, b) => ({ said: `${digits(a)} × ${digits(b)}`, value: a * b });

/** @type {Record<string, (about: any) => any>} per step of the chain */
export const OPENED = {
  input: ({ i, u, n, reader, word }) => ({
    title: "input x",
    says: `Number ${u} of the vector of ${word(i)}, at the input of this layer.`,
    formula: `x[${u}] = ${digits(n.input[i * n.D + u])}`,
    note: reader.said.at[0]
      ? `As layer ${reader.said.at[0]} left it.`
      : "What the model knows of a token before its first layer: its embedding and its position.",
    field: n.input[i * n.D + u],
  }),
  query: (about) => projected(about, about.i, "q", "query", "asks for"),
  key: (about) => projected(about, about.j, "k", "key", "offers to be found by"),
  value: (about) => projected(about, about.j, "v", "value", "gives as its value"),

  product({ i, j, n, word }) {
    const terms = count(n.d, (u) => ({
      name: `${u}`,
      ...times(n.query[i * n.d + u], n.key[j * n.d + u]),
    }));
    return {
      title: "q · k",
      says: `The query of ${word(i)} times the key of ${word(j)}, number by number.`,
      formula: `q · k = Σ q[u] × k[u], u = 0 … ${n.d - 1}\n      = ${digits(total(terms))}`,
      terms,
      sum: total(terms),
      field: n.product[i * n.T + j],
    };
  },

  scaled({ i, j, n, reader, word }) {
    const [raw, field] = [n.product[i * n.T + j], n.scaled[i * n.T + j]];
    const root = n.how === "mask" ? 1 : 1 / reader.spec.head.factor;
    const { cap } = reader.spec.head;
    const held = (score) => (cap ? cap * Math.tanh(score / cap) : score);
    const put = (score) => (cap ? `${cap} tanh(${score} / ${cap})` : score);
    const bias = field - held(raw / root);
    const place = Math.abs(bias) > 1e-3 * (1 + Math.abs(field)) ? bias : 0;
    const added = place ? ` + ${digits(place)} for their places` : "";
    return {
      title: root === 1 ? "not divided" : `÷ √${n.d}`,
      says: `The score of ${word(j)} for ${word(i)}.`,
      formula: `q · k / √${n.d}\n= ${put(`${digits(raw)} / ${digits(root)}`)}${added} = ${digits(field)}`,
      note: `The more numbers in a vector, here ${n.d}, the larger the products; √${n.d} corrects for that.`,
      ...(root === 1 && { formula: `${put(digits(raw))}${added}, not divided`, note: "" }),
      sum: held(raw / root) + place,
      field,
    };
  },

  masked({ i, j, n, word }) {
    const [before, field] = [digits(n.scaled[i * n.T + j]), n.masked[i * n.T + j]];
    const hidden = field === -Infinity;
    const far =
      j > i
        ? `${word(j)} comes after ${word(i)}: the model may not look ahead.`
        : `${word(j)} is too far back.`;
    return {
      title: n.how === "scale" ? "no mask" : "mask",
      says: hidden ? far : `${word(j)} may be looked at.`,
      formula: hidden ? `${before} → −∞, and e^−∞ = 0` : `${before} stays`,
      field,
    };
  },

  attention({ i, j, n, reader, word }) {
    const { T, masked } = n;
    const down = n.how === "column";
    const scores = count(T, (t) => (down ? masked[t * T + j] : masked[i * T + t]));
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
    const outside =
      n.how === "scale.mask" && reader.offset > 0 && field > 0 ? mine / field - total(terms) : 0;
    const sum = total(terms) + outside;
    const along = down ? `column of ${word(j)}` : `row of ${word(i)}`;
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
  },

  weighted({ i, j, u, n, word }) {
    const { said, value } = times(n.attention[i * n.T + j], n.value[j * n.d + u]);
    return {
      title: "weight × v",
      says: `The contribution of ${word(j)} to number ${u} of the output for ${word(i)}.`,
      formula: `weight × v[${u}] = ${said} = ${digits(value)}`,
      field: value,
    };
  },

  reading({ i, u, n, reader, word }) {
    const weight = (t) => n.attention[i * n.T + t];
    const terms = count(n.T, (t) => ({
      name: visible(reader.labels[t]),
      ...times(weight(t), n.value[t * n.d + u]),
    })).filter((_, t) => weight(t) > 0);
    const field = n.reading[i * n.d + u];
    const before = n.how === "scale.mask" && reader.offset > 0;
    return {
      title: "reading z",
      says: `Number ${u} of the output for ${word(i)}: every value times its weight.`,
      formula: `z[${u}] = Σ weight × v[${u}] = ${digits(field)}`,
      terms,
      note: before ? "Tokens before the part shown count too; they are missing from this sum." : "",
      sum: total(terms),
      field,
    };
  },
};

// A number of q, k or v: the token's input times one row of the head's matrix.
function projected({ u, n, word }, t, letter, stage, does) {
  const field = n[stage][t * n.d + u];
  const matrix = `W_${letter.toUpperCase()}`;
  return {
    title: `${stage} ${letter}`,
    says: `Number ${u} of what ${word(t)} ${does}.`,
    formula: `${letter}[${u}] = Σ x[n] × ${matrix}[n, ${u}]\n     = ${digits(field)}`,
    note: `${n.D} products of the row of x that is framed; ${matrix} is the same for every token: ${n.D} × ${n.d} numbers. What the layer adds to this, a norm of x before it or a rotation by the position behind it, is in the number.`,
    field,
  };
}
