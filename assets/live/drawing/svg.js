// A drawing context that writes SVG: the part of CanvasRenderingContext2D that the panels use, so that the very marks
// that a canvas shows become the marks of a file.

import { Numbers } from "./svg/file.js";
import { heights, paint, real } from "./svg/look.js";
import { short, tag, words } from "./svg/markup.js";

const SETTINGS = [
  "fillStyle",
  "strokeStyle",
  "lineWidth",
  "lineCap",
  "lineJoin",
  "miterLimit",
  "lineDashOffset",
  "globalAlpha",
  "font",
  "textAlign",
  "textBaseline",
  "imageSmoothingEnabled",
  "matrix",
  "dash",
  "clips",
];

export class SvgContext {
  fillStyle = "#000000";
  strokeStyle = "#000000";
  lineWidth = 1;
  /** @type {CanvasLineCap} */
  lineCap = "butt";
  /** @type {CanvasLineJoin} */
  lineJoin = "miter";
  miterLimit = 10;
  lineDashOffset = 0;
  globalAlpha = 1;
  font = "10px sans-serif";
  /** @type {CanvasTextAlign} */
  textAlign = "left";
  /** @type {CanvasTextBaseline} */
  textBaseline = "alphabetic";
  imageSmoothingEnabled = true;
  matrix = [1, 0, 0, 1, 0, 0];
  /** @type {number[]} */
  dash = [];
  /** @type {string[]} paths, each inside the one before */
  clips = [];

  /** @param {Numbers} numbers of the file that the drawing is for */
  constructor(numbers = new Numbers()) {
    this.numbers = numbers;
    this.begin(0, 0);
  }

  /**
   * An empty drawing of this size; settings stay as they are, as those of a canvas do.
   * @param {number} width @param {number} height
   */
  begin(width, height) {
    this.width = width;
    this.height = height;
    this.matrix = [1, 0, 0, 1, 0, 0];
    this.clips = [];
    /** @type {[string, any][][]} */
    this.stack = [];
    /** @type {string[]} */
    this.parts = [];
    /** @type {string} */
    this.open = "";
    this.beginPath();
    return this;
  }

  // The whole drawing.
  text() {
    this.within([]);
    return this.parts.join("");
  }

  save() {
    this.stack.push(SETTINGS.map((key) => [key, this[/** @type {"font"} */ (key)]]));
  }
  restore() {
    Object.assign(this, Object.fromEntries(this.stack.pop() ?? []));
  }

  /**
   * Only moved, turned and evenly scaled: then lines stay as wide everywhere, and circles stay circles.
   * @param {number} x @param {number} y
   */
  translate(x, y) {
    this.multiply(1, 0, 0, 1, x, y);
  }
  /** @param {number} angle */
  rotate(angle) {
    this.multiply(Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0);
  }
  /** @param {number} x @param {number} y */
  scale(x, y) {
    if (Math.abs(x) !== Math.abs(y))
      throw new Error("a drawing for a file cannot be stretched more in one direction");
    this.multiply(x, 0, 0, y, 0, 0);
  }
  /** @param {number[]} matrix */
  setTransform(...matrix) {
    this.matrix = matrix;
  }
  /** @param {number} a @param {number} b @param {number} c @param {number} d @param {any} e @param {any} f */
  multiply(a, b, c, d, e, f) {
    const [A, B, C, D, E, F] = this.matrix;
    this.matrix = [
      A * a + C * b,
      B * a + D * b,
      A * c + C * d,
      B * c + D * d,
      A * e + C * f + E,
      B * e + D * f + F,
    ];
  }
  get size() {
    const [a, b] = this.matrix;
    return Math.hypot(a, b);
  }
  get transform() {
    return this.matrix.every((v, i) => v === [1, 0, 0, 1, 0, 0][i])
      ? undefined
      : `matrix(${this.matrix.map((v) => Math.round(v * 1e4) / 1e4 || 0).join(" ")})`;
  }
  /** @param {number} x @param {number} y @returns {[number, number]} */
  to(x, y) {
    const [a, b, c, d, e, f] = this.matrix;
    return [a * x + c * y + e, b * x + d * y + f];
  }

  /** @param {number} x @param {number} y */
  said(x, y) {
    return this.to(x, y).map(short).join(" ");
  }

  /** @param {number[]} lengths */
  setLineDash(lengths) {
    this.dash = [...lengths];
  }
  getLineDash() {
    return [...this.dash];
  }
  /** @param {any} text */
  measureText(text) {
    const g = real();
    g.font = this.font;
    g.textAlign = this.textAlign;
    g.textBaseline = this.textBaseline;
    return g.measureText(text);
  }

