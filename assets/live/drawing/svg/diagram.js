// A diagram of the page itself: each shape with the look that the style sheet gives it, where it stands.

import { paint } from "./look.js";
import { css } from "./lines.js";
import { tag, words } from "./markup.js";

/** @type {Record<string, string[]>} */
const SHAPES = {
  rect: ["x", "y", "width", "height", "rx", "ry"],
  circle: ["cx", "cy", "r"],
  ellipse: ["cx", "cy", "rx", "ry"],
  line: ["x1", "y1", "x2", "y2"],
  polyline: ["points"],
  polygon: ["points"],
  path: ["d"],
};

/** @param {SVGSVGElement} svg @param {number[]} origin where the drawing begins on the page @returns {string} */
export function diagram(svg, [left, top]) {
  const placed = (/** @type {SVGGraphicsElement} */ node) => {
    const { a, b, c, d, e, f } = node.getScreenCTM();
    const numbers = [a, b, c, d, e - left, f - top].map((v) => Math.round(v * 1e4) / 1e4 || 0);
    return `matrix(${numbers.join(" ")})`;
  };
  let parts = "";
  const walk = (/** @type {any} */ node, /** @type {number} */ alpha) => {
    const style = getComputedStyle(node);
    if (style.display === "none" || style.visibility !== "visible") return;
    const faint = alpha * Number(style.opacity);
    if (node.tagName === "text") parts += label(node, style, faint, placed(node));
    else if (node.tagName in SHAPES) parts += shape(node, style, faint, placed(node));
    else for (const child of node.children) walk(child, faint);
  };
  for (const child of svg.children) walk(child, Number(getComputedStyle(svg).opacity));
  return parts;
}

/** @param {SVGGraphicsElement} node @param {CSSStyleDeclaration} style @param {number} faint @param {string} transform */
function shape(node, style, faint, transform) {
  const given = Object.fromEntries(SHAPES[node.tagName].map((name) => [name, node.getAttribute(name)]));
  const dash = style.strokeDasharray.replaceAll("px", "").replaceAll(",", " ");
  const stroke =
    style.stroke === "none"
      ? {}
      : {
          ...paint("stroke", style.stroke, faint * Number(style.strokeOpacity)),
          "stroke-width": parseFloat(style.strokeWidth),
          "stroke-dasharray": dash === "none" ? undefined : dash,
          "stroke-linecap": style.strokeLinecap === "butt" ? undefined : style.strokeLinecap,
        };
  const fill =
    style.fill === "none" ? { fill: "none" } : paint("fill", style.fill, faint * Number(style.fillOpacity));
  return tag(node.tagName, { ...given, ...fill, ...stroke, transform });
}

/** @param {SVGTextContentElement} node @param {CSSStyleDeclaration} style @param {number} faint @param {string} transform */
function label(node, style, faint, transform) {
  if (!node.textContent.trim()) return "";
  const { x, y } = node.getStartPositionOfChar(0);
  const look = { ...paint("fill", style.fill, faint), transform };
  return words(node.textContent, x, y, css(style), look, node.getComputedTextLength());
}
