// Crisp canvases at any pixel ratio, colour scales, grids of cells.

import { element } from "../dom.js";
import { SvgContext } from "./svg.js";
import { Numbers } from "./svg/file.js";

/** @import { Ink, ScaleSpec } from "../types.js" */

/** @type {{drawings: Map<Element, SvgContext>, sizes: Map<HTMLElement, {width: string, height: string}>, numbers: Numbers} | null} */
let recording = null; // while a picture is made for a file: per canvas its drawing

/**
 * Run a drawing function; what it draws goes into SVG drawings instead of onto the canvases: {drawings, end}.
 * @param {() => void} draw
 */
export function record(draw) {
  const [drawings, sizes, numbers] = [new Map(), new Map(), new Numbers()];
  recording = { drawings, sizes, numbers };
  try {
    draw();
  } finally {
    recording = null;
  }
  return {
    drawings,
    numbers,
    end: () => {
      for (const [node, { width, height }] of sizes) Object.assign(node.style, { width, height });
    },
  };
}

/** @type {WeakMap<object, number>} how wide what a context draws on is, in the pixels it draws in */
const widths = new WeakMap();

/** @typedef {{look: (x: number, y: number) => void, keep: (x: number, y: number) => void, leave: () => void}} Handlers */
/** @type {WeakMap<EventTarget, Handlers>} what the pointer does on a picture, for the keys */
const pointers = new WeakMap();
/** @param {EventTarget} node @returns {Handlers | undefined} */
export const pointerOf = (node) => pointers.get(node);
/** For a picture that hears its pointer by itself. @param {EventTarget} node @param {Handlers} handlers */
export const reached = (node, handlers) => void pointers.set(node, handlers);

export class Surface {
  /** @type {CanvasRenderingContext2D} */
  g;

  /** @param {HTMLElement} parent */
  constructor(parent, className = "un-canvas") {
    this.node = element("canvas", className);
    this.node.tabIndex = 0;
    parent.append(this.node);
  }

  // Whether what is drawn now is for a file, where nothing is out of sight.
  get recording() {
    return recording !== null;
  }

  // Size in CSS pixels; returns a context that draws in them, cleared.
  /**
   * @param {number} width @param {number} height
   * @returns {CanvasRenderingContext2D} or what of it the panels use, when it is for a file
   */
  begin(width, height) {
    if (recording) return this.file(width, height);
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const w = Math.max(1, Math.round(width * ratio));
    const h = Math.max(1, Math.round(height * ratio));
    if (this.node.width !== w || this.node.height !== h) {
      this.node.width = w;
      this.node.height = h;
      this.node.style.width = `${width}px`;
      this.node.style.height = `${height}px`;
    }
    const g = (this.g ??= this.node.getContext("2d"));
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    this.ratio = ratio;
    widths.set(g, width);
    return g;
  }

  /** The same for a file: the page makes room as for the canvas. @param {number} width @param {number} height */
  file(width, height) {
    const { drawings, sizes, numbers } = recording;
    const { style } = this.node;
    if (!sizes.has(this.node)) sizes.set(this.node, { width: style.width, height: style.height });
    Object.assign(style, { width: `${width}px`, height: `${height}px` });
    const g = drawings.get(this.node) ?? new SvgContext(numbers);
    drawings.set(this.node, g);
    widths.set(g, width);
    return /** @type {any} */ (g.begin(width, height));
  }

  /** Pointer handlers in CSS pixels of the canvas. @param {(x: number, y: number) => void} look @param {(x: number, y: number) => void} keep @param {() => void} leave */
  onPointer(look, keep, leave) {
    /** @param {MouseEvent} e @returns {[number, number]} */
    const at = (e) => {
      const r = this.node.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    reached(this.node, { look, keep, leave });
    this.node.addEventListener("pointermove", (/** @type {PointerEvent} */ e) => look(...at(e)));
    this.node.addEventListener("click", (/** @type {MouseEvent} */ e) => keep(...at(e)));
    this.node.addEventListener("pointerleave", leave);
  }
}

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif';
/** @param {number} size */
export const font = (size, weight = 400) => `${weight} ${size}px ${FONT}`;

/** @type {CanvasRenderingContext2D | undefined} */
let pen;
/** How wide the widest of some words is. @param {string[]} words @param {string} font */
export function widest(words, font) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = font;
  return Math.max(...words.map((word) => pen.measureText(word).width));
}

/** @param {HTMLElement} root */
export function ink(root) {
  const style = getComputedStyle(root);
  /** @param {string} name */
  const get = (name) => style.getPropertyValue(name).trim();
  return {
    text: get("--un-text"),
    faint: get("--un-faint"),
    line: get("--un-line"),
    accent: get("--un-accent"),
    ground: get("--un-ground"),
  };
}

const ramps = new Map();

/** 256 packed colours from evenly spaced stops. @param {string[]} stops */
export function ramp(stops) {
  const key = stops.join();
  let found = ramps.get(key);
  if (found) return found;
  const rgb = stops.map((s) => [1, 3, 5].map((i) => parseInt(s.slice(i, i + 2), 16)));
  found = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    const f = (i / 255) * (rgb.length - 1);
    const k = Math.min(rgb.length - 2, Math.floor(f));
    const [r, g, b] = [0, 1, 2].map((c) => Math.round(rgb[k][c] * (1 - f + k) + rgb[k + 1][c] * (f - k)));
    found[i] = ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
  }
  ramps.set(key, found);
  return found;
}

