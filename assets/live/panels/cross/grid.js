// Cross-attention as a rectangle: a row for each step, which has read one word and writes the next, a column for each source word.

import { font, inside, luminance } from "../../drawing/canvas.js";
import { small } from "../../dom.js";
import { share } from "../../marks/grid.js";
import { fitted } from "../../marks/strip.js";

export class CrossGrid {
  left;
  cell;
  tall;
  top;
  T;
  S;

  // what: as for CrossLines
  constructor(g, what, where, scale) {
    Object.assign(this, where, { T: what.T, S: what.S });
    const { left } = this;
    this.half = (left - 34) / 2;
    g.textBaseline = "middle";
    this.columns(g, what);
    for (let t = 0; t < this.T; t++) this.row(g, what, t, scale);
    this.frame(g, what);
    g.font = font(11);
    g.fillStyle = what.colours.faint;
    g.textAlign = "right";
    inside(g, "has read", left - this.half - 28, this.top - 9);
    g.fillText(small("writes"), left - 8, this.top - 9);
  }

  columns(g, { reader, other, colours }) {
    const { left, cell, top } = this;
    const slanted = cell < 44;
    for (let s = 0; s < this.S; s++) {
      if (cell < 11 && s !== other) continue;
      g.font = font(12, s === other ? 700 : 400);
      g.fillStyle = s === other ? colours.accent : colours.text;
      g.textAlign = slanted ? "left" : "center";
      g.save();
      g.translate(left + (s + 0.5) * cell, top - 6);
      if (slanted) g.rotate(-Math.PI / 3.2);
      g.fillText(fitted(g, reader.source.labels[s], slanted ? 62 : cell - 2), 0, slanted ? 0 : -6);
      g.restore();
    }
  }

  row(g, { reader, said, now, weight, colours }, t, scale) {
    const { left, cell, tall, half } = this;
    const y = this.top + t * tall,
      middle = y + tall / 2;
    g.textAlign = "right";
    g.font = font(Math.min(13, tall - 3), t === now ? 700 : 400);
    g.fillStyle = t === now ? colours.accent : colours.text;
    g.fillText(fitted(g, reader.labels[t], half), left - half - 28, middle);
    g.fillText(fitted(g, said[t], half), left - 8, middle);
    g.fillStyle = colours.faint;
    g.fillText("▸", left - half - 12, middle);
    for (let s = 0; s < this.S; s++) {
      const w = weight(t, s),
        x = left + s * cell;
      g.fillStyle = scale.css(w);
      g.fillRect(x, y, cell - 1, tall - 1);
      if (cell < 30 || w < 0.01) continue;
      g.fillStyle = luminance(scale.packed(w)) < 128 ? "#ffffff" : "#111111";
      g.font = font(11);
      g.textAlign = "center";
      g.fillText(share(w), x + cell / 2 - 0.5, middle);
    }
  }

  // The row of the step looked at, or the column of the source word.
  frame(g, { now, other, colours }) {
    const { left, cell, tall, top, T, S } = this;
    g.lineWidth = 1.5;
    g.strokeStyle = colours.accent;
    if (other === undefined) g.strokeRect(left - 1.5, top + now * tall - 1.5, S * cell + 2, tall + 2);
    else if (other < S) g.strokeRect(left + other * cell - 1.5, top - 1.5, cell + 2, T * tall + 2);
  }

  find(x, y) {
    const t = Math.floor((y - this.top) / this.tall),
      s = Math.floor((x - this.left) / this.cell);
    if (t >= this.T || s >= this.S) return null;
    return t < 0 ? (s >= 0 ? { s } : null) : { t };
  }
}
