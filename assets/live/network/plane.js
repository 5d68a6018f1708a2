// The plane large, with what one unit makes of it and the points; and the loss by step below it.

import { digits } from "../dom.js";
import { font, raster } from "../drawing/canvas.js";
import { rules, ticks } from "../marks/axes.js";
import { broken, dot } from "../marks/lines.js";
import { GRID, Maps } from "./maps.js";
import { CALLED, short, unitName, whole } from "./names.js";

/** Where a place of the plane lies in a square, and back. @param {{x: number, y: number, s: number}} square @param {[number, number]} box */
export const placing = ({ x, y, s }, [low, high]) => ({
  x: (v) => x + ((v - low) / (high - low)) * s,
  y: (v) => y + ((high - v) / (high - low)) * s,
  back: (px, py) => [low + ((px - x) / s) * (high - low), high - ((py - y) / s) * (high - low)],
  holds: (px, py) => px >= x && px <= x + s && py >= y && py <= y + s,
});

/** One map and its border in a square. @param {CanvasRenderingContext2D} g @param {{x: number, y: number, s: number}} square */
export function mapped(g, { x, y, s }, map, store, scale, ink) {
  g.imageSmoothingEnabled = true;
  g.drawImage(raster(store, map, GRID, GRID, 0, GRID, 1, scale), x, y, s, s);
  g.strokeStyle = ink.text;
  g.lineWidth = 1.5;
  g.beginPath();
  for (const [a, b] of Maps.border(map)) {
    g.moveTo(x + a[0] * s, y + a[1] * s);
    g.lineTo(x + b[0] * s, y + b[1] * s);
  }
  g.stroke();
  g.strokeStyle = ink.line;
  g.lineWidth = 1;
  g.strokeRect(x + 0.5, y + 0.5, s - 1, s - 1);
}

/** The points; those held out are rings. @param {CanvasRenderingContext2D} g */
export function points(g, square, { data }, colours, ink) {
  const size = 4.5;
  const at = placing(square, data.box);
  const held = new Set(data.held);
  g.save();
  g.beginPath();
  g.rect(square.x, square.y, square.s, square.s);
  g.clip();
  data.t.forEach((t, n) => {
    const [x, y] = [at.x(data.x[2 * n]), at.y(data.x[2 * n + 1])];
    g.fillStyle = ink.ground;
    dot(g, x, y, size + 1.2);
    g.fillStyle = colours[t];
    dot(g, x, y, size);
    if (held.has(n)) {
      g.fillStyle = ink.ground;
      dot(g, x, y, size - 2);
    }
  });
  g.restore();
}

/** The axes of the plane. @param {CanvasRenderingContext2D} g */
export function axes(g, square, box, ink) {
  const at = placing(square, box);
  const marks = box[0] < -1 ? [-1, 0, 1] : [0, 1];
  g.textBaseline = "middle";
  ticks(
    g,
    marks.map((v) => [at.x(v), short(v).replace(".00", "")]),
    square.y + square.s + 9,
    ink,
  );
  g.fillText("x₁", square.x + square.s - 8, square.y + square.s + 9);
  rules(
    g,
    marks.map((v) => [at.y(v), short(v).replace(".00", "")]),
    { left: square.x, right: square.x, colours: ink },
  );
  g.textAlign = "right";
  g.fillText("x₂", square.x - 5, square.y + 8);
}

/** The loss by step, with the step that is shown. @param {CanvasRenderingContext2D} g */
export function curve(g, box, trainer, colours, ink) {
  const { records, step, end } = trainer;
  const finite = (v) => (Number.isFinite(v) ? v : 0);
  const most = Math.max(
    0.1,
    ...records.map((one) => Math.max(finite(one.train.loss), finite(one.held.loss))),
  );
  const top = Math.min(most, 5 * Math.max(0.2, finite(records[0].train.loss)));
  const x = (s) => box.x + (s / Math.max(1, end)) * box.w;
  const y = (v) => box.y + box.h * (1 - Math.min(1.02, v / top));
  rules(
    g,
    [0, top / 2, top].map((v) => [y(v), v ? digits(v).replace(/(\.\d\d)\d+$/, "$1") : "0"]),
    { left: box.x, right: box.x + box.w, colours: ink },
  );
  g.textBaseline = "middle";
  ticks(g, [[box.x + box.w / 2, "Step"]], box.y + box.h + 10, ink);
  g.textAlign = "right";
  g.fillText(whole(end), box.x + box.w, box.y + box.h + 10);
  g.textAlign = "left";
  g.fillText("0", box.x, box.y + box.h + 10);
  for (const [name, style, dash] of [
    ["held", colours[3], [5, 3]],
    ["train", ink.text, []],
  ]) {
    g.strokeStyle = style;
    g.lineWidth = 2;
    g.setLineDash(dash);
    broken(
      g,
      records.length,
      (n) => x(records[n].step),
      (n) => y(records[n][name].loss),
    );
    g.setLineDash([]);
    const [one] = records;
    if (records.length === 1 && Number.isFinite(one[name].loss)) {
      g.fillStyle = style;
      dot(g, x(one.step), y(one[name].loss), 3.5);
    }
  }
  g.strokeStyle = ink.accent;
  g.lineWidth = 1.5;
  g.beginPath();
  g.moveTo(x(step), box.y - 4);
  g.lineTo(x(step), box.y + box.h);
  g.stroke();
  g.font = font(12, 600);
  g.textAlign = "right";
  g.fillStyle = ink.text;
  g.fillText("Loss", box.x + box.w, box.y - 9);
  const wide = g.measureText("Loss").width;
  g.fillStyle = colours[3];
  if (trainer.data.held.length) g.fillText("Held out", box.x + box.w - wide - 10, box.y - 9);
}

/** A unit in words: its bias and what it reads. */
export function told(net, layer, unit) {
  const name = unitName(net, layer, unit);
  if (!layer)
    return unit
      ? "x₂ is an input: how high a point lies."
      : "x₁ is an input: how far to the right a point lies.";
  const parts = Array.from({ length: net.sizes[layer - 1] }, (_, i) => [
    unitName(net, layer - 1, i),
    net.p[net.weight(layer, unit, i)],
  ]);
  const read = parts.map(([from, w]) => `${short(Number(w))} · ${from}`).join(" + ");
  const sum = `${read} + ${short(net.p[net.b[layer] + unit])}`.replaceAll("+ −", "− ");
  const activation = layer === net.last ? "sigmoid" : (CALLED[net.activation] ?? net.activation);
  return activation === "linear" ? `${name} = ${sum}.` : `${name} = ${activation}(${sum}).`;
}
