// A small picture that can be opened: its frame is thick and coloured where it is.

/** @import { Box, Ink } from "../types.js" */

/**
 * @param {CanvasRenderingContext2D} g @param {CanvasImageSource} picture @param {Box} box @param {Ink} colours
 * @param {boolean} open @param {boolean} smooth
 */
export function thumbnail(g, picture, { x, y, w, h }, open, smooth, colours) {
  g.imageSmoothingEnabled = smooth;
  g.drawImage(picture, x, y, w, h);
  g.lineWidth = open ? 2.5 : 1;
  g.strokeStyle = open ? colours.accent : colours.line;
  g.strokeRect(x - 0.5, y - 0.5, w + 1, h + 1);
}
