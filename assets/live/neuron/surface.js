// The output of a neuron over the plane of its inputs, as a surface that can be turned.

import { font } from "../drawing/canvas.js";
import { dot, outlined } from "../marks/lines.js";
import { ACTIVATIONS } from "../sums/activations.js";

const CELLS = 26,
  TALL = 2.4; // how high the surface is at most, beside half the width of its floor

/**
 * @param {import("../drawing/canvas.js").Surface} canvas
 * @param {{width: number, height: number, state: any, view: {turn: number, tilt: number}, scale: any,
 *   ink: import("../types.js").Ink, colour: string, reach: number}} of  `colour`: of the input
 */
export function drawSurface(canvas, { width, height, state, view, scale, ink, colour, reach }) {
  const g = canvas.begin(width, height);
  const { of } = ACTIVATIONS[state.f];
  const [cos, sin] = [Math.cos(view.turn), Math.sin(view.turn)];
  const [down, up] = [Math.sin(view.tilt), Math.cos(view.tilt)];
  const across = Math.abs(cos) + Math.abs(sin);
  const room = height - 74;
  const size = Math.min((width - 36) / (2 * across), room / (2 * across * down + up));
  const tall = up * Math.min(TALL * size, (room - 2 * across * down * size) / up); // pixels
  const [cx, cy] = [width / 2, 40 + (height - 70) / 2];
  const share = (/** @type {number} */ a) => (a - scale.low) / (scale.high - scale.low) - 0.5;
  const output = (x1, x2) => of(state.w1 * x1 + state.w2 * x2 + state.b);
  /** From inputs and a height to pixels, and how near it is. */
  const place = (x1, x2, h) => {
    const [u, v] = [x1 / reach, -x2 / reach];
    const [x, y] = [u * cos - v * sin, u * sin + v * cos];
    return [cx + size * x, cy + size * y * down - tall * h, y];
  };
  g.font = font(13, 600);
  g.textAlign = "left";
  g.textBaseline = "middle";
  g.fillStyle = ink.text;
  g.fillText("The output as a surface", 6, 9);
  // the floor
  const floor = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([a, b]) => place(a * reach, b * reach, -0.5));
  g.strokeStyle = ink.line;
  g.lineWidth = 1;
  g.beginPath();
  for (const [x, y] of [...floor, floor[0]]) g.lineTo(x, y);
  g.stroke();
  const at = (/** @type {number} */ k) => (k / CELLS) * 2 * reach - reach;
  const grid = [];
  for (let i = 0; i <= CELLS; i++)
    grid.push(Array.from({ length: CELLS + 1 }, (_, j) => output(at(j), at(i))));
  const cells = [];
  for (let i = 0; i < CELLS; i++)
    for (let j = 0; j < CELLS; j++) {
      const middle = place((at(j) + at(j + 1)) / 2, (at(i) + at(i + 1)) / 2, 0);
      cells.push([middle[2], i, j]);
    }
  cells.sort((a, b) => a[0] - b[0]);
  g.lineJoin = "round";
  for (const [, i, j] of cells) {
    const value = (grid[i][j] + grid[i + 1][j] + grid[i][j + 1] + grid[i + 1][j + 1]) / 4;
    g.fillStyle = g.strokeStyle = scale.css(value);
    g.beginPath();
    for (const [a, b] of [
      [i, j],
      [i, j + 1],
      [i + 1, j + 1],
      [i + 1, j],
    ]) {
      const [x, y] = place(at(b), at(a), share(grid[a][b]));
      g.lineTo(x, y);
    }
    g.closePath();
    g.fill();
    g.lineWidth = 0.7;
    g.stroke();
    if (i % 2 || j % 2) continue;
    g.globalAlpha = 0.35;
    g.strokeStyle = ink.ground;
    g.stroke();
    g.globalAlpha = 1;
  }
  line(g, state, place, share(of(0)), reach, ink);
  // the input, from the floor up to its output
  const a = output(state.x1, state.x2);
  const [fx, fy] = place(state.x1, state.x2, -0.5);
  const [px, py] = place(state.x1, state.x2, share(a));
  g.strokeStyle = ink.text;
  g.lineWidth = 1.5;
  g.setLineDash([4, 3]);
  g.beginPath();
  g.moveTo(fx, fy);
  g.lineTo(px, py);
  g.stroke();
  g.setLineDash([]);
  g.fillStyle = ink.ground;
  dot(g, px, py, 8);
  g.fillStyle = colour;
  dot(g, px, py, 6);
  g.font = font(12, 600);
  g.textAlign = "center";
  g.lineWidth = 3;
  g.strokeStyle = ink.ground;
  g.fillStyle = ink.text;
  // each at the middle of that side of the floor which is nearer
  const near = (/** @type {number[][]} */ sides) =>
    sides.map(([x1, x2]) => place(x1, x2, -0.5)).sort((a, b) => b[2] - a[2])[0];
  const out = 1.2 * reach;
  for (const [words, sides] of /** @type {[string, number[][]][]} */ ([
    [
      "x₁",
      [
        [0, out],
        [0, -out],
      ],
    ],
    [
      "x₂",
      [
        [out, 0],
        [-out, 0],
      ],
    ],
  ])) {
    const [x, y] = near(sides);
    const across = Math.max(8, Math.min(width - 8, x));
    g.strokeText(words, across, y);
    g.fillText(words, across, y);
  }
}

/** Where the sum is 0, drawn on the surface. */
function line(g, { w1, w2, b }, place, height, reach, ink) {
  const points = [];
  for (let k = 0; k <= 200; k++) {
    const along = (k / 100 - 1) * reach;
    const [x1, x2] =
      Math.abs(w1) > Math.abs(w2) ? [(-b - w2 * along) / w1, along] : [along, (-b - w1 * along) / w2];
    if (Math.abs(x1) <= reach && Math.abs(x2) <= reach) points.push(place(x1, x2, height));
  }
  outlined(g, points, ink.ground, ink.text, 2);
}
