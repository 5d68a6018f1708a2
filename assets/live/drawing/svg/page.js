// A part of the page as SVG: each node with its box, its words, its settings, its drawing or diagram, where it stands.

import { box } from "./box.js";
import { diagram } from "./diagram.js";
import { base, broken, css, line, ruled, shortened } from "./lines.js";
import { colour, paint } from "./look.js";
import { short, tag, words } from "./markup.js";

/** @import { SvgContext } from "../svg.js" */
/** @import { At } from "./box.js" */
/** @import { Numbers } from "./file.js" */
/** @import { Ruled } from "./lines.js" */

/**
 * @param {HTMLElement} root @param {{drawings: Map<Element, SvgContext>, numbers: Numbers}} recorded what its canvases draw
 * @param {Set<Element>} opened parts that scroll on the screen and are whole here
 * @param {number} margin around it, in pixels
 */
export function drawn(root, recorded, opened, margin = 0) {
  const style = getComputedStyle(root);
  const page = new Page(root, style, recorded, opened);
  for (const child of root.childNodes) page.node(child, style, null);
  const { right: width, bottom: height } = page;
  const start = -margin || undefined;
  const [wide, high] = [width + 2 * margin, height + 2 * margin];
  const behind = tag("rect", {
    x: start,
    y: start,
    width: wide,
    height: high,
    ...paint("fill", solid(root)),
  });
  const ground = tag("rect", {
    x: 0.5,
    y: 0.5,
    width: width - 1,
    height: height - 1,
    rx: parseFloat(style.borderTopLeftRadius) || undefined,
    ...paint("fill", style.backgroundColor),
    ...paint("stroke", style.borderTopColor),
  });
  const viewBox = `${start ?? 0} ${start ?? 0} ${short(wide)} ${short(high)}`;
  const about = { xmlns: "http://www.w3.org/2000/svg", width: wide, height: high, viewBox };
  return tag("svg", about, behind + ground + page.parts);
}

class Page {
  parts = "";

  /** @param {HTMLElement} root @param {CSSStyleDeclaration} style @param {{drawings: Map<Element, SvgContext>, numbers: Numbers}} recorded @param {Set<Element>} opened */
  constructor(root, style, { drawings, numbers }, opened) {
    this.drawings = drawings;
    this.numbers = numbers;
    this.opened = opened;
    const { left, top, width, height } = root.getBoundingClientRect();
    this.origin = [left, top];
    this.right = width;
    this.bottom = height;
    this.edge = parseFloat(style.paddingRight) + parseFloat(style.borderRightWidth);
  }

  /** Where a part of the page stands in the drawing. @param {{left: number, top: number, width: number, height: number}} rect @returns {At} */
  at({ left, top, width, height }) {
    const [x, y] = this.origin;
    return { x: left - x, y: top - y, width, height };
  }

  /** The drawing grows with what was scrolled. @param {At} at */
  grow({ x, y, width, height }) {
    this.right = Math.max(this.right, x + width + this.edge);
    this.bottom = Math.max(this.bottom, y + height + 4);
  }

  /** @param {Record<string, any>} attributes @param {() => void} inside */
  group(attributes, inside) {
    const outer = this.parts;
    this.parts = "";
    inside();
    const made = this.parts && tag("g", attributes, this.parts);
    this.parts = outer + made;
  }

  /** @param {Node} node @param {CSSStyleDeclaration} style of its parent @param {Ruled | null} lines */
  node(node, style, lines) {
    if (node instanceof Text) return this.letters(node, style, lines);
    if (!(node instanceof Element)) return;
    const own = getComputedStyle(node);
    const opacity = Number(own.opacity);
    if (own.display === "none" || opacity === 0) return;
    if (opacity === 1) return this.element(node, own, lines);
    this.group({ opacity }, () => this.element(node, own, lines));
  }

