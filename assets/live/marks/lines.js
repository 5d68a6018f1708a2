// A number at each token as a line, on a canvas.

/**
 * The line breaks nowhere: numbers that are not finite are left out.
 * @param {number | ((t: number) => number)} dots radius of the dots on it; 0 for none
 * @param {CanvasRenderingContext2D} g @param {number} count @param {(t: number) => number} x @param {(t: number) => number} y @param {string} colour @param {number} width
 */
export function course(g, count, x, y, colour, width, dots = 0) {
  g.strokeStyle = g.fillStyle = colour;
  g.lineWidth = width;
  g.beginPath();
  for (let t = 0; t < count; t++) if (Number.isFinite(y(t))) g.lineTo(x(t), y(t));
  g.stroke();
  if (!dots) return;
  for (let t = 0; t < count; t++) {
    const radius = typeof dots === "number" ? dots : dots(t);
    if (radius && Number.isFinite(y(t))) dot(g, x(t), y(t), radius);
  }
}

/**
 * A line through places that stands out from a picture below it.
 * @param {CanvasRenderingContext2D} g @param {number[][]} places @param {string} ground of its edge @param {string} colour @param {number} width
 */
export function outlined(g, places, ground, colour, width) {
  for (const [style, wide] of /** @type {[string, number][]} */ ([
    [ground, 2 * width],
    [colour, width],
  ])) {
    g.strokeStyle = style;
    g.lineWidth = wide;
    g.beginPath();
    for (const [x, y] of places) g.lineTo(x, y);
    g.stroke();
  }
}

/**
 * A filled dot.
 * @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {number} radius
 */
export function dot(g, x, y, radius) {
  g.beginPath();
  g.arc(x, y, radius, 0, 7);
  g.fill();
}

/**
 * A line that breaks where a number is not finite: it is missing there.
 * @param {CanvasRenderingContext2D} g @param {number} count @param {(t: number) => number} x @param {(t: number) => number} y
 */
export function broken(g, count, x, y) {
  g.beginPath();
  for (let t = 0, on = false; t < count; t++) {
    const at = y(t);
    const there = Number.isFinite(at);
    if (there) g[on ? "lineTo" : "moveTo"](x(t), at);
    on = there;
  }
  g.stroke();
}

/**
 * A triangle that points down at (x, y).
 * @param {CanvasRenderingContext2D} g @param {number} x @param {number} y
 */
export function pointer(g, x, y, high = 8) {
  g.beginPath();
  g.moveTo(x - 4, y - high);
  g.lineTo(x + 4, y - high);
  g.lineTo(x, y);
  g.fill();
}
