// The opened head as lines: at the left the tokens that look, at the right the tokens looked at.

import { Surface, font, ink } from "../drawing/canvas.js";
import { percent } from "../dom.js";
import { chosen, label, name, weights, word } from "../sums/heads.js";
import { arcs } from "../marks/arcs.js";
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
      () => this.look(-1, -1),
    );
  }

  draw() {
    const { panel } = this;
    const { selection, app } = panel;
    const reader = panel.reader();
    const [layer, head] = chosen(reader, selection);
    const old = this.square?.size === reader.labels.length ? this.square : null;
    const square = (this.square = weights(reader, selection, layer, head) ?? old);
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
    const box = (this.box = { first, shown, row, edge, width });
    const held = this.side || selection.kept.token !== undefined || selection.hovered.token !== undefined;
    const [side, at] = this.side ?? ["left", now];
    this.lines(g, square, colours, held, side, at);
    g.textBaseline = "middle";
    for (const which of ["left", "right"]) {
      const left = which === "left";
      const x = left ? edge - 6 : width - edge + 6;
      g.textAlign = left ? "right" : "left";
      for (let i = 0; i < shown; i++) {
        const on = held && which === side && first + i === at;
        g.font = font(13, on ? 700 : 400);
        g.fillStyle = on ? colours.accent : colours.text;
        g.fillText(fitted(g, reader.labels[square.places[first + i]], edge - 10), x, TOP + (i + 0.5) * row);
      }
      g.font = font(11, 600);
      g.fillStyle = colours.faint;
      g.fillText(left ? "looks" : "is looked at", x, 9);
    }
    const looks = side === "left" ? "looks" : "is looked at from";
    panel.say(held ? `Where ${word(reader, square.places[at])} ${looks}` : panel.spec.title, panel.spec.says);
    panel.read(this.words(reader, box, `Layer ${layer + 1}, ${name(reader, head)}`, held && side, at));
  }

  lines(g, { values, start, size }, colours, held, side, at) {
    const { first, shown, row, edge, width } = this.box;
    const y = Array.from({ length: shown }, (_, i) => TOP + (i + 0.5) * row);
    g.lineCap = "butt";
    arcs(
      g,
      { from: y, to: y, start: edge, end: width - edge },
      (r, c) => values[start + (first + r) * size + first + c],
      LEAST,
      (r, c) => held && first + (side === "left" ? r : c) === at,
      (weight, lit) => {
        const strong = Math.min(1, weight);
        g.strokeStyle = held && !lit ? colours.line : colours.accent;
        g.globalAlpha = lit ? 0.35 + 0.65 * strong : held ? 0.5 : 0.12 + 0.75 * strong;
        g.lineWidth = Math.max(0.6, WIDEST * strong);
      },
    );
  }

  words(reader, { first, shown }, here, side, at) {
    const { values, start, size, places } = this.square;
    const part =
      shown < size
        ? ` Tokens ${first + 1} to ${first + shown} of ${size} are drawn, around the one looked at: choose another above, or with the arrow keys.`
        : "";
    if (!side) return `${here}. Lines under 1 % are left out.${part}`;
    const left = side === "left";
    const weight = (i) => values[start + (left ? at * size + i : i * size + at)];
    const all = Array.from({ length: size }, (_, i) => i);
    const outside = all.reduce((sum, i) => (i < first || i >= first + shown ? sum + weight(i) : sum), 0);
    const best = all.sort((a, b) => weight(b) - weight(a)).slice(0, 3);
    const list = best
      .filter((i) => weight(i) > 0)
      .map((i) => `${word(reader, places[i])} ${percent(weight(i))}`);
    const rest = left && outside > 0.005 ? ` ${percent(outside)} goes to tokens that are not drawn.` : "";
    return `${here}: ${word(reader, places[at])} ${left ? "looks at" : "is looked at by"} ${list.join(", ") || "nothing"}.${rest}${part}`;
  }

  find(px, py) {
    const b = this.box;
    if (!b || !this.square) return null;
    const i = Math.floor((py - TOP) / b.row);
    if (i < 0 || i >= b.shown) return null;
    const at = b.first + i;
    const place = this.panel.reader().place(this.square.places[at]);
    return { side: /** @type {[string, number]} */ ([px < b.width / 2 ? "left" : "right", at]), place };
  }

  // Where not all tokens are drawn, the picture would move away under the pointer: then the token is lit here alone.
  look(px, py) {
    const { side = null, place = null } = this.find(px, py) ?? {};
    if (String(side) === String(this.side)) return;
    this.side = side;
    const { selection } = this.panel;
    if (side?.[0] === "left" && this.box.shown === this.square.size) return selection.look(place);
    selection.leave();
    this.draw();
  }

  keep(px, py) {
    const found = this.find(px, py);
    if (found?.side[0] === "left") this.panel.selection.keep(found.place, this.panel.app);
  }

  table() {
    const columns = ["looks", "is looked at", "weight"];
    const reader = this.panel.reader();
    if (!this.square) return { columns, rows: [] };
    const { values, start, size, places } = this.square;
    const weight = (i) => values[start + i];
    const at = (place) => label(reader, places[place]);
    const pairs = Array.from({ length: size ** 2 }, (_, i) => i)
      .filter((i) => weight(i) >= LEAST)
      .sort((a, b) => weight(b) - weight(a));
    const rows = pairs.map((i) => [at(Math.floor(i / size)), at(i % size), percent(weight(i))]);
    return { columns, rows };
  }

  alt() {
    return `Two columns of tokens joined by lines. ${this.panel.readout.textContent}`;
  }
}
