// How notes are drawn on a staff; what they are is said by engine/lessons/melody/live.py.

const SIGNS = ["♭♭", "♭", "", "♯", "♯♯"];
// From the middle of the curl, in gaps between two lines.
const CLEF = [
  [-0.5, 0.7, -0.6, -0.6, 0.2, -0.8],
  [1.3, -0.9, 1.4, 1, 0.2, 1],
  [-1.3, 1, -1.5, -0.9, -0.3, -1.9],
  [0.6, -2.7, 0.9, -3.5, 0.5, -4.3],
  [0.2, -4.7, -0.4, -4, -0.3, -3],
  [-0.1, -1.4, 0.2, 0.4, 0.4, 1.9],
  [0.5, 2.7, -0.6, 2.8, -0.5, 2.1],
];

/** A G clef whose curl lies around y. @param {any} g @param {number} x @param {number} y @param {number} gap @param {string} colour */
export function clef(g, x, y, gap, colour) {
  g.strokeStyle = colour;
  g.lineWidth = 1.6;
  g.beginPath();
  g.moveTo(x + 0.3 * gap, y + 0.5 * gap);
  for (const at of CLEF) g.bezierCurveTo(...at.map((v, i) => (i % 2 ? y : x) + v * gap));
  g.stroke();
  g.lineWidth = 1;
}

/**
 * A note around x; `y(step)` is the height of a step of the scale above middle C.
 * @param {any} g @param {{step: number, sign: number, eighths: number, rest: boolean}} note @param {number} x
 * @param {(step: number) => number} y @param {string} colour
 */
export function drawNote(g, { step, sign, eighths, rest }, x, y, colour) {
  const [gap, at, open] = [y(0) - y(2), y(step), eighths >= 4];
  g.fillStyle = g.strokeStyle = colour;
  if (rest) return g.fillRect(x - 5, at - (open ? 2 : 5), 10, 5);
  for (let ledger = 0; ledger >= step; ledger -= 2) g.fillRect(x - 9, y(ledger) - 0.5, 18, 1);
  for (let ledger = 12; ledger <= step; ledger += 2) g.fillRect(x - 9, y(ledger) - 0.5, 18, 1);
  const up = step < 6 ? 1 : -1;
  const [stem, end] = [x + up * gap * 0.55, at - up * gap * 3.2];
  g.lineWidth = 1.5;
  g.beginPath();
  g.ellipse(x, at, gap * 0.6, gap * 0.45, -0.3, 0, 2 * Math.PI);
  if (!open) g.fill();
  if (eighths < 8) {
    g.moveTo(stem, at);
    g.lineTo(stem, end);
  }
  for (let flag = 0; flag < Math.min(3, Math.floor(2 - Math.log2(eighths) - 0.5)); flag++) {
    const from = end + up * flag * gap * 0.7;
    g.moveTo(stem, from);
    g.quadraticCurveTo(stem + gap * 0.2, from + up * gap * 0.7, stem + gap * 0.8, from + up * gap * 1.2);
  }
  g.stroke();
  g.lineWidth = 1;
  g.textAlign = "right";
  g.textBaseline = "middle";
  g.fillText(SIGNS[sign + 2], x - gap * 0.7, at);
  g.textAlign = "center";
  if (whole(eighths / 1.5)) g.fillRect(x + gap * 0.9, at - 3, 2.5, 2.5);
  if (whole(eighths * 1.5)) g.fillText("3", x, end - up * gap * 0.5);
}

/** Whether a length is that of a plain note. @param {number} eighths */
const whole = (eighths) => Number.isInteger(Math.round(Math.log2(eighths) * 1e4) / 1e4);
