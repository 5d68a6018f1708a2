// A panel as one stand-alone SVG: what its canvases draw, and the words, boxes and diagrams around them, as they stand on
// the screen.  Tools are left out, settings and scrolled parts are whole.

import { record } from "./canvas.js";
import { element } from "../dom.js";
import { colour, heights, paint, short, tag, words } from "./svg.js";

const MOST_TEXT = 400; // characters of the text in the line below a picture; the file's description has all
const SHAPES = {
  rect: ["x", "y", "width", "height", "rx", "ry"],
  circle: ["cx", "cy", "r"],
  ellipse: ["cx", "cy", "rx", "ry"],
  line: ["x1", "y1", "x2", "y2"],
  polyline: ["points"],
  polygon: ["points"],
  path: ["d"],
};

export function snapshot(panel) {
  const { root } = panel;
  const stamp = element("p", "un-stamp", { textContent: origin(panel) });
  const undo = [];
  root.append(stamp);
  root.classList.add("un-saved");
  const recorded = record(() => panel.view.draw());
  try {
    const opened = unfold(root, undo);
    return new Writer(root, recorded, opened).text();
  } finally {
    for (const back of undo.reverse()) back();
    recorded.end();
    root.classList.remove("un-saved");
    stamp.remove();
    panel.view.draw(); // where the pointer finds things is again as it was
  }
}

// Whose numbers these are, and where in the model and the text they stand.
function origin({ app, spec, selection }) {
  const readers =
    spec.reader && !spec.every
      ? [app.readers.get(spec.reader) ?? app.readers.values().next().value]
      : [...app.readers.values()];
  const named = [...new Set(readers.map((r) => `${r.spec.title} (${r.spec.run})`))].join(", ");
  const place = (spec.at ?? []).map((axis) => {
    if (axis === "token") return `after “${readers[0].labels[selection.token(readers[0])] ?? ""}”`;
    const at = selection.get(axis) ?? 0;
    return axis === "layer" || axis === "head" ? `${axis} ${at + 1}` : `${axis} ${at}`;
  });
  const edits = readers.map((r) => r.said?.edits).find(Boolean);
  if (edits) place.push(`edited: ${edits}`);
  const points = Array.from(app.text ?? "");
  const text =
    points.length > MOST_TEXT
      ? `${points.slice(0, MOST_TEXT).join("")}… (${points.length.toLocaleString("en")} characters)`
      : points.join("");
  return `${[`Model: ${named}`, ...place].join(", ")} · Text: “${text}”`;
}

// Scrolled parts are shown whole.
function unfold(root, undo) {
  const opened = new Set();
  for (const node of root.querySelectorAll("*")) {
    const { overflowX, overflowY } = getComputedStyle(node);
    if (!/auto|scroll/.test(overflowX + overflowY)) continue;
    const {
      scrollLeft,
      scrollTop,
      style: { overflow, maxHeight },
    } = node;
    undo.push(() => {
      Object.assign(node.style, { overflow, maxHeight });
      Object.assign(node, { scrollLeft, scrollTop });
    });
    Object.assign(node.style, { overflow: "visible", maxHeight: "none" });
    opened.add(node);
  }
  return opened;
}

class Writer {
  constructor(root, { drawings, numbers }, opened) {
    this.drawings = drawings;
    this.numbers = numbers;
    this.opened = opened;
    /** @type {string[]} */
    this.parts = [];
    const { left, top, right, bottom } = root.getBoundingClientRect();
    this.origin = [left, top];
    this.right = right - left;
    this.bottom = bottom - top;
    const style = getComputedStyle(root);
    this.edge = parseFloat(style.paddingRight) + parseFloat(style.borderRightWidth);
    for (const child of root.childNodes) this.node(child, style, "");
    const ground = tag("rect", {
      x: 0.5,
      y: 0.5,
      width: this.right - 1,
      height: this.bottom - 1,
      rx: parseFloat(style.borderTopLeftRadius) || undefined,
      ...paint("fill", style.backgroundColor),
      ...paint("stroke", style.borderTopColor),
    });
    const behind = tag("rect", { width: this.right, height: this.bottom, ...paint("fill", solid(root)) });
    this.whole = tag(
      "svg",
      {
        xmlns: "http://www.w3.org/2000/svg",
        width: this.right,
        height: this.bottom,
        viewBox: `0 0 ${short(this.right)} ${short(this.bottom)}`,
      },
      behind + ground + this.parts.join(""),
    );
  }

