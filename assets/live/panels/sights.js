// The three attentions of an encoder-decoder side by side: who looks at whom, with what shapes, and what is forbidden.

import { Scale, Surface, ink, legend } from "../drawing/canvas.js";
import { digits, element, visible } from "../dom.js";
import { cellAt, grid } from "../marks/grid.js";
import { button } from "../parts/controls.js";
import { KINDS, wrongly } from "./sights/attentions.js";
import { named } from "../parts/families.js";

export default class Sights {
  constructor(panel) {
    this.panel = panel;
    const root = element("div", "un-tops");
    this.cards = KINDS.map((kind) => this.card(kind));
    root.append(...this.cards.map((made) => made.card));
    this.swap = button("Wire it wrongly", () => {
      this.swapped = !this.swapped;
      panel.draw();
    });
    this.wrong = element("p", "un-tip");
    this.cards[2].card.append(this.swap);
    panel.body.append(root, this.wrong);
  }

  card(kind) {
    const card = element("section", ""),
      surface = new Surface(element("div", "")),
      shapes = element("p", "un-formula");
    card.append(
      element("h4", "", { textContent: kind.title }),
      element("p", "un-says", { textContent: named(kind.says, this.panel.spec) }),
      surface.node.parentElement,
      shapes,
    );
    const made = { kind, card, surface, shapes, store: {}, box: null };
    const look = (x, y) => {
      const cell = cellAt(made.box, x, y);
      this.over = cell && { kind, t: cell[0], s: cell[1] };
      this.tell();
    };
    surface.onPointer(
      look,
      () => {},
      () => look(-1, -1),
    );
    return made;
  }

  sizes(reader) {
    return { source: reader.source?.labels.length ?? 0, target: reader.labels.length };
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader(),
      size = this.sizes(reader),
      { dim } = panel.spec;
    const layer = panel.selection.get("layer") ?? 0,
      head = panel.selection.get("head") ?? 0;
    const colours = ink(panel.app.root);
    panel.say(`${panel.spec.title}: layer ${layer + 1}, head ${head + 1}`, panel.spec.says);
    for (const made of this.cards) {
      const { kind, card, surface, shapes, store } = made;
      const field = reader.labels.length ? reader.fields.get(kind.name) : null; // a field that is not sent again is that of an older text
      const width = Math.min(330, card.clientWidth || 300),
        T = size[kind.rows],
        S = size[kind.columns];
      const cell = Math.min(22, (width - 2) / Math.max(S, 1));
      const [w, h] = [S * cell, T * cell];
      const g = surface.begin(width, Math.max(30, h + 34));
      made.box = field ? { x: 1, y: 1, w, h, rows: T, columns: S } : null;
      if (!field) {
        shapes.textContent = "";
        surface.node.setAttribute("aria-label", `${kind.title}: nothing to draw.`);
        continue;
      }
      const masked = kind.name === "attention";
      const values = this.values(field, layer, head, T, S, masked);
      const scale = new Scale(reader.spec.fields[kind.name].scale, panel.app.dark);
      grid(g, store, made.box, { values }, scale, colours);
      legend(g, 1, h + 10, 120, scale, "attention weight", colours);
      surface.node.setAttribute("role", "img");
      surface.node.setAttribute(
        "aria-label",
        `${kind.title}: ${T} rows by ${S} columns. ${named(kind.says, panel.spec)}`,
      );
      const from = kind.rows === kind.columns ? "" : " of the encoder";
      shapes.textContent = `Q ${T} × ${dim}   K${from} ${S} × ${dim}   V${from} ${S} × ${dim}\nA = softmax(Q Kᵀ / √${dim})\n${T} × ${S} = ${T * S} weights${masked ? `, ${(T * (T + 1)) / 2} allowed` : ""}\nA V   ${T} × ${dim}`;
    }
    this.swap.setAttribute("aria-pressed", String(!!this.swapped));
    this.wrong.textContent = this.swapped ? named(wrongly(size, dim), panel.spec) : "";
    this.tell();
  }

  values(field, layer, head, T, S, masked) {
    const first =
      (Math.min(layer, field.shape[0] - 1) * field.shape[1] + Math.min(head, field.shape[1] - 1)) * T * S;
    const values = field.values.slice(first, first + T * S);
    if (masked) for (let t = 0; t < T; t++) values.fill(NaN, t * S + t + 1, (t + 1) * S);
    return values;
  }

  tell() {
    const { over, panel } = this;
    if (!over) return panel.read("Point at a cell to read it. Click a head above to see another.");
    const reader = panel.reader(),
      labels = { source: reader.source?.labels ?? [], target: reader.labels };
    const { name, rows, columns } = over.kind;
    const query = visible(labels[rows][over.t] ?? ""),
      key = visible(labels[columns][over.s] ?? "");
    if (name === "attention" && over.s > over.t)
      return panel.read(`“${query}” may not look at “${key}”: it comes later.`);
    const axes = reader.fields.get(name)?.axes ?? [];
    const value = reader.value(name, {
      layer: panel.selection.get("layer") ?? 0,
      head: panel.selection.get("head") ?? 0,
      [axes[2]]: over.t,
      [axes[3]]: over.s,
    });
    panel.read(`“${query}” puts ${digits(100 * value)} % of its weight on “${key}”.`);
  }

  table() {
    const size = this.sizes(this.panel.reader()),
      { dim } = this.panel.spec;
    return {
      columns: ["attention", "Q", "K", "V", "weights", "may look ahead"],
      rows: KINDS.map(({ title, name, rows, columns }) => {
        const [Q, K] = [`${size[rows]} × ${dim}`, `${size[columns]} × ${dim}`];
        return [title, Q, K, K, `${size[rows]} × ${size[columns]}`, name === "attention" ? "no" : "yes"];
      }),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.cards.map((c) => `${c.kind.title}: ${c.shapes.textContent.replace(/\n/g, "; ")}`).join(". ")}`;
  }
}
