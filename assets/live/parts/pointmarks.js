// What stands on top of the points of a map: the typed words and the one looked at with lines to its neighbours, names where
// there is room, and the line of a lasso.

import { font } from "../drawing/canvas.js";
import { short } from "../dom.js";
import { around, dot, ends, label, star } from "../marks/points.js";

const NAMES = 40,
  TRIED = 600; // points of which one looks whether there is room for their names

// typed, now, near: of PointWords; among: where names may stand, see `label`.
export function typedNames(g, { cloud, camera, panel, chosen, ...map }, typed, now, near, among, colours) {
  const { width, high, view } = camera;
  const { words, ends: axes } = panel.spec;
  const finished = cloud.shown === cloud.places;
  if (axes.length) ends(g, axes, colours, width, high);
  g.fillStyle = colours.text;
  for (const i of chosen) g.fillRect(cloud.x[i] - 2, cloud.y[i] - 2, 4, 4);
  const spot = (i) => [cloud.x[i], cloud.y[i]];
  const name = (/** @type {number[]} */ [x, y], text, colour, weight, radius, hollow = false) => {
    dot(g, x, y, radius, colour, colours.ground, hollow);
    g.font = font(weight > 600 ? 14 : 12.5, weight);
    label(g, text, x, y, around(radius), among);
  };
  if (now >= 0) {
    const ends = near.map(({ row }) => spot(row));
    g.strokeStyle = colours.accent;
    g.lineWidth = 1.2;
    star(g, cloud.x[now], cloud.y[now], ends);
    name(spot(now), short(words[now], 20), colours.accent, 700, 6);
  }
  for (const { row, label: word, place } of typed) {
    if ((row === now && row >= 0) || (row < 0 && !finished)) continue;
    name(row < 0 ? cloud.to(place, view) : spot(row), short(word, 20), colours.text, 700, 5, row < 0);
  }
  for (const { row, said } of near)
    name(spot(row), `${short(words[row], 20)} ${said}`, colours.accent, 400, 3);
}

// Some of the names, where there is room: the commonest words first; more of them as one comes closer.
export function commonNames(g, { cloud, camera, panel }, among, colours) {
  const beside = () => [[5, 0]];
  g.globalAlpha = 0.75;
  g.fillStyle = colours.text;
  g.font = font(11.5, 400);
  for (let i = 0, written = 0, tried = 0; i < cloud.count && written < NAMES && tried < TRIED; i++) {
    const [x, y] = [cloud.x[i], cloud.y[i]];
    if (x < 0 || y < 0 || x > camera.width || y > camera.high) continue;
    tried += 1;
    if (label(g, short(panel.spec.words[i], 20), x, y, beside, among)) written += 1;
  }
  g.globalAlpha = 1;
}

export function ring(g, path, colours) {
  g.strokeStyle = colours.accent;
  g.lineWidth = 1.5;
  g.setLineDash([4, 3]);
  g.beginPath();
  for (const [x, y] of path) g.lineTo(x, y);
  g.stroke();
  g.setLineDash([]);
}
