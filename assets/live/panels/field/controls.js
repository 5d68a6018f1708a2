// The controls of a field: how it is drawn, its two axes, and a picker for each axis that is left.

import { element, put } from "../../dom.js";
import { ALONG_TEXT, pick, setWay } from "../../parts/inspected.js";
import { bar, select, slider } from "../../parts/controls.js";
import { LONG } from "./part.js";
import { axisName } from "../../parts/axisnames.js";

const DRAWINGS = { wall: "Wall", grid: "Grid", lines: "Lines", bars: "Bars" };

export class Controls {
  constructor(panel) {
    this.panel = panel;
    this.root = bar();
  }

  draw(part) {
    const { panel } = this;
    const { drawings, axes } = panel.spec;
    const { drawing, down, across, at, sizes, start, labels } = part.about;
    this.part = part;
    const key = JSON.stringify([
      ...[drawing, down, across, Object.keys(at), sizes, Object.keys(start)],
      axes.length && labels,
    ]);
    if (key !== this.key) {
      this.key = key;
      this.pickers = new Map();
      const parts = [];
      const one = (name) => [name, name];
      if (drawings.length > 1) {
        const ways = drawings.map((d) => [d, DRAWINGS[d]]);
        parts.push(this.select("Drawn as", ways, drawing, (d) => this.way(d, down, across)));
      }
      if (axes.length > 1 && drawing !== "bars")
        parts.push(
          this.select("down", axes.map(one), down, (a) => this.way(drawing, a, a === across ? down : across)),
        );
      if (axes.length > 1)
        parts.push(
          this.select(drawing === "bars" ? "over" : "across", axes.map(one), across, (a) =>
            this.way(drawing, a === down ? across : down, a),
          ),
        );
      for (const axis of Object.keys(at)) parts.push(this.picker(axis));
      for (const [axis, first] of Object.entries(start))
        parts.push(
          this.slider(`${axisName(axis)} from`, sizes[axis] - LONG, first, (n) =>
            pick(panel, `${axis}.from`, n),
          ),
        );
      this.root.replaceChildren(...parts);
    }
    this.root.hidden = !this.root.childElementCount;
    for (const [axis, node] of this.pickers) {
      const now = String(at[axis]);
      if (node.value !== now && document.activeElement !== node) node.value = now;
      if (node.told) put(node.told, `${this.name(axis, at[axis])} of ${sizes[axis].toLocaleString("en")}`);
    }
  }

  way(drawing, down, across) {
    const { axes } = this.panel.spec;
    if (axes.length > 1 && drawing !== "bars" && !down) down = axes.find((a) => a !== across);
    setWay(this.panel, this.part.name, [drawing, axes.length > 1 ? down : "", across]);
  }

  // A position without the name of its axis.
  name(axis, i) {
    return this.part.place(axis, i).replace(`${axisName(axis)} `, "");
  }

  select(name, choices, now, chosen) {
    const label = element("label", "un-pick", { textContent: `${name} ` });
    const node = select(choices, chosen, `${name}, ${this.part.name}`);
    node.value = now;
    label.append(node);
    return label;
  }

  picker(axis) {
    const { about } = this.part;
    const size = about.sizes[axis];
    const chosen = (i) => pick(this.panel, axis, Number(i));
    const listed = size <= 64 && !ALONG_TEXT.has(axis);
    const names = listed && Array.from({ length: size }, (_, i) => [String(i), this.name(axis, i)]);
    const label = listed
      ? this.select(axis, names, String(about.at[axis]), chosen)
      : this.slider(axis, size - 1, about.at[axis], chosen);
    const node = label.querySelector("select, input");
    if (!listed) node.told = label.lastChild;
    this.pickers.set(axis, node);
    return label;
  }

  slider(name, most, now, chosen) {
    const label = element("label", "un-pick un-pick-long", { textContent: `${name} ` });
    const range = { min: 0, max: Math.max(0, most), step: 1 };
    const out = element("output", "", { textContent: String(now) });
    const act = (value) => {
      put(out, String(value));
      chosen(value);
    };
    const node = slider(act, range, `${name}, ${this.part.name}`);
    node.value = String(now);
    label.append(node, out);
    return label;
  }
}
