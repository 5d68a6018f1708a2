// The clocks behind the places: one face a pair, which turns by its speed times the place.

import { font, inside } from "../../drawing/canvas.js";

const CLOCK = 58,
  CAPTION = 40,
  NAMED = 14;

// At most `most` pairs, evenly spread from the fastest to the slowest: [[pair, speed], ...].
function pick(speeds, most) {
  const n = Math.min(most, speeds.length);
  return Array.from({ length: n }, (_, i) => Math.round((i * (speeds.length - 1)) / Math.max(1, n - 1))).map(
    (i) => [i, speeds[i]],
  );
}

// How many places a turn takes, in few characters.
const lasts = (places) =>
  places < 100
    ? places.toFixed(1)
    : places < 10_000
      ? String(Math.round(places))
      : `${Math.round(places / 1000)}k`;

export class Clocks {
  constructor({ speeds, stretch }, width) {
    this.stretch = stretch;
    this.columns = Math.max(1, Math.min(12, Math.floor((width - 4) / CLOCK)));
    this.shown = speeds ? pick(speeds, width < 500 ? 2 * this.columns : 12) : [];
    const rows = Math.ceil(this.shown.length / this.columns);
    this.high = rows && CAPTION + rows * (CLOCK + NAMED);
  }

  // A full hand for the token that looks, a thin one for the other: the label and the place of each.
  draw(g, top, { colours, style }, looks, other) {
    if (!this.high) return;
    const thin = style.getPropertyValue("--un-line-1");
    const radius = CLOCK / 2 - 7;
    const thick = `thick: “${looks.label}”`;
    g.textAlign = "left";
    g.font = font(12, 600);
    g.fillStyle = colours.accent;
    g.fillText(thick, 2, top + 6);
    g.fillStyle = thin;
    g.fillText(`thin: “${other.label}”`, 16 + g.measureText(thick).width, top + 6);
    g.fillStyle = colours.faint;
    g.font = font(11);
    inside(g, "below each clock: its pair, and how many places a turn takes", 2, top + 24);
    g.textAlign = "center";
    this.shown.forEach(([i, speed], n) => {
      const x = (n % this.columns) * CLOCK + CLOCK / 2;
      const y = top + CAPTION + Math.floor(n / this.columns) * (CLOCK + NAMED) + radius;
      const hand = (at, colour, wide, long) => {
        const angle = at * this.stretch * speed;
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
      hand(looks.at, colours.accent, 4, 0.8);
      hand(other.at, thin, 1.8, 0.98);
      g.font = font(10.5);
      g.fillStyle = colours.faint;
      g.fillText(`${i}: ${lasts((2 * Math.PI) / speed)}`, x, y + radius + 9);
    });
    g.textAlign = "left";
  }
}
