// What the places of two tokens alone say: the curve over all earlier tokens, and the clocks behind it.

import { Surface, ink } from "../drawing/canvas.js";
import { digits, short, visible } from "../dom.js";
import { pointing } from "../marks/pointer.js";
import { Clocks } from "./places/clocks.js";
import { ALL as CURVE, placeCurve } from "./places/curve.js";

const LEFT = 46;

export default class Places {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x, y) => this.at(x, y));
  }

  // A token of the curve is the one looked at.
  at(x, y) {
    const reader = this.panel.reader();
    const t = Math.floor((x - LEFT) / this.step);
    if (x < LEFT || t >= reader.labels.length) return null;
    const from = this.panel.selection.keptToken(reader);
    return y < CURVE && t <= from ? { ...reader.place(from), other: t + reader.offset } : undefined;
  }

  // The token that looks, the one looked at, and the layer; heads and layers that share their numbers stand once.
  place() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const [layers, heads] = reader.fields.get("place").shape;
    const query = selection.token(reader);
    const other = selection.get("other");
    const key = Math.max(0, Math.min(query, other === undefined ? query - 1 : other - reader.offset));
    return { reader, layers, heads, query, key, layer: Math.min(selection.get("layer") ?? 0, layers - 1) };
  }

  // The number of a token's place: the run may begin behind the start of a long text.
  number(reader, t) {
    const behind = reader.offset + reader.labels.length - reader.spec.place.context;
    return t + reader.offset - Math.max(0, behind);
  }

  draw() {
    const { panel } = this;
    const { app } = panel;
    const field = panel.reader().fields.get("place");
    if (!field || !panel.reader().labels.length) {
      this.surface.begin(panel.body.clientWidth, 1);
      return panel.read("Type a few words: their positions are shown here.");
    }
    const at = this.place();
    const { reader, query, key, layer } = at;
    const { about } = reader.spec.place;
    const width = panel.body.clientWidth;
    const clocks = new Clocks(reader.spec.place, width);
    const g = this.surface.begin(width, CURVE + clocks.high);
    const colours = ink(app.root);
    this.step = (width - LEFT - 4) / Math.max(reader.labels.length, 8);
    panel.say(
      `What the places alone say, seen from “${short(reader.labels[query])}” at place ${this.number(reader, query)}`,
      `${about} Drawn: ${reader.spec.fields.place.says} Model: ${reader.spec.title}.`,
    );
    const where = { left: LEFT, step: this.step, width, colours, style: getComputedStyle(app.root) };
    placeCurve(g, where, at, field);
    const hands = [query, key].map((t) => ({
      label: short(reader.labels[t], 10),
      at: this.number(reader, t),
    }));
    clocks.draw(g, CURVE, where, hands[0], hands[1]);
    const values = Array.from({ length: at.heads }, (_, head) =>
      digits(reader.value("place", { layer, head, query, key })),
    );
    const far = query - key;
    panel.read(
      `“${visible(reader.labels[query])}” at place ${this.number(reader, query)}, “${visible(reader.labels[key])}” at place ${this.number(reader, key)}, ${far} back: ${at.heads > 1 ? values.map((v, h) => `head ${h + 1} ${v}`).join(", ") : values[0]}.`,
    );
  }

  table() {
    const { reader, heads, query, layer } = this.place();
    const names = Array.from({ length: heads }, (_, h) => (heads > 1 ? `head ${h + 1}` : "value"));
    return {
      columns: ["token", "place", "back", ...names],
      rows: reader.labels
        .slice(0, query + 1)
        .map((label, k) => [
          visible(label),
          this.number(reader, k),
          query - k,
          ...names.map((_, head) => digits(reader.value("place", { layer, head, query, key: k }))),
        ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