  text() {
    return this.whole;
  }

  // Where a part of the page stands in the drawing; the drawing grows with what was scrolled.
  at({ left, top, width, height }) {
    const [x, y] = [left - this.origin[0], top - this.origin[1]];
    return { x, y, width, height };
  }
  grow({ x, y, width, height }) {
    this.right = Math.max(this.right, x + width + this.edge);
    this.bottom = Math.max(this.bottom, y + height + 4);
  }

  put(mark) {
    if (mark) this.parts.push(mark);
  }

  group(attributes, inside) {
    const outer = this.parts;
    this.parts = [];
    inside();
    const made = this.parts.join("");
    this.parts = outer;
    if (made) this.put(tag("g", attributes, made));
  }

  node(node, style, lines) {
    if (node.nodeType === Node.TEXT_NODE) return this.letters(node, style, lines);
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    const own = getComputedStyle(node);
    if (own.display === "none" || Number(own.opacity) === 0) return;
    if (Number(own.opacity) < 1)
      return this.group({ opacity: Number(own.opacity) }, () => this.element(node, own, lines));
    this.element(node, own, lines);
  }

  element(node, style, lines) {
    const shown = style.visibility === "visible";
    if (node instanceof HTMLCanvasElement) return shown && this.canvas(node, style);
    if (node instanceof SVGSVGElement) return shown && this.diagram(node);
    if (shown) this.box(node, style);
    if (node instanceof HTMLSelectElement)
      return this.setting(node, style, node.selectedOptions[0]?.textContent ?? "");
    if (node instanceof HTMLInputElement)
      return node.type === "checkbox" ? this.tick(node, style) : this.setting(node, style, node.value);
    if (style.textDecorationLine !== "none")
      lines = {
        over: style.textDecorationLine,
        dotted: style.textDecorationStyle !== "solid",
        colour: style.textDecorationColor,
        thick: parseFloat(style.textDecorationThickness) || 1,
        gap: parseFloat(style.textUnderlineOffset) || 2,
      };
    const inside = () => {
      for (const child of node.childNodes) this.node(child, style, lines);
    };
    const clips =
      !this.opened.has(node) &&
      /hidden|clip/.test(style.overflowX + style.overflowY) &&
      (node.scrollWidth > node.clientWidth ||
        node.scrollHeight > node.clientHeight ||
        parseFloat(style.borderTopLeftRadius) > 0);
    if (!clips || !node.childNodes.length) return inside();
    const id = this.numbers.id("box");
    this.put(
      `<defs>${tag("clipPath", { id }, tag("rect", { ...this.at(node.getBoundingClientRect()), rx: parseFloat(style.borderTopLeftRadius) || undefined }))}</defs>`,
    );
    this.group({ "clip-path": `url(#${id})` }, inside);
  }

