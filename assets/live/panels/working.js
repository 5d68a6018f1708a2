// The opened cell as the sum that it is, with this moment's numbers.

import { digits, element, visible } from "../dom.js";
import { SQUARES, STAGES, cell, normed, oneHead, projection, spot, weighted } from "../sums/onehead.js";

const MOST = 9;
const PAIRS = [...SQUARES, "weighted"];

export default class Working {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.sum = element("p", "un-formula");
    this.list = element("ol", "un-list");
    this.note = element("p", "un-says");
    panel.body.append(this.sum, this.list, this.note);
  }

  what() {
    const { panel } = this;
    const reader = panel.reader();
    const n = oneHead(reader, panel.selection);
    if (!n.T) return null;
    const at = cell(reader, panel.selection, n);
    const word = (t) => `“${visible(reader.labels[t] ?? "")}”`;
    const of = PAIRS.includes(at.stage) ? `${word(at.i)} reads ${word(at.j)}` : word(spot(at)[0]);
    return { at, n, of, ...OPENED[at.stage]({ ...at, n, reader, word }) };
  }

  draw() {
    const found = this.what();
    if (!found) {
      this.panel.say("One cell and its sum", "Type something, then point at a cell to see its sum.");
      this.list.replaceChildren();
      write(this.sum, "");
      return write(this.note, "");
    }
    this.panel.say(`${STAGES.indexOf(found.at.stage) + 1} ${found.title}: ${found.of}`, found.says);
    write(this.sum, found.formula);
    this.list.replaceChildren(...bars(largest(found.terms ?? []), found.share));
    write(this.note, found.note ?? "");
    Object.assign(this.panel.body.dataset, {
      stage: found.at.stage,
      sum: String(found.sum),
      field: String(found.field),
    });
  }

  table() {
    const found = this.what();
    return {
      columns: ["part", "how", "number"],
      rows: (found?.terms ?? []).map(({ name, said, value }) => [name, said ?? "", digits(value)]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.sum.textContent} ${this.note.textContent}`;
  }
}

const write = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};
const total = (terms) => terms.reduce((sum, { value }) => sum + value, 0);
const times = (a, b) => `${digits(a)} × ${digits(b)}`;

function largest(terms) {
  if (terms.length <= MOST + 1) return terms;
  const order = [...terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const rest = order.slice(MOST);
  return [...order.slice(0, MOST), { name: `${rest.length} more`, value: total(rest), said: "together" }];
}

// Bars from a zero in the middle; a share begins at the left.
function bars(terms, share) {
  const most = Math.max(1e-12, ...terms.map(({ value }) => Math.abs(value)));
  return terms.map(({ name, value, said }) => {
    const row = element("li", "un-row un-working", {
      title: said ? `${name}: ${said} = ${digits(value)}` : name,
    });
    const bar = element("span", share ? "un-row-bar" : "un-row-bar un-signed");
    const fill = element("i", value < 0 ? "un-less" : "un-more");
    const wide = Number.isFinite(value) ? (Math.abs(value) / most) * (share ? 100 : 50) : 0;
    Object.assign(fill.style, { width: `${wide}%`, left: share ? "0" : value < 0 ? `${50 - wide}%` : "50%" });
    bar.append(fill);
    row.append(
      element("span", "un-row-label", { textContent: name }),
      element("span", "un-row-how", { textContent: said ?? "" }),
      bar,
      element("span", "un-row-value", { textContent: digits(value) }),
    );
    return row;
  });
}

// Per step of the chain: the opened cell in words, its formula, the parts that add up to it.
const OPENED = {
  input({ i, u, n, reader, word }) {
    const x = n.input[i * n.D + u];
    const layer = reader.said.at[0];
    const [token, position] = ["embedding.token", "embedding.position"].map((name) =>
      reader.value(name, { token: i, unit: u }),
    );
    const inside = normed(reader, n, i)[u];
    const norm =
      reader.spec.head.norm && projection(reader)
        ? `\nThe norm turns it into ${digits(inside)}, from which q, k and v are computed.`
        : "";
    const says = `Number ${u} of the vector of ${word(i)}, at the input of this layer.`;
    if (layer)
      return {
        title: "input x",
        says,
        formula: `x[${u}] = ${digits(x)}, as layer ${layer} left it${norm}`,
        sum: x,
        field: x,
      };
    if (Math.abs(token + position - x) > 1e-3 * (1 + Math.abs(x)))
      return {
        title: "input x",
        says,
        formula: `x[${u}] = ${digits(x)}${norm}`,
        note: `The sum of the token's embedding, ${digits(token)}, of its position, ${digits(position)}, and of what this model adds and norms before its first layer.`,
        sum: x,
        field: x,
      };
    const terms = [
      { name: "the token's embedding", value: token },
      { name: "its position", value: position },
    ];
    return {
      title: "input x",
      says,
      formula: `x[${u}] = e + p = ${digits(token)} + ${digits(position)} = ${digits(x)}${norm}`,
      terms,
      sum: token + position,
      field: x,
    };
  },
  query: (about) => projected(about, about.i, "query q", "asks for"),
  key: (about) => projected(about, about.j, "key k", "offers to be found by"),
  value: (about) => projected(about, about.j, "value v", "gives as its value"),
  product({ i, j, n, word }) {
    const terms = Array.from({ length: n.d }, (_, u) => {
      const [a, b] = [n.query[i * n.d + u], n.key[j * n.d + u]];
      return { name: `${u}`, said: times(a, b), value: a * b };
    });
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
    const [raw, scaled] = [n.product[i * n.T + j], n.scaled[i * n.T + j]];
    const root = 1 / reader.spec.head.factor;
    const bias = scaled - raw / root;
    const says = `The score of ${word(j)} for ${word(i)}.`;
    if (!n.choice.scale)
      return {
        title: "not divided",
        says,
        formula: `${digits(raw)}, unchanged`,
        note: `The model divides by √${n.d} = ${digits(root)}.`,
        sum: raw,
        field: scaled,
      };
    if (root === 1)
      return {
        title: "not divided",
        says: `${says} This model does not divide its scores.`,
        formula: `q · k${n.biased ? " + b" : ""} = ${digits(scaled)}`,
        sum: raw + bias,
        field: scaled,
      };
    const place = n.biased && !n.hidden(i, j) ? ` + ${digits(bias)} for their places` : "";
    return {
      title: `÷ √${n.d}`,
      says,
      formula: `q · k / √${n.d}\n= ${digits(raw)} / ${digits(root)}${place} = ${digits(scaled)}`,
      note: `The more numbers in a vector, here ${n.d}, the larger the products; √${n.d} corrects for that.`,
      sum: raw / root + (place ? bias : 0),
      field: scaled,
    };
  },
  masked({ i, j, n, word }) {
    const [before, after] = [n.scaled[i * n.T + j], n.masked[i * n.T + j]];
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
      formula: hidden && n.choice.mask ? `${digits(before)} → −∞, and e^−∞ = 0` : `${digits(before)} stays`,
      sum: after,
      field: after,
    };
  },
  attention({ i, j, n, reader, word }) {
    const { T, choice, masked } = n;
    const score = (t) => (choice.column ? masked[t * T + j] : masked[i * T + t]);
    const count = Array.from({ length: T }, (_, t) => t);
    const most = Math.max(...count.map(score));
    const terms = count
      .filter((t) => score(t) > -Infinity)
      .map((t) => ({
        name: visible(reader.labels[t]),
        said: `e^${digits(score(t) - most)}`,
        value: Math.exp(score(t) - most),
      }));
    const field = n.attention[i * T + j];
    const mine = Math.exp(masked[i * T + j] - most);
    const outside = n.own && reader.offset > 0 && field > 0 ? mine / field - total(terms) : 0;
    const sum = total(terms) + outside;
    const note = `To keep e^s small, the largest score, ${digits(most)}, is subtracted first; the weights stay the same.${outside > 1e-6 * sum ? " Tokens before the part shown are in the sum too." : ""}`;
    const along = choice.column ? `column of ${word(j)}` : `row of ${word(i)}`;
    return {
      title: "softmax",
      says: `The weight of ${word(j)} for ${word(i)}: its share of the ${along}.`,
      formula: `e^${digits(masked[i * T + j] - most)} / Σ e^(s ${most < 0 ? `+ ${digits(-most)}` : `− ${digits(most)}`})\n= ${digits(mine)} / ${digits(sum)} = ${digits(mine / sum)}`,
      terms,
      share: true,
      note,
      sum: mine / sum,
      field,
    };
  },
  weighted({ i, j, u, n, word }) {
    const [a, v] = [n.attention[i * n.T + j], n.value[j * n.d + u]];
    return {
      title: "weight × v",
      says: `The contribution of ${word(j)} to number ${u} of the output for ${word(i)}.`,
      formula: `weight × v[${u}] = ${digits(a)} × ${digits(v)} = ${digits(a * v)}`,
      sum: a * v,
      field: weighted(n, i)[j * n.d + u],
    };
  },
  reading({ i, u, n, reader, word }) {
    const terms = Array.from({ length: n.T }, (_, t) => ({
      name: visible(reader.labels[t]),
      said: times(n.attention[i * n.T + t], n.value[t * n.d + u]),
      value: n.attention[i * n.T + t] * n.value[t * n.d + u],
    })).filter((_, t) => n.attention[i * n.T + t] > 0);
    const field = n.reading[i * n.d + u];
    const short =
      n.own && reader.offset > 0
        ? "Tokens before the part shown count too; they are missing from this sum."
        : "";
    return {
      title: "reading z",
      says: `Number ${u} of the output for ${word(i)}: every value times its weight.`,
      formula: `z[${u}] = Σ weight × v[${u}] = ${digits(field)}`,
      terms,
      note: short,
      sum: total(terms),
      field,
    };
  },
};

