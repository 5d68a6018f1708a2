// What hard attention learns from one word: the exact slope of each score, and what draws make of it.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, percent, visible } from "../dom.js";
import { circle } from "../marks/graph.js";
import { fitted } from "../marks/strip.js";
import { bar, button, choice, select } from "../parts/controls.js";
import {
  bestBaseline,
  chances,
  drawnSlopes,
  expected,
  marginal,
  mean,
  scatter,
  straight,
} from "../sums/chosen.js";
import { scopeOf } from "../sums/scoped.js";
import { row } from "../sums/scored.js";
import { series } from "../wire.js";

const [TOP, TALL, FOOT, LINE] = [22, 26, 26, 18];
const BASELINES = /** @type {[string, string][]} */ ([
  ["none", "no baseline"],
  ["mean", "baseline: mean reward"],
  ["best", "baseline: the best one"],
]);
const MORE = [1, 10, 100, 1000];
const TEMPERATURES = [1, 2, 4, 8];

export default class HardChoice {
  constructor(panel) {
    this.panel = panel;
    this.baseline = "none";
    this.temperature = 4;
    this.count = 10;
    this.seed = 1;
    this.of = "";
    const again = () => this.draw();
    const buttons = MORE.map((n) =>
      button(n === 1 ? "Draw once" : `Draw ${n}`, () => {
        this.count += n;
        again();
      }),
    );
    const anew = button("Start again", () => {
      this.count = 0;
      this.seed++;
      again();
    });
    const baselines = select(
      BASELINES,
      (kind) => {
        this.baseline = kind;
        again();
      },
      "Baseline",
    );
    const temperatures = choice("Temperature", TEMPERATURES, this.temperature, (value) => {
      this.temperature = value;
      again();
    });
    panel.body.append(bar(...buttons, anew, baselines, temperatures));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => panel.selection.look(this.find(y)),
      (x, y) => panel.selection.keep(this.find(y), panel.app),
      () => panel.selection.leave(),
    );
  }

  find(y) {
    const other = Math.floor((y - TOP) / TALL);
    return other >= 0 && other < (this.rows ?? 0) ? { other } : {};
  }

  now() {
    const reader = this.panel.reader("hard");
    const t = this.panel.selection.token(reader);
    const { S, score } = scopeOf(reader, t);
    const words = Array.from({ length: S }, (_, s) => s);
    const a = chances(words.map(score), this.temperature);
    const r = Array.from(row(reader, "reward", t)).slice(0, S);
    const field = reader.fields.get("pull");
    const pull = words.map((z) => field?.values.subarray((t * S + z) * S, (t * S + z + 1) * S) ?? []);
    const word = reader.said.hard?.words?.[t] ?? "";
    const baselines = { none: 0, mean: mean(a, r), best: bestBaseline(a, r) };
    const at = `${reader.labels.join("|")}${reader.source?.labels.join("|")}${t}`;
    if (at !== this.of) [this.of, this.count, this.seed] = [at, 10, 1];
    const exact = expected(a, r);
    const { slope, times } = drawnSlopes(a, r, baselines[this.baseline], this.count, this.seed);
    return {
      reader,
      t,
      S,
      a,
      r,
      straight: straight(a, pull),
      word,
      exact,
      slope,
      times,
      baselines,
      whole: marginal(a, r),
    };
  }

  draw() {
    const { panel } = this;
    const n = this.now();
    const { reader, S, a, r, exact } = n;
    panel.say(
      n.word ? `What hard attention learns from “${visible(n.word)}”` : panel.spec.title,
      panel.spec.says,
    );
    this.rows = S;
    if (!S) {
      this.surface.begin(1, 1);
      return panel.read("Type an English sentence.");
    }
    const width = panel.body.clientWidth;
    const left = Math.min(96, width * 0.22);
    const numbers = width > 560 ? 196 : 62;
    const g = this.surface.begin(width, TOP + S * TALL + FOOT + (width > 480 ? 0 : LINE));
    const colours = ink(panel.app.root);
    const from = left + numbers;
    const middle = (from + width) / 2;
    const most = Math.max(1e-9, ...[exact, n.whole, n.straight.slope, n.slope].flat().map(Math.abs));
    const to = (/** @type {number} */ v) => middle + (v / most) * (width - from - 24) * 0.5;
    g.textBaseline = "middle";
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.textAlign = "left";
    g.fillText("its chance", left, 9);
    if (numbers > 100) g.fillText("word’s probability", left + 72, 9);
    g.textAlign = "center";
    g.fillText("slope of the score", middle, 9);
    g.fillStyle = colours.line;
    g.fillRect(middle, TOP, 1, S * TALL);
    const other = panel.selection.get("other");
    for (let s = 0; s < S; s++) {
      const y = TOP + (s + 0.5) * TALL;
      g.textAlign = "right";
      g.font = font(13, s === other ? 700 : 400);
      g.fillStyle = s === other ? colours.accent : colours.text;
      g.fillText(fitted(g, reader.source.labels[s], left - 10), left - 8, y);
      g.textAlign = "left";
      g.font = font(12);
      g.fillStyle = colours.text;
      g.fillText(percent(a[s]), left, y);
      if (numbers > 100) g.fillText(percent(Math.exp(r[s])), left + 72, y);
      g.fillStyle = colours.accent;
      g.globalAlpha = 0.45;
      g.fillRect(Math.min(middle, to(exact[s])), y - 7, Math.abs(to(exact[s]) - middle), 14);
      g.globalAlpha = 1;
      g.strokeStyle = g.fillStyle = colours.text;
      g.lineWidth = 1.4;
      if (this.count) circle(g, to(n.slope[s]), y, 4);
      g.strokeRect(to(n.straight.slope[s]) - 3.5, y - 3.5, 7, 7);
      this.cross(g, to(n.whole[s]), y);
    }
    this.key(g, width > 480 ? left : 8, TOP + S * TALL + 14, width, colours);
    panel.read(this.words(n));
  }

  cross(g, x, y) {
    g.beginPath();
    g.moveTo(x - 4, y - 4);
    g.lineTo(x + 4, y + 4);
    g.moveTo(x + 4, y - 4);
    g.lineTo(x - 4, y + 4);
    g.stroke();
  }

  key(g, x, y, width, colours) {
    const marks = [
      ["exact slope", () => g.fillRect(x, y - 6, 12, 12)],
      ["REINFORCE", () => circle(g, x + 6, y, 4)],
      ["straight-through", () => g.strokeRect(x + 2.5, y - 3.5, 7, 7)],
      ["all choices", () => this.cross(g, x + 6, y)],
    ];
    g.font = font(11);
    g.textAlign = "left";
    const begin = x;
    const [exact] = marks;
    for (const of of /** @type {[string, () => void][]} */ (marks)) {
      const [name, mark] = of;
      if (x > begin && x + 17 + g.measureText(name).width > width) [x, y] = [begin, y + LINE];
      g.fillStyle = of === exact ? colours.accent : colours.text;
      g.strokeStyle = colours.text;
      if (of === exact) g.globalAlpha = 0.45;
      mark();
      g.globalAlpha = 1;
      g.fillStyle = colours.faint;
      g.fillText(name, x + 17, y);
      x += 28 + g.measureText(name).width;
    }
  }

  // The scatter of one draw, by its baseline; how far the mean of the draws still is; the error that straight-through keeps.
  measures({ a, r, exact, slope, straight: through, baselines }) {
    const far = (/** @type {number[]} */ g) => Math.hypot(...g.map((v, s) => v - exact[s]));
    return {
      scatter: Object.fromEntries(BASELINES.map(([kind]) => [kind, scatter(a, r, baselines[kind])])),
      away: far(slope),
      error: far(through.slope),
      straight: through.scatter,
    };
  }

  words(n) {
    const found = this.measures(n);
    const { none, mean: middle, best } = found.scatter;
    const drawn = this.count
      ? ` After ${this.count} draws the mean is ${digits(found.away)} away from the exact slope.`
      : "";
    return `REINFORCE: variance of one draw ${digits(none)} without a baseline, ${digits(middle)} with the mean reward, ${digits(best)} at best; its mean is exact.${drawn} Straight-through: variance ${digits(found.straight)}, and an error of ${digits(found.error)} that no number of draws takes away.`;
  }

  table() {
    const n = this.now();
    return {
      columns: [
        "source word",
        "its chance",
        "log probability of the word",
        "exact slope",
        "REINFORCE, mean of draws",
        "times drawn",
        "straight-through",
        "all choices",
      ],
      rows: Array.from({ length: n.S }, (_, s) => [
        visible(n.reader.source.labels[s]),
        ...[n.a[s], n.r[s], n.exact[s], n.slope[s]].map(digits),
        String(n.times[s]),
        ...[n.straight.slope[s], n.whole[s]].map(digits),
      ]),
    };
  }

  drawn() {
    const n = this.now();
    return n.S ? { "drawn.exact": series("source", n.reader.source.labels, n.exact) } : {};
  }
}