/** @param {number} packed */
export const css = (packed) => `rgb(${packed & 255},${(packed >> 8) & 255},${(packed >> 16) & 255})`;
/** @param {number} packed */
export const luminance = (packed) =>
  0.299 * (packed & 255) + 0.587 * ((packed >> 8) & 255) + 0.114 * ((packed >> 16) & 255);

export class Scale {
  /** @param {ScaleSpec} spec @param {boolean} isDark */
  constructor({ low, high, light, dark }, isDark) {
    this.low = low;
    this.high = high;
    this.colours = ramp(isDark ? dark : light);
    this.none = isDark ? 0xff332e2b : 0xffefebe8; // not a number, or masked: grey, never a colour of the scale
    this.factor = 255 / (high - low);
  }

  /** @param {number} value */
  packed(value) {
    if (!Number.isFinite(value)) return this.none;
    const i = (value - this.low) * this.factor;
    return this.colours[i < 0 ? 0 : i > 255 ? 255 : i | 0];
  }

  /** @param {number} value */
  css(value) {
    return css(this.packed(value));
  }
}

/**
 * A grid of numbers as an off-screen picture, one pixel a cell; the one there is where nothing has changed.
 * @param {any} store @param {ArrayLike<number>} values @param {number} rows @param {number} columns @param {number} start @param {number} rowStep @param {number} columnStep @param {Scale} scale
 */
export function raster(store, values, rows, columns, start, rowStep, columnStep, scale) {
  const canvas = store.canvas ?? (store.canvas = document.createElement("canvas"));
  const of = [values, rows, columns, start, rowStep, columnStep, scale.colours, scale.low, scale.factor];
  if (store.of?.every((/** @type {any} */ part, /** @type {number} */ i) => part === of[i])) return canvas;
  store.of = of;
  if (canvas.width !== columns || canvas.height !== rows || !store.image) {
    canvas.width = columns;
    canvas.height = rows;
    store.g = canvas.getContext("2d");
    store.image = store.g.createImageData(columns, rows);
    store.pixels = new Uint32Array(store.image.data.buffer);
  }
  const { pixels } = store;
  const { low, factor, colours, none } = scale;
  let n = 0;
  for (let r = 0; r < rows; r++) {
    let i = start + r * rowStep;
    for (let c = 0; c < columns; c++, i += columnStep) {
      const v = values[i];
      const x = (v - low) * factor;
      pixels[n++] = Number.isFinite(v) ? colours[x < 0 ? 0 : x > 255 ? 255 : x | 0] : none;
    }
  }
  store.g.putImageData(store.image, 0, 0);
  return canvas;
}

/** @param {number} value */
const plain = (value) => String(Math.round(value * 100) / 100).replace("-", "−");

const BEFORE = { left: 0, start: 0, center: 0.5, right: 1, end: 1 }; // what part of a text lies before its place

/**
 * A text where it is asked for, or as near to it as the picture reaches; one that is too long for all of it is smaller.
 * @param {CanvasRenderingContext2D} g @param {string} text @param {number} x @param {number} y
 */
export function inside(g, text, x, y) {
  const room = widths.get(g) ?? Infinity;
  const { font: usual } = g;
  const long = g.measureText(text).width;
  if (long > room) g.font = usual.replace(/[\d.]+px/, (size) => `${(parseFloat(size) * room) / long}px`);
  const wide = Math.min(long, room);
  const before = BEFORE[g.textAlign] * wide;
  g.fillText(text, Math.max(0, Math.min(x - before, room - wide)) + before, y);
  g.font = usual;
}

const bar = {}; // the pixels of the last legend
const SHORTEST = 56; // of a legend whose words need the room

/**
 * The colour scale, always shown: a bar with its two ends and its middle.  It gives way where its words would end beyond
 * the picture.
 * @param {CanvasRenderingContext2D} g @param {number} x @param {number} y @param {number} width @param {Scale} scale @param {string} label @param {Ink} colours
 * @param {(value: number) => string} write a number of the scale in words
 */
export function legend(g, x, y, width, scale, label, colours, write = plain) {
  g.font = font(11);
  const room = (widths.get(g) ?? Infinity) - x - 10 - g.measureText(label).width;
  width = Math.min(width, Math.max(SHORTEST, room));
  const strip = raster(
    bar,
    Float32Array.from({ length: 128 }, (_, i) => scale.low + ((scale.high - scale.low) * i) / 127),
    1,
    128,
    0,
    0,
    1,
    scale,
  );
  g.imageSmoothingEnabled = false;
  g.drawImage(strip, x, y, width, 8);
  g.strokeStyle = colours.line;
  g.strokeRect(x + 0.5, y + 0.5, width - 1, 7);
  g.fillStyle = colours.faint;
  g.font = font(11);
  g.textBaseline = "top";
  const middle = (scale.low + scale.high) / 2;
  for (const [value, align, at] of /** @type {[number, CanvasTextAlign, number][]} */ ([
    [scale.low, "left", x],
    [middle, "center", x + width / 2],
    [scale.high, "right", x + width],
  ])) {
    g.textAlign = align;
    g.fillText(write(value), at, y + 11);
  }
  g.textAlign = "left";
  g.textBaseline = "middle";
  g.fillText(label, x + width + 10, y + 4);
}
