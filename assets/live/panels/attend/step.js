// One step of the chain as a matrix: its sentence and title, its cells, their names and numbers, its colours.

import { Scale, font, legend } from "../../drawing/canvas.js";
import { cellNumbers, columnNames, grid, rowNames, share } from "../../marks/grid.js";
import { cut } from "../../marks/strip.js";
import { HEADS } from "./boxes.js";
import { BY_KEY, STAGES, weighted } from "./cell.js";

export function step(g, store, reader, n, box, at, colours, dark) {
  const { stage, x, y, w, h, rows, columns, square } = box;
  const scale = scaleOf(reader, stage, dark);
  const values = stage === "weighted" ? weighted(n, at.i) : n[stage];
  grid(g, store, box, { values }, scale, colours);
  g.textBaseline = "middle";
  g.textAlign = "left";
  g.fillStyle = colours.text;
  g.font = font(12, 650);
  g.fillText(cut(g, title(stage, n, reader), box.room), x, box.heading);
  g.fillStyle = colours.faint;
  g.font = font(12);
  for (const line of box.sentence) g.fillText(line.words, 0, line.y);
  if (box.names) rowNames(g, box, reader.labels, BY_KEY.has(stage) ? at.j : at.i, colours, box.names);
  const [wide, high] = [w / columns, h / rows];
  if (square && wide >= 8) columnNames(g, box, reader.labels, at.j, colours, HEADS);
  const value = (r, c) => values[r * columns + c];
  const size = Math.min(11, wide * 0.42, high * 0.75);
  if (square && wide >= 21 && high >= 12)
    cellNumbers(g, box, size, scale, value, stage === "attention" ? share : oneDigit);
  legend(g, x, y + h + 6, Math.min(w, 150), scale, "", colours);
}

// As wide as the numbers of this head need, the same whatever is typed.
function scaleOf(reader, stage, dark) {
  const name = { input: "residual.before", weighted: "value" }[stage] ?? stage;
  const { scale } = reader.spec.fields[name];
  const far = reader.said.reach[name];
  return new Scale(far ? { ...scale, low: -far, high: far } : scale, dark);
}

function title(stage, n, reader) {
  const names = {
    input: reader.said.at[0] ? `x, after layer ${reader.said.at[0]}` : "x, embedding",
    query: "q, queries",
    key: "k, keys",
    value: "v, values",
    product: "q · k",
    scaled: n.how === "mask" ? "not divided" : `÷ √${n.d}`,
    masked: n.how === "scale" ? "no mask" : "mask",
    attention: "softmax",
    weighted: "weight × v",
    reading: "z, the sums",
  };
  return `${STAGES.indexOf(stage) + 1} ${names[stage]}`;
}

function oneDigit(v) {
  if (!Number.isFinite(v)) return "";
  return (Math.abs(v) >= 9.95 ? v.toFixed(0) : v.toFixed(1)).replace("-", "−");
}
