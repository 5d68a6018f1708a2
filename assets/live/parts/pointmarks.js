// What is written and drawn on top of a map of points: names where there is room, ellipses, the ends of the axes.

import { font } from "../drawing/canvas.js";
import { short } from "../dom.js";

/** A point with its name, in the first place beside it that is free; 1 if there was one, else 0. @param {number[]} spot */
export function name(
  g,
  { width, high },
  spot,
  label,
  { colour, weight, radius, placed, ground, hollow = false, small = false, more = "" },
) {
  const [x, y] = spot;
  g.fillStyle = g.strokeStyle = colour;
  if (radius) {
    g.lineWidth = hollow ? 2 : 1.5;
    g.beginPath();
    g.arc(x, y, radius, 0, 7);
    if (hollow) g.stroke();
    else {
      g.fill();
      g.strokeStyle = ground;
      g.stroke();
    }
  }
  g.font = font(small ? 11.5 : weight > 600 ? 14 : 12.5, weight);
  const text = short(label, 20) + more,
    wide = g.measureText(text).width,
    room = small ? 6 : 1;
  g.textBaseline = "middle";
  g.textAlign = "left";
  const places = small
    ? [[5, 0]]
    : [
        [radius + 4, 0],
        [-wide - radius - 4, 0],
        [-wide / 2, -15],
        [-wide / 2, 15],
        [radius, -13],
        [radius, 13],
      ];
  for (const [dx, dy] of places) {
    const box = [x + dx - room, y + dy - 7 - room, x + dx + wide + room, y + dy + 7 + room];
    if (
      box[0] < 0 ||
      box[2] > width ||
      box[1] < 0 ||
      box[3] > high ||
      placed.some((p) => box[0] < p[2] && box[2] > p[0] && box[1] < p[3] && box[3] > p[1])
    )
      continue;
    placed.push(box);
    g.lineWidth = 3;
    g.strokeStyle = ground;
    g.strokeText(text, x + dx, y + dy);
    g.fillText(text, x + dx, y + dy);
    return true;
  }
  return false;
}

// One standard deviation of the places of ten random starts: strong for typed words and the one looked at.
export function ellipses(g, cloud, covariance, colours, scale, strong) {
  g.lineWidth = 1;
  for (let i = 0; i < cloud.count; i++) {
    const [a, b, c] = [0, 1, 2].map((n) => covariance[3 * i + n]);
    const middle = (a + c) / 2,
      off = Math.hypot((a - c) / 2, b);
    g.globalAlpha = strong.has(i) ? 1 : 0.1;
    g.strokeStyle = strong.has(i) ? colours.accent : colours.faint;
    g.beginPath();
    g.ellipse(
      cloud.x[i],
      cloud.y[i],
      Math.sqrt(Math.max(0, middle + off)) * scale,
      Math.sqrt(Math.max(0, middle - off)) * scale,
      -Math.atan2(2 * b, a - c) / 2,
      0,
      7,
    );
    g.stroke();
  }
  g.globalAlpha = 1;
}

// What the axes run between, at the edges.
export function ends(g, pairs, colours, { width, high }) {
  const [[left, right], [bottom, top]] = pairs.map((pair) =>
    pair.map((end) => short(end.replaceAll(" ", "\u2009"), 30)),
  );
  g.font = font(13, 600);
  g.fillStyle = colours.faint;
  g.textBaseline = "middle";
  for (const [text, align, x, y] of [
    [`← ${left}`, "left", 8, high / 2],
    [`${right} →`, "right", width - 8, high / 2],
    [`↑ ${top}`, "center", width / 2, 12],
    [`↓ ${bottom}`, "center", width / 2, high - 12],
  ]) {
    g.textAlign = align;
    g.fillText(text, x, y);
  }
}
