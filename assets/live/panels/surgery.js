// One unit under the knife: every gate and state of it as it is (grey) and edited, one row each.  Dragging in a row holds
// its number at the height of the pointer; what is being done stands in `edits` of the selection, and so in the address.

import { Surface, font, ink } from "../drawing/canvas.js";
import { course } from "../marks/lines.js";
import { strip } from "../marks/strip.js";
import { digits, visible } from "../dom.js";
import { covers, tokensFrom } from "../sums/edits.js";
import { Operating } from "../parts/operating.js";
import { SurgeryBar } from "../parts/surgerybar.js";

const LEFT = 40,
  LOW = 46,
  HIGH = 120,
  GAP = 26,
  TOP = 22,
  FOOT = 24;
const CLOSE = 4; // pixels that are no drag yet

export default class Surgery extends Operating {
  constructor(panel) {
    super(panel);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.canvas.style.touchAction = "none";
    this.bar = new SurgeryBar(this);
    const at = (e) => {
      const r = this.canvas.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    this.canvas.addEventListener("pointerdown", (e) => {
      if (e.button === 0) this.begin(e, ...at(e));
    });
    this.canvas.addEventListener("pointermove", (e) => this.move(...at(e)));
    this.canvas.addEventListener("pointerup", () => this.end());
    this.canvas.addEventListener("pointercancel", () => this.cancel());
    this.canvas.addEventListener("pointerleave", () => {
      if (!this.drag) panel.selection.leave();
    });
  }

  key(event) {
    if (this.drag && event.key === "Escape") {
      this.cancel();
      event.stopPropagation();
      return;
    }
    super.key(event);
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

  draw() {
    const { panel, app, selection } = this;
    this.follow();
    const reader = panel.reader();
    const plain = panel.reader("plain");
    const place = this.place();
    const count = reader.labels.length;
    const { field } = this;
    const width = panel.body.clientWidth;
    const rows = panel.spec.fields.map((name) => ({ name, high: name === field ? HIGH : LOW }));
    const height = TOP + rows.reduce((sum, row) => sum + row.high + GAP, 0) - GAP + FOOT;
    const g = this.surface.begin(width, height);
    const colours = ink(app.root);
    const grey = getComputedStyle(app.root).getPropertyValue(`--un-reader-${plain.spec.colour}`);
    const colour = getComputedStyle(app.root).getPropertyValue(`--un-reader-${reader.spec.colour}`);
    const now = selection.token(reader);
    const edits = this.edits;
    this.step = (width - LEFT - 4) / Math.max(count, 8);
    const x = (t) => LEFT + (t + 0.5) * this.step;
    panel.say(
      `Unit ${place.unit} of layer ${place.layer + 1}, original and edited`,
      `${panel.spec.says} Grey: original. Colour: edited. Shaded: the edited tokens. Model: ${plain.spec.title}.`,
    );
    this.rows = [];
    let top = TOP;
    for (const { name, high } of rows) {
      const about = reader.spec.fields[name];
      const { low, high: most } = about.scale;
      const y = (v) => top + high * (1 - (Math.max(low, Math.min(most, v)) - low) / (most - low));
      const base = top;
      this.rows.push({ name, top, high, low, most });
      for (const e of edits)
        if (e.field === name && covers(e.layer, place.layer) && covers(e.unit, place.unit))
          this.band(g, e, reader, top, high, colours);
      g.strokeStyle = colours.line;
      g.lineWidth = 1;
      g.font = font(11);
      g.textAlign = "right";
      g.textBaseline = "middle";
      for (const tick of high > LOW ? [low, (low + most) / 2, most] : [low, most]) {
        const line = Math.round(base + high * (1 - (tick - low) / (most - low))) + 0.5;
        g.beginPath();
        g.moveTo(LEFT, line);
        g.lineTo(width, line);
        g.stroke();
        g.fillStyle = colours.faint;
        g.fillText(String(tick).replace("-", "−"), LEFT - 5, line);
      }
      course(g, count, x, (t) => y(plain.value(name, { ...place, token: t })), grey, 1.2);
      course(
        g,
        count,
        x,
        (t) => y(reader.value(name, { ...place, token: t })),
        colour,
        2,
        this.step > 8 ? 2 : 0,
      );
      const [was, is] = [plain, reader].map((r) => r.value(name, { ...place, token: now }));
      g.fillStyle = name === field ? colours.accent : colours.text;
      g.font = font(12, name === field ? 700 : 600);
      g.textAlign = "left";
      g.fillText(
        `${about.symbol.replace("_t", "")} ${about.short} ${digits(was)}${was === is ? "" : ` → ${digits(is)}`}`,
        LEFT,
        top - 11,
      );
      g.fillStyle = colours.ground;
      g.strokeStyle = colour;
      g.lineWidth = 2;
      g.beginPath();
      g.arc(x(now), y(is), name === field ? 6 : 3.5, 0, 7);
      g.fill();
      g.stroke(); // the handle
      top += high + GAP;
    }
    g.fillStyle = colours.accent;
    g.globalAlpha = 0.18;
    g.fillRect(LEFT + now * this.step, TOP - 4, Math.max(1, this.step), height - TOP - FOOT + 4);
    g.globalAlpha = 1;
    strip(g, reader.labels, { left: LEFT, step: this.step, y: height - 10, now, colours });
    this.bar.draw();
    panel.read(this.sentence(reader, plain, place, now));
  }

  band(g, { tokens }, reader, top, high, colours) {
    g.fillStyle = colours.accent;
    g.globalAlpha = 0.13;
    reader.labels.forEach((_, t) => {
      if (covers(tokens, t + reader.offset)) g.fillRect(LEFT + t * this.step, top, this.step, high);
    });
    g.globalAlpha = 1;
  }

  sentence(reader, plain, place, now) {
    const parts = this.panel.spec.fields.map((name) => {
      const [was, is] = [plain, reader].map((r) => r.value(name, { ...place, token: now }));
      return `${reader.spec.fields[name].symbol} ${digits(was)}${was === is ? "" : ` → ${digits(is)}`}`;
    });
    return `At “${visible(reader.labels[now] ?? "")}”: ${parts.join(", ")}`;
  }

  // Which row and token a point is in; a point between rows belongs to none.
  find(x, y) {
    const row = this.rows?.find((r) => y >= r.top - 6 && y <= r.top + r.high + 6);
    const count = this.panel.reader().labels.length;
    return { row, t: Math.max(0, Math.min(count - 1, Math.floor((x - LEFT) / this.step))) };
  }

  begin(event, x, y) {
    const { row, t } = this.find(x, y);
    this.drag = { row, t, x, y };
    this.canvas.setPointerCapture(event.pointerId);
  }

  move(x, y) {
    const { drag } = this;
    const { row, t } = this.find(x, y);
    this.canvas.style.cursor = row ? "ns-resize" : "";
    const reader = this.panel.reader();
    if (!drag) return row ? this.selection.look(reader.place(t)) : this.selection.leave();
    if (!drag.row || (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < CLOSE)) return;
    drag.moved = true;
    this.selection.hovered = {};
    const { top, high, low, most, name } = drag.row;
    const value = low + (most - low) * Math.max(0, Math.min(1, 1 - (y - top) / high));
    const [first, last] = [Math.min(drag.t, t), Math.max(drag.t, t)].map((n) => n + reader.offset);
    const whole = t === drag.t || last === reader.total - 1; // to the end of the text
    const place = this.place();
    const edit = {
      field: name,
      layer: String(place.layer),
      unit: String(place.unit),
      tokens: tokensFrom(first, whole ? null : last),
      how: "set",
      value: String(Math.round(value * 100) / 100),
    };
    drag.edits ??= this.edits.filter(
      (e) =>
        !(
          e.field === name &&
          e.layer === edit.layer &&
          e.unit === edit.unit &&
          e.how === "set" &&
          e.tokens.split("-")[0] === String(drag.t + reader.offset)
        ),
    );
    this.chosen = drag.edits.length;
    this.change([...drag.edits, edit], false);
  }

  end() {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    if (drag.moved) {
      this.selection.kept.field = drag.row.name; // only now: the rows must not move under the pointer
      return this.become(this.text, true);
    }
    if (!drag.row) return;
    const reader = this.panel.reader();
    this.selection.keep(
      {
        field: drag.row.name,
        token: drag.t + reader.offset,
        reader: reader.spec.id,
        span: reader.spans[drag.t],
      },
      this.app,
    );
  }

  cancel() {
    const before = this.before;
    this.drag = null;
    this.chosen = null;
    this.before = undefined;
    if (before !== undefined) this.put(before);
  }

  table() {
    const [reader, plain] = [this.panel.reader(), this.panel.reader("plain")];
    const name = this.field;
    const { symbol } = reader.spec.fields[name];
    const rows = reader.labels.map((label, t) => {
      const [a, b] = [plain, reader].map((r) => r.value(name, { ...this.place(), token: t }));
      return [visible(label), digits(a), digits(b), digits(b - a)];
    });
    return { columns: ["token", `${symbol} original`, `${symbol} edited`, "change"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
