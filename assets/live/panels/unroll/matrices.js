// The three matrices of a recurrent network, once for all steps: large pictures, and how often each is used.  Pointing at
// one lights it up everywhere, a click keeps it so.

import { Surface, font, ink, legend } from "../../drawing/canvas.js";
import { element } from "../../dom.js";
import { boxAt } from "../../marks/pointer.js";
import { button } from "../../parts/controls.js";
import { MATRICES } from "../../sums/weights.js";

const LARGE = 140,
  GAP = 34,
  WIDEST = 430,
  TOP = 20;

export class Matrices {
  pinned = null; // a matrix by name

  /**
   * @param {any} panel @param {(over: any) => void} look is called with what the pointer is over: {matrix, row, column}
   * @param {() => void} leave is called when the pointer goes
   */
  constructor(panel, look, leave) {
    this.panel = panel;
    this.root = element("div", "un-shared");
    const large = element("div", "");
    this.surface = new Surface(large);
    this.surface.node.setAttribute("role", "img");
    const list = element("ul", "un-list");
    this.rows = Object.entries(MATRICES).map(([key, { name }]) => {
      const pin = button(name, () => {
        this.pin(key);
        panel.draw();
      });
      pin.dataset.matrix = key;
      const row = element("li", "un-shared-row");
      row.onpointerenter = () => look({ matrix: key });
      row.onpointerleave = leave;
      const says = element("span", "un-says");
      row.append(pin, says);
      list.append(row);
      return { key, pin, says };
    });
    this.root.append(large, list);
    this.surface.onPointer(
      (x, y) => look(this.at(x, y)),
      () => {},
      leave,
    );
  }

  pin(key) {
    this.pinned = this.pinned === key ? null : key;
  }

  at(x, y) {
    const box = boxAt(this.boxes, x, y);
    if (!box) return null;
    const row = Math.floor(((y - box.y) / box.h) * box.rows);
    return { matrix: box.matrix, row, column: Math.floor(((x - box.x) / box.w) * box.columns) };
  }

  draw({ matrices, pictures, reader, layer, scales }, lit) {
    const { panel } = this;
    const colours = ink(panel.app.root);
    const share = (n) => Math.min(1, Math.max(0.3, n / matrices.hh.rows));
    const width = Math.min(WIDEST, panel.body.clientWidth);
    const all = Object.values(matrices).reduce((sum, m) => sum + share(m.columns), 0);
    const side = Math.min(LARGE, (width - 2 * GAP - 4) / all);
    const g = this.surface.begin(width, side + 60);
    let x = 2;
    this.boxes = Object.entries(matrices).map(([matrix, { rows, columns }]) => {
      const box = { x, y: TOP, w: share(columns) * side, h: share(rows) * side, matrix, rows, columns };
      const bright = lit === matrix;
      g.globalAlpha = lit && !bright ? 0.35 : 1;
      g.imageSmoothingEnabled = false;
      g.drawImage(pictures[matrix], x, TOP, box.w, box.h);
      g.strokeStyle = bright ? colours.accent : colours.line;
      g.lineWidth = bright ? 2.5 : 1;
      g.strokeRect(x - 1, TOP - 1, box.w + 2, box.h + 2);
      g.fillStyle = bright ? colours.accent : colours.text;
      g.font = font(13, 600);
      g.textAlign = "left";
      g.textBaseline = "middle";
      g.fillText(MATRICES[matrix].name, x, 9);
      g.globalAlpha = 1;
      x += box.w + GAP;
      return box;
    });
    const half = Math.min(120, width / 2 - 66);
    legend(g, 2, side + 32, half, scales.weight, "weight", colours);
    legend(g, width / 2 + 2, side + 32, half, scales.state, "state", colours);
    this.say(matrices, reader.total, layer);
  }

  say(matrices, times, layer) {
    const size = ({ rows, columns }) => `${rows} × ${columns}`;
    const sizes = Object.entries(matrices).map(([key, m]) => `${MATRICES[key].name} ${size(m)}`);
    this.surface.node.setAttribute("aria-label", `The three matrices as heat maps: ${sizes.join(", ")}.`);
    for (const { key, pin, says } of this.rows) {
      const { rows, columns } = matrices[key];
      pin.setAttribute("aria-pressed", String(this.pinned === key));
      const into = key === "xh" && layer ? "from the layer below into the state" : MATRICES[key].says;
      const used = `${times.toLocaleString("en")} ${times === 1 ? "time" : "times"}`;
      says.textContent = `${into}: ${size(matrices[key])} = ${(rows * columns).toLocaleString("en")} numbers, used ${used}`;
    }
  }
}
