// Numbers on their way through the diagram of a cell: what is in the memory, what the valve leaves of it, what is added.

import { digits, put } from "../dom.js";
import { node } from "./pipes.js";

const [WIDE, HIGH] = [54, 22];

/**
 * @typedef {{x?: number, y?: number, to: number, until?: number, passed: [number, string][]}} Way
 *   along the height `y` or the standing line `x`, to `to`; `passed`: from where on it is which number; `until`: the share
 *   of the step at which it is there
 */

export class Riders {
  /** @param {SVGElement} parent @param {Way[]} ways */
  constructor(parent, ways) {
    this.all = ways.map((way) => {
      const root = node(parent, "g", { class: "un-rider", visibility: "hidden" });
      node(root, "rect", { x: -WIDE / 2, y: -HIGH / 2, width: WIDE, height: HIGH, rx: 6 });
      return { way, root, text: node(root, "text", { y: 4.5 }) };
    });
  }

  /** @param {Map<string, {value: number}>} numbers */
  set(numbers) {
    this.numbers = numbers;
  }

  /** @param {number} share of the step that is over; at 1 all are there, and none is drawn */
  ride(share) {
    for (const { way, root, text } of this.all) {
      const gone = share / (way.until ?? 1);
      root.setAttribute("visibility", share < 1 && gone < 1 ? "visible" : "hidden");
      if (share >= 1 || gone >= 1) continue;
      const { at, name } = placeOf(way, gone);
      put(text, digits(this.numbers.get(name).value));
      const [x, y] = way.y === undefined ? [way.x, at] : [at, way.y];
      root.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    }
  }
}

/** Where a number is, and which it is there. @param {Way} way @param {number} share of the way */
export function placeOf({ y, to, passed }, share) {
  const from = passed[0][0];
  const half = y === undefined ? 0 : WIDE / 2; // a lying way begins and ends within the picture
  const ahead = Math.sign(to - from);
  const at = from + half + share * (to - from - 2 * half);
  const name = passed.findLast(([place]) => ahead * (at - place) >= 0)?.[1] ?? passed[0][1];
  return { at, name };
}
