// The whole forward pass of one token as a row of stops: at each the vector that stands there, its length and what was
// added; below, the same stop for all tokens.  A slider, the up and down keys and the pointer walk along the stops.

import { Scale, Surface, font, ink, legend, raster } from "../drawing/canvas.js";
import { strip } from "../marks/strip.js";
import { digits, element, percent, short, visible } from "../dom.js";

const LEFT = 46,
  HEAD = 38,
  LENGTHS = 54,
  BELOW = 96,
  FOOT = 24,
  LEGEND = 34,
  GAP = 26;
const EVERY_MS = 700;
const length = (x) => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0));

export default class Flow {
  constructor(panel) {
    this.panel = panel;
    this.stops = panel.spec.stops;
    const bar = element("div", "un-order");
    const button = (textContent, title, onclick) =>
      element("button", "un-button", { type: "button", textContent, title, onclick });
    this.slider = element("input", "un-slider un-wide-slider", {
      type: "range",
      min: 0,
      max: this.stops.length - 1,
      step: 1,
    });
    this.slider.setAttribute("aria-label", "Stop");
    this.slider.oninput = () => this.go(Number(this.slider.value));
    this.play = button("Play", "Walk through all stops", () => (this.timer ? this.stop() : this.start()));
    bar.append(
      button("Back", "Previous stop (up key)", () => this.go(this.at - 1)),
      this.slider,
      button("Next", "Next stop (down key)", () => this.go(this.at + 1)),
      this.play,
    );
    this.key = element("p", "un-key");
    panel.body.append(bar, this.key);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.stores = [{}, {}];
    this.kept = [];
    this.surface.onPointer(
      (x, y) => this.point(x, y, false),
      (x, y) => this.point(x, y, true),
      () => panel.selection.leave(),
    );
  }

  destroy() {
    this.stop();
  }
  get at() {
    return Math.max(0, Math.min(this.stops.length - 1, this.panel.selection.get("stop") ?? 0));
  }

  go(stop) {
    this.panel.selection.keep({ stop: Math.max(0, Math.min(this.stops.length - 1, stop)) }, this.panel.app);
  }

  start() {
    if (this.at === this.stops.length - 1) this.go(0);
    this.timer = setInterval(
      () => (this.at === this.stops.length - 1 ? this.stop() : this.go(this.at + 1)),
      EVERY_MS,
    );
    this.play.textContent = "Stop";
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
  }

  // The vector of token t at stop n; null where the stop holds words.
  vector(reader, n, t) {
    const stop = this.stops[n];
    if (stop.words) return null;
    if (stop.norm !== undefined)
      return this.normed(this.vector(reader, stop.of, t), this.panel.spec.norms[stop.norm]);
    const { values, shape, axes } = reader.fields.get(stop.field);
    const wide = shape[shape.length - 1];
    const first = ((axes[0] === "layer" ? (stop.layer ?? 0) * shape[1] : 0) + t) * wide;
    return values.subarray(first, first + wide);
  }

  normed(x, { gain, shift, epsilon, layer }) {
    const mean = layer ? x.reduce((a, v) => a + v, 0) / x.length : 0;
    const spread = Math.sqrt(x.reduce((a, v) => a + (v - mean) ** 2, 0) / x.length + epsilon);
    return x.map((v, i) => ((v - mean) / spread) * gain[i] + (shift ? shift[i] : 0));
  }

  // Vectors side by side as the columns of one grid, and their lengths; made anew when the numbers or `key` change.
  grid(slot, reader, key, columns, each) {
    const of = [reader.fields.get("residual").values, key];
    const kept = this.kept[slot];
    if (kept?.of.every((part, i) => part === of[i])) return kept;
    const vectors = Array.from({ length: columns }, (_, c) => each(c));
    const wide = vectors.find(Boolean)?.length ?? 0;
    const values = new Float32Array(columns * wide);
    vectors.forEach((v, c) => v && values.set(v, c * wide));
    return (this.kept[slot] = { of, values, wide, lengths: vectors.map((v) => (v ? length(v) : NaN)) });
  }

