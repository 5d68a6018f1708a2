// Labels along an axis.  None is left out in silence: where there is no room for all, one in so many is named in full,
// with a tick at its place, and the axis says so.

import { font, inside } from "../drawing/canvas.js";
import { short, visible } from "../dom.js";
import { clusters } from "../segmentation.js";

/** @import { Ink } from "../types.js" */

const SMALLEST = 7,
  SMALL = 9,
  LARGE = 13,
  LEAST = 2, // between letters of a word that is still to be read
  NAME = 38; // room for a name where not all are named

/**
 * As much of a token as fits into `room` pixels, its blanks visible. @param {string} label @param {number} room
 * @param {CanvasRenderingContext2D} g
 */
export const fitted = (g, label, room) => cut(g, short(label, 20), room);

/**
 * As much of a text as fits into `room` pixels. @param {string} text @param {number} room
 * @param {CanvasRenderingContext2D} g
 */
export function cut(g, text, room) {
  while (text.length > 1 && g.measureText(text).width > room)
    text = `${clusters(text).slice(0, -2).join("")}…`;
  return text;
}

/** One in how many labels has room, each `step` apart and `need` high. @param {number} step @param {number} need */
export const thinned = (step, need) => Math.max(1, Math.ceil(need / step));

/**
 * "1 in 3", where not all are named. @param {CanvasRenderingContext2D} g @param {Ink} colours
 * @param {number} every @param {number} x @param {number} y
 */
export function sayThinned(g, every, x, y, colours) {
  if (every < 2) return;
  g.font = font(10);
  g.textAlign = "right";
  g.fillStyle = colours.faint;
  inside(g, `1 in ${every}`, x, y);
}

/** @typedef {{left: number, step: number, y: number, now: number, colours: Ink}} Where */

/**
 * The tokens under (or over) their columns, the first from `left` on, `step` apart, with their middles at height `y`.
 * @param {CanvasRenderingContext2D} g @param {string[]} labels
 * @param {Where} where `now` is always named
 */
export function strip(g, labels, { left, step, y, now, colours }) {
  g.textBaseline = "middle";
  g.font = font(10, 700);
  const widest = labels.reduce((most, label) => Math.max(most, g.measureText(short(label, 20)).width), 1);
  const size = (10 * step) / widest;
  const letters = labels.every((label) => label.length === 1 || clusters(label).length === 1);
  const all = size >= (letters ? SMALLEST : SMALL);
  if (letters && !all && step >= LEAST) return words(g, labels, { left, step, y, now, colours });
  const every = all ? 1 : thinned(step, Math.min(widest, NAME));
  const room = every * step - 3;
  /** @param {number} t @param {boolean} on */
  const write = (t, on) => {
    g.font = font(all ? Math.min(LARGE, size) : Math.max(SMALL, Math.min(LARGE, size)), on ? 700 : 400);
    g.fillStyle = on ? colours.accent : colours.text;
    const x = left + (t + 0.5) * step;
    // none stands before the first place, where it says how many are named, nor reaches the next one
    const most = Math.min(room, room / 2 + x - left);
    const text = all ? visible(labels[t]) : fitted(g, labels[t], Math.max(most, NAME / 2));
    const half = Math.max(g.measureText(text).width / 2, 0);
    g.textAlign = "center";
    g.fillText(text, all ? x : Math.max(left + half, Math.min(left + labels.length * step - half, x)), y);
    if (!all) g.fillRect(x - 0.5, y - 10, 1, 3);
  };
  for (let t = 0; t < labels.length; t += every)
    if (every === 1 || Math.abs(t - now) >= every) write(t, t === now);
  if (every > 1 && now >= 0 && now < labels.length) write(now, true);
  sayThinned(g, every, left - 6, y, colours);
}

/**
 * Letters that have no room each: the words that they make, each from its first letter on, as much as fits over it.
 * @param {CanvasRenderingContext2D} g @param {string[]} labels @param {Where} where
 */
function words(g, labels, { left, step, y, now, colours }) {
  g.textAlign = "left";
  for (let first = 0, last; first < labels.length; first = last + 1) {
    for (last = first; last < labels.length && !/\s/.test(labels[last]);) last += 1;
    const on = first <= now && now <= last;
    g.font = font(SMALLEST + 1, on ? 700 : 400);
    g.fillStyle = on ? colours.accent : colours.text;
    if (last > first)
      g.fillText(
        cut(g, labels.slice(first, last).join(""), (last - first + 0.5) * step),
        left + first * step,
        y,
      );
    if (on) g.fillRect(left + now * step, y - 8, Math.max(1, step), 2);
  }
}

/** A sentence in lines of at most `room` pixels; none of nothing. @param {CanvasRenderingContext2D} g @param {string} sentence @param {number} room */
export function wrapped(g, sentence, room) {
  const lines = sentence ? [""] : [];
  for (const word of sentence.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (lines.at(-1) && g.measureText(longer).width > room) lines.push(word);
    else if (longer) lines[lines.length - 1] = longer;
  }
  return lines;
}
