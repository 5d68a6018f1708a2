// What the diagram of a cell is drawn from: pipes whose colour is the number that flows, valves that open with a gate,
// boxes, wires, and a symbol with its number.  Each part sets itself from a number; motion is the style sheet's.

import { digits } from "../dom.js";

const SVG = "http://www.w3.org/2000/svg";
const BORE = 26; // how wide a pipe is

export function node(parent, tag, attributes = {}, text) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

// Straight from one point to another, lying or standing; set(colour).
export function pipe(parent, x1, y1, x2, y2) {
  const lying = y1 === y2;
  const [x, y] = lying ? [Math.min(x1, x2), y1 - BORE / 2] : [x1 - BORE / 2, Math.min(y1, y2)];
  const [width, height] = lying ? [Math.abs(x2 - x1), BORE] : [BORE, Math.abs(y2 - y1)];
  const made = node(parent, "rect", { x, y, width, height, class: "un-pipe" });
  return (colour) => {
    made.style.fill = colour;
  };
}

// Two blades that close a lying or standing pipe at (x, y); set(share that gets through).
export function valve(parent, x, y, lying) {
  const half = BORE / 2 + 3;
  node(
    parent,
    "rect",
    lying
      ? { x: x - 9, y: y - half, width: 18, height: 2 * half, class: "un-seat" }
      : { x: x - half, y: y - 9, width: 2 * half, height: 18, class: "un-seat" },
  );
  const blades = [-1, 1].map((side) => {
    const at = lying
      ? { x: x - 6, y: side < 0 ? y - half : y, width: 12, height: half }
      : { x: side < 0 ? x - half : x, y: y - 6, width: half, height: 12 };
    const blade = node(parent, "rect", { ...at, class: "un-blade" });
    blade.style.transformOrigin = lying ? (side < 0 ? "top" : "bottom") : side < 0 ? "left" : "right";
    return blade;
  });
  return (open) => {
    const shut = Number.isFinite(open) ? 1 - Math.max(0, Math.min(1, open)) : 1;
    for (const blade of blades) blade.style.transform = lying ? `scaleY(${shut})` : `scaleX(${shut})`;
  };
}

// A dashed line through points: what sets a valve.
export const wire = (parent, ...points) =>
  node(parent, "polyline", { points: points.map((p) => p.join(",")).join(" "), class: "un-wire" });

// A round or square place where something is done to the number.
export function place(parent, x, y, text, wide = 0) {
  if (wide)
    node(parent, "rect", { x: x - wide / 2, y: y - 15, width: wide, height: 30, rx: 6, class: "un-place" });
  else node(parent, "circle", { cx: x, cy: y, r: text.length > 1 ? 19 : 13, class: "un-place" });
  node(parent, "text", { x, y: y + 5, class: text.length > 1 ? "un-doing" : "un-doing un-sign" }, text);
}

// A symbol and below it its number; set(symbol, number).
export function label(parent, x, y, anchor, part) {
  const symbol = node(parent, "text", { x, y, class: "un-symbol", "text-anchor": anchor });
  const value = node(parent, "text", {
    x,
    y: y + 16,
    class: "un-value",
    "text-anchor": anchor,
    "data-part": part,
  });
  return (name, number) => {
    if (symbol.textContent !== name) symbol.textContent = name;
    const said = typeof number === "string" ? number : Number.isNaN(number) ? "…" : digits(number);
    if (value.textContent !== said) value.textContent = said;
  };
}
