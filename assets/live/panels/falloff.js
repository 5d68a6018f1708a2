// How a whole distribution falls off from its likeliest word to its last, both axes logarithmic, and how much of the mass
// the words down to a rank hold together.  It takes a sort of the vocabulary, so it is drawn in a moment of rest.

import { Surface, font, ink } from "../drawing/canvas.js";
import { percent, probability, raised, short, visible } from "../dom.js";

const HIGH = 190,
  TOP = 22,
  BOTTOM = 38,
  LEFT = 46,
  RIGHT = 46;

export default class Falloff {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x) => {
        this.pointer = x;
        panel.draw();
      },
      () => {},
      () => {
        this.pointer = null;
        panel.draw();
      },
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
    g.font = font(11);
    g.textBaseline = "middle";
    for (let e = 0; e >= low; e -= 2) {
      g.fillStyle = colours.line;
      g.fillRect(LEFT, Math.round(TOP + (HIGH * e) / low), across, 1);
      g.fillStyle = colours.faint;
      g.textAlign = "right";
      g.fillText(e ? `10${raised(e)}` : "1", LEFT - 6, TOP + (HIGH * e) / low);
    }
    g.textAlign = "left";
    for (const mass of [0, 0.5, 1]) g.fillText(`${100 * mass} %`, width - RIGHT + 6, share(mass));
    g.textAlign = "center";
    for (let r = 1; r <= size; r *= 10) g.fillText(whole(r), x(r), TOP + HIGH + 12);
    g.fillText("rank, likeliest word first", LEFT + across / 2, TOP + HIGH + 28);
    const draw = (values, at, colour) => {
      g.strokeStyle = colour;
      g.lineWidth = 2;
      g.beginPath();
      extra.ranks.forEach((rank, i) => {
        if (i <= last) g[i ? "lineTo" : "moveTo"](x(rank), at(values[i]));
      });
      g.stroke();
    };
    const style = getComputedStyle(app.root);
    const [first, second] = [0, 1].map((i) => style.getPropertyValue(`--un-line-${i}`));
    draw(extra.p, y, first);
    draw(extra.mass, share, second);
    g.textAlign = "left";
    let at = LEFT;
    for (const [name, colour] of [
      ["probability", first],
      ["share of all words so far", second],
    ]) {
      g.fillStyle = colour;
      g.fillRect(at, 7, 12, 3);
      g.fillStyle = colours.text;
      g.fillText(name, at + 17, 9);
      at += 32 + g.measureText(name).width;
    }
    const found = fresh && reader.found[t];
    if (found?.length && found[0] > 0) {
      const [p, place] = found;
      g.fillStyle = colours.accent;
      g.beginPath();
      g.arc(x(place), y(p), 5, 0, 7);
      g.fill();
      g.font = font(12, 700);
      g.textAlign = x(place) > LEFT + 0.7 * across ? "right" : "left";
      g.fillText(short(reader.find.label, 16), x(place) + (g.textAlign === "left" ? 9 : -9), y(p) - 9);
    }
    this.point(g, x, y, share, colours);
    this.explain(extra, fresh, reader);
  }

  // The point under the pointer.
  point(g, x, y, share, colours) {
    const { extra } = this.panel.reader();
    this.under = null;
    if (this.pointer === null || this.pointer === undefined) return;
    let best = 0;
    extra.ranks.forEach((rank, i) => {
      if (Math.abs(x(rank) - this.pointer) < Math.abs(x(extra.ranks[best]) - this.pointer)) best = i;
    });
    this.under = best;
    g.strokeStyle = colours.text;
    g.lineWidth = 1;
    g.strokeRect(x(extra.ranks[best]) - 0.5, TOP, 1, HIGH);
  }

  explain(extra, fresh, reader) {
    const [half, ninety, nearly] = extra.needed.map(whole);
    if (this.under !== null && this.under !== undefined) {
      const i = this.under;
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

  table() {
    const { extra } = this.panel.reader();
    return {
      columns: ["rank", "probability", "share so far"],
      rows: (extra?.ranks ?? []).map((r, i) => [whole(r), probability(extra.p[i]), percent(extra.mass[i])]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}

const whole = (n) => n.toLocaleString("en");
