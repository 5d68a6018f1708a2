// One head as arcs over the text: from each token back to those it reads, as thick as the weights.

import { Surface, font, ink } from "../drawing/canvas.js";
import { percent, short } from "../dom.js";
import { arch } from "../marks/arcs.js";
import { pointing } from "../marks/pointer.js";
import { high } from "../parts/card.js";
import { quoted, span, tokens, word } from "../sums/sameword.js";
import { GAP, lay, shares, weight } from "./wordarcs/places.js";

const LEAST = 0.03, // weights under it are not drawn
  OTHERS = 0.1, // the same of the tokens that are not looked at
  WIDEST = 7,
  WORDS = 40; // under the arcs

export default class WordArcs {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.cells = [];
    pointing(this, (x) => {
      const cell = this.cells.find((c) => x >= c.x - GAP / 2 && x < c.x + c.w + GAP / 2);
      return cell && !cell.mark ? panel.reader().place(cell.t) : null;
    });
  }

  // What the next message says of the head on the screen: of the same one only new rows are sent.
  ask() {
    return { arcs: this.panel.reader().said.arcs?.at ?? null };
  }

  // The token whose arcs are lit: the last one of the word looked at.
  get query() {
    const reader = this.panel.reader();
    const [, last] = tokens(reader, word(this.panel.app));
    return span(this.panel.app) ? Math.max(0, last) : reader.labels.length - 1;
  }

  draw() {
    const { panel } = this;
    const { app } = panel;
    const reader = panel.reader();
    const width = panel.body.clientWidth;
    const tall = high(this.panel.app);
    const g = this.surface.begin(width, tall);
    const found = reader.said.arcs;
    panel.say(panel.spec.title, this.sentence(reader, found));
    this.cells = [];
    if (!found) return;
    const colours = ink(app.root);
    const { query } = this;
    const cells = (this.cells = lay(g, app, reader, width, query));
    const base = tall - WORDS;
    const middle = (c) => c.x + c.w / 2;
    const reach = Math.max(1, middle(cells.at(-1)) - middle(cells[0]));
    g.lineCap = "round";
    for (const lit of [false, true])
      for (const from of cells)
        for (const to of cells) {
          const takes = from.t > to.t ? weight(reader, from.t, to.t) : 0;
          if ((from.t === query) !== lit || !(takes >= (lit ? LEAST : OTHERS)) || (to.mark && !lit)) continue;
          const far = Math.abs(middle(from) - middle(to));
          g.strokeStyle = lit ? colours.accent : colours.faint;
          g.globalAlpha = lit ? 0.3 + 0.7 * takes : 0.08 + 0.4 * takes;
          g.lineWidth = Math.max(0.8, WIDEST * takes);
          arch(g, middle(from), middle(to), base, 24 + (base - 34) * Math.sqrt(far / reach));
        }
    g.globalAlpha = 1;
    this.names(g, cells, base, query, colours);
    if (!found.tags.length) return;
    g.font = font(11);
    g.textAlign = "left";
    g.fillStyle = colours.faint;
    g.fillText(`measured: ${found.tags.join(", ")}`, 2, 8);
  }

  // The tokens, and under each word what the one that looks takes from it.
  names(g, cells, base, query, colours) {
    const reader = this.panel.reader();
    const [a, b] = tokens(reader, word(this.panel.app));
    g.textAlign = "center";
    g.textBaseline = "middle";
    for (const { t, text, mark, x, w } of cells) {
      const on = (t >= a && t <= b) || t === query;
      g.font = font(14, on ? 700 : 400);
      g.fillStyle = on ? colours.accent : mark ? colours.faint : colours.text;
      g.fillText(text, x + w / 2, base + 12);
    }
    g.font = font(11, 600);
    g.fillStyle = colours.accent;
    let free = -Infinity;
    for (const { first, last, weight: takes } of shares(this.panel.app, reader, query)) {
      const mine = cells.filter((c) => c.t >= first && c.t <= last);
      if (!mine.length || takes < 0.05) continue;
      const x = (mine[0].x + mine.at(-1).x + mine.at(-1).w) / 2;
      const said = `${Math.round(100 * takes)} %`;
      const half = g.measureText(said).width / 2;
      if (x - half < free) continue;
      g.fillText(said, x, base + 29);
      free = x + half + 4;
    }
  }

  sentence(reader, found) {
    if (!found) return "Type a word or two: where a head looks is drawn as arcs.";
    const { query } = this;
    const [layer, head] = found.at;
    const best = shares(this.panel.app, reader, query).sort((a, b) => b.weight - a.weight);
    const list = best.slice(0, 2).filter((s) => s.weight >= LEAST);
    const takes = list.map((s) => `${Math.round(100 * s.weight)} % from ${s.said}`).join(", ");
    return `Layer ${layer + 1}, head ${head + 1} carries the most from further back to the last word. At ${quoted(word(this.panel.app))} it takes ${takes}.`;
  }

  table() {
    const reader = this.panel.reader();
    const rows = reader.labels.flatMap((_, q) =>
      Array.from({ length: q + 1 }, (_, k) => [q, k, weight(this.panel.reader(), q, k)]),
    );
    const named = rows.filter(([, , w]) => w >= LEAST).map(([q, k, w]) => [...this.pair(q, k), percent(w)]);
    return { columns: ["token", "reads", "weight"], rows: named };
  }

  pair(q, k) {
    return [q, k].map((t) => short(this.panel.reader().labels[t], 20));
  }

  alt() {
    return `${this.panel.title.textContent}: arcs over the words. ${this.panel.says.textContent}`;
  }
}
