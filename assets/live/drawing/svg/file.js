// What several drawings of one file share: numbers for their clips, and pictures that are drawn more than once.

import { short, tag } from "./markup.js";

const LARGE = 1000; // characters

export class Numbers {
  constructor() {
    this.next = 0;
    /** @type {Map<string, string>} */
    this.pictures = new Map();
  }

  /** @param {string} kind */
  id(kind) {
    return `${kind}${this.next++}`;
  }

  /**
   * The pixels of a canvas as a picture inside the drawing; large ones are written once.
   * @param {HTMLCanvasElement} canvas
   * @param {{x: number, y: number, width: number, height: number, smooth: boolean, opacity?: number, transform?: string}} look
   */
  picture(canvas, { x, y, width, height, smooth, opacity, transform }) {
    if (!(canvas.width && canvas.height)) return "";
    const href = canvas.toDataURL("image/png");
    const look = {
      preserveAspectRatio: "none",
      ...(smooth ? {} : { "image-rendering": "optimizeSpeed", style: "image-rendering:pixelated" }),
    };
    if (href.length < LARGE) return tag("image", { x, y, width, height, ...look, opacity, transform, href });
    const key = `${smooth} ${href}`;
    let made = "";
    if (!this.pictures.has(key)) {
      const id = this.id("pixels");
      this.pictures.set(key, id);
      made = `<defs>${tag("image", { id, width: 1, height: 1, ...look, href })}</defs>`;
    }
    return (
      made +
      tag("use", {
        href: `#${this.pictures.get(key)}`,
        opacity,
        transform: `${transform ? `${transform} ` : ""}translate(${short(x)} ${short(y)}) scale(${width} ${height})`,
      })
    );
  }
}
