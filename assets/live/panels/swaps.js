// What another word in each place of the text would change: a lane for each model, a bar for each word, as high as the
// share of the next word's probability that moves.  Computed in a moment of rest.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, labelled, percent, visible } from "../dom.js";
import { shade } from "../marks/axes.js";
import { strip } from "../marks/strip.js";
import { bar } from "../parts/controls.js";
import { input } from "../parts/inputs.js";
import { Resting } from "../parts/resting.js";

const LANE = 78,
  TITLE = 20,
  FOOT = 30,
  NUMBER = 24, // room for a number over a bar
  ZERO = 12; // and for a 0

export default class Swaps {
  constructor(panel) {
    this.panel = panel;
    const { selection, app } = panel;
    this.word = input("The other word", "text", "un-select un-word-box", { maxLength: 39 });
    this.word.onchange = () => {
      const typed = this.word.value.replace(/[^\p{L}\p{N}\p{M}\u200c\u200d]/gu, "");
      selection.keep({ with: typed || undefined }, app);
    };
    panel.body.append(bar(labelled("In the place of each word:", this.word)));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.over = null; // words back from the one looked at
    this.resting = new Resting(panel, "swaps", () => {
      const reader = panel.reader();
      const span = reader.spans[selection.keptToken(reader)];
      return span?.[1] ? { stop: span[1], with: selection.get("with") } : null;
    });
    const at = (x) => (this.count && x >= 0 ? this.count - 1 - Math.floor(x / this.step) : null);
    const to = (/** @type {number | null} */ over) => {
      const inside = over !== null && over >= 0 && over < this.count ? over : null;
      if (inside === this.over) return;
      this.over = inside;
      this.draw();
    };
    const look = (/** @type {number} */ x) => to(at(x));
    this.surface.onPointer(look, look, () => to(null));
  }

  rest() {
    this.resting.rest();
  }

  ask() {
    return this.resting.ask();
  }

  // Of each model the words up to the one looked at, and what another one in the place of each changes.
  get lanes() {
    const nothing = { word: "", labels: [], changes: [] };
    return [...this.panel.app.readers.values()].map((reader) => ({
      reader,
      ...nothing,
      ...reader.said.swaps,
    }));
  }

  draw() {
    const { panel, lanes } = this;
    const { app, selection } = panel;
    if (document.activeElement !== this.word) this.word.value = selection.get("with") ?? "";
    this.canvas.classList.toggle("un-stale", !this.resting.fresh);
    const width = panel.body.clientWidth;
    const { labels } = lanes[0];
    this.count = labels.length;
    const g = this.surface.begin(width, this.count ? LANE * lanes.length + FOOT : 20);
    if (!this.count || !this.resting.wish())
      return panel.read(this.resting.wish() ? "Computed when you pause." : "Type a word or more.");
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const step = (this.step = Math.min(90, width / this.count));
    const most = Math.max(0.01, ...lanes.flatMap(({ changes }) => changes.map((c) => c?.[0] ?? 0)));
    lanes.forEach((lane, n) => {
      const colour = style.getPropertyValue(`--un-reader-${lane.reader.spec.colour}`) || colours.accent;
      this.lane(g, lane, LANE * n, most, colour, colours);
    });
    const now = this.over === null ? this.count - 1 : this.count - 1 - this.over;
    strip(g, labels, { left: 0, step, y: LANE * lanes.length + 14, now, colours });
    panel.read(this.said(lanes, labels));
  }

  lane(g, { reader, changes }, top, most, colour, colours) {
    const { step, count } = this;
    const { sees } = reader.spec;
    const base = top + LANE - 6;
    const seen = Math.min(count, sees ?? count);
    shade(
      g,
      { x: (count - seen) * step, y: top + TITLE, w: seen * step, h: LANE - TITLE - 6 },
      colours,
      0.08,
    );
    g.font = font(12, 700);
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillStyle = colour;
    const { title } = reader.spec;
    const words = sees === 1 ? `${title}: sees 1 token` : `${title}: sees ${sees} tokens`;
    g.fillText(sees ? words : `${title}: carries a state`, 0, top + 11);
    g.fillStyle = colours.line;
    g.fillRect(0, base, count * step, 1);
    const tall = LANE - TITLE - 22;
    changes.forEach((change, i) => {
      const t = count - changes.length + i;
      if (t < 0) return;
      const x = t * step;
      const share = change?.[0] ?? 0;
      const high = share ? Math.max(1, (tall * share) / most) : 0;
      g.fillStyle = colour;
      g.globalAlpha = this.over === null || count - 1 - t === this.over ? 1 : 0.4;
      if (high) g.fillRect(x + step * 0.15, base - high, step * 0.7, high);
      g.globalAlpha = 1;
      if (step < (share ? NUMBER : ZERO)) return;
      g.font = font(11, share ? 600 : 400);
      g.textAlign = "center";
      g.fillStyle = share ? colours.text : colours.faint;
      g.fillText(change ? brief(share, step) : "=", x + step / 2, base - high - 8);
    });
  }

  // The word pointed at; else the one out of the window whose change moves most, else the one that moves most.
  get chosen() {
    if (this.over !== null) return this.over;
    const { lanes, count } = this;
    const { sees } = lanes[0].reader.spec;
    let [best, found] = [-1, 0];
    for (let back = 0; back < count; back++) {
      const moved = Math.max(...lanes.map((l) => l.changes.at(-1 - back)?.[0] ?? 0));
      const far = moved + (back >= sees && moved ? 1 : 0);
      if (far > best) [best, found] = [far, back];
    }
    return found;
  }

  said(lanes, labels) {
    const back = this.chosen;
    const label = visible(labels.at(-1 - back));
    const { word } = lanes[0];
    const far = back === 0 ? "the last word" : back === 1 ? "1 word back" : `${back} words back`;
    const each = lanes.map(({ reader, changes }) => {
      const change = changes.at(-1 - back);
      if (!change) return `${reader.spec.title} the same word`;
      if (!change[1]) return `${reader.spec.title} exactly 0`;
      return `${reader.spec.title} ${percent(change[0])}, most for “${visible(change[2])}”: ${percent(change[3])} → ${percent(change[4])}`;
    });
    return `“${visible(word)}” in the place of “${label}”, ${far}: ${each.join("; ")}.`;
  }

  table() {
    const rows = [];
    for (const { reader, ...found } of this.lanes) {
      // until it is computed, the words alone
      const { labels, changes } = this.resting.fresh
        ? found
        : { labels: reader.labels.filter((_, t) => reader.spans[t][1]), changes: [] };
      labels.forEach((label, i) => {
        const change = changes[i];
        const numbers = change ? [percent(change[0]), digits(change[1]), visible(change[2])] : ["", "", ""];
        rows.push([reader.spec.title, visible(label), labels.length - 1 - i, ...numbers]);
      });
    }
    return { columns: ["model", "word", "words back", "moved", "largest change", "of"], rows };
  }
}

/** A share over a narrow bar. @param {number} share @param {number} step */
function brief(share, step) {
  if (!share) return "0";
  if (step >= 58) return percent(share);
  return share < 0.001 ? "<0.1" : (100 * share).toFixed(share < 0.1 ? 1 : 0);
}
