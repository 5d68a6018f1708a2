// The candidates of a beam search as a tree: what is dropped is struck out, the branch of the best text is strong.

import { font } from "../../drawing/canvas.js";
import { digits, short } from "../../dom.js";
import { cut } from "../../marks/strip.js";
import { leaf } from "../../marks/graph.js";

// places: of `beams` in sums/beams.js, each with its x and y; best: the text that won, once there is one.
export function candidates(g, places, last, best, wide, colours) {
  const size = { wide, high: 22, ground: colours.ground };
  g.textBaseline = "middle";
  g.textAlign = "left";
  for (const { s, i, x } of places) {
    if (i) continue;
    g.fillStyle = s === last ? colours.text : colours.faint;
    g.font = font(11, s === last ? 700 : 400);
    g.fillText(`step ${s + 1}`, x, 10);
  }
  for (const node of places) {
    const { s, i, x, y, label, total, fate, above } = node;
    const dropped = fate === "dropped",
      strong = best?.path[s] === i;
    g.globalAlpha = dropped ? (s === last ? 0.6 : 0.25) : 1;
    leaf(g, node, places[above], size, {
      branch: strong ? [colours.accent, 2.5] : [colours.faint, 1],
      edge: [dropped ? colours.line : colours.accent, strong ? 2 : 1],
    });
    g.font = font(10);
    const room = wide - 16 - g.measureText(digits(total)).width; // the number at the right is whole
    g.font = font(12, dropped ? 400 : 600);
    const word = cut(g, `${fate === "ended" ? "■ " : ""}${short(label, 20)}`, room);
    g.fillStyle = dropped && s < last ? colours.faint : colours.text;
    g.fillText(word, x + 5, y);
    if (dropped) g.fillRect(x + 4, y, g.measureText(word).width + 2, 1);
    g.font = font(10);
    g.textAlign = "right";
    g.fillText(digits(total), x + wide - 5, y);
    g.textAlign = "left";
  }
  g.globalAlpha = 1;
}
