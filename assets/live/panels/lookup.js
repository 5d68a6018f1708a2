// A library read by a query: a row for each key with its score, what softmax makes of it, and its value; below, what a
// hard and what a soft lookup read.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, percent } from "../dom.js";
import { cut } from "../marks/strip.js";
import { bar, select, slider } from "../parts/controls.js";
import { looked, mixed, nearest, writeRules } from "../sums/lookup.js";

const TALL = 36,
  HEAD = 30,
  NARROW = 640,
  SCORES = [
    ["cosine", "score: cosine"],
    ["dot", "score: q·k ÷ √d"],
  ];

export default class Lookup {
  constructor(panel) {
    this.panel = panel;
    const set = (part) =>
      panel.selection.keep({ rules: writeRules({ ...looked(panel).rules, ...part }) }, panel.app);
    this.score = select(SCORES, (score) => set({ score }), "How query and key are matched");
    this.heat = slider((step) => set({ step }), { min: 0, max: 80, step: 1 }, "Temperature", true);
    this.told = document.createElement("span");
    this.told.className = "un-search-label";
    this.surface = new Surface(panel.body);
    panel.body.append(bar(this.score, this.told, this.heat)); // below: the picture comes first
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => panel.selection.look(this.find(y)),
      (x, y) => panel.selection.keep(this.find(y), panel.app),
      () => panel.selection.leave(),
    );
  }

  find(y) {
    const unit = Math.floor((y - HEAD) / TALL);
    return unit >= 0 && unit < looked(this.panel).library.keys.length ? { unit } : {};
  }

  /** Where each column begins and how wide it is. */
  columns(width) {
    const shares =
      width < NARROW
        ? { key: 0.26, hard: 0.13, soft: 0.38, value: 0.23 }
        : { key: 0.18, score: 0.09, heated: 0.09, grown: 0.1, hard: 0.08, soft: 0.24, value: 0.22 };
    let at = 0;
    return Object.fromEntries(
      Object.entries(shares).map(([name, share]) => {
        const column = { x: at, w: share * width - 10 };
        at += share * width;
        return [name, column];
      }),
    );
  }

  draw() {
    const { panel } = this;
    const now = looked(panel);
    const { library, rules, t, score, weight, best } = now;
    const n = library.keys.length;
    this.score.value = rules.score;
    if (Number(this.heat.value) !== rules.step) this.heat.value = String(rules.step);
    this.heat.setAttribute("aria-valuetext", String(t));
    this.told.textContent = `Temperature T = ${t}`;
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, HEAD + Math.max(1, n) * TALL + 2 * TALL + 12);
    panel.say(library.query ? `Query “${library.query}”, keys, values` : panel.spec.title, panel.spec.says);
    if (!n)
      return panel.read(
        "Type a query on the first line, and below it lines such as “horse: 500”: a key, a colon, a value.",
      );
    const colours = ink(panel.app.root);
    const style = getComputedStyle(panel.app.root);
    const colour = (m) => style.getPropertyValue(`--un-line-${m % 8}`) || colours.accent;
    const c = this.columns(width);
    g.textBaseline = "middle";
    this.head(g, c, colours, width);
    const looks = panel.selection.get("unit");
    const sum = score.reduce((all, v) => all + Math.exp((v - score[best]) / t), 0);
    for (let m = 0; m < n; m++) {
      const y = HEAD + (m + 0.5) * TALL;
      if (m === looks) {
        g.fillStyle = colours.line;
        g.globalAlpha = 0.5;
        g.fillRect(0, y - TALL / 2, width, TALL);
        g.globalAlpha = 1;
      }
      g.fillStyle = colour(m);
      g.fillRect(c.key.x, y - 10, 4, 20);
      this.write(g, library.keys[m], c.key, y, colours.text, m === best ? 700 : 400, 10);
      if (c.score) {
        const known = library.known[0] && library.known[m + 1];
        this.write(g, known ? digits(score[m]) : "no vector", c.score, y, colours.text);
        this.write(g, digits(score[m] / t), c.heated, y, colours.text);
        this.write(g, digits(Math.exp((score[m] - score[best]) / t)), c.grown, y, colours.text);
      }
      this.write(
        g,
        m === best ? "1" : "0",
        c.hard,
        y,
        m === best ? colours.text : colours.faint,
        m === best ? 700 : 400,
      );
      const room = c.soft.w - 74;
      g.fillStyle = colour(m);
      g.fillRect(c.soft.x, y - 9, Math.max(1, weight[m] * room), 18);
      this.write(g, percent(weight[m]), { x: c.soft.x + weight[m] * room + 6, w: 72 }, y, colours.text);
      this.write(g, library.values[m], c.value, y, colours.text, m === best ? 700 : 400);
    }
    this.sums(g, c, now, HEAD + n * TALL + 8, colours, width);
    panel.read(this.words(now, looks, sum));
  }

  write(g, words, { x, w }, y, colour, weight = 400, indent = 0) {
    g.font = font(14, weight);
    g.textAlign = "left";
    g.fillStyle = colour;
    g.fillText(cut(g, words, w - indent), x + indent, y);
  }

  head(g, c, colours, width) {
    const names = {
      key: "key",
      score: "score s",
      heated: "s ÷ T",
      grown: "exp(s ÷ T)",
      hard: "hard",
      soft: "soft weight",
      value: "value",
    };
    g.font = font(12, 600);
    g.textAlign = "left";
    g.fillStyle = colours.faint;
    for (const [name, { x, w }] of Object.entries(c)) g.fillText(cut(g, names[name], w + 6), x, HEAD / 2);
    g.fillStyle = colours.line;
    g.fillRect(0, HEAD - 3, width, 1);
  }

  // What both lookups read.
  sums(g, c, now, y, colours, width) {
    g.fillStyle = colours.line;
    g.fillRect(0, y - 4, width, 1);
    const at = c.hard.x;
    const rows = [
      ["Hard lookup", this.hard(now)],
      ["Soft lookup", this.soft(now)],
    ];
    rows.forEach(([name, words], i) => {
      const middle = y + (i + 0.5) * TALL;
      this.write(g, name, { x: c.key.x, w: at - 8 }, middle, colours.faint, 600, 10);
      this.write(g, words, { x: at, w: width - at }, middle, i ? colours.accent : colours.text, 700);
    });
  }

  hard({ library, best }) {
    return library.values[best];
  }

  soft({ library, weight }) {
    if (library.numbers) return mixed(library.numbers, weight).map(digits).join(", ");
    const near = nearest(library, weight, 3).map(([word]) => word);
    return near.length ? `a vector near ${near.join(", ")}` : "nothing: no value has a vector";
  }

  words({ library, rules, t, score, weight, best, exact }, looks, sum) {
    const lost = [...new Set(library.unknown.flat())];
    const notes = [
      exact >= 0
        ? `A dictionary finds “${library.query}” as it stands.`
        : `A dictionary has no key “${library.query}”: a lookup by the letters fails.`,
      ...(lost.length ? [`No vector is known for ${lost.map((w) => `“${w}”`).join(", ")}.`] : []),
      ...(library.left.length ? [`Left out, for want of a colon or of room: “${library.left[0]}”.`] : []),
    ];
    if (looks === undefined || looks >= library.keys.length) {
      const first = `The best key is “${library.keys[best]}”; a soft lookup at T = ${t} gives it ${percent(weight[best])}.`;
      return [first, ...notes].join(" ");
    }
    const m = looks;
    const how =
      rules.score === "cosine"
        ? `cosine ${digits(library.dot[m])} ÷ (${digits(library.length[0])} × ${digits(library.length[m + 1])})`
        : `${digits(library.dot[m])} ÷ √${library.width}`;
    return `“${library.keys[m]}”: ${how} = ${digits(score[m])}; ÷ ${t} = ${digits(score[m] / t)}; less the largest, exp = ${digits(Math.exp((score[m] - score[best]) / t))}; ÷ ${digits(sum)}, the sum of all = ${percent(weight[m])}.`;
  }

  table() {
    const { library, t, score, weight, best } = looked(this.panel);
    return {
      columns: ["key", "score", "score ÷ T", "hard", "soft weight", "value"],
      rows: library.keys.map((key, m) => [
        key,
        digits(score[m]),
        digits(score[m] / t),
        String(Number(m === best)),
        digits(weight[m]),
        library.values[m],
      ]),
    };
  }

  drawn() {
    const { library, weight, score } = looked(this.panel);
    const field = (values) => ({
      axes: ["key"],
      labels: [library.keys],
      values: Float32Array.from(values),
      shape: [values.length],
    });
    return library.keys.length ? { "lookup.score": field(score), "lookup.weight": field(weight) } : {};
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