  // A path is kept in the coordinates of the drawing, as a canvas keeps it.
  beginPath() {
    this.path = "";
    /** @type {number[] | null} where the last piece ended */
    this.at = null;
    /** @type {number[] | null} where it began */
    this.began = null;
  }
  closePath() {
    if (this.at) {
      this.path += "Z";
      this.at = this.began;
    }
  }
  /** @param {number} x @param {number} y */
  moveTo(x, y) {
    this.path += `M${this.said(x, y)}`;
    this.at = this.began = [x, y];
  }
  /** @param {number} x @param {number} y */
  lineTo(x, y) {
    if (!this.at) return this.moveTo(x, y);
    this.path += `L${this.said(x, y)}`;
    this.at = [x, y];
  }
  /** @param {number} a @param {number} b @param {number} c @param {number} d @param {number} x @param {number} y */
  bezierCurveTo(a, b, c, d, x, y) {
    if (!this.at) this.moveTo(a, b);
    this.path += `C${this.said(a, b)} ${this.said(c, d)} ${this.said(x, y)}`;
    this.at = [x, y];
  }
  /** @param {number} a @param {number} b @param {number} x @param {number} y */
  quadraticCurveTo(a, b, x, y) {
    if (!this.at) this.moveTo(a, b);
    this.path += `Q${this.said(a, b)} ${this.said(x, y)}`;
    this.at = [x, y];
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  rect(x, y, w, h) {
    this.moveTo(x, y);
    this.lineTo(x + w, y);
    this.lineTo(x + w, y + h);
    this.lineTo(x, y + h);
    this.closePath();
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  roundRect(x, y, w, h, radii = 0) {
    const r = Math.min(Array.isArray(radii) ? (radii[0] ?? 0) : radii, Math.abs(w) / 2, Math.abs(h) / 2);
    this.moveTo(x + r, y);
    for (const [cx, cy, from] of [
      [x + w - r, y + r, -0.5],
      [x + w - r, y + h - r, 0],
      [x + r, y + h - r, 0.5],
      [x + r, y + r, 1],
    ]) {
      this.arc(cx, cy, r, from * Math.PI, (from + 0.5) * Math.PI);
    }
    this.closePath();
  }
  /** @param {number} x @param {number} y @param {number} r @param {number} from @param {number} to */
  arc(x, y, r, from, to, back = false) {
    this.ellipse(x, y, r, r, 0, from, to, back);
  }
  /** @param {number} x @param {number} y @param {number} rx @param {number} ry @param {number} turn @param {number} from @param {number} to */
  ellipse(x, y, rx, ry, turn, from, to, back = false) {
    const whole = 2 * Math.PI;
    let sweep = back ? from - to : to - from;
    if (sweep >= whole) sweep = whole;
    else {
      sweep %= whole;
      if (sweep < 0) sweep += whole;
    }
    /** @param {number} angle @returns {[number, number]} */
    const point = (angle) => {
      const [u, v] = [rx * Math.cos(angle), ry * Math.sin(angle)];
      return [x + u * Math.cos(turn) - v * Math.sin(turn), y + u * Math.sin(turn) + v * Math.cos(turn)];
    };
    const start = point(from);
    if (this.at) this.lineTo(...start);
    else this.moveTo(...start);
    if (!(rx > 0 && ry > 0 && sweep > 0)) return;
    const [a, b] = this.matrix;
    const lean = ((turn + Math.atan2(b, a)) * 180) / Math.PI;
    const steps = sweep > Math.PI ? 2 : 1; // an arc of a file cannot be a whole circle
    for (let k = 1; k <= steps; k++) {
      const end = point(from + (back ? -1 : 1) * ((sweep * k) / steps));
      this.path += `A${short(rx * this.size)} ${short(ry * this.size)} ${short(lean)} 0 ${back ? 0 : 1} ${this.said(...end)}`;
      this.at = end;
    }
  }

  clip() {
    this.clips = [...this.clips, this.path];
  }

  /** Marks inside the same clips stand in one group. @param {string[]} clips */
  within(clips) {
    const key = clips.join("|");
    if (key === this.open) return;
    if (this.open) this.parts.push("</g>");
    this.open = key;
    if (!key) return;
    /** @type {string | undefined} */
    let last;
    const defined = clips.map((path) => {
      const id = this.numbers.id("clip");
      const one = tag(
        "clipPath",
        { id, "clip-path": last && `url(#${last})` },
        tag("path", { d: path || "M0 0" }),
      );
      last = id;
      return one;
    });
    this.parts.push(`<defs>${defined.join("")}</defs><g clip-path="url(#${last})">`);
  }

  /** @param {string} mark */
  put(mark) {
    if (!mark) return;
    this.within(this.clips);
    this.parts.push(mark);
  }

  filled() {
    return paint("fill", this.fillStyle, this.globalAlpha);
  }
  lined(size = this.size) {
    const dash = this.dash.length ? this.dash.map((n) => short(n * size)).join(" ") : undefined;
    return {
      fill: "none",
      ...paint("stroke", this.strokeStyle, this.globalAlpha),
      "stroke-width": this.lineWidth * size,
      "stroke-dasharray": dash,
      "stroke-dashoffset": dash && this.lineDashOffset ? this.lineDashOffset * size : undefined,
      "stroke-linecap": this.lineCap === "butt" ? undefined : this.lineCap,
      "stroke-linejoin": this.lineJoin === "miter" ? undefined : this.lineJoin,
      "stroke-miterlimit": this.lineJoin === "miter" && this.miterLimit !== 4 ? this.miterLimit : undefined,
    };
  }

  fill() {
    if (this.path) this.put(tag("path", { d: this.path, ...this.filled() }));
  }
  stroke() {
    if (this.path) this.put(tag("path", { d: this.path, ...this.lined() }));
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h @param {Record<string, any>} look */
  box(x, y, w, h, look) {
    if (![x, y, w, h].every(Number.isFinite)) return;
    this.put(
      tag("rect", {
        x: Math.min(x, x + w),
        y: Math.min(y, y + h),
        width: Math.abs(w),
        height: Math.abs(h),
        ...look,
        transform: this.transform,
      }),
    );
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  fillRect(x, y, w, h) {
    if (w && h) this.box(x, y, w, h, this.filled());
  }
  /** @param {number} x @param {number} y @param {number} w @param {number} h */
  strokeRect(x, y, w, h) {
    this.box(x, y, w, h, this.lined(1));
  }
  clearRect() {
    // the panels clear the whole canvas only, before they draw
    this.parts = [];
    this.open = "";
  }

  /** @param {any} text @param {number} x @param {number} y @param {Record<string, any>} look @param {number} most */
  letters(text, x, y, look, most) {
    const said = String(text);
    if (!said || ![x, y].every(Number.isFinite)) return;
    const width = this.measureText(said).width;
    /** @type {Partial<Record<CanvasTextAlign, string>>} */
    const anchors = { center: "middle", right: "end", end: "end" };
    const anchor = anchors[this.textAlign];
    this.put(
      words(
        said,
        x,
        y + heights(this.font).down[this.textBaseline],
        this.font,
        { ...look, "text-anchor": anchor, transform: this.transform },
        most ? Math.min(most, width) : width,
      ),
    );
  }
  /** @param {any} text @param {number} x @param {number} y */
  fillText(text, x, y, most = 0) {
    this.letters(text, x, y, this.filled(), most);
  }
  /** @param {any} text @param {number} x @param {number} y */
  strokeText(text, x, y, most = 0) {
    this.letters(text, x, y, this.lined(1), most);
  }

  /** @param {HTMLCanvasElement} canvas @param {number[]} at */
  drawImage(canvas, ...at) {
    const [sx, sy, sw, sh, x, y, width, height] =
      at.length === 8
        ? at
        : [0, 0, canvas.width, canvas.height, at[0], at[1], at[2] ?? canvas.width, at[3] ?? canvas.height];
    const whole = sx === 0 && sy === 0 && sw === canvas.width && sh === canvas.height;
    const opacity = this.globalAlpha < 1 ? this.globalAlpha : undefined;
    this.put(
      this.numbers.picture(whole ? canvas : cut(canvas, sx, sy, sw, sh), {
        x,
        y,
        width,
        height,
        smooth: this.imageSmoothingEnabled,
        opacity,
        transform: this.transform,
      }),
    );
  }
}

/** @param {HTMLCanvasElement} canvas @param {number} x @param {number} y @param {number} width @param {number} height */
function cut(canvas, x, y, width, height) {
  const part = document.createElement("canvas");
  [part.width, part.height] = [Math.max(1, Math.round(width)), Math.max(1, Math.round(height))];
  part.getContext("2d").drawImage(canvas, x, y, width, height, 0, 0, part.width, part.height);
  return part;
}