// A number of q, k or v: the token's input times one row of the head's matrix.
function projected({ stage, u, n, reader, word }, t, name, does) {
  const field = n[stage][t * n.d + u];
  const says = `Number ${u} of what ${word(t)} ${does}.`;
  const p = projection(reader);
  if (!p)
    return {
      title: name,
      says,
      formula: `${name.at(-1)}[${u}] = ${digits(field)}`,
      note: "This model's matrices are not shown here.",
      sum: field,
      field,
    };
  const x = normed(reader, n, t);
  const matrix = `W_${name.at(-1).toUpperCase()}`;
  const parts = (row) =>
    Array.from(x, (value, d) => ({
      name: `${d}`,
      said: times(value, p.matrices[stage][row * n.D + d]),
      value: value * p.matrices[stage][row * n.D + d],
    }));
  const terms = parts(u);
  const bias = p.biases[stage][u];
  if (bias) terms.push({ name: "bias", said: "", value: bias });
  const made = total(terms);
  const turn =
    stage === "value"
      ? null
      : turned(reader, n, t, u, made, field, (row) => total(parts(row)) + p.biases[stage][row]);
  const after = reader.spec.head.norm ? ", x after the norm" : "";
  const note = `${matrix} is the same for every token: ${n.D} × ${n.d} numbers.`;
  return {
    title: name,
    says,
    formula: `${name.at(-1)}[${u}] = Σ x[n] × ${matrix}[n, ${u}]${bias ? " + b" : ""}\n     = ${digits(made)}${after}${turn?.formula ?? ""}`,
    terms,
    note: turn ? `${note} ${turn.note}` : note,
    sum: turn ? turn.sum : made,
    field,
  };
}

// Rotary places turn number u of a query or key together with its partner, half a head away; null where a model tells places otherwise.
function turned(reader, n, t, u, made, field, number) {
  const { turn } = reader.spec.head;
  if (!turn) return null;
  const half = n.d / 2,
    first = u < half,
    partner = first ? u + half : u - half;
  const place = reader.offset + t;
  const angle = place * turn.stretch * turn.base ** (-(u % half) / half);
  const [other, cos, sin] = [number(partner), Math.cos(angle), Math.sin(angle)];
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
