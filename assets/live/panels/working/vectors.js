// A number of a token's input, query, key or value, opened: in words, as a formula, as the terms of a sum.

import { digits } from "../../dom.js";
import { total } from "../../marks/equation.js";
import { normed, projection } from "../../sums/onehead.js";

export function input({ i, u, n, reader, word }) {
  const x = n.input[i * n.D + u];
  const layer = reader.said.at[0];
  const [token, position] = ["embedding.token", "embedding.position"].map((name) =>
    reader.value(name, { token: i, unit: u }),
  );
  const norm =
    reader.spec.head.norm && projection(reader)
      ? `\nThe norm turns it into ${digits(normed(reader, n, i)[u])}, from which q, k and v are computed.`
      : "";
  const said = {
    title: "input x",
    says: `Number ${u} of the vector of ${word(i)}, at the input of this layer.`,
    field: x,
  };
  if (layer) return { ...said, formula: `x[${u}] = ${digits(x)}, as layer ${layer} left it${norm}` };
  if (Math.abs(token + position - x) > 1e-3 * (1 + Math.abs(x)))
    return {
      ...said,
      formula: `x[${u}] = ${digits(x)}${norm}`,
      note: `The sum of the token's embedding, ${digits(token)}, of its position, ${digits(position)}, and of what this model adds and norms before its first layer.`,
    };
  return {
    ...said,
    formula: `x[${u}] = e + p = ${digits(token)} + ${digits(position)} = ${digits(x)}${norm}`,
    terms: [
      { name: "the token's embedding", value: token },
      { name: "its position", value: position },
    ],
    sum: token + position,
  };
}

export const query = (about) => projected(about, about.i, "q", "query", "asks for");
export const key = (about) => projected(about, about.j, "k", "key", "offers to be found by");
export const value = (about) => projected(about, about.j, "v", "value", "gives as its value");

// A number of q, k or v: the token's input times one row of the head's matrix.
function projected({ u, n, reader, word }, t, letter, stage, does) {
  const field = n[stage][t * n.d + u];
  const said = { title: `${stage} ${letter}`, says: `Number ${u} of what ${word(t)} ${does}.`, field };
  const p = projection(reader);
  if (!p)
    return {
      ...said,
      formula: `${letter}[${u}] = ${digits(field)}`,
      note: "This model's matrices are not shown here.",
    };
  const x = normed(reader, n, t);
  const matrix = `W_${letter.toUpperCase()}`;
  const products = (row) =>
    Array.from(x, (a, d) => {
      const b = p.matrices[stage][row * n.D + d];
      return { name: `${d}`, said: `${digits(a)} × ${digits(b)}`, value: a * b };
    });
  const terms = products(u);
  const bias = p.biases[stage][u];
  if (bias) terms.push({ name: "bias", said: "", value: bias });
  const made = total(terms);
  const number = (row) => total(products(row)) + p.biases[stage][row];
  const turn = stage === "value" ? null : turned(reader, n, t, u, made, field, number);
  const after = reader.spec.head.norm ? ", x after the norm" : "";
  const note = `${matrix} is the same for every token: ${n.D} × ${n.d} numbers.`;
  return {
    ...said,
    formula: `${letter}[${u}] = Σ x[n] × ${matrix}[n, ${u}]${bias ? " + b" : ""}\n     = ${digits(made)}${after}${turn?.formula ?? ""}`,
    terms,
    note: turn ? `${note} ${turn.note}` : note,
    sum: turn ? turn.sum : made,
  };
}

// Rotary places turn number u of a query or key together with its partner, half of what is turned away; null where a model tells places otherwise.
function turned(reader, n, t, u, made, field, number) {
  const { turn, normed: scaled } = reader.spec.head;
  if (scaled)
    return { sum: made, note: `The head's norm and the position then make ${digits(field)} of it.` };
  const half = turn?.speeds.length;
  if (!turn || u >= 2 * half) return null;
  const first = u < half,
    partner = first ? u + half : u - half;
  const place = reader.offset + t;
  const angle = place * turn.stretch * turn.speeds[u % half];
  const [other, cos, sin] = [number(partner), turn.gain * Math.cos(angle), turn.gain * Math.sin(angle)];
  const sum = made * cos + (first ? -1 : 1) * other * sin;
  // Past its context a model counts places from where it began to read, which is not known here.
  if (Math.abs(sum - field) > 1e-3 * (1 + Math.abs(field)))
    return { sum: made, note: `Its position then rotates it: ${digits(field)}.` };
  return {
    sum,
    formula: `\nturned: ${digits(made)} × cos ${first ? "−" : "+"} ${digits(other)} × sin = ${digits(sum)}`,
    note: `Its place, ${place}, turns it together with number ${partner}, ${digits(other)}, by ${digits(angle)} radians: cos ${digits(cos)}, sin ${digits(sin)}.`,
  };
}
