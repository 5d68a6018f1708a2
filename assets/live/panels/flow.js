// The whole forward pass of one token as a row of stops: at each the vector that stands there, its length and what was
// added; below, the same stop for all tokens.  Played, each vector moves to the stop that is made of it; the up and down
// keys and the pointer go along the stops too.  Of many layers one is open, that of the stop that was chosen.

import { Scale, Surface, font, ink, legend } from "../drawing/canvas.js";
import { digits, element, put, small, visible } from "../dom.js";
import { pointing } from "../marks/pointer.js";
import { Player } from "../parts/player.js";
import { barsBelow, heads, likeliest, named, tokensBelow, vectors, wordColumns } from "./flow/marks.js";
import { moving } from "./flow/moving.js";
import { columnAt, columnsOf, folds } from "../sums/folded.js";
import { Stops, length } from "../sums/stops.js";

const [LEFT, HEAD, LENGTHS, GAP, BELOW, FOOT, LEGEND, ROW] = [46, 38, 54, 26, 96, 24, 34, 28];

export default class Flow {
  constructor(panel) {
    this.panel = panel;
    this.stops = panel.spec.stops;
    this.sums = new Stops(panel.spec);
    this.last = this.stops.length - 1;
    this.folds = folds(this.stops);
    this.layer = 0; // opened last
    this.player = new Player(panel, {
      title: "Follow the token through all stops",
      label: "Stop",
      count: () => this.stops.length,
      says: (stop) => this.sums.told(panel.reader(), stop, panel.selection.token(panel.reader())),
      where: () => this.chosen,
      place: (stop) => ({ stop }),
      quiet: true,
    });
    this.key = element("p", "un-key");
    panel.body.append(this.player.node, this.key);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.stores = [{}, {}];
    pointing(this, (x, y) => this.find(x, y));
  }

  destroy() {
    this.player.stop();
  }

  get chosen() {
    return Math.max(0, Math.min(this.last, this.panel.selection.get("stop") ?? 0));
  }
  get at() {
    return this.player.playing ? this.player.at : this.chosen;
  }

  // The layer that is not folded.  What the pointer is over opens none: the columns would move under it.
  get open() {
    const { player, stops, panel, last } = this;
    const stop = player.playing ? player.at : panel.selection.keptPlace("stop");
    return (this.layer = stops[Math.max(0, Math.min(last, stop ?? 0))].layer ?? this.layer);
  }

  draw() {
    const { panel, player, stops } = this;
    const reader = panel.reader();
    if (!reader.fields.get("residual") || !reader.labels.length) return;
    player.draw();
    const { at } = this;
    const until = player.at === null ? this.last : at; // what comes after it is not there yet
    const now = panel.selection.token(reader);
    const colours = ink(panel.app.root);
    const count = reader.labels.length;
    const width = panel.body.clientWidth;
    const { open } = this;
    const columns = columnsOf(stops, open, LEFT, width - LEFT - 2);
    const of = (i) => this.sums.vector(reader, columns[i].n, now);
    const all = this.sums.grid(0, reader, `${now} ${open}`, columns.length, of);
    const high = Math.max(110, Math.min(190, all.wide));
    const g = this.surface.begin(
      width,
      HEAD + high + LENGTHS + GAP + BELOW + FOOT + LEGEND + (width > 640 ? 0 : ROW),
    );
    const { light, dark } = reader.spec.fields.residual.scale;
    const scale = new Scale({ low: -panel.spec.reach, high: panel.spec.reach, light, dark }, panel.app.dark);
    this.box = { columns, high, count };
    panel.say(`Stop ${at + 1} of ${stops.length}: ${stops[at].title}`, stops[at].says);
    this.tell(columns);
    heads(g, stops, at, columns, colours);
    const thin = (i) => !stops[columns[i].n].stream;
    const { ratio } = this.surface;
    const place = { left: LEFT, top: HEAD, high, thin, ratio, until: player.share < 1 ? at - 1 : until };
    const picture = vectors(g, this.stores[0], all, columns, place, scale);
    if (player.share < 1) moving(g, picture, all, stops, columns, at, player.share, place);
    wordColumns(g, stops, reader.top[now] ?? [], columns, { top: HEAD, high, until }, colours);
    const bars = { left: LEFT, top: HEAD + high + 6, high: LENGTHS - 20, until };
    barsBelow(g, all.lengths, at, columns, bars, small("length"), colours);
    const { x, w } = columns.find(({ n }) => n === at);
    g.strokeStyle = colours.accent;
    g.lineWidth = 2;
    g.strokeRect(x + 0.5, HEAD - 2, w - 1, high + LENGTHS + 3);
    const low = HEAD + high + LENGTHS + GAP;
    const foot = low + BELOW + FOOT + 6;
    legend(g, LEFT, foot, 130, scale, "number in the vector", colours);
    const own = this.below(g, reader, now, [light, dark], colours, low, width);
    const beside = width > 640;
    if (own)
      legend(
        g,
        LEFT + (beside ? 330 : 0),
        foot + (beside ? 0 : ROW),
        130,
        own,
        "below, at this stop",
        colours,
      );
    panel.read(this.sums.sentence(reader, at, now));
  }

