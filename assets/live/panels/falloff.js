// How a whole distribution falls off from its likeliest word to its last, both axes logarithmic, and how much of the mass
// the words down to a rank hold together.  It takes a sort of the vocabulary, so it is drawn in a moment of rest.

import { Surface, font, ink } from "../drawing/canvas.js";
import { rules, tens, ticks } from "../marks/axes.js";
import { course, dot } from "../marks/lines.js";
import { percent, probability, raised, short, visible } from "../dom.js";

const HIGH = 190,
  TOP = 22,
  BOTTOM = 38,
  LEFT = 46,
  RIGHT = 46;

export default class Falloff {
  over = null; // which of the points
  xs = [];

  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    const look = (x = null) => {
      this.over = x === null ? null : this.near(x);
      panel.draw();
    };
    this.surface.onPointer(
      (x) => look(x),
      () => {},
      () => look(),
    );
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const { extra } = reader;
    const t = selection.token(reader);
    const fresh = extra?.of === app.text && extra.token === t + reader.offset;
    panel.root.classList.toggle("un-stale", !fresh);
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, TOP + HIGH + BOTTOM);
    if (!extra) return panel.read("Drawn when you pause.");
    const colours = ink(app.root);
    const across = width - LEFT - RIGHT;
    const size = extra.ranks.at(-1);
    const last = extra.p.findLastIndex((p) => p > 0); // a start mark never comes next: its 0 has no place here
    const low = Math.min(-8, Math.floor(Math.log10(extra.p[last])));
    const x = (rank) => LEFT + (across * Math.log10(rank)) / Math.log10(Math.max(2, size));
    const y = (p) => TOP + (HIGH * Math.log10(p)) / low;
    const share = (mass) => TOP + HIGH * (1 - mass);
    const powers = Array.from({ length: Math.floor(-low / 2) + 1 }, (_, i) => -2 * i);
    const side = { left: LEFT, right: LEFT + across, gap: 6, colours };
    rules(
      g,
      powers.map((e) => [TOP + (HIGH * e) / low, e ? `10${raised(e)}` : "1"]),
      side,
    );
    g.textAlign = "left";
    for (const mass of [0, 0.5, 1]) g.fillText(`${100 * mass} %`, width - RIGHT + 6, share(mass));
    ticks(
      g,
      tens(size).map((r) => [x(r), whole(r)]),
      TOP + HIGH + 12,
      colours,
    );
    g.fillText("rank, likeliest word first", LEFT + across / 2, TOP + HIGH + 28);
    const style = getComputedStyle(app.root);
    const [first, second] = [0, 1].map((i) => style.getPropertyValue(`--un-line-${i}`));
    const at = (i) => x(extra.ranks[i]);
    course(g, last + 1, at, (i) => y(extra.p[i]), first, 2);
    course(g, last + 1, at, (i) => share(extra.mass[i]), second, 2);
    this.key(
      g,
      [
        ["probability", first],
        ["share of all words so far", second],
      ],
      colours,
    );
    const [p, place] = (fresh && reader.find && reader.found[t]) || []; // a word that was let go has none
    if (p > 0) {
      const left = x(place) <= LEFT + 0.7 * across;
      g.fillStyle = colours.accent;
      dot(g, x(place), y(p), 5);
      g.font = font(12, 700);
      g.textAlign = left ? "left" : "right";
      g.fillText(short(reader.find.label, 16), x(place) + (left ? 9 : -9), y(p) - 9);
    }
    this.point(g, x, colours);
    this.explain(extra, fresh, reader);
  }

  key(g, items, colours) {
    g.textAlign = "left";
    let at = LEFT;
    for (const [name, colour] of items) {
      g.fillStyle = colour;
      g.fillRect(at, 7, 12, 3);
      g.fillStyle = colours.text;
      g.fillText(name, at + 17, 9);
      at += 32 + g.measureText(name).width;
    }
  }

  // The point nearest to the pointer.
  near(at) {
    const far = (i) => Math.abs(this.xs[i] - at);
    return this.xs.length ? this.xs.reduce((best, _, i) => (far(i) < far(best) ? i : best), 0) : null;
  }

  point(g, x, colours) {
    const { extra } = this.panel.reader();
    this.xs = extra.ranks.map(x);
    if (this.over === null || this.over >= this.xs.length) return;
    g.strokeStyle = colours.text;
    g.lineWidth = 1;
    g.strokeRect(this.xs[this.over] - 0.5, TOP, 1, HIGH);
  }

  explain(extra, fresh, reader) {
    const [half, ninety, nearly] = extra.needed.map(whole);
    const i = this.over;
    if (i !== null && i < extra.ranks.length) {
      return this.panel.read(
        `Rank ${whole(extra.ranks[i])}: P = ${probability(extra.p[i])}; the words up to this rank hold ${percent(extra.mass[i])}.`,
      );
    }
    const after = visible(reader.labels[extra.token - reader.offset] ?? "");
    this.panel.read(
      fresh
        ? `After “${after}” half of the mass is in ${half} of ${whole(extra.ranks.at(-1))} words, 90 % in ${ninety}, 99 % in ${nearly}.`
        : "Out of date: redrawn when you pause.",
    );
  }

  spoken() {
    return this.panel.root.classList.contains("un-stale") ? null : undefined;
  }

  table() {
    const { extra } = this.panel.reader();
    return {
      columns: ["rank", "probability", "share so far"],
      rows: (extra?.ranks ?? []).map((r, i) => [whole(r), probability(extra.p[i]), percent(extra.mass[i])]),
    };
  }
}

const whole = (n) => n.toLocaleString("en");
