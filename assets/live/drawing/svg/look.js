// Colours and fonts of a page as attributes of a drawing.

let pen; // a real context: it knows colours, fonts and widths
export const real = () =>
  (pen ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true }));
const colours = new Map();

/** Any CSS colour as [#rrggbb, opacity]. @param {string} css */
export function colour(css) {
  let found = colours.get(css);
  if (found) return found;
  const g = real();
  g.fillStyle = "#000000";
  g.fillStyle = css;
  const said = g.fillStyle;
  const parts = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(said);
  if (said.startsWith("#")) found = [said, 1];
  else if (parts) found = [hex(parts.slice(1, 4).map(Number)), Number(parts[4])];
  else {
    // color-mix and the like: the pixel that it paints
    g.clearRect(0, 0, 1, 1);
    g.fillRect(0, 0, 1, 1);
    const [r, b, c, alpha] = g.getImageData(0, 0, 1, 1).data;
    found = [hex([r, b, c]), alpha / 255];
  }
  if (colours.size > 4000) colours.clear();
  colours.set(css, found);
  return found;
}
/** @param {any} rgb */
const hex = (rgb) => `#${rgb.map((/** @type {number} */ v) => v.toString(16).padStart(2, "0")).join("")}`;

/** `fill` or `stroke` with its opacity. @param {string} role @param {string} css */
export function paint(role, css, alpha = 1) {
  const [plain, own] = colour(css);
  const opacity = own * alpha;
  return opacity <= 0
    ? { [role]: "none" }
    : { [role]: plain, [`${role}-opacity`]: opacity < 1 ? Math.round(opacity * 1000) / 1000 : undefined };
}

const FONT =
  /^(?:(italic|oblique)\s+)?(?:small-caps\s+)?(?:(bold|bolder|lighter|normal|\d+)\s+)?(?:[a-z-]*condensed\s+)?([\d.]+)px(?:\/\S+)?\s+(.*)$/;

// Signs beyond the letters and signs that every font has.  Where the first font of a list lacks one, the library that
// makes pixels takes another font for the whole line, so these begin with a font that has most of them.
export const RARE =
  /[^\u0000-\u024f\u0300-\u052f\u1e00-\u1fff\u2000-\u203a\u20a0-\u20bf\u2122\u2190-\u2195\u2202-\u2265]/;

/** A CSS font as attributes; its families end in a generic one, which every viewer has. @param {string} css */
export function fontOf(css, rare = false) {
  const [, style, weight, size, families] = FONT.exec(css) ?? [
    null,
    undefined,
    undefined,
    "10",
    "sans-serif",
  ];
  const names = families
    .split(",")
    .map((f) => f.trim().replace(/^["']|["']$/g, ""))
    .filter((f) => f && f !== "-apple-system");
  if (!/^(?:sans-serif|serif|monospace)$/.test(names.at(-1))) names.push("sans-serif");
  if (rare && names.at(-1) === "sans-serif") names.unshift("DejaVu Sans");
  return {
    "font-family": names.map((f) => (/[^\w-]/.test(f) ? `'${f.replaceAll("'", "")}'` : f)).join(", "),
    "font-size": size,
    "font-weight": heavy(weight),
    "font-style": style,
  };
}

/** Some viewers know only whole hundreds. @param {any} weight */
const heavy = (weight) =>
  /^\d+$/.test(weight)
    ? String(Math.round(Number(weight) / 100) * 100)
    : weight === "normal"
      ? undefined
      : weight;

/** @type {CanvasTextBaseline[]} */
const LINES = ["alphabetic", "middle", "top", "bottom", "hanging", "ideographic"];
/** @type {Map<string, {above: number, below: number, down: Record<string, number>}>} */
const metrics = new Map();

/**
 * Of a font: how far its letters reach above and below the line they stand on, and from a named base line down to it.
 * @param {string} font
 */
export function heights(font) {
  let found = metrics.get(font);
  if (found) return found;
  const g = real();
  g.font = font;
  g.textAlign = "left";
  const reach = (/** @type {CanvasTextBaseline} */ line) => {
    g.textBaseline = line;
    return g.measureText("Hx").actualBoundingBoxAscent;
  };
  const on = reach("alphabetic");
  const whole = g.measureText("Hx");
  found = {
    above: whole.fontBoundingBoxAscent,
    below: whole.fontBoundingBoxDescent,
    down: Object.fromEntries(LINES.map((line) => [line, on - reach(line)])),
  };
  metrics.set(font, found);
  return found;
}
