// Points with names where there is room.

/** A disc, or a ring where it is hollow; its edge in the colour `ground`, where there is one. */
export function dot(g, x, y, radius, colour, ground = "", hollow = false) {
  g.fillStyle = g.strokeStyle = colour;
  g.lineWidth = hollow ? 2 : 1.5;
  g.beginPath();
  g.arc(x, y, radius, 0, 7);
  if (!hollow) g.fill();
  if (ground && !hollow) g.strokeStyle = ground;
  if (ground || hollow) g.stroke();
}

/**
 * A text in the font and the colour of `g`, in the first of the places around (x, y) where it covers no other and is inside.
 * @param {CanvasRenderingContext2D} g @param {string} text
 * @param {(wide: number) => number[][]} places how far beside the point it may begin, best first
 * @param {{placed: number[][], inside: number[], ground: string, room?: number, always?: boolean}} among `placed` gets the box
 *   that it takes; `inside`: left, top, right, bottom; `always`: in the last place even if that is taken
 */
export function label(g, text, x, y, places, among) {
  const { placed, inside, ground, room = 1, always = false } = among;
  const wide = g.measureText(text).width;
  const tried = places(wide);
  g.textBaseline = "middle";
  g.textAlign = "left";
  for (const [dx, dy] of tried) {
    const box = [x + dx - room, y + dy - 7 - room, x + dx + wide + room, y + dy + 7 + room];
    const free =
      box[0] >= inside[0] &&
      box[1] >= inside[1] &&
      box[2] <= inside[2] &&
      box[3] <= inside[3] &&
      !placed.some((p) => box[0] < p[2] && box[2] > p[0] && box[1] < p[3] && box[3] > p[1]);
    if (!free && !(always && dy === tried.at(-1)[1])) continue;
    placed.push(box);
    g.lineWidth = 3;
    g.strokeStyle = ground;
    g.strokeText(text, x + dx, y + dy);
    g.fillText(text, x + dx, y + dy);
    return true;
  }
  return false;
}

/** Where a name may stand beside a dot of this radius. @param {number} radius */
export const around = (radius) => (wide) => [
  [radius + 4, 0],
  [-wide - radius - 4, 0],
  [-wide / 2, -15],
  [-wide / 2, 15],
  [radius, -13],
  [radius, 13],
];

/** Lines from one point to others. @param {number[][]} others */
export function star(g, x, y, others) {
  for (const [to, down] of others) {
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(to, down);
    g.stroke();
  }
}
