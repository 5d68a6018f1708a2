// One task shape over the tokens: boxes that read, circles that hand on, boxes that answer, and the arrows between them.

import { font } from "../../drawing/canvas.js";
import { percent, short } from "../../dom.js";
import { arrow, circle } from "../../marks/graph.js";

// a single row has the room of several
const SIZES = {
  large: { box: 40, gap: 66, radius: 14, size: 16, small: 13 },
  small: { box: 30, gap: 26, radius: 10, size: 14, small: 12 },
};
const HEAD = 26,
  FOOT = 34;

export const sizeOf = (rows) => (rows.length > 1 ? SIZES.small : SIZES.large);
export const highOf = (row, { box, gap, radius }) =>
  HEAD + 2 * box + 2 * (gap + radius) + (row.both ? box + 8 : 0) + FOOT;

// Whether the answer at `now` depends on what is read at t.
function depends(row, t, now) {
  if (row.reads === "one") return t === now;
  if (row.reads === "first") return t === 0;
  return row.both || row.later || t <= now;
}

export class ShapeRow {
  g;
  row;
  colours;
  top;
  first;
  last;
  step;
  edge;
  width;
  box;
  gap;
  radius;
  size;
  small;

  // where: tokens from `first` to before `last` are drawn, `step` apart from `edge` on, and the sizes of the marks.
  constructor(g, row, top, where, colours) {
    Object.assign(this, { g, row, colours, top }, where);
    this.read = top + HEAD;
    this.state = this.read + this.box + this.gap + this.radius;
    this.back = this.state + this.box + 8;
    this.low = row.both ? this.back : this.state;
    this.out = this.low + this.radius + this.gap;
  }

  x(t) {
    return this.edge + (t - this.first + 0.5) * this.step;
  }

  draw(steps, now) {
    this.title();
    for (let t = this.first; t < this.last; t++) {
      this.input(steps[t], t, now);
      this.states(t, now, steps.length - 1);
      this.output(steps[t], t, now, t === steps.length - 1);
    }
  }

  title() {
    const { g, row, edge } = this;
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.font = font(this.small, 600);
    g.fillStyle = this.colours.text;
    const title = row.says ? `${row.title}: ${row.says}` : row.title;
    const fits = g.measureText(title).width < this.width - 2 * edge;
    g.fillText(fits ? title : row.title, edge, this.top + HEAD / 2 - 2);
  }

  input({ label, again }, t, now) {
    const { g, row, read, state, back } = this;
    const x = this.x(t);
    const strong = depends(row, t, now);
    const reads = row.reads === "all" || t === (row.reads === "one" ? now : 0);
    g.globalAlpha = reads ? 1 : 0.35;
    if (row.reads !== "first" || t === 0)
      this.frame(x, read, short(label, 12), strong && reads, !reads || again, t === now);
    g.globalAlpha = 1;
    if (reads) this.arrow(x, read + this.box, x, state - this.radius, strong);
    if (reads && row.both) this.arrow(x - 12, read + this.box, x - 12, back - this.radius + 2, strong);
  }

  states(t, now, end) {
    const { row, state, back, step, edge } = this;
    const x = this.x(t);
    const handed = row.reads !== "one";
    const from = t === this.first ? edge - 10 : x - step + this.radius;
    const behind = t === this.last - 1 ? x + step / 2 : x + step - this.radius;
    if (handed && t > 0)
      this.arrow(from, state, x - this.radius, state, t <= now || (row.reads !== "first" && row.later));
    if (row.both && t < end) this.arrow(behind, back, x + this.radius, back, t >= now);
    if (handed || t === now) this.circle(x, state, row.later || t <= now);
    if (row.both) this.circle(x, back, t >= now);
  }

  output({ answer, differs }, t, now, end) {
    const { g, row, read, low, out, step, colours } = this;
    const x = this.x(t);
    const emits =
      row.emits === "all" ||
      row.emits === "behind" ||
      (row.emits === "one" && t === now) ||
      (row.emits === "last" && end);
    if (row.emits === "none" || !answer || !(emits || row.ghosts)) return;
    this.arrow(x, low + this.radius, x, out, t === now, !emits);
    this.frame(x, out, short(answer[0], 12), t === now, !emits, t === now, differs);
    g.fillStyle = t === now ? colours.text : colours.faint;
    g.font = font(this.small);
    g.fillText(percent(answer[1]), x, out + this.box + 11);
    if (
      (row.writes && row.reads === "all" && t + 1 < this.last) ||
      (row.emits === "behind" && !end && t + 1 < this.last)
    )
      this.arrow(x + step / 2 - 8, out, x + step / 2 + 8, read + this.box, t < now, true);
  }

  // Steps whose answers come only when all has been read.
  later(count) {
    const { read, state, out, step } = this;
    for (let k = 0; k < count; k++) {
      const x = this.x(this.last + k);
      this.arrow(x - step + this.radius, state, x - this.radius, state, true);
      this.circle(x, state, true);
      this.arrow(x, state + this.radius, x, out, true);
      this.frame(x, out, "?", false, true);
      if (!k) continue;
      this.arrow(x - step / 2 - 8, out, x - step / 2 + 8, read + this.box, false, true);
      this.frame(x, read, "?", false, true);
      this.arrow(x, read + this.box, x, state - this.radius, false);
    }
  }

  frame(x, y, label, strong, dashed = false, bold = false, differs = false) {
    const { g, colours } = this;
    const wide = this.step - 10;
    g.setLineDash(dashed ? [3, 3] : []);
    g.lineWidth = differs ? 3 : strong ? 1.6 : 1;
    g.strokeStyle = strong || differs ? colours.accent : colours.line;
    g.strokeRect(x - wide / 2 + 0.5, y + 0.5, wide - 1, this.box - 1);
    g.setLineDash([]);
    g.fillStyle = strong ? colours.text : colours.faint;
    g.font = font(this.size, bold ? 700 : 400);
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.fillText(label, x, y + this.box / 2, wide - 8);
  }

  circle(x, y, strong) {
    const { g, colours } = this;
    g.lineWidth = strong ? 1.8 : 1;
    g.strokeStyle = strong ? colours.accent : colours.faint;
    g.fillStyle = colours.ground;
    circle(g, x, y, this.radius);
  }

  arrow(x, y, to, down, strong, dashed = false) {
    const { g, colours } = this;
    g.strokeStyle = g.fillStyle = strong ? colours.accent : colours.faint;
    g.lineWidth = strong ? 1.6 : 0.8;
    arrow(g, x, y, to, down, dashed);
  }
}
