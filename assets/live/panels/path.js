// The typed words as a path over the map of all words, the one looked at with its true nearest neighbours.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, short, visible } from "../dom.js";
import { arrow } from "../marks/graph.js";
import { around, dot, label, star } from "../marks/points.js";
import { pointing } from "../marks/pointer.js";
import { high } from "../parts/card.js";
import { tokens, word } from "../sums/sameword.js";
import { fitted } from "./path/view.js";

const TAKEN = 9; // pixels around a dot, where no arrow goes

export default class Path {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.hits = [];
    pointing(this, (px, py) => {
      const hit = this.hits.find(({ at: [x, y] }) => (x - px) ** 2 + (y - py) ** 2 < 144);
      return hit && panel.reader().place(hit.t);
    });
  }

  // Each typed word that has a place: {t, label, x, y}.
  typed() {
    const reader = this.panel.reader();
    const place = reader.fields.get("place");
    return reader.labels.flatMap((label, t) =>
      place && reader.spans[t][1] && !reader.unknown.has(t)
        ? [{ t, label, x: place.values[t * 2], y: place.values[t * 2 + 1] }]
        : [],
    );
  }

  // The word looked at, or the last one before it that has a place.
  current(typed) {
    const reader = this.panel.reader();
    const [, last] = tokens(reader, word(this.panel.app));
    return typed.findLast(({ t }) => t <= last) ?? typed.at(-1);
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const width = panel.body.clientWidth;
    const tall = high(this.panel.app);
    const g = this.surface.begin(width, tall);
    const colours = ink(panel.app.root);
    const typed = this.typed();
    const now = this.current(typed);
    const near = now ? (reader.notes[now.t] ?? []) : [];
    panel.say(panel.spec.title, this.sentence(now, near));
    const to = fitted([...typed.map((w) => [w.x, w.y]), ...near.map(([, , x, y]) => [x, y])], width, tall);
    g.save();
    g.beginPath();
    g.rect(0, 0, width, tall);
    g.clip();
    this.dots(g, reader.spec.map, to, colours);
    this.path(g, typed, to, colours);
    this.names(g, typed, now, near, to, [width, tall], colours);
    g.restore();
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.strokeRect(0.5, 0.5, width - 1, tall - 1);
    this.hits = typed.map((w) => ({ ...w, at: to(w.x, w.y) }));
  }

  dots(g, { x, y }, to, colours) {
    g.fillStyle = colours.faint;
    g.globalAlpha = 0.3;
    for (let i = 0; i < x.length; i++) {
      const [px, py] = to(x[i], y[i]);
      g.fillRect(px - 1, py - 1, 2, 2);
    }
    g.globalAlpha = 1;
  }

  path(g, typed, to, colours) {
    g.strokeStyle = g.fillStyle = colours.faint;
    g.lineWidth = 1.5;
    typed.slice(1).forEach((next, i) => {
      const [[x, y], [px, py]] = [to(typed[i].x, typed[i].y), to(next.x, next.y)];
      const long = Math.hypot(px - x, py - y);
      g.globalAlpha = Math.max(0.2, 1 - 0.1 * (typed.length - 2 - i)); // the way here fades
      if (long > 16) arrow(g, x, y, px - ((px - x) / long) * TAKEN, py - ((py - y) / long) * TAKEN, false, 6);
    });
    g.globalAlpha = 1;
  }

  names(g, typed, now, near, to, [width, tall], colours) {
    const spots = new Map(typed.map((w) => [w.label.toLowerCase(), w]));
    const placed = [...spots.values()].map((w) => {
      const [x, y] = to(w.x, w.y);
      return [x - 5, y - 5, x + 5, y + 5];
    });
    const among = { placed, inside: [2, 2, width - 2, tall - 2], ground: colours.ground };
    if (now) {
      g.strokeStyle = colours.accent;
      g.lineWidth = 1;
      g.globalAlpha = 0.5;
      const [x, y] = to(now.x, now.y);
      star(
        g,
        x,
        y,
        near.map(([, , u, v]) => to(u, v)),
      );
      g.globalAlpha = 1;
    }
    const put = (w, colour, radius, weight, said = w.label) => {
      const [x, y] = to(w.x, w.y);
      dot(g, x, y, radius, colour, colours.ground);
      g.font = font(weight > 400 ? 13 : 12, weight);
      label(g, short(said, 18), x, y, around(radius), { ...among, always: weight > 600 });
    };
    if (now) put(now, colours.accent, 6, 700);
    for (const w of [...spots.values()].reverse())
      if (w.label.toLowerCase() !== now?.label.toLowerCase()) put(w, colours.text, 4, 600);
    for (const [of, , x, y] of near) put({ label: of, x, y }, colours.accent, 3, 400);
  }

  sentence(now, near) {
    if (!now) return "Type a word: its place among all words is marked here.";
    const list = near.slice(0, 3).map(([of, cosine]) => `${visible(of)} ${digits(cosine)}`);
    const { flat } = this.panel.spec;
    return `Nearest to “${visible(now.label)}”: ${list.join(", ")} (cosine; thin lines). The map shows ${flat} of the variance.`;
  }

  table() {
    const typed = this.typed();
    const now = this.current(typed);
    const rows = typed.map((w) => [visible(w.label), "typed", "", digits(w.x), digits(w.y)]);
    for (const [of, cosine, x, y] of (now && this.panel.reader().notes[now.t]) ?? [])
      rows.push([visible(of), `near “${visible(now.label)}”`, digits(cosine), digits(x), digits(y)]);
    return { columns: ["word", "group", "cosine", "x", "y"], rows };
  }

  alt() {
    const path = this.typed().map((w) => visible(w.label));
    return `${this.panel.title.textContent}: the path ${path.join(", ")}. ${this.panel.says.textContent}`;
  }
}