  // Ground, border and the shadow that marks what is chosen.
  box(node, style) {
    const rects = style.display === "inline" ? node.getClientRects() : [node.getBoundingClientRect()];
    for (const rect of rects) {
      const at = this.at(rect);
      if (!(at.width > 0 && at.height > 0)) continue;
      const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, at.width / 2, at.height / 2);
      if (colour(style.backgroundColor)[1] > 0)
        this.put(tag("rect", { ...at, rx: radius || undefined, ...paint("fill", style.backgroundColor) }));
      if (style.backgroundImage !== "none") this.stripes(style.backgroundImage, at);
      if (style.boxShadow.includes("inset")) this.shadow(style.boxShadow, at);
      this.border(style, at, radius);
    }
  }

  border(style, at, radius) {
    const sides = ["Top", "Right", "Bottom", "Left"].map((side) => ({
      wide: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]),
      colour: style[`border${side}Color`],
      kind: style[`border${side}Style`],
    }));
    const look = ({ wide, colour: css, kind }) => ({
      ...paint("stroke", css),
      "stroke-width": wide,
      "stroke-dasharray": { dashed: `${3 * wide} ${2 * wide}`, dotted: `${wide} ${wide}` }[kind],
    });
    const [first] = sides;
    if (!sides.some((s) => s.wide > 0 && colour(s.colour)[1] > 0)) return;
    if (sides.every((s) => s.wide === first.wide && s.colour === first.colour && s.kind === first.kind)) {
      const half = first.wide / 2;
      return this.put(
        tag("rect", {
          x: at.x + half,
          y: at.y + half,
          width: at.width - first.wide,
          height: at.height - first.wide,
          rx: Math.max(0, radius - half) || undefined,
          fill: "none",
          ...look(first),
        }),
      );
    }
    const { x, y, width, height } = at;
    sides.forEach((side, n) => {
      if (!(side.wide > 0 && colour(side.colour)[1] > 0)) return;
      const half = side.wide / 2;
      const [x1, y1, x2, y2] = [
        [x, y + half, x + width, y + half],
        [x + width - half, y, x + width - half, y + height],
        [x, y + height - half, x + width, y + height - half],
        [x + half, y, x + half, y + height],
      ][n];
      this.put(tag("line", { x1, y1, x2, y2, ...look(side) }));
    });
  }

  // The style sheet has gradients that lie and have hard edges; each part between two stops of one colour is a box.
  stripes(image, at) {
    const whole = /^linear-gradient\((?:90deg|to right), (.*)\)$/.exec(image);
    if (!whole) return;
    const length = (said) => {
      const share = /(-?[\d.]+)%/.exec(said),
        pixels = /([+-] )?(-?[\d.]+)px/.exec(said);
      return (
        ((share ? Number(share[1]) : 0) * at.width) / 100 +
        (pixels ? Number(pixels[2]) * (pixels[1] === "- " ? -1 : 1) : 0)
      );
    };
    const stops = [];
    for (const [, css, places] of whole[1].matchAll(
      /((?:rgba?|color|oklab|oklch)\([^()]*\))((?:\s+(?:calc\([^()]*\)|-?[\d.]+(?:px|%)))*)/g,
    )) {
      const found = places.match(/calc\([^()]*\)|-?[\d.]+(?:px|%)/g) ?? [stops.length ? "100%" : "0%"];
      for (const place of found) stops.push([css, Math.max(length(place), stops.at(-1)?.[1] ?? 0)]);
    }
    const all = [[stops[0][0], 0], ...stops, [stops.at(-1)[0], at.width]];
    for (let i = 1; i < all.length; i++) {
      const [from, to] = [Math.min(all[i - 1][1], at.width), Math.min(all[i][1], at.width)];
      if (to - from > 0.01 && all[i - 1][0] === all[i][0] && colour(all[i][0])[1] > 0)
        this.put(
          tag("rect", {
            x: at.x + from,
            y: at.y,
            width: to - from,
            height: at.height,
            ...paint("fill", all[i][0]),
          }),
        );
    }
  }

  shadow(said, { x, y, width, height }) {
    const found = /^(\S+\([^()]*\)|#\w+) (-?[\d.]+)px (-?[\d.]+)px 0px 0px inset$/.exec(said);
    if (!found) return;
    const [dx, dy] = [Number(found[2]), Number(found[3])];
    const look = paint("fill", found[1]);
    if (dx)
      this.put(tag("rect", { x: dx > 0 ? x : x + width + dx, y, width: Math.abs(dx), height, ...look }));
    if (dy)
      this.put(tag("rect", { x, y: dy > 0 ? y : y + height + dy, width, height: Math.abs(dy), ...look }));
  }

  // The letters of one text node, line by line as the browser has broken it.
  letters(node, style, lines) {
    if (style.visibility !== "visible" || (!node.data.trim() && !/pre/.test(style.whiteSpace))) return;
    for (const [text, rect] of broken(node, /pre/.test(style.whiteSpace)))
      this.line(text, this.at(rect), node.parentElement, style, lines);
  }

  line(text, at, parent, style, lines) {
    let said = { uppercase: text.toUpperCase(), lowercase: text.toLowerCase() }[style.textTransform] ?? text;
    if (!/pre/.test(style.whiteSpace)) said = said.replace(/\s+/g, " ");
    if (!said || at.width <= 0) return;
    let wide = at.width;
    if (style.textOverflow === "ellipsis" && parent.scrollWidth > parent.clientWidth)
      [said, wide] = shortened(said, wide, this.at(parent.getBoundingClientRect()), at.x, style);
    const font = css(style);
    const { above, below } = heights(font);
    const base = at.y + (at.height - above - below) / 2 + above;
    this.grow({ ...at, width: wide });
    this.put(
      words(
        said,
        at.x,
        base,
        font,
        {
          ...paint("fill", style.color),
          direction: style.direction === "rtl" ? "rtl" : undefined,
          "text-anchor": style.direction === "rtl" ? "end" : undefined,
        },
        wide,
      ),
    );
    if (!lines) return;
    for (const [name, y] of [
      ["underline", base + lines.gap + lines.thick / 2],
      ["line-through", base - parseFloat(style.fontSize) * 0.3],
    ]) {
      if (lines.over.includes(name))
        this.put(
          tag("line", {
            x1: at.x,
            x2: at.x + wide,
            y1: y,
            y2: y,
            ...paint("stroke", lines.colour),
            "stroke-width": lines.thick,
            "stroke-dasharray": lines.dotted ? `${lines.thick} ${lines.thick}` : undefined,
          }),
        );
    }
  }

  // What a setting says stands in its box.
  setting(node, style, said) {
    const at = this.at(node.getBoundingClientRect());
    if (!said || at.width <= 0) return;
    const font = css(style);
    const { above, below } = heights(font);
    const left = parseFloat(style.paddingLeft) + parseFloat(style.borderLeftWidth);
    this.put(
      words(
        said,
        at.x + left,
        at.y + (at.height - above - below) / 2 + above,
        font,
        paint("fill", style.color),
      ),
    );
  }

  tick(node, style) {
    const { x, y, width, height } = this.at(node.getBoundingClientRect());
    this.put(
      tag("rect", {
        x: x + 0.5,
        y: y + 0.5,
        width: width - 1,
        height: height - 1,
        rx: 2,
        fill: "none",
        ...paint("stroke", style.color),
      }),
    );
    if (node.checked)
      this.put(
        tag("path", {
          d: `M${short(x + width * 0.22)} ${short(y + height * 0.52)}L${short(x + width * 0.43)} ${short(y + height * 0.74)}L${short(x + width * 0.8)} ${short(y + height * 0.26)}`,
          fill: "none",
          ...paint("stroke", style.color),
          "stroke-width": 2,
        }),
      );
  }

  canvas(node, style) {
    const at = this.at(node.getBoundingClientRect());
    if (!(at.width > 0 && at.height > 0)) return;
    this.grow(at);
    const drawing = this.drawings.get(node);
    if (!drawing)
      return this.put(this.numbers.picture(node, { ...at, smooth: style.imageRendering !== "pixelated" }));
    this.put(
      tag("svg", { ...at, viewBox: `0 0 ${short(drawing.width)} ${short(drawing.height)}` }, drawing.text()),
    );
  }

  // A diagram of the page itself: each shape with the look that the style sheet gives it, where it stands.
  diagram(svg) {
    this.grow(this.at(svg.getBoundingClientRect()));
    const walk = (node, alpha) => {
      const style = getComputedStyle(node);
      if (style.display === "none" || style.visibility !== "visible") return;
      const faint = alpha * Number(style.opacity);
      if (node.tagName === "text") return this.put(this.label(node, style, faint));
      if (node.tagName in SHAPES) return this.put(this.shape(node, style, faint));
      for (const child of node.children) walk(child, faint);
    };
    for (const child of svg.children) walk(child, Number(getComputedStyle(svg).opacity));
  }

  placed(node) {
    const { a, b, c, d, e, f } = node.getScreenCTM();
    return `matrix(${[a, b, c, d, e - this.origin[0], f - this.origin[1]].map((v) => Math.round(v * 1e4) / 1e4 || 0).join(" ")})`;
  }

  shape(node, style, faint) {
    const given = Object.fromEntries(SHAPES[node.tagName].map((name) => [name, node.getAttribute(name)]));
    const dash =
      style.strokeDasharray === "none"
        ? undefined
        : style.strokeDasharray.replaceAll("px", "").replaceAll(",", " ");
    const stroke =
      style.stroke === "none"
        ? {}
        : {
            ...paint("stroke", style.stroke, faint * Number(style.strokeOpacity)),
            "stroke-width": parseFloat(style.strokeWidth),
            "stroke-dasharray": dash,
            "stroke-linecap": style.strokeLinecap === "butt" ? undefined : style.strokeLinecap,
          };
    const fill =
      style.fill === "none" ? { fill: "none" } : paint("fill", style.fill, faint * Number(style.fillOpacity));
    return tag(node.tagName, { ...given, ...fill, ...stroke, transform: this.placed(node) });
  }

  label(node, style, faint) {
    if (!node.textContent.trim()) return "";
    const { x, y } = node.getStartPositionOfChar(0);
    return words(
      node.textContent,
      x,
      y,
      css(style),
      { ...paint("fill", style.fill, faint), transform: this.placed(node) },
      node.getComputedTextLength(),
    );
  }
}

