// A number at each token as a line, on a canvas.

export function course(g, count, x, y, colour, width, dots = 0) {
  g.strokeStyle = g.fillStyle = colour;
  g.lineWidth = width;
  g.beginPath();
  for (let t = 0; t < count; t++) if (Number.isFinite(y(t))) g.lineTo(x(t), y(t));
  g.stroke();
  if (!dots) return;
  for (let t = 0; t < count; t++)
    if (Number.isFinite(y(t))) {
      g.beginPath();
      g.arc(x(t), y(t), dots, 0, 7);
      g.fill();
    }
}
