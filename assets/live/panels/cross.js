// Cross-attention of one head: the words of the source above, the words being written below, lines where each step looks;
// and the same as a rectangle, a row for each step.  A step has read one word and is about to write the next one.

import { Scale, Surface, ink, legend } from "../drawing/canvas.js";
import { digits, percent, small, visible } from "../dom.js";
import { CrossGrid } from "./cross/grid.js";
import { CrossLines, TALL } from "./cross/lines.js";

const EDGE = 8,
  LEGEND = 34;

// What step t writes: the next word of the text, or the model's own first choice where the text ends.
const written = (reader, t) =>
  t + 1 < reader.labels.length
    ? { label: reader.labels[t + 1], typed: true }
    : { label: reader.top[t]?.[0]?.[0] ?? "", typed: false };

export default class Cross {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => panel.selection.leave(),
    );
  }

  // The field of the chosen head: sizes, and the weight of step t on source word s.
  what() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const field = reader.fields.get("cross.attention");
    if (!field || !reader.source || !reader.labels.length)
      return { reader, field: null, layer: 0, head: 0, T: 0, S: 0, weight: () => NaN };
    const [layers, heads, T, S] = field.shape;
    const layer = Math.min(selection.get("layer") ?? 0, layers - 1),
      head = Math.min(selection.get("head") ?? 0, heads - 1);
    const first = (layer * heads + head) * T * S;
    return { reader, field, layer, head, T, S, weight: (t, s) => field.values[first + t * S + s] };
  }

  draw() {
    const { panel } = this;
    const found = (this.found = this.what());
    const { reader, T, S, layer, head } = found;
    const width = panel.body.clientWidth;
    if (!found.field) {
      this.surface.begin(width, 40);
      this.arcs = null;
      panel.say(panel.spec.title);
      return panel.read(
        reader.total
          ? "The part of this text that is shown has no target. Go to an earlier part, or type a shorter text."
          : "Type a sentence.",
      );
    }
    panel.say(`${panel.spec.title}: layer ${layer + 1}, head ${head + 1}`, panel.spec.says);
    const left = Math.min(190, width * 0.36),
      cell = Math.max(6, Math.min(46, (width - left - EDGE) / S)),
      tall = Math.max(16, Math.min(28, cell)),
      top = TALL + (cell < 44 ? 66 : 34);
    const g = this.surface.begin(width, top + T * tall + LEGEND + 8);
    const colours = ink(panel.app.root);
    const scale = new Scale(reader.spec.fields["cross.attention"].scale, panel.app.dark);
    const ends = reader.labels.map((_, t) => written(reader, t));
    const said = ends.map(({ label, typed }) => (typed ? label : `${label}?`));
    const what = { ...found, ends, said, now: panel.selection.token(reader), other: this.other, colours };
    this.arcs = new CrossLines(g, what, width, EDGE);
    this.grid = new CrossGrid(g, what, { left, cell, tall, top }, scale);
    legend(g, width < 420 ? EDGE : left, top + T * tall + 14, 150, scale, "attention weight", colours);
    panel.read(this.says(found, what.now, what.other));
  }

  says({ reader, T, S, weight }, now, other) {
    const ranked = (count, of) =>
      Array.from({ length: count }, (_, i) => [i, of(i)])
        .sort((a, b) => b[1] - a[1])
        .slice(0, 3)
        .filter(([, w]) => w >= 0.02);
    if (other !== undefined && other < S) {
      const from = ranked(T, (t) => weight(t, other)).map(
        ([t, w]) => `to write “${visible(written(reader, t).label)}” ${percent(w)}`,
      );
      return `“${visible(reader.source.labels[other])}” is looked at ${from.join(", ") || "by no step"}.`;
    }
    const { label, typed } = written(reader, now);
    return `Having read “${visible(reader.labels[now])}”, ${typed ? "about to write" : "with this first choice:"} “${visible(label)}”, this head looks at ${ranked(
      S,
      (s) => weight(now, s),
    )
      .map(([s, w]) => `“${visible(reader.source.labels[s])}” ${percent(w)}`)
      .join(", ")}.`;
  }

  // The step or the source word under the pointer.
  find(x, y) {
    if (!this.arcs) return null;
    return y < TALL + 4 ? this.arcs.find(x, y) : this.grid.find(x, y);
  }

  place(spot) {
    const { reader } = this.found;
    return spot.s !== undefined ? { other: spot.s } : reader.place(spot.t);
  }

  look(x, y) {
    const spot = this.find(x, y);
    this.panel.selection.look(spot ? this.place(spot) : {});
  }

  // A step that is kept lets go of the source word, and a source word clicked again of itself.
  keep(x, y) {
    const spot = this.find(x, y);
    if (!spot) return;
    const { selection, app } = this.panel;
    const place = this.place(spot);
    if (spot.s === undefined || selection.kept.other === spot.s) {
      delete selection.kept.other;
      delete place.other;
    }
    selection.keep(place, app);
  }

  // The source word looked at; none while the pointer is on a step.
  get other() {
    const { selection } = this.panel;
    return selection.hovered.token === undefined ? selection.get("other") : undefined;
  }

  table() {
    const { reader, field, T, S, weight } = this.what();
    if (!field) return { columns: ["has read", small("writes")], rows: [] };
    return {
      columns: ["has read", small("writes"), ...reader.source.labels.map(visible)],
      rows: reader.labels
        .map((label, t) => [
          visible(label),
          visible(written(reader, t).label),
          ...Array.from({ length: S }, (_, s) => digits(weight(t, s))),
        ])
        .slice(0, T),
    };
  }
}
