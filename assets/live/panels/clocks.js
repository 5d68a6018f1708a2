// The clocks behind the places: one face for a pair of numbers, which turns by its speed times the place.

import { Surface, font, ink, inside } from "../drawing/canvas.js";
import { digits, short } from "../dom.js";

const [CLOCK, CAPTION, NAMED, MOST] = [58, 40, 14, 12];

// At most `most` pairs, evenly spread from the fastest to the slowest: [[pair, speed], ...].
function pick(speeds, most) {
  const n = Math.min(most, speeds.length);
  return Array.from({ length: n }, (_, i) => Math.round((i * (speeds.length - 1)) / Math.max(1, n - 1))).map(
    (i) => [i, speeds[i]],
  );
}

// How many places a turn takes, in few characters.
function lasts(speed) {
  const places = (2 * Math.PI) / speed;
  if (places < 100) return places.toFixed(1);
  return places < 10_000 ? String(Math.round(places)) : `${Math.round(places / 1000)}k`;
}

export default class Clocks {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
  }

  // The token that looks, and the one looked at: [label, place].
  hands() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const query = selection.token(reader);
    const other = selection.get("other");
    const key = Math.max(0, Math.min(query, other === undefined ? query - 1 : other - reader.offset));
    return [query, key].map((t) => [short(reader.labels[t] ?? "", 10), reader.fields.get("at")?.values[t]]);
  }

  get shown() {
    return pick(this.panel.spec.speeds, MOST);
  }

  draw() {
    const { panel, surface, shown } = this;
    const width = panel.body.clientWidth;
    const columns = Math.max(1, Math.min(MOST, Math.floor((width - 4) / CLOCK)));
    const [looks, other] = this.hands();
    panel.say(
      panel.spec.title,
      "Each clock is two numbers of a position, a cosine and a sine: its hand turns by the same angle with every place. The fast ones tell neighbours apart, the slow ones far places.",
    );
    if (looks[1] === undefined) {
      surface.begin(width, 1);
      return panel.read("");
    }
    const g = surface.begin(width, CAPTION + Math.ceil(shown.length / columns) * (CLOCK + NAMED));
    const colours = ink(panel.app.root);
    const thin = getComputedStyle(panel.app.root).getPropertyValue("--un-line-1");
    this.caption(g, `thick: “${looks[0]}”`, `thin: “${other[0]}”`, colours, thin);
    const radius = CLOCK / 2 - 7;
    shown.forEach(([i, speed], n) => {
      const x = (n % columns) * CLOCK + CLOCK / 2;
      const y = CAPTION + Math.floor(n / columns) * (CLOCK + NAMED) + radius;
      const hand = (place, colour, wide, long) => {
        const angle = place * panel.spec.stretch * speed;
        g.strokeStyle = colour;
        g.lineWidth = wide;
        g.beginPath();
        g.moveTo(x, y);
        g.lineTo(x + radius * long * Math.sin(angle), y - radius * long * Math.cos(angle));
        g.stroke();
      };
      g.strokeStyle = colours.line;
      g.lineWidth = 1.5;
      g.beginPath();
      g.arc(x, y, radius, 0, 7);
      g.stroke();
      hand(looks[1], colours.accent, 4, 0.8);
      hand(other[1], thin, 1.8, 0.98);
      g.font = font(10.5);
      g.fillStyle = colours.faint;
      g.fillText(`${i}: ${lasts(speed)}`, x, y + radius + 9);
    });
    panel.read(
      `“${looks[0]}” is at place ${looks[1]}, “${other[0]}” at place ${other[1]}: ${looks[1] - other[1]} back.`,
    );
  }

  caption(g, thick, thin, colours, colour) {
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.font = font(12, 600);
    g.fillStyle = colours.accent;
    g.fillText(thick, 2, 8);
    g.fillStyle = colour;
    g.fillText(thin, 16 + g.measureText(thick).width, 8);
    g.fillStyle = colours.faint;
    g.font = font(11);
    inside(g, "below each clock: its pair, and how many places a turn takes", 2, 26);
    g.textAlign = "center";
  }

  table() {
    const turns = (place, speed) =>
      digits((((place ?? NaN) * this.panel.spec.stretch * speed) / (2 * Math.PI)) % 1);
    const [looks, other] = this.hands();
    return {
      columns: ["pair", "places a turn takes", "share of a turn", "of the other"],
      rows: this.shown.map(([i, speed]) => [i, lasts(speed), turns(looks[1], speed), turns(other[1], speed)]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
