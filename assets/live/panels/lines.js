// Two lines, or more, as a measure sees them: each run, word or letter in the colour of what becomes of it, and how the
// number comes of that.

import { digits, element, follow, put, visible } from "../dom.js";
import { listPointing } from "../marks/pointer.js";
import { bar, keyItem, select } from "../parts/controls.js";

const MOST = 600; // units that are drawn of a line

export default class Lines {
  wished = null;

  constructor(panel) {
    this.panel = panel;
    const keep = (more) => panel.selection.keep(more, panel.app);
    this.titles = panel.spec.measures.map(([, title]) => title);
    const options = this.titles.map((title, i) => [i, title]);
    this.measure = select(options, (i) => keep({ unit: Number(i), order: undefined }), "Measure");
    this.order = select([], (order) => keep({ order }), "What is counted");
    this.why = element("p", "un-says");
    this.rows = element("div", "un-lines");
    this.key = element("span", "un-key");
    this.sums = element("table", "un-sums");
    panel.body.append(bar(this.measure, this.order), this.why, this.rows, this.key, this.sums);
    listPointing(panel, this.rows, "i", (token) => this.place(token), true);
  }

  place(token) {
    const reader = this.panel.reader();
    return token < 0 ? {} : { token, reader: reader.spec.id, span: reader.spans[token] };
  }

  ask() {
    const { unit, order } = this.panel.selection.kept;
    return { unit: Number(unit ?? 0), order: String(order ?? "") };
  }

  draw() {
    const { panel } = this;
    const { said = {} } = panel.reader();
    this.again(said.asked);
    const { lit = null, why = "" } = said;
    this.lit = lit;
    const at = said.asked?.[0] ?? 0;
    this.measure.value = String(at);
    this.order.hidden = !lit?.orders.length;
    if (lit?.orders.length) this.choose(lit);
    put(this.why, why);
    const value = lit?.sums.at(-1)[2];
    panel.say(lit ? `${this.titles[at]}: ${digits(value)} of 100` : panel.spec.title);
    this.looked = this.find(lit);
    follow(this.rows, lit ? this.listed(lit) : [], (row) => this.row(row));
    const counts = (lit?.legend ?? []).map(([state, words, count]) => [state, `${words}: ${count}`]);
    follow(this.key, counts, ([state, words]) => {
      const item = keyItem("", words);
      item.firstChild.className = `un-unit un-state-${state}`;
      return item;
    });
    follow(this.sums, lit?.sums ?? [], ([name, formula, value]) => {
      const line = element("tr", "");
      line.append(element("th", "", { textContent: name, scope: "row" }));
      line.append(
        element("td", "", { textContent: formula }),
        element("td", "", { textContent: `= ${digits(value)}` }),
      );
      return line;
    });
    panel.read(lit ? this.sentence(lit) || lit.note : "");
  }

  // What Python has answered is of another measure than the one chosen.
  again(asked) {
    const wish = JSON.stringify(Object.values(this.ask()));
    if (wish === JSON.stringify(asked)) this.wished = null;
    else if (asked && wish !== this.wished) {
      this.wished = wish;
      this.panel.app.again();
    }
  }

  choose({ orders, order }) {
    const said = JSON.stringify(orders);
    if (said !== this.offered) {
      this.offered = said;
      this.order.replaceChildren(
        ...orders.map(([value, textContent]) => element("option", "", { value, textContent })),
      );
    }
    this.order.value = order;
  }

  // What belongs together, as a name for each unit of a row: the column, the piece, or the run itself.
  together({ aligned }, { words, marks }, i) {
    if (aligned) return i;
    return marks.length ? marks[i] || `-${i}` : words[i];
  }

  // The names of what is looked at.
  find(lit) {
    const { selection } = this.panel;
    const token = selection.hovered.token ?? selection.kept.token;
    if (!lit || token === undefined) return new Set();
    return new Set(
      lit.rows.flatMap((row) =>
        row.words.flatMap((_, i) => (row.tokens[i] === token ? [this.together(lit, row, i)] : [])),
      ),
    );
  }

  /** Rows for `follow`: title, and units; of lines that are aligned one row of columns. */
  listed(lit) {
    const units = lit.rows.map((row) =>
      row.words
        .slice(0, MOST)
        .map((word, i) => [
          visible(word),
          row.states[i],
          row.tokens[i],
          row.marks[i] || 0,
          this.looked.has(this.together(lit, row, i)),
        ]),
    );
    if (!lit.aligned) return lit.rows.map(({ title }, n) => [[title], units[n].map((unit) => [unit])]);
    return [[lit.rows.map(({ title }) => title), units[0].map((unit, i) => [unit, units[1][i]])]];
  }

  row([titles, columns]) {
    const line = element("div", "un-line");
    const stack = (cells, className) => {
      const node = element("span", className);
      node.append(...cells);
      return node;
    };
    const heads = titles.map((textContent) => element("b", "", { textContent }));
    const pairs = columns.map((cells) => stack(cells.map(unit), "un-pair"));
    line.append(stack(heads, "un-line-head"), stack(pairs, "un-line-units"));
    return line;
  }

  sentence({ rows, legend }) {
    const said = new Map(legend.map(([state, words]) => [state, words]));
    const found = rows.flatMap((row) =>
      row.words.flatMap((word, i) =>
        word && this.looked.has(this.together(this.lit, row, i))
          ? [`${row.title}: “${visible(word)}”, ${said.get(row.states[i]) ?? "–"}`]
          : [],
      ),
    );
    return [...new Set(found)].slice(0, 4).join(" · ");
  }

  table() {
    const { lit } = this;
    const said = new Map((lit?.legend ?? []).map(([state, words]) => [state, words]));
    return {
      columns: ["line", "counted", "what becomes of it", "piece"],
      rows: (lit?.rows ?? []).flatMap(({ title, words, states, marks }) =>
        words.map((word, i) => [title, visible(word), said.get(states[i]) ?? "–", marks[i] || ""]),
      ),
    };
  }

  alt() {
    const { lit } = this;
    if (!lit) return `${this.panel.title.textContent}. ${this.why.textContent}`;
    const counts = lit.legend.map(([, words, count]) => `${words}: ${count}`).join(", ");
    return `${this.panel.title.textContent}. ${counts}. ${this.panel.readout.textContent}`;
  }
}

function unit([textContent, state, token, mark, on]) {
  const node = element("span", `un-unit un-state-${state}${on ? " un-here" : ""}`, { textContent });
  if (!textContent) node.classList.add("un-none");
  if (mark) node.append(element("sub", "", { textContent: String(mark) }));
  node.dataset.i = String(token);
  return node;
}