  draw() {
    const { panel, at, stops } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    if (!reader.fields.get("residual") || !reader.labels.length) return;
    const now = selection.token(reader);
    const colours = ink(app.root);
    const count = reader.labels.length;
    const all = this.grid(0, reader, now, stops.length, (n) => this.vector(reader, n, now));
    const width = panel.body.clientWidth;
    const high = Math.max(110, Math.min(190, all.wide));
    const g = this.surface.begin(width, HEAD + high + LENGTHS + GAP + BELOW + FOOT + LEGEND);
    const step = (width - LEFT - 2) / stops.length;
    const { light, dark } = reader.spec.fields.residual.scale;
    const scale = new Scale({ low: -panel.spec.reach, high: panel.spec.reach, light, dark }, app.dark);
    this.box = { step, top: HEAD, high, count };
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", stops[at].title);
    panel.say(`Stop ${at + 1} of ${stops.length}: ${stops[at].title}`, stops[at].says);
    const letters = new Map(stops.map((s) => [s.letter, s.name]));
    const key = step > 32 ? "" : [...letters].map(([letter, name]) => `${letter} ${name}`).join(" · ");
    if (this.key.textContent !== key) this.key.textContent = key;
    this.heads(g, step, colours, at);
    this.columns(g, this.stores[0], all, stops.length, scale, {
      top: HEAD,
      high,
      step,
      thin: (n) => !stops[n].stream,
    });
    this.words(g, reader, now, step, high, colours);
    this.bars(g, all.lengths, { top: HEAD + high + 6, high: LENGTHS - 20, step, at }, colours, "length");
    g.strokeStyle = colours.accent;
    g.lineWidth = 2;
    g.strokeRect(LEFT + at * step + 0.5, HEAD - 2, step - 1, high + LENGTHS - 8);
    this.below(g, reader, now, scale, colours, HEAD + high + LENGTHS + GAP, width);
    legend(
      g,
      LEFT,
      HEAD + high + LENGTHS + GAP + BELOW + FOOT + 6,
      130,
      scale,
      "number in the vector",
      colours,
    );
    panel.read(this.sentence(reader, now, all.lengths));
  }

  heads(g, step, colours, at) {
    g.textBaseline = "middle";
    g.textAlign = "center";
    const layers = [...new Set(this.stops.map((s) => s.layer))].filter((l) => l !== undefined);
    for (const layer of layers) {
      const first = this.stops.findIndex((s) => s.layer === layer);
      const last = this.stops.findLastIndex((s) => s.layer === layer);
      const [a, b] = [LEFT + first * step + 2, LEFT + (last + 1) * step - 2];
      g.strokeStyle = colours.line;
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(a, 17.5);
      g.lineTo(b, 17.5);
      g.stroke();
      g.fillStyle = colours.text;
      g.font = font(12, 600);
      g.fillText(b - a > 60 ? `layer ${layer + 1}` : String(layer + 1), (a + b) / 2, 8);
    }
    this.stops.forEach(({ short: name, letter, stream }, n) => {
      g.font = font(step > 38 ? 12 : 11, n === at || stream ? 650 : 400);
      g.fillStyle = n === at ? colours.accent : stream ? colours.text : colours.faint;
      if (step > 9 || n === at) g.fillText(step > 32 ? name : letter, LEFT + (n + 0.5) * step, 27);
    });
  }

  // One picture a column, with a little space between them; what is no stop of the stream is narrower.
  columns(g, store, grid, count, scale, { top, high, step, thin }) {
    if (!grid.wide) return;
    const picture = raster(store, grid.values, grid.wide, count, 0, 1, grid.wide, scale);
    g.imageSmoothingEnabled = grid.wide > high * this.surface.ratio;
    for (let n = 0; n < count; n++) {
      if (Number.isNaN(grid.lengths[n])) continue;
      const space = step > 6 ? (thin(n) ? 0.2 : 0.06) * step : 0;
      g.drawImage(picture, n, 0, 1, grid.wide, LEFT + n * step + space, top, step - 2 * space, high);
    }
  }

  // The last stops hold one number a word: the likeliest as shares of a column.
  words(g, reader, now, step, high, colours) {
    this.stops.forEach((stop, n) => {
      if (!stop.words) return;
      let y = HEAD;
      (reader.top[now] ?? []).forEach(([, p], i) => {
        const part = stop.words === "probability" ? p * high : high / reader.top[now].length;
        g.globalAlpha = stop.words === "probability" ? Math.max(0.25, 1 - i / 12) : 0.25;
        g.fillStyle = colours.accent;
        g.fillRect(LEFT + n * step + 0.2 * step, y, 0.6 * step, Math.max(0.5, part - 0.5));
        y += part;
      });
      g.globalAlpha = 1;
      g.strokeStyle = colours.line;
      g.strokeRect(LEFT + n * step + 0.2 * step, HEAD, 0.6 * step, high);
    });
  }

  bars(g, lengths, { top, high, step, at }, colours, label) {
    const most = Math.max(...lengths.filter(Number.isFinite), 1e-9);
    lengths.forEach((v, n) => {
      if (Number.isNaN(v)) return;
      g.fillStyle = n === at ? colours.accent : colours.faint;
      const h = Math.max(1, (high * v) / most);
      g.fillRect(LEFT + (n + 0.25) * step, top + high - h, step * 0.5, h);
      g.font = font(10, n === at ? 650 : 400);
      g.textAlign = "center";
      if (step > 26)
        g.fillText(v < 10 ? v.toFixed(1) : v.toFixed(0), LEFT + (n + 0.5) * step, top + high + 8);
    });
    g.fillStyle = colours.faint;
    g.font = font(11);
    g.textAlign = "right";
    g.fillText(label, LEFT - 5, top + high / 2);
  }

