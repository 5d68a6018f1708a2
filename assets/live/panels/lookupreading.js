// What a hard and a soft lookup read: numbers on a line from the smallest value to the largest, or the words that the
// vector read is most alike to.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, percent, visible } from "../dom.js";
import { dot, pointer } from "../marks/lines.js";
import { cut } from "../marks/strip.js";
import { looked, mixed, nearest } from "../sums/lookup.js";

const [TALL, WORDS, LEFT, MOST] = [92, 8, 14, 60];

export default class LookupReading {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
  }

  draw() {
    const { panel } = this;
    const now = looked(panel);
    const { library, weight } = now;
    const width = panel.body.clientWidth;
    const reader = panel.reader();
    const t = panel.selection.token(reader);
    const word = visible(reader.labels[t] ?? "");
    panel.say(
      word ? `What was read; “${word}” and the query: ${digits(this.beside(reader, t))}` : panel.spec.title,
      "",
    );
    if (!library.keys.length) {
      this.surface.begin(width, 20);
      return panel.read("");
    }
    const colours = ink(panel.app.root);
    if (library.numbers) this.lines(now, width, colours);
    else this.alike(now, width, colours);
    const terms = weight
      .map((w, m) => [w, m])
      .sort((a, b) => b[0] - a[0])
      .slice(0, 3);
    const rest = library.keys.length > 3 ? " and a little of the others" : "";
    const said = terms.map(([w, m]) => `${percent(w)} of “${library.values[m]}”`).join(" + ");
    panel.read(`Read: ${said}${rest}.`);
  }

  /** Cosine of one word of the box with the query, the mean of the words of the first line. */
  beside(reader, t) {
    const field = reader.fields.get("vector");
    if (!field) return NaN;
    const d = field.shape[1];
    const of = (/** @type {number} */ i) => field.values.subarray(i * d, (i + 1) * d);
    const end = reader.labels.indexOf("</s>");
    const query = new Float64Array(d);
    for (let i = 0; i < (end < 0 ? reader.labels.length : end); i++) of(i).forEach((v, k) => (query[k] += v));
    const dot = of(t).reduce((sum, v, k) => sum + v * query[k], 0);
    return dot / (Math.hypot(...of(t)) * Math.hypot(...query));
  }

  // A line for each number of a value: the keys' as dots, as large as their weight.
  lines({ library, weight, best }, width, colours) {
    const { numbers } = library;
    const style = getComputedStyle(this.panel.app.root);
    const soft = mixed(numbers, weight);
    const g = this.surface.begin(width, numbers[0].length * TALL);
    g.textBaseline = "middle";
    numbers[0].forEach((_, k) => {
      const values = numbers.map((row) => row[k]);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const x = (v) => LEFT + (width - 2 * LEFT) * (high > low ? (v - low) / (high - low) : 0.5);
      const y = k * TALL + 50;
      g.fillStyle = colours.line;
      g.fillRect(LEFT, y, width - 2 * LEFT, 2);
      g.globalAlpha = 0.75;
      values.forEach((v, m) => {
        g.fillStyle = style.getPropertyValue(`--un-line-${m % 8}`) || colours.accent;
        dot(g, x(v), y + 1, 3 + 10 * Math.sqrt(weight[m]));
      });
      g.globalAlpha = 1;
      g.font = font(12, 700);
      const write = (/** @type {string} */ words, at, line) => {
        const half = g.measureText(words).width / 2;
        g.textAlign = "center";
        g.fillText(words, Math.max(half, Math.min(width - half, at)), line);
      };
      g.fillStyle = colours.accent;
      pointer(g, x(soft[k]), y - 14);
      write(`soft ${digits(soft[k])}`, x(soft[k]), y - 30);
      g.fillStyle = colours.text;
      write(`hard ${digits(values[best])}`, x(values[best]), y + 28);
    });
  }

  alike(now, width, colours) {
    const { library, weight, best } = now;
    const one = library.keys.map((_, m) => Number(m === best));
    /** @type {[string, any[][]][]} */
    const lists = [
      ["Soft", nearest(library, weight, WORDS)],
      ["Hard", nearest(library, one, WORDS)],
    ];
    const g = this.surface.begin(width, 30 + WORDS * 28);
    const half = width / 2;
    g.textBaseline = "middle";
    lists.forEach(([name, found], i) => {
      const x = i * half;
      g.textAlign = "left";
      g.font = font(13, 700);
      g.fillStyle = i ? colours.text : colours.accent;
      g.fillText(cut(g, `${name}: the vector read is most alike to`, half - 10), x, 12);
      found.forEach(([word, cosine], row) => {
        const y = 40 + row * 28;
        g.fillStyle = i ? colours.faint : colours.accent;
        g.globalAlpha = 0.35;
        g.fillRect(x, y - 11, Math.max(0, cosine) * (half - MOST), 22);
        g.globalAlpha = 1;
        g.font = font(13, row ? 400 : 700);
        g.fillStyle = colours.text;
        g.fillText(cut(g, word, half - MOST - 8), x + 6, y);
        g.fillText(digits(cosine), x + half - MOST + 6, y);
      });
    });
  }

  table() {
    const { library, weight, best } = looked(this.panel);
    if (library.numbers) {
      const soft = mixed(library.numbers, weight);
      return {
        columns: ["number", "soft", "hard"],
        rows: soft.map((v, k) => [String(k + 1), digits(v), digits(library.numbers[best][k])]),
      };
    }
    return {
      columns: ["word", "cosine with what was read"],
      rows: nearest(library, weight, WORDS).map(([word, cosine]) => [word, digits(cosine)]),
    };
  }
}
