// What the points of a map can be coloured by: a measure, or nothing; the legend, and what it says of one point.

import { Scale, font, legend } from "../../drawing/canvas.js";
import { capital, digits } from "../../dom.js";
import { numbers } from "../../sums/cloud.js";

const PLAIN = ["#8a93a1", "#8b95a5"]; // on a light and on a dark page

const packed = (css) => {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(css.slice(i, i + 2), 16));
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
};

export class PointColours {
  /** @type {Scale | null} */
  scale = null;

  constructor(panel) {
    const { spec } = (this.panel = panel);
    this.values = Object.fromEntries(
      Object.entries(spec.colours).map(([name, { values }]) => [name, numbers(values, "f4")]),
    );
  }

  // The measure that is chosen, as far as this map has it.
  get by() {
    const by = this.panel.selection.get("by") ?? "";
    return by === "none" || by in this.values ? by : (Object.keys(this.values)[0] ?? "none");
  }

  // A packed colour per point.
  of(count) {
    const { by } = this;
    const { dark } = this.panel.app;
    this.scale = by in this.values ? new Scale(this.panel.spec.colours[by].scale, dark) : null;
    if (this.scale) return Uint32Array.from(this.values[by], (v) => this.scale.packed(v));
    return new Uint32Array(count).fill(packed(PLAIN[dark ? 1 : 0]));
  }

  legend(g, y, width, colours) {
    const { label } = this.panel.spec.colours[this.by] ?? {};
    if (this.scale) return legend(g, 2, y, Math.min(150, width / 3), this.scale, label, colours);
    g.font = font(12);
    g.textBaseline = "middle";
    g.textAlign = "left";
    g.fillStyle = colours.faint;
    g.fillText("Only nearness means something: the map has no unit.", 2, y + 4);
  }

  describe(i) {
    const { spec } = this.panel;
    const said = {
      kept: (v) => `${v} of its ${spec.k} true neighbours kept`,
      frequency: (v) => `${Math.round(10 ** v).toLocaleString("en")} occurrences`,
    };
    const parts = Object.entries(this.values)
      .filter(([, values]) => Number.isFinite(values[i]))
      .map(([name, values]) => said[name]?.(values[i]) ?? `${spec.colours[name].label} ${digits(values[i])}`);
    return capital(parts.join(", "));
  }
}
