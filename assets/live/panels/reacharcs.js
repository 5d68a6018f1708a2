// A lane for each model: the words of the text, and from the word looked at an arc to every word before it, as thick as
// its share of the gradient.

import { Surface, font, ink, inside } from "../drawing/canvas.js";
import { digits, percent } from "../dom.js";
import { arch } from "../marks/arcs.js";
import { boxAt, pointing } from "../marks/pointer.js";
import { cut } from "../marks/strip.js";
import { Resting } from "../parts/resting.js";
import { blocks, named, shares } from "../sums/reach.js";
import { span } from "../sums/sameword.js";

const WIDEST = 16,
  GAP = 12,
  LOWEST = 92,
  BESIDES = 440, // what stands over and under the lanes on a screen
  TALLEST = 210,
  SOON_MS = 120; // a pause in which the rows of finished words are asked for

export default class ReachArcs {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.boxes = [];
    this.resting = new Resting(panel, "row", () => this.wish(this.late));
    this.late = false; // in a moment of rest
    pointing(this, (x, y) => {
      const box = boxAt(this.boxes, x, y);
      return box ? this.place(box.reader, box.word) : null;
    });
  }

  // The last token of a word.
  place(reader, word) {
    const t = reader.spans.findLastIndex(([a, b]) => b > 0 && a < word.stop && b <= word.stop);
    return t < 0 ? null : reader.place(t);
  }

  get words() {
    return named(this.panel.app);
  }

  // How many words there are up to the last whose row has come, in every model; until then it is zeros.
  get known() {
    const { words } = this;
    const { app } = this.panel;
    const every = [...app.readers.values()].map((reader) => blocks(reader, words));
    const last = words.findLastIndex((_, n) => every.every((rows) => rows[n].some((v) => v !== 0)));
    return Math.max(1, last + 1);
  }

  // No key waits for a row: those of finished words are asked for soon, that of a word which is being typed later.
  wish(last) {
    const { words, known } = this;
    const { points } = this.panel.app;
    const ended = words.length && /\s/.test(points[words.at(-1).stop] ?? "");
    const wanted = words.length - (last || ended ? 0 : 1);
    return known < wanted ? { from: words[known].start, last: last ? 1 : 0 } : null;
  }

  rest() {
    this.late = true;
    this.resting.rest();
  }

  ask() {
    return this.resting.ask();
  }

  /** Which word is looked at; where none is the last one whose row has come. */
  get now() {
    const { words } = this;
    const at = span(this.panel.app);
    const found = at ? words.findIndex((w) => w.start < at[1] && at[1] <= w.stop) : -1;
    return found < 0 ? Math.min(words.length - 1, Math.max(1, this.known - 1)) : found;
  }

  draw() {
    clearTimeout(this.soon);
    this.late = false;
    this.soon = setTimeout(() => this.wish(false) && this.resting.rest(), SOON_MS);
    const { panel, words, now } = this;
    const { app } = panel;
    const readers = [...app.readers.values()];
    const width = panel.body.clientWidth;
    const room = (innerHeight - BESIDES) / readers.length;
    const lane = Math.max(LOWEST, Math.min(TALLEST, width / 3.6, room));
    const g = this.surface.begin(width, words.length > 1 ? lane * readers.length : 40);
    this.boxes = [];
    if (words.length < 2) panel.say(panel.spec.title, panel.spec.says);
    if (words.length < 2)
      return panel.read("Type two words or more: the second is the first that has one to learn from.");
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    g.font = font(13, 700);
    const wide = words.map((w) => g.measureText(w.text.trim()).width);
    const sum = wide.reduce((a, b) => a + b, 0) + GAP * words.length;
    const fit = Math.min(1.9, width / sum);
    const said = [];
    const come = now < this.known;
    readers.forEach((reader, n) => {
      const base = lane * (n + 1) - 32;
      const colour = style.getPropertyValue(`--un-reader-${n % 8}`) || colours.accent;
      const row = blocks(reader, words)[now] ?? [];
      const parts = come ? shares(row) : [];
      let x = 0;
      const at = words.map((word, i) => {
        const [left, w] = [x, (wide[i] + GAP) * fit];
        x += w;
        this.boxes.push({ x: left, y: base - lane + 32, w, h: lane, word, reader });
        return left + w / 2;
      });
      const far = Math.max(1, at[now] - at[0]);
      g.lineCap = "round";
      parts.forEach((part, k) => {
        g.strokeStyle = colour;
        g.globalAlpha = part < 0.001 ? 0 : 0.25 + 0.7 * Math.sqrt(part);
        g.lineWidth = Math.max(0.6, WIDEST * part);
        arch(g, at[now], at[k], base - 2, 10 + (lane - 62) * Math.sqrt((at[now] - at[k]) / far));
      });
      g.globalAlpha = 1;
      g.textAlign = "center";
      g.textBaseline = "middle";
      words.forEach((word, i) => {
        g.font = font(13, i === now ? 700 : 400);
        g.fillStyle = i === now ? colours.accent : i < now ? colours.text : colours.faint;
        const room = (wide[i] + GAP) * fit - 3;
        g.fillText(cut(g, word.text.trim(), room), at[i], base + 8);
        if (i >= now || !come) return;
        g.font = font(11, 600);
        g.fillStyle = parts[i] >= 0.1 ? colour : colours.faint;
        const share = parts[i] >= 0.0005 ? percent(parts[i]) : "≈ 0";
        if (g.measureText(share).width <= room + 8) inside(g, share, at[i], base + 23);
      });
      g.textAlign = "left";
      g.font = font(12, 700);
      g.fillStyle = colour;
      g.fillText(reader.spec.title, 2, base - lane + 42);
      if (now > 0 && come) said.push(`${reader.spec.title} ${percent(parts[0])}`);
    });
    const word = words[now].text.trim();
    panel.say(now > 0 ? `How far back “${word}” teaches` : panel.spec.title, panel.spec.says);
    panel.read(
      now > 0 && !come
        ? `The gradient of “${word}” comes as soon as you pause.`
        : now > 0
          ? `Share of the gradient of “${word}” that reaches “${words[0].text.trim()}”, ${now === 1 ? "1 word" : `${now} words`} back: ${said.join(", ")}`
          : `“${word}” is the first word: there is nothing before it to learn from.`,
    );
  }

  table() {
    const { words } = this;
    const { known } = this;
    const rows = [];
    for (const reader of this.panel.app.readers.values())
      blocks(reader, words.slice(0, known)).forEach((row, q) =>
        shares(row).forEach((part, k) =>
          rows.push([
            reader.spec.title,
            words[q].text.trim(),
            words[k].text.trim(),
            q - k,
            digits(row[k]),
            percent(part),
          ]),
        ),
      );
    return { columns: ["model", "loss of", "with respect to", "words back", "gradient", "share"], rows };
  }
}