  // What the letters over the columns stand for, where there is no room for names, and what is folded.
  tell(columns) {
    const letters = new Map(this.stops.map((s) => [s.letter, s.name]));
    const names = Array.from(letters, ([letter, name]) => `${letter} ${name}`).join(", ");
    const said = columns.some(({ w }) => named(w)) ? [] : [names];
    if (this.folds)
      said.push(
        "One layer is open; of each other you see the stream as it leaves it. Click a layer to open it.",
      );
    put(this.key, said.join(". "));
  }

  // The same stop for all tokens, on a scale of its own, which is returned; at the last stops the likeliest words.
  below(g, reader, now, [light, dark], colours, top, width) {
    const { at, stops } = this;
    const { count } = this.box;
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillStyle = colours.text;
    g.font = font(12, 600);
    this.box.below = top;
    if (stops[at].words) {
      g.fillText(stops[at].words === "probability" ? "the likeliest words" : "their logits", LEFT, top - 11);
      likeliest(g, this.sums.likeliest(reader, now, stops[at].words).slice(0, 6), LEFT, top, width, colours);
      return null;
    }
    g.fillText("this stop, all tokens", LEFT, top - 11);
    const step = Math.min(46, (width - LEFT - 2) / Math.max(count, 1));
    this.box.wide = step;
    const grid = this.sums.grid(1, reader, at, count, (t) => this.sums.vector(reader, at, t));
    const where = { left: LEFT, step, top, high: BELOW, thin: () => false, ratio: this.surface.ratio };
    const most = this.sums.span(grid);
    const scale = new Scale({ low: -most, high: most, light, dark }, this.panel.app.dark);
    tokensBelow(g, this.stores[1], grid, where, reader.labels, now, scale, colours);
    return scale;
  }

  find(x, y) {
    const { box } = this;
    if (!box) return null;
    if (y < HEAD + box.high + LENGTHS) return { stop: columnAt(box.columns, x).n };
    const t = Math.floor((x - LEFT) / box.wide);
    const inside = y > box.below - 4 && !this.stops[this.at].words && t >= 0 && t < box.count;
    return inside ? this.panel.reader().place(t) : null;
  }

  drawn() {
    const reader = this.panel.reader();
    const now = this.panel.selection.token(reader);
    const vector = reader.fields.get("residual") && this.sums.vector(reader, this.at, now);
    if (!vector) return {};
    const labels = [Array.from(vector, (_, i) => String(i))];
    return { stop: { axes: ["unit"], labels, values: Float32Array.from(vector) } };
  }

  table() {
    const { sums, stops } = this;
    const reader = this.panel.reader();
    const now = this.panel.selection.token(reader);
    const { words } = stops[this.at];
    if (words) {
      const rows = sums.likeliest(reader, now, words);
      return { columns: ["word", words], rows: rows.map((r) => [visible(r.label), r.said]) };
    }
    const vectors = stops.map((_, n) => sums.vector(reader, n, now));
    const rows = stops.map((s, n) => vectors[n] && [n + 1, s.title, digits(length(vectors[n]))]);
    return { columns: ["stop", "what", "length"], rows: rows.filter(Boolean) };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
