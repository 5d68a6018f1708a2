// Which numbers of a model are drawn: those chosen as chips, and all of them by kind, with what each one
// means.

import { element, parts, put } from "../dom.js";
import { bar, button } from "../parts/controls.js";
import { word } from "../parts/inputs.js";
import { answered, asked, chosen, show } from "../parts/inspected.js";

const READS = { edited: "with the edits", plain: "as it is", change: "the difference" };

export default class Numbers {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.bar = element("div", "un-order un-shown");
    this.choices = Object.entries(READS).map(([reads, words]) => {
      const node = button(words, () => {
        panel.selection.keep({ reads }, panel.app);
        panel.app.again();
      });
      node.dataset.reads = reads;
      return node;
    });
    this.reads = bar(word("The pictures show the run"), ...this.choices);
    this.reads.setAttribute("role", "group");
    this.reads.setAttribute("aria-label", "Which numbers the pictures show");
    this.list = element("div", "un-fields", { hidden: true, id: "un-numbers" });
    this.opener = button("", () => this.open(this.list.hidden));
    this.opener.setAttribute("aria-controls", this.list.id);
    this.boxes = new Map();
    for (const { title, rows } of panel.spec.groups) {
      const section = element("section", "");
      section.append(element("h4", "", { textContent: title }), ...rows.map((row) => this.row(row)));
      this.list.append(section);
    }
    this.count = panel.spec.groups.reduce((sum, { rows }) => sum + rows.length, 0);
    this.open(false);
    panel.body.append(this.bar, this.reads, this.list);
  }

  open(on) {
    this.list.hidden = !on;
    this.opener.setAttribute("aria-expanded", String(on));
    this.opener.textContent = on ? "Close the list" : `Choose among all ${this.count} …`;
  }

  row({ name, symbol, says, axes, columns }) {
    const { panel } = this;
    const root = element("label", "un-field-row");
    const box = element("input", "", { type: "checkbox" });
    box.onchange = () => show(panel, name, box.checked);
    const words = parts(word(""), { head: "", says: "un-field-says", shape: "un-says" });
    const head = parts(words.head, { title: "un-field-name", symbol: "un-field-symbol" });
    put(head.title, name);
    put(head.symbol, symbol ? ` ${symbol}` : "");
    put(words.says, says);
    root.append(box, words.root);
    const { shape } = words;
    this.boxes.set(name, { box, shape, axes, columns, symbol, says });
    return root;
  }

  ask() {
    const reader = this.panel.reader();
    return { inspect: asked(this.panel.selection), shown: reader.said.inspect?.key ?? null };
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { shows, fields, edited, reads } = answered(reader);
    const wanted = JSON.stringify(asked(panel.selection));
    if (this.token !== undefined && this.wanted !== wanted && !panel.app.sent) panel.app.again(); // a link, Esc or an arrow key chose it
    this.wanted = wanted;
    this.token = panel.selection.kept.token ?? null;
    const names = JSON.stringify(shows),
      ticked = chosen(panel);
    if (names !== this.names) {
      this.names = names;
      this.bar.replaceChildren(
        ...shows.map((name) => {
          const symbol = this.boxes.get(name)?.symbol;
          const remove = () => show(panel, name, false);
          const title = "Remove this picture";
          const node = button(`${name}${symbol ? ` ${symbol}` : ""} ×`, remove, { title });
          node.setAttribute("aria-label", `Remove ${name}`);
          return node;
        }),
        this.opener,
      );
      if (!shows.length)
        this.bar.prepend(element("span", "un-says", { textContent: "No picture is chosen." }));
    }
    for (const [name, { box, shape, axes, columns }] of this.boxes) {
      if (box.checked !== ticked.includes(name)) box.checked = ticked.includes(name);
      const sizes = fields[name]?.sizes ?? panel.spec.sizes?.[name];
      const many = (a) => (sizes?.[a] == null ? a : `${sizes[a]} ${a}${sizes[a] === 1 ? "" : "s"}`);
      const all = axes?.length ? axes.map(many).join(" × ") : "one number";
      put(shape, columns ? `table: ${columns.join(", ")}` : all);
    }
    this.reads.hidden = !edited;
    for (const node of this.choices) node.setAttribute("aria-pressed", String(node.dataset.reads === reads));
  }

  table() {
    const { fields } = answered(this.panel.reader());
    return {
      columns: ["number", "symbol", "axes", "shape", "what it is"],
      rows: [...this.boxes].map(([name, { axes, columns, symbol, says }]) => [
        name,
        symbol,
        (axes ?? columns).join(", "),
        columns
          ? "a table"
          : axes.map((a) => fields[name]?.sizes[a] ?? this.panel.spec.sizes?.[name]?.[a] ?? "·").join(" × "),
        says,
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}: ${answered(this.panel.reader()).shows.join(", ")}.`;
  }
}