  // The same stop for all tokens; at the last stops the likeliest words.
  below(g, reader, now, scale, colours, top, width) {
    const { at, stops } = this;
    const { count } = this.box;
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillStyle = colours.text;
    g.font = font(12, 600);
    this.box.below = top;
    if (stops[at].words) {
      g.fillText(stops[at].words === "probability" ? "the likeliest words" : "their logits", LEFT, top - 11);
      return this.list(g, this.rows(reader, now).slice(0, 6), colours, top, width);
    }
    g.fillText("this stop, all tokens", LEFT, top - 11);
    const step = Math.min(46, (width - LEFT - 2) / Math.max(count, 1));
    this.box.wide = step;
    const grid = this.grid(1, reader, at, count, (t) => this.vector(reader, at, t));
    this.columns(g, this.stores[1], grid, count, scale, { top, high: BELOW, step, thin: () => false });
    g.strokeStyle = colours.accent;
    g.lineWidth = 2;
    g.strokeRect(LEFT + now * step, top - 2, step, BELOW + 4);
    strip(g, reader.labels, { left: LEFT, step, y: top + BELOW + 13, now, colours });
  }

  list(g, rows, colours, top, width) {
    const most = Math.max(...rows.map((r) => r.value), 1e-9);
    rows.forEach(({ label, value, said }, i) => {
      const y = top + i * 19;
      g.fillStyle = colours.text;
      g.font = font(13);
      g.textAlign = "left";
      g.fillText(short(label, 16), LEFT, y + 8);
      g.fillStyle = colours.accent;
      g.fillRect(LEFT + 110, y + 2, Math.max(1, ((width - LEFT - 190) * Math.max(0, value)) / most), 12);
      g.fillStyle = colours.text;
      g.fillText(said, LEFT + 116 + Math.max(1, ((width - LEFT - 190) * Math.max(0, value)) / most), y + 8);
    });
  }

  // The likeliest words with their logits or probabilities; a logit is the answer's, and the logarithm of how much likelier that is.
  rows(reader, now) {
    const top = reader.top[now] ?? [];
    const logit = reader.notes[now]?.logit ?? NaN;
    const asked = this.stops[this.at].words;
    return top.map(([label, p]) => {
      const value = asked === "probability" ? p : logit + Math.log(p / top[0][1]);
      return { label, value, said: asked === "probability" ? percent(p) : digits(value) };
    });
  }

  sentence(reader, now, lengths) {
    const { at, stops } = this;
    const stop = stops[at];
    const word = `“${visible(reader.labels[now] ?? "")}”`;
    if (stop.words) {
      const [best] = this.rows(reader, now);
      return best
        ? `After ${word}: ${stop.words === "probability" ? "the likeliest is" : "the largest logit is that of"} “${visible(best.label)}”, ${best.said}.`
        : "";
    }
    const long = digits(lengths[at]);
    if (stop.adds !== undefined)
      return `At ${word}: what is added has length ${long}. The stream had ${digits(lengths[stop.adds])}, with it ${digits(lengths[stop.then])}.`;
    return `At ${word}: a vector of ${this.vector(reader, at, now).length} numbers, length ${long}.`;
  }

  point(x, y, keeps) {
    const { box, panel } = this;
    if (!box) return;
    const reader = panel.reader();
    const place = {};
    if (y < box.top + box.high + LENGTHS)
      place.stop = Math.max(0, Math.min(this.stops.length - 1, Math.floor((x - LEFT) / box.step)));
    else if (y > box.below - 4 && box.wide && !this.stops[this.at].words) {
      const t = Math.floor((x - LEFT) / box.wide);
      if (t < 0 || t >= box.count) return panel.selection.leave();
      Object.assign(place, reader.place(t));
    } else return panel.selection.leave();
    if (keeps) panel.selection.keep(place, panel.app);
    else panel.selection.look(place);
  }

  drawn() {
    const reader = this.panel.reader();
    const now = this.panel.selection.token(reader);
    const vector = reader.fields.get("residual") ? this.vector(reader, this.at, now) : null;
    return vector
      ? {
          stop: {
            axes: ["unit"],
            labels: [Array.from(vector, (_, i) => String(i))],
            values: Float32Array.from(vector),
          },
        }
      : {};
  }

  table() {
    const reader = this.panel.reader();
    const now = this.panel.selection.token(reader);
    if (this.stops[this.at].words)
      return {
        columns: ["word", this.stops[this.at].words],
        rows: this.rows(reader, now).map((r) => [visible(r.label), r.said]),
      };
    return {
      columns: ["stop", "what", "length"],
      rows: this.stops
        .filter((s) => !s.words)
        .map((s) => {
          const n = this.stops.indexOf(s);
          return [n + 1, s.title, digits(length(this.vector(reader, n, now)))];
        }),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
