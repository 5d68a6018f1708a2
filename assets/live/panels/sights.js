// The three attentions of an encoder-decoder side by side: who looks at whom, with what shapes, and what is forbidden.

import { Scale, Surface, ink, legend, raster } from "../drawing/canvas.js";
import { digits, element, visible } from "../dom.js";
import { named } from "../parts/families.js";

const KINDS = [
  {
    name: "encoder.attention",
    title: "Encoder: self-attention",
    rows: "source",
    columns: "source",
    says: "Every word of the English looks at every other, forwards too.",
  },
  {
    name: "attention",
    title: "Decoder: masked self-attention",
    rows: "target",
    columns: "target",
    says: "A word of the French looks at itself and back. Grey is masked: words not yet written.",
  },
  {
    name: "cross.attention",
    title: "Decoder: cross-attention",
    rows: "target",
    columns: "source",
    says: "Every step looks at all of the English: a rectangle, with nothing masked.",
  },
];

export default class Sights {
  constructor(panel) {
    this.panel = panel;
    const root = element("div", "un-tops");
    this.cards = KINDS.map((kind) => {
      const card = element("section", ""),
        surface = new Surface(element("div", "")),
        shapes = element("p", "un-formula");
      card.append(
        element("h4", "", { textContent: kind.title }),
        element("p", "un-says", { textContent: named(kind.says, panel.spec) }),
        surface.node.parentElement,
        shapes,
      );
      surface.onPointer(
        (x, y) => this.look(kind, x, y),
        () => {},
        () => {
          this.over = null;
          this.tell();
        },
      );
      root.append(card);
      return { kind, card, surface, shapes, store: {} };
    });
    this.swap = element("button", "un-button", {
      type: "button",
      textContent: "Wire it wrongly",
      onclick: () => {
        this.swapped = !this.swapped;
        panel.draw();
      },
    });
    this.wrong = element("p", "un-tip");
    this.cards[2].card.append(this.swap);
    panel.body.append(root, this.wrong);
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
    for (const { kind, card, surface, shapes, store } of this.cards) {
      const field = reader.labels.length ? reader.fields.get(kind.name) : null; // a field that is not sent again is that of an older text
      const width = Math.min(330, card.clientWidth || 300),
        T = size[kind.rows],
        S = size[kind.columns];
      const cell = Math.min(22, (width - 2) / Math.max(S, 1)),
        tall = Math.min(22, cell);
      const g = surface.begin(width, Math.max(30, T * tall + 34));
      if (!field) {
        shapes.textContent = "";
        surface.node.setAttribute("aria-label", `${kind.title}: nothing to draw.`);
        continue;
      }
      const masked = kind.name === "attention";
      const values = this.values(field, layer, head, T, S, masked);
      const scale = new Scale(reader.spec.fields[kind.name].scale, panel.app.dark);
      g.imageSmoothingEnabled = false;
      g.drawImage(raster(store, values, T, S, 0, S, 1, scale), 1, 1, S * cell, T * tall);
      g.strokeStyle = colours.line;
      g.strokeRect(0.5, 0.5, S * cell + 1, T * tall + 1);
      legend(g, 1, T * tall + 10, 120, scale, "attention weight", colours);
      surface.node.setAttribute("role", "img");
      surface.node.setAttribute(
        "aria-label",
        `${kind.title}: ${T} rows by ${S} columns. ${named(kind.says, panel.spec)}`,
      );
      const from = kind.rows === kind.columns ? "" : " of the encoder";
      shapes.textContent = `Q ${T} × ${dim}   K${from} ${S} × ${dim}   V${from} ${S} × ${dim}\nA = softmax(Q Kᵀ / √${dim})\n${T} × ${S} = ${T * S} weights${masked ? `, ${(T * (T + 1)) / 2} allowed` : ""}\nA V   ${T} × ${dim}`;
    }
    this.swap.setAttribute("aria-pressed", String(!!this.swapped));
    this.wrong.textContent = this.swapped ? named(this.notes(size, dim), panel.spec) : "";
    this.tell();
  }

  values(field, layer, head, T, S, masked) {
    const first =
      (Math.min(layer, field.shape[0] - 1) * field.shape[1] + Math.min(head, field.shape[1] - 1)) * T * S;
    const values = field.values.slice(first, first + T * S);
    if (masked) for (let t = 0; t < T; t++) values.fill(NaN, t * S + t + 1, (t + 1) * S);
    return values;
  }

  notes({ source, target }, dim) {
    const whole = `Here queries and keys come from the encoder and values from the decoder. Then A is ${source} × ${source} and V is ${target} × ${dim}`;
    return source === target
      ? `${whole}. The sizes fit only because both texts have ${source} tokens here; even so each row would belong to a word of the English, and mix words of the French. Type one word more.`
      : `${whole}: a product of ${source} columns with ${target} rows does not exist.`;
  }

  look(kind, x, y) {
    const reader = this.panel.reader(),
      size = this.sizes(reader);
    const { card } = this.cards.find((c) => c.kind === kind);
    const cell = Math.min(22, (Math.min(330, card.clientWidth || 300) - 2) / Math.max(size[kind.columns], 1));
    const t = Math.floor(y / cell),
      s = Math.floor(x / cell);
    this.over = t < size[kind.rows] && s < size[kind.columns] && t >= 0 && s >= 0 ? { kind, t, s } : null;
    this.tell();
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
      rows: KINDS.map((k) => [
        k.title,
        `${size[k.rows]} × ${dim}`,
        `${size[k.columns]} × ${dim}`,
        `${size[k.columns]} × ${dim}`,
        `${size[k.rows]} × ${size[k.columns]}`,
        k.name === "attention" ? "no" : "yes",
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.cards.map((c) => `${c.kind.title}: ${c.shapes.textContent.replace(/\n/g, "; ")}`).join(". ")}`;
  }
}
