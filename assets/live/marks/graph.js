// Boxes, circles and arrows of diagrams and trees; colours and widths are those that `g` has.

import { curve } from "./arcs.js";

/**
 * A line with a head, the line dashed or not.
 * @param {CanvasRenderingContext2D} g
 * @param {number} x @param {number} y @param {number} to @param {number} down
 */
export function arrow(g, x, y, to, down, dashed = false, long = 7) {
  const turn = Math.atan2(down - y, to - x);
  g.setLineDash(dashed ? [3, 3] : []);
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(to, down);
  g.stroke();
  g.setLineDash([]);
  g.beginPath();
  g.moveTo(to, down);
  for (const side of [-0.45, 0.45])
    g.lineTo(to - long * Math.cos(turn + side), down - long * Math.sin(turn + side));
  g.fill();
}

/**
 * A circle, filled and with its line. @param {CanvasRenderingContext2D} g
 * @param {number} x @param {number} y @param {number} radius
 */
export function circle(g, x, y, radius) {
  g.beginPath();
  g.arc(x, y, radius, 0, 2 * Math.PI);
  g.fill();
  g.stroke();
}

/**
 * A box with round corners, filled and with its line; y is its middle. @param {CanvasRenderingContext2D} g
 * @param {number} x @param {number} y @param {number} wide @param {number} high
 */
export function card(g, x, y, wide, high) {
  g.beginPath();
  g.roundRect(x + 0.5, y - high / 2, wide, high, 4);
  g.fill();
  g.stroke();
}

/**
 * A node of a tree that grows to the right: the branch that leads to it, and its card.
 * @param {CanvasRenderingContext2D} g @param {{x: number, y: number}} node where the middle of its left side is
 * @param {{x: number, y: number} | undefined} from its parent @param {{wide: number, high: number, ground: string}} size of all
 * @param {{branch: [string, number], edge: [string, number]}} look colour and width of each
 */
export function leaf(g, { x, y }, from, { wide, high, ground }, { branch, edge }) {
  [g.strokeStyle, g.lineWidth] = branch;
  if (from) curve(g, from.x + wide, from.y, x, y);
  [g.strokeStyle, g.lineWidth] = edge;
  g.fillStyle = ground;
  card(g, x, y, wide, high);
}
