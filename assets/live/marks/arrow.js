// Lines with a head, in one colour.

/** The head of an arrow at (x, y), which points along (dx, dy), a direction of length 1. @param {CanvasRenderingContext2D} g */
export function head(g, x, y, dx, dy, colour) {
  g.fillStyle = colour;
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(x - 7 * dx - 4 * dy, y - 7 * dy + 4 * dx);
  g.lineTo(x - 7 * dx + 4 * dy, y - 7 * dy - 4 * dx);
  g.fill();
}

/** @param {CanvasRenderingContext2D} g */
export function arrow(g, x, y, to, down, colour, width) {
  g.strokeStyle = colour;
  g.lineWidth = width;
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(to, down);
  g.stroke();
  const long = Math.hypot(to - x, down - y) || 1;
  head(g, to, down, (to - x) / long, (down - y) / long, colour);
}
