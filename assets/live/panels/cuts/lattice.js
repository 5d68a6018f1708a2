// The lattice of one word: every piece that fits as a bar over its letters, the likeliest cut outlined.

import { percent, visible } from "../../dom.js";
import { node } from "../../parts/pipes.js";

const LETTER = 54,
  ROW = 30,
  HEAD = 26;

export const shown = (piece) => visible(piece.replaceAll("▁", " "));

/** The pieces [start, stop, piece, ln p, share] of a word, in as few lines as there is room for; single letters share none. */
function lines(edges) {
  const found = [];
  const long = ([start, stop]) => stop - start;
  const fits = (line, edge) =>
    line.every((e) => e[1] <= edge[0] || e[0] >= edge[1]) && long(line[0]) > 1 === long(edge) > 1;
  for (const edge of [...edges].sort((a, b) => long(a) - long(b) || a[0] - b[0])) {
    const line = found.find((one) => fits(one, edge));
    if (line) line.push(edge);
    else found.push([edge]);
  }
  return found;
}

/** Where the pieces of a cut begin and end, as "start stop". @param {string[]} pieces */
function borders(pieces) {
  let at = 0;
  return new Set(pieces.map((piece) => `${at} ${(at += Array.from(piece).length)}`));
}

export function lattice(holder, { word, edges, best }, label) {
  const letters = Array.from(word);
  const likeliest = borders(best[0]?.[0] ?? []);
  const rows = lines(edges);
  holder.replaceChildren();
  const svg = node(holder, "svg", {
    width: letters.length * LETTER + 2,
    height: HEAD + rows.length * ROW + 4,
    role: "img",
    "aria-label": label,
  });
  letters.forEach((c, i) =>
    node(svg, "text", { class: "un-leaf-label", x: i * LETTER + LETTER / 2, y: 16 }, shown(c)),
  );
  rows.forEach((row, r) =>
    row.forEach(([start, stop, piece, score, share]) => {
      const bar = node(svg, "g");
      const p = percent(Math.exp(score));
      const about = `${shown(piece)}: p = ${p}; ${percent(share)} of the word's probability passes through it`;
      node(bar, "title", {}, about);
      node(bar, "rect", {
        class: `un-leaf${likeliest.has(`${start} ${stop}`) ? " un-best" : ""}`,
        x: start * LETTER + 2,
        y: HEAD + r * ROW,
        width: (stop - start) * LETTER - 4,
        height: ROW - 5,
        rx: 5,
        style: `fill: color-mix(in srgb, var(--un-accent) ${Math.round(6 + 44 * share)}%, var(--un-ground))`,
      });
      const at = { class: "un-leaf-small", x: ((start + stop) * LETTER) / 2, y: HEAD + r * ROW + 17 };
      node(bar, "text", at, stop - start > 1 ? `${shown(piece)}  ${p}` : p);
    }),
  );
}
