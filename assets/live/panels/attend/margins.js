// Beside and below the weights of a head: what each row and each column adds up to, as bars.

import { font } from "../../drawing/canvas.js";
import { digits } from "../../dom.js";

export const SIDE = 34; // room right of the weights, for the rows
export const BELOW = 20; // room below them, for the columns

/** 1, or a larger sum, is as long as there is room; those of the token that looks and the one looked at are written. */
export function margins(g, { x, y, w, h }, { T, rowSums, columnSums }, { i, j }, colours) {
  const [down, across] = [h / T, w / T];
  const most = Math.max(1, ...rowSums, ...columnSums);
  g.globalAlpha = 0.55;
  g.fillStyle = colours.faint;
  for (let t = 0; t < T; t++) {
    const [long, deep] = [((SIDE - 6) * rowSums[t]) / most, ((BELOW - 4) * columnSums[t]) / most];
    g.fillRect(x + w + 3, y + t * down + 0.5, long, Math.max(1, down - 1));
    g.fillRect(x + t * across + 0.5, y + h + 3, Math.max(1, across - 1), deep);
  }
  g.globalAlpha = 1;
  g.font = font(10, 700);
  g.textAlign = "left";
  g.textBaseline = "middle";
  g.fillStyle = colours.text;
  g.fillText(digits(rowSums[i]).slice(0, 4), x + w + 5, y + (i + 0.5) * down);
  g.textAlign = "center";
  g.fillText(digits(columnSums[j]).slice(0, 4), x + (j + 0.5) * across, y + h + 11);
}
