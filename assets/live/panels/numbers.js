// Which numbers of a model are drawn: those chosen as chips, and all of them by kind, with what each one means.

import { element } from "../dom.js";
import { answered, asked, chosen, show } from "../parts/inspected.js";

export default class Numbers {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.bar = element("div", "un-order un-shown");
    this.reads = element("div", "un-order");
    this.reads.setAttribute("role", "group");
    this.reads.setAttribute("aria-label", "Which numbers the pictures show");
    this.choices = [
      ["edited", "with the edits"],
      ["plain", "as it is"],
      ["change", "the difference"],
    ].map(([name, textContent]) => {
      const node = element("button", "un-button", { type: "button", textContent });
      node.onclick = () => {
        panel.selection.keep({ reads: name }, panel.app);
        panel.app.again();
      };
      node.dataset.reads = name;
      return node;
    });
    this.reads.append(element("span", "", { textContent: "The pictures show the run" }), ...this.choices);
    this.list = element("div", "un-fields", { hidden: true, id: "un-numbers" });
    this.opener = element("button", "un-button", { type: "button" });
    this.opener.setAttribute("aria-controls", this.list.id);
    this.opener.onclick = () => this.open(this.list.hidden);
    this.boxes = new Map();
    let count = 0;
    for (const group of panel.spec.groups) {
      const section = element("section", "");
      section.append(element("h4", "", { textContent: group.title }));
      for (const row of group.rows) {
        section.append(this.row(row));
        count += 1;
      }
      this.list.append(section);
    }
    this.count = count;
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
    const words = element("span", "");
    const title = element("span", "un-field-name", { textContent: name });
    const head = element("span", "");
    head.append(title, element("span", "un-field-symbol", { textContent: symbol ? ` ${symbol}` : "" }));
    const shape = element("span", "un-says");
    words.append(head, element("span", "un-field-says", { textContent: says }), shape);
    root.append(box, words);
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
          const node = element("button", "un-button", {
            type: "button",
            textContent: `${name}${this.boxes.get(name)?.symbol ? ` ${this.boxes.get(name).symbol}` : ""} ×`,
            title: "Remove this picture",
          });
          node.setAttribute("aria-label", `Remove ${name}`);
          node.onclick = () => show(panel, name, false);
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
      const said = columns
        ? `table: ${columns.join(", ")}`
        : axes.length
          ? axes
              .map((a) =>
                sizes?.[a] === undefined || sizes[a] === null
                  ? a
                  : `${sizes[a]} ${a}${sizes[a] === 1 ? "" : "s"}`,
              )
              .join(" × ")
          : "one number";
      if (shape.textContent !== said) shape.textContent = said;
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
