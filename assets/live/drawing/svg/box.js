// What the style sheet draws around a node: its ground, its border, and the shadow that marks what is chosen.

import { colour, paint } from "./look.js";
import { tag } from "./markup.js";

/** @typedef {{x: number, y: number, width: number, height: number}} At where a part of the page stands in the drawing */

/** @param {CSSStyleDeclaration} style @param {At} at @returns {string} */
export function box(style, at) {
  if (!(at.width > 0 && at.height > 0)) return "";
  const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, at.width / 2, at.height / 2);
  const parts = [];
  if (colour(style.backgroundColor)[1] > 0)
    parts.push(tag("rect", { ...at, rx: radius || undefined, ...paint("fill", style.backgroundColor) }));
  if (style.backgroundImage !== "none") parts.push(stripes(style.backgroundImage, at));
  if (style.boxShadow.includes("inset")) parts.push(shadow(style.boxShadow, at));
  parts.push(border(style, at, radius));
  return parts.join("");
}

const SIDES = /** @type {const} */ (["Top", "Right", "Bottom", "Left"]);

/** @param {CSSStyleDeclaration} style @param {At} at @param {number} radius */
function border(style, { x, y, width, height }, radius) {
  const sides = SIDES.map((side) => {
    const [kind, css] = [style[`border${side}Style`], style[`border${side}Color`]];
    const wide = kind === "none" ? 0 : parseFloat(style[`border${side}Width`]);
    const dash = { dashed: `${3 * wide} ${2 * wide}`, dotted: `${wide} ${wide}` }[kind];
    const look = { ...paint("stroke", css), "stroke-width": wide, "stroke-dasharray": dash };
    return { look, half: wide / 2, seen: wide > 0 && colour(css)[1] > 0, all: `${wide} ${css} ${kind}` };
  });
  if (!sides.some(({ seen }) => seen)) return "";
  const [{ look, half, all }] = sides;
  if (sides.every((side) => side.all === all))
    return tag("rect", {
      x: x + half,
      y: y + half,
      width: width - 2 * half,
      height: height - 2 * half,
      rx: Math.max(0, radius - half) || undefined,
      fill: "none",
      ...look,
    });
  const [right, bottom] = [x + width, y + height];
  const ends = [
    (/** @type {number} */ h) => [x, y + h, right, y + h],
    (/** @type {number} */ h) => [right - h, y, right - h, bottom],
    (/** @type {number} */ h) => [x, bottom - h, right, bottom - h],
    (/** @type {number} */ h) => [x + h, y, x + h, bottom],
  ];
  return sides
    .map((side, n) => {
      const [x1, y1, x2, y2] = ends[n](side.half);
      return side.seen ? tag("line", { x1, y1, x2, y2, ...side.look }) : "";
    })
    .join("");
}

/**
 * The style sheet has gradients that lie and have hard edges; each part between two stops of one colour is a box.
 * @param {string} image @param {At} at
 */
function stripes(image, { x, y, width, height }) {
  const whole = /^linear-gradient\((?:90deg|to right), (.*)\)$/.exec(image);
  if (!whole) return "";
  const length = (/** @type {string} */ said) => {
    const share = /(-?[\d.]+)%/.exec(said),
      pixels = /([+-] )?(-?[\d.]+)px/.exec(said);
    return (
      ((share ? Number(share[1]) : 0) * width) / 100 +
      (pixels ? Number(pixels[2]) * (pixels[1] === "- " ? -1 : 1) : 0)
    );
  };
  /** @type {[string, number][]} */
  const stops = [];
  for (const [, css, places] of whole[1].matchAll(
    /((?:rgba?|color|oklab|oklch)\([^()]*\))((?:\s+(?:calc\([^()]*\)|-?[\d.]+(?:px|%)))*)/g,
  )) {
    const found = places.match(/calc\([^()]*\)|-?[\d.]+(?:px|%)/g) ?? [stops.length ? "100%" : "0%"];
    for (const place of found) stops.push([css, Math.max(length(place), stops.at(-1)?.[1] ?? 0)]);
  }
  let [before, from] = [stops[0][0], 0];
  let parts = "";
  for (const [css, stop] of [...stops, /** @type {[string, number]} */ ([stops.at(-1)[0], width])]) {
    const to = Math.min(stop, width);
    if (to - from > 0.01 && css === before && colour(css)[1] > 0)
      parts += tag("rect", { x: x + from, y, width: to - from, height, ...paint("fill", css) });
    [before, from] = [css, to];
  }
  return parts;
}

/** @param {string} said @param {At} at */
function shadow(said, { x, y, width, height }) {
  const found = /^(\S+\([^()]*\)|#\w+) (-?[\d.]+)px (-?[\d.]+)px 0px 0px inset$/.exec(said);
  if (!found) return "";
  const [dx, dy] = [Number(found[2]), Number(found[3])];
  const look = paint("fill", found[1]);
  const side = dx > 0 ? x : x + width + dx;
  const edge = dy > 0 ? y : y + height + dy;
  return (
    (dx ? tag("rect", { x: side, y, width: Math.abs(dx), height, ...look }) : "") +
    (dy ? tag("rect", { x, y: edge, width, height: Math.abs(dy), ...look }) : "")
  );
}
