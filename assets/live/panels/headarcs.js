// The opened head as lines: at the left the tokens that look, at the right the tokens looked at.

import { Surface, font, ink } from "../drawing/canvas.js";
import { percent } from "../dom.js";
import { chosen, label, name, weights, word } from "../sums/heads.js";
import { fitted } from "../marks/strip.js";

const MOST = 40,
  LEAST = 0.01,
  WIDEST = 8,
  TOP = 22;

export default class HeadArcs {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => {
        this.side = null;
        panel.selection.leave();
        this.draw();
      },
    );
  }

  draw() {
    const { panel } = this;
    const { selection, app } = panel;
    const reader = panel.reader();
    const [layer, head] = chosen(reader, selection);
    const square =
      weights(reader, selection, layer, head) ??
      (this.square?.size === reader.labels.length ? this.square : null);
    this.square = square;
    const n = square?.size ?? 0;
    const width = panel.body.clientWidth;
    const shown = Math.min(MOST, n);
    const row = shown > 26 ? 18 : 22;
    const g = this.surface.begin(width, TOP + Math.max(1, shown) * row + 4);
    if (!n) return panel.read("");
    const colours = ink(app.root);
    const now = Math.max(0, square.places.indexOf(selection.token(reader)));
    const first = Math.max(0, Math.min(n - shown, now - Math.floor(shown / 2)));
    const edge = Math.min(150, width * 0.3);
    this.box = { first, shown, row, edge, width };
    const held = this.side || selection.kept.token !== undefined || selection.hovered.token !== undefined;
    const [side, at] = this.side ?? ["left", now];
    this.lines(g, square, colours, held, side, at);
    g.textBaseline = "middle";
    for (let i = 0; i < shown; i++) {
      const t = square.places[first + i];
      for (const which of ["left", "right"]) {
        const on = held && which === side && first + i === at;
        g.font = font(13, on ? 700 : 400);
        g.fillStyle = on ? colours.accent : colours.text;
        g.textAlign = which === "left" ? "right" : "left";
        g.fillText(
          fitted(g, reader.labels[t], edge - 10),
          which === "left" ? edge - 6 : width - edge + 6,
          TOP + (i + 0.5) * row,
        );
      }
    }
    g.font = font(11, 600);
    g.fillStyle = colours.faint;
    g.textAlign = "right";
    g.fillText("looks", edge - 6, 9);
    g.textAlign = "left";
    g.fillText("is looked at", width - edge + 6, 9);
    panel.say(
      held
        ? `Where ${word(reader, square.places[at])} ${side === "left" ? "looks" : "is looked at from"}`
        : panel.spec.title,
      panel.spec.says,
    );
    panel.read(this.words(reader, square, layer, head, held, side, at));
  }

  lines(g, { values, start, size }, colours, held, side, at) {
    const { first, shown, row, edge, width } = this.box;
    const [x, to] = [edge, width - edge];
    const middle = (x + to) / 2;
    const y = (i) => TOP + (i - first + 0.5) * row;
    g.lineCap = "butt";
    for (const lit of [false, true])
      for (let r = first; r < first + shown; r++)
        for (let c = first; c < first + shown; c++) {
          const weight = values[start + r * size + c];
          if (!(weight >= LEAST) || (held && (side === "left" ? r : c) === at) !== lit) continue;
          g.strokeStyle = lit ? colours.accent : held ? colours.line : colours.accent;
          g.globalAlpha = lit
            ? 0.35 + 0.65 * Math.min(1, weight)
            : held
              ? 0.5
              : 0.12 + 0.75 * Math.min(1, weight);
          g.lineWidth = Math.max(0.6, WIDEST * Math.min(1, weight));
          g.beginPath();
          g.moveTo(x, y(r));
          g.bezierCurveTo(middle, y(r), middle, y(c), to, y(c));
          g.stroke();
        }
    g.globalAlpha = 1;
  }

  words(reader, { values, start, size, places }, layer, head, held, side, at) {
    const { first, shown } = this.box;
    const weight = (i) => (side === "left" ? values[start + at * size + i] : values[start + i * size + at]);
    const here = `Layer ${layer + 1}, ${name(reader, head)}`;
    const part =
      shown < size
        ? ` Tokens ${first + 1} to ${first + shown} of ${size} are drawn, around the one looked at: choose another above, or with the arrow keys.`
        : "";
    if (!held) return `${here}. Lines under 1 % are left out.${part}`;
    const best = Array.from({ length: size }, (_, i) => i)
      .sort((a, b) => weight(b) - weight(a))
      .slice(0, 3)
      .filter((i) => weight(i) > 0);
    const list = best.map((i) => `${word(reader, places[i])} ${percent(weight(i))}`).join(", ");
    let outside = 0;
    for (let i = 0; i < size; i++) if (i < first || i >= first + shown) outside += weight(i);
    const rest =
      side === "left" && outside > 0.005 ? ` ${percent(outside)} goes to tokens that are not drawn.` : "";
    return `${here}: ${word(reader, places[at])} ${side === "left" ? "looks at" : "is looked at by"} ${list || "nothing"}.${rest}${part}`;
  }

  find(px, py) {
    const b = this.box;
    if (!b || !this.square) return null;
    const i = Math.floor((py - TOP) / b.row);
    if (i < 0 || i >= b.shown) return null;
    return /** @type {["left" | "right", number]} */ ([px < b.width / 2 ? "left" : "right", b.first + i]);
  }

  spot([, at]) {
    const reader = this.panel.reader();
    const t = this.square.places[at];
    return reader.place(t);
  }

  // Where not all tokens are drawn, the picture would move away under the pointer: then the token is lit here alone.
  look(px, py) {
    const found = this.find(px, py);
    if (String(found) === String(this.side)) return;
    this.side = found;
    const { selection } = this.panel;
    if (found?.[0] === "left" && this.box.shown === this.square.size) return selection.look(this.spot(found));
    selection.leave();
    this.draw();
  }

  keep(px, py) {
    const found = this.find(px, py);
    if (found?.[0] === "left") this.panel.selection.keep(this.spot(found), this.panel.app);
  }

  table() {
    const reader = this.panel.reader();
    const { square } = this;
    if (!square) return { columns: ["looks", "is looked at", "weight"], rows: [] };
    const pairs = Array.from({ length: square.size ** 2 }, (_, i) => i)
      .filter((i) => square.values[square.start + i] >= LEAST)
      .sort((a, b) => square.values[square.start + b] - square.values[square.start + a]);
    return {
      columns: ["looks", "is looked at", "weight"],
      rows: pairs.map((i) => [
        label(reader, square.places[Math.floor(i / square.size)]),
        label(reader, square.places[i % square.size]),
        percent(square.values[square.start + i]),
      ]),
    };
  }

  alt() {
    return `Two columns of tokens joined by lines. ${this.panel.readout.textContent}`;
  }
}
