// One unit under the knife: every gate and state of it as it is (grey) and edited, one row each.  Dragging in
// a row holds its number at the height of the pointer; what is being done stands in `edits` of the selection,
// and so in the address.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { plain, rules, shade, three } from "../marks/axes.js";
import { course, dot } from "../marks/lines.js";
import { strip } from "../marks/strip.js";
import { Operating } from "../parts/operating.js";
import { SurgeryBar } from "../parts/surgerybar.js";
import { covers } from "../sums/edits.js";
import { Drag } from "./surgery/drag.js";

const LEFT = 40,
  LOW = 46,
  HIGH = 120,
  GAP = 26,
  TOP = 22,
  FOOT = 24,
  NEAR = 6; // pixels beside a row that belong to it

export default class Surgery extends Operating {
  constructor(panel) {
    super(panel);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.bar = new SurgeryBar(this);
    this.drag = new Drag(this);
  }

  key(event) {
    if (!this.drag.held || event.key !== "Escape") return super.key(event);
    this.drag.cancel();
    event.stopPropagation();
  }

  // The field looked at, among those of this run.
  get field() {
    const { fields } = this.panel.spec;
    const asked = this.selection.get("field");
    return fields.includes(asked) ? asked : fields[0];
  }

  place() {
    return { layer: this.selection.get("layer") ?? 0, unit: this.selection.get("unit") ?? 0 };
  }

  // A number as it is and edited.
  both(name, token) {
    const at = { ...this.place(), token };
    return [this.panel.reader("plain"), this.panel.reader()].map((reader) => reader.value(name, at));
  }

  draw() {
    const { panel, app, selection, field } = this;
    this.follow();
    const reader = panel.reader();
    const original = panel.reader("plain");
    const { layer, unit } = this.place();
    const width = panel.body.clientWidth;
    let top = TOP;
    this.rows = panel.spec.fields.map((name) => {
      const { low, high: most } = reader.spec.fields[name].scale;
      const row = { name, top, high: name === field ? HIGH : LOW, low, most };
      top += row.high + GAP;
      return row;
    });
    const height = top - GAP + FOOT;
    const g = this.surface.begin(width, height);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const [grey, colour] = [original, reader].map((r) =>
      style.getPropertyValue(`--un-reader-${r.spec.colour}`),
    );
    const now = selection.token(reader);
    this.step = (width - LEFT - 4) / Math.max(reader.labels.length, 8);
    panel.say(
      `Unit ${unit} of layer ${layer + 1}, original and edited`,
      `${panel.spec.says} Grey: original. Colour: edited. Shaded: the edited tokens. Model: ${original.spec.title}.`,
    );
    for (const row of this.rows) this.row(g, row, { now, width, grey, colour, colours });
    const column = { x: LEFT + now * this.step, y: TOP - 4, w: Math.max(1, this.step) };
    shade(g, { ...column, h: height - TOP - FOOT + 4 }, colours, 0.18);
    strip(g, reader.labels, { left: LEFT, step: this.step, y: height - 10, now, colours });
    this.bar.draw();
    const parts = panel.spec.fields.map(
      (name) => `${reader.spec.fields[name].symbol} ${change(...this.both(name, now))}`,
    );
    panel.read(`Numbers at “${visible(reader.labels[now] ?? "")}”: ${parts.join(", ")}`);
  }

  row(g, { name, top, high, low, most }, { now, width, grey, colour, colours }) {
    const reader = this.panel.reader();
    const { layer, unit } = this.place();
    const count = reader.labels.length;
    const on = name === this.field;
    const x = (t) => LEFT + (t + 0.5) * this.step;
    const y = (v) => top + high * (1 - (Math.max(low, Math.min(most, v)) - low) / (most - low));
    for (const e of this.edits)
      if (e.field === name && covers(e.layer, layer) && covers(e.unit, unit))
        for (let t = 0; t < count; t++)
          if (covers(e.tokens, t + reader.offset))
            shade(g, { x: LEFT + t * this.step, y: top, w: this.step, h: high }, colours, 0.13);
    const marks = (on ? three(low, most) : [low, most]).map((v) => [Math.round(y(v)) + 0.5, plain(v)]);
    rules(g, marks, { left: LEFT, right: width, colours, sharp: false });
    const of = (r) => (t) => y(r.value(name, { layer, unit, token: t }));
    course(g, count, x, of(this.panel.reader("plain")), grey, 1.2);
    course(g, count, x, of(reader), colour, 2, this.step > 8 ? 2 : 0);
    const [was, is] = this.both(name, now);
    const { symbol, short } = reader.spec.fields[name];
    g.fillStyle = on ? colours.accent : colours.text;
    g.font = font(12, on ? 700 : 600);
    g.textAlign = "left";
    g.fillText(`${symbol.replace("_t", "")} ${short} ${change(was, is)}`, LEFT, top - 11);
    g.fillStyle = colours.ground;
    g.strokeStyle = colour;
    g.lineWidth = 2;
    dot(g, x(now), y(is), on ? 6 : 3.5);
    g.stroke(); // the handle
  }

  // Which row and token a point is in; a point between rows belongs to none.
  find(x, y) {
    const row = this.rows?.find((r) => y >= r.top - NEAR && y <= r.top + r.high + NEAR);
    const last = this.panel.reader().labels.length - 1;
    return { row, t: Math.max(0, Math.min(last, Math.floor((x - LEFT) / this.step))) };
  }

  table() {
    const reader = this.panel.reader();
    const name = this.field;
    const { symbol } = reader.spec.fields[name];
    const rows = reader.labels.map((label, t) => {
      const [a, b] = this.both(name, t);
      return [visible(label), digits(a), digits(b), digits(b - a)];
    });
    return { columns: ["token", `${symbol} original`, `${symbol} edited`, "change"], rows };
  }
}

const change = (was, is) => `${digits(was)}${was === is ? "" : ` → ${digits(is)}`}`;