  /** @param {Element} node @param {CSSStyleDeclaration} style @param {Ruled | null} lines */
  element(node, style, lines) {
    const seen = style.visibility === "visible";
    const rect = node.getBoundingClientRect();
    if (node instanceof HTMLCanvasElement) return seen && this.canvas(node, style);
    if (node instanceof SVGSVGElement) {
      if (seen) this.grow(this.at(rect));
      return seen && (this.parts += diagram(node, this.origin));
    }
    if (seen)
      for (const part of style.display === "inline" ? node.getClientRects() : [rect])
        this.parts += box(style, this.at(part));
    if (node instanceof HTMLSelectElement)
      return this.setting(node, style, node.selectedOptions[0]?.textContent ?? "");
    if (node instanceof HTMLInputElement)
      return node.type === "checkbox" ? this.tick(node, style) : this.setting(node, style, node.value);
    const over = ruled(style, lines);
    const inside = () => {
      for (const child of node.childNodes) this.node(child, style, over);
    };
    const clips =
      !this.opened.has(node) &&
      /hidden|clip/.test(style.overflowX + style.overflowY) &&
      (node.scrollWidth > node.clientWidth ||
        node.scrollHeight > node.clientHeight ||
        parseFloat(style.borderTopLeftRadius) > 0);
    if (!clips || !node.childNodes.length) return inside();
    const id = this.numbers.id("box");
    const rx = parseFloat(style.borderTopLeftRadius) || undefined;
    this.parts += `<defs>${tag("clipPath", { id }, tag("rect", { ...this.at(rect), rx }))}</defs>`;
    this.group({ "clip-path": `url(#${id})` }, inside);
  }

  /** @param {Text} node @param {CSSStyleDeclaration} style @param {Ruled | null} lines */
  letters(node, style, lines) {
    const spaces = /pre/.test(style.whiteSpace);
    if (style.visibility !== "visible" || (!node.data.trim() && !spaces)) return;
    const parent = node.parentElement;
    for (const [text, rect] of broken(node, spaces)) {
      const at = this.at(rect);
      let said =
        { uppercase: text.toUpperCase(), lowercase: text.toLowerCase() }[style.textTransform] ?? text;
      if (!spaces) said = said.replace(/\s+/g, " ");
      if (!said || at.width <= 0) continue;
      if (style.textOverflow === "ellipsis" && parent.scrollWidth > parent.clientWidth) {
        const { x, width } = this.at(parent.getBoundingClientRect());
        [said, at.width] = shortened(said, at.width, x + width - at.x, style);
      }
      this.grow(at);
      this.parts += line(said, at, style, lines);
    }
  }

  /** What a setting says stands in its box. @param {Element} node @param {CSSStyleDeclaration} style @param {string} said */
  setting(node, style, said) {
    const at = this.at(node.getBoundingClientRect());
    if (!said || at.width <= 0) return;
    const font = css(style);
    const left = at.x + (parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth));
    this.parts += words(said, left, base(at, font), font, paint("fill", style.color));
  }

  /** @param {HTMLInputElement} node @param {CSSStyleDeclaration} style */
  tick(node, style) {
    const { x, y, width, height } = this.at(node.getBoundingClientRect());
    const look = { fill: "none", ...paint("stroke", style.color) };
    const frame = { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, rx: 2 };
    this.parts += tag("rect", { ...frame, ...look });
    const to = (/** @type {number} */ right, /** @type {number} */ down) =>
      `${short(x + width * right)} ${short(y + height * down)}`;
    const d = `M${to(0.22, 0.52)}L${to(0.43, 0.74)}L${to(0.8, 0.26)}`;
    if (node.checked) this.parts += tag("path", { d, ...look, "stroke-width": 2 });
  }

  /** @param {HTMLCanvasElement} node @param {CSSStyleDeclaration} style */
  canvas(node, style) {
    const at = this.at(node.getBoundingClientRect());
    if (!(at.width > 0 && at.height > 0)) return;
    this.grow(at);
    const drawing = this.drawings.get(node);
    if (drawing) {
      const viewBox = `0 0 ${short(drawing.width)} ${short(drawing.height)}`;
      this.parts += tag("svg", { ...at, viewBox }, drawing.text());
    } else this.parts += this.numbers.picture(node, { ...at, smooth: style.imageRendering !== "pixelated" });
  }
}

/** The colour behind a node: the first that is not seen through. @param {Element | null} node */
function solid(node) {
  for (let at = node; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (colour(backgroundColor)[1] === 1) return backgroundColor;
  }
  return "#ffffff";
}