const css = ({ fontStyle, fontWeight, fontSize, fontFamily }) =>
  `${fontStyle === "normal" ? "" : "italic "}${fontWeight} ${fontSize} ${fontFamily}`;

// The colour behind a node: the first that is not seen through.
function solid(node) {
  for (let at = node; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (colour(backgroundColor)[1] === 1) return backgroundColor;
  }
  return "#ffffff";
}

// [text, rectangle] of each line of a text node; unless `spaces` count, those at the ends of a line are left out.
function broken(node, spaces) {
  const range = document.createRange();
  const between = (start, stop) => {
    range.setStart(node, start);
    range.setEnd(node, stop);
    return [...range.getClientRects()].filter((r) => r.width > 0);
  };
  const same = (a, b) => Math.abs(a.top - b.top) < Math.min(a.height, b.height) / 2;
  const found = [];
  const take = (start, stop) => {
    const text = node.data.slice(start, stop);
    const [from, to] = spaces
      ? [start, stop]
      : [start + text.length - text.trimStart().length, stop - text.length + text.trimEnd().length];
    const rects = from < to ? between(from, to) : [];
    if (rects.length) found.push([node.data.slice(from, to), union(rects)]);
  };
  const all = between(0, node.data.length);
  if (!all.length) return found;
  if (all.every((r) => same(r, all[0]))) take(0, node.data.length);
  else {
    let from = 0,
      line = null,
      at = 0;
    for (const point of node.data) {
      const rect = between(at, at + point.length).at(-1);
      if (rect && line && !same(rect, line)) {
        take(from, at);
        from = at;
        line = rect;
      }
      if (rect) line ??= rect;
      at += point.length;
    }
    take(from, node.data.length);
  }
  return found;
}

function union(rects) {
  const left = Math.min(...rects.map((r) => r.left)),
    top = Math.min(...rects.map((r) => r.top));
  return {
    left,
    top,
    width: Math.max(...rects.map((r) => r.right)) - left,
    height: Math.max(...rects.map((r) => r.bottom)) - top,
  };
}

// Text that is cut on the screen is cut in the file, with the same sign.
function shortened(text, wide, box, x, style) {
  const g = document.createElement("canvas").getContext("2d");
  g.font = css(style);
  const room = box.x + box.width - x;
  if (wide <= room + 0.5) return [text, wide];
  const points = Array.from(text);
  while (points.length && g.measureText(`${points.join("")}…`).width > room) points.pop();
  const said = `${points.join("")}…`;
  return [said, Math.min(room, g.measureText(said).width)];
}
