// The words of the text in one line, with a frame around those in the window.

import { font } from "../../drawing/canvas.js";

const GAP = 9,
  LINE = 34, // middle of the words
  ROOM = 24; // behind the window

/**
 * Draws them; returns the box of each word that is in sight.
 * @param {CanvasRenderingContext2D} g @param {any} what
 * @param {{width: number, still: number, colours: import("../../types.js").Ink, name: (t: number) => string}} how
 *   `still`: the token that is kept, whose window is in sight; hovering moves no word away from the pointer
 */
export function sentence(g, { reader, now, sees }, { width, still, colours, name }) {
  const count = reader.labels.length;
  const size = width < 500 ? 13 : 16;
  g.font = font(size, 600);
  const words = [];
  let x = 0;
  for (let t = 0; t < count; t++) {
    const text = name(t);
    const w = g.measureText(text).width;
    words.push({ token: t, text, x, y: LINE - 16, w, h: 32 });
    x += w + GAP;
  }
  const end = words[Math.min(count - 1, still)];
  const moved = Math.min(0, width - ROOM - end.x - end.w);
  for (const word of words) word.x += moved + 2;
  const first = Math.max(0, now - sees + 1);
  const frame = [words[first].x - 5, words[now].x + words[now].w + 5];
  g.globalAlpha = 0.12;
  g.fillStyle = colours.accent;
  g.fillRect(frame[0], LINE - 15, frame[1] - frame[0], 30);
  g.globalAlpha = 1;
  g.strokeStyle = colours.accent;
  g.lineWidth = 2;
  g.strokeRect(frame[0], LINE - 15, frame[1] - frame[0], 30);
  g.textBaseline = "middle";
  g.textAlign = "left";
  for (const word of words) {
    if (word.x > width || word.x + word.w < 0) continue;
    const inside = first <= word.token && word.token <= now;
    g.font = font(size, inside ? 600 : 400);
    g.fillStyle = inside ? colours.text : colours.faint;
    g.fillText(word.text, word.x, LINE);
    if (reader.unknown.has(word.token))
      for (let at = 0; at < word.w; at += 4) g.fillRect(word.x + at, LINE + 11, 2, 1.5);
    if (word.token < first) g.fillRect(word.x, LINE, word.w, 1);
  }
  captions(g, { frame, first, offset: reader.offset, sees, width }, colours);
  return words;
}

function captions(g, { frame, first, offset, sees, width }, colours) {
  g.font = font(11, 600);
  g.fillStyle = colours.accent;
  const here = sees === 1 ? "window: 1 token" : `window: ${sees} tokens`;
  const long = g.measureText(here).width;
  const left = Math.max(2, Math.min(width - long - 2, frame[0]));
  g.fillText(here, left, 9);
  const lost = first + offset;
  g.font = font(11);
  g.fillStyle = colours.faint;
  if (!lost) return;
  const said = `out of sight: ${lost}`;
  if (g.measureText(said).width + 14 < left) g.fillText(said, 2, 9);
}
