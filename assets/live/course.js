// A number at each token as a line, on a canvas.

export function course(g, count, x, y, colour, width, dots = 0) {
  g.strokeStyle = g.fillStyle = colour;
  g.lineWidth = width;
  g.beginPath();
  for (let t = 0; t < count; t++) if (Number.isFinite(y(t))) g.lineTo(x(t), y(t));
  g.stroke();
  if (!dots) return;
  for (let t = 0; t < count; t++) if (Number.isFinite(y(t))) { g.beginPath(); g.arc(x(t), y(t), dots, 0, 7); g.fill(); }
}

// The tokens under their columns; as many as there is room for.
export function tokenLabels(g, labels, x, y, step, now, colours, font, visible) {
  g.textAlign = "center";
  g.textBaseline = "middle";
  g.font = font(Math.max(9, Math.min(13, step)));
  const every = Math.max(1, Math.ceil(9 / step));
  labels.forEach((label, t) => {
    if (t % every && t !== now) return;
    g.fillStyle = t === now ? colours.accent : colours.text;
    g.fillText(Array.from(visible(label)).slice(0, Math.max(1, Math.floor(step / 7))).join(""), x(t), y);
  });
}

// Lets the pointer walk over a canvas whose tokens stand side by side from `left`, `view.step` apart: pointing looks, a click keeps.
export function along(view, left) {
  const { panel, surface } = view;
  const at = (x, use) => {
    const reader = panel.reader();
    if (!reader.labels.length) return;
    const t = Math.max(0, Math.min(reader.labels.length - 1, Math.floor((x - left) / view.step)));
    use({ token: t + reader.offset, reader: reader.spec.id, span: reader.spans[t] });
  };
  surface.onPointer((x) => at(x, (p) => panel.selection.look(p)), (x) => at(x, (p) => panel.selection.keep(p, panel.app)), () => panel.selection.leave());
}
