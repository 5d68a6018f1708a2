// Where the matrices of one head lie: four side by side, or two on a narrow page, each line below a sentence about it.

import { font } from "../../drawing/canvas.js";
import { short } from "../../dom.js";
import { wrapped } from "../../marks/strip.js";
import { SQUARES, STAGES } from "./cell.js";

const GAP = 20,
  LINE = 17, // of a sentence
  TITLE = 22,
  FOOT = 42,
  HIGH = 190,
  SLANTED = 22; // right of the last column, for its name

export const HEADS = 46; // room for the names of the columns

const SAID = {
  input: "Each token's vector x is projected to three: its query, its key and its value.",
  product: "Every query meets every key: row = the token that looks, column = the token looked at.",
  weighted: "The values, each multiplied by its weight for {token}, are added up: the output of the head.",
};

/**
 * Boxes for all steps, and how high they are together; each line of a sentence with its height.
 * @param {CanvasRenderingContext2D} g @param {string[]} labels @param {any} n @param {number} i the token that looks
 */
export function boxes(g, width, labels, n, i) {
  g.font = font(12, 700);
  const widest = Math.max(...labels.map((label) => g.measureText(short(label)).width));
  const left = Math.ceil(Math.min(widest + 8, width * 0.22, 96));
  const per = width > 540 ? 4 : 2;
  const w = Math.floor((width - left - GAP * (per - 1) - SLANTED) / per);
  const h = Math.max(3, Math.min(22, Math.floor(HIGH / n.T))) * n.T;
  const lines = [STAGES.slice(0, 4), SQUARES, STAGES.slice(8)].flatMap((line) =>
    per === 4 || line.length < 3 ? [line] : [line.slice(0, 2), line.slice(2)],
  );
  let height = 0;
  const all = lines.flatMap((line) => {
    const square = SQUARES.includes(line[0]);
    const said = wrapped(g, (SAID[line[0]] ?? "").replace("{token}", `“${short(labels[i])}”`), width);
    const heading = height + said.length * LINE + 3 + TITLE / 2;
    const sentence = said.map((words, k) => ({
      words,
      y: heading - TITLE / 2 - LINE * (said.length - k - 0.5),
    }));
    const y = heading + TITLE / 2 + (square && w / n.T >= 8 ? HEADS : 0);
    height = y + h + FOOT;
    return line.map((stage, c) => ({
      stage,
      square,
      heading,
      sentence: c ? [] : sentence,
      names: c ? 0 : left, // room for the names of its rows
      x: left + c * (w + GAP),
      y,
      w,
      h,
      room: w + GAP - 8, // for its title
      rows: n.T,
      columns: square ? n.T : stage === "input" ? n.D : n.d,
    }));
  });
  return { all, height };
}
