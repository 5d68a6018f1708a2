// A wall of small grids, one for each position of the outer axes, on the scale of the one that is opened
// below.

import { Surface, font, ink, raster } from "../../drawing/canvas.js";
import { short } from "../../dom.js";
import { boxAt } from "../../marks/pointer.js";
import { thumbnail } from "../../marks/thumbnail.js";
import { ALONG_TEXT, pickAll } from "../../parts/inspected.js";
import { slice } from "../../sums/slice.js";
import { axisName } from "../../parts/axisnames.js";

const GAP = 6,
  TOP = 18,
  MOST = 96;

export class Wall {
  /** @param {any} panel @param {() => void} rest is called when the pointer goes */
  constructor(panel, rest) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.surface.node.setAttribute("role", "img");
    this.surface.node.setAttribute("aria-label", "All of them, small; a click opens one below");
    this.stores = [];
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => {
        const found = boxAt(this.boxes, x, y);
        if (found) pickAll(panel, found.at);
      },
      rest,
    );
  }

  draw(part, scale) {
    const { panel, surface } = this;
    const { about, reader } = part;
    const field = reader.fields.get(`${part.name}#wall`);
    if (!field || about.left_out || !about.outer?.length) return;
    this.part = part;
    const [a, b] = about.outer.length > 1 ? about.outer : [null, about.outer[0]];
    const size = (axis) => (axis ? field.shape[field.axes.indexOf(axis)] : 1);
    const [down, across] = [size(a), size(b)];
    const width = panel.body.clientWidth;
    const left = a ? 52 : 0;
    const beside = a ? across : Math.min(across, Math.max(1, Math.floor(width / 110)));
    const w = Math.min(MOST, (width - left - 2 - GAP * (beside - 1)) / beside);
    const h = ALONG_TEXT.has(about.down) && ALONG_TEXT.has(about.across) ? w : Math.min(72, w);
    const line = h + GAP + (a ? 0 : 14);
    const g = surface.begin(width, TOP + (a ? down : Math.ceil(across / beside)) * line);
    surface.node.hidden = false;
    const colours = ink(panel.app.root);
    const tone = (on) => (on ? colours.accent : colours.text);
    this.boxes = [];
    g.textBaseline = "middle";
    g.textAlign = "left";
    g.font = font(11, 600);
    for (let i = 0; i < down; i++)
      for (let j = 0; j < across; j++) {
        const at = a ? { [a]: i, [b]: j } : { [b]: j };
        const row = a ? i : Math.floor(j / beside);
        const box = { x: left + (j % beside) * (w + GAP), y: TOP + row * line, w, h, at };
        const of = slice(field, about.down, about.across, at);
        const store = (this.stores[i * across + j] ??= {});
        const picture = raster(store, of.values, of.rows, of.columns, of.start, of.down, of.across, scale);
        const open = (!a || about.at[a] === i) && about.at[b] === j;
        thumbnail(g, picture, box, open, picture.width > w * surface.ratio, colours);
        g.fillStyle = tone(open);
        if (!a || i === 0) g.fillText(this.name(b, j, w), box.x, a ? TOP / 2 : box.y - 8);
        if (a && j === 0) {
          g.fillStyle = tone(about.at[a] === i);
          g.fillText(
            `${axisName(a).slice(0, 7)} ${a === "layer" || a === "head" ? i + 1 : i}`,
            0,
            box.y + h / 2,
          );
        }
        this.boxes.push(box);
      }
  }

  name(axis, i, wide) {
    const label = this.part.label(axis, i);
    if (label !== null) return short(label, 10);
    return `${wide < 44 ? "" : `${axisName(axis)} `}${axis === "layer" || axis === "head" ? i + 1 : i}`;
  }

  look(x, y) {
    const found = boxAt(this.boxes, x, y);
    const places = found && Object.entries(found.at).map(([axis, i]) => this.part.place(axis, i));
    this.panel.read(found ? `${places.join(", ")}: click to open it below.` : "");
  }
}
