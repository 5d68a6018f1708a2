// One field of a model, whatever its axes: a grid, lines, bars, or a wall of small grids with one opened.
// Two axes are drawn, all others have pickers; engine/views says which drawings accept it, Python sends the part that is drawn.

import { Scale, Surface } from "../drawing/canvas.js";
import { element, put } from "../dom.js";
import { cellAt } from "../marks/grid.js";
import { answered, pick } from "../parts/inspected.js";
import { exact, statistics } from "../sums/statistics.js";
import { FieldBars } from "./field/bars.js";
import { Controls } from "./field/controls.js";
import { drawGrid } from "./field/grid.js";
import { drawLines, nearest } from "./field/lines.js";
import { Part } from "./field/part.js";
import { Wall } from "./field/wall.js";

const TABLED = 200;

export default class FieldPanel {
  constructor(panel) {
    this.panel = panel;
    this.name = panel.spec.field;
    this.controls = new Controls(panel);
    panel.body.append(this.controls.root);
    this.wall = new Wall(panel, () => this.rest());
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.left = element("p", "un-says");
    this.bars = new FieldBars(panel, this.left);
    this.stats = element("p", "un-says");
    panel.body.append(this.stats);
    this.store = {};
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => {
        panel.selection.leave();
        this.rest();
      },
    );
  }

  draw() {
    const { panel, name } = this;
    const reader = panel.reader();
    const { shows, reads, fields } = answered(reader);
    const at = shows.indexOf(name);
    const about = fields[name];
    panel.root.hidden = at < 0;
    panel.root.style.order = String(at);
    if (at < 0) return;
    const part = (this.part = about ? new Part(panel, name, about) : null);
    const { symbol, says } = reader.spec.fields[name];
    const change = reads === "change" ? " Drawn: edited minus as it is." : "";
    panel.say(`${name} ${symbol}`.trim(), says + change);
    this.wall.surface.node.hidden = this.bars.list.hidden = true;
    this.canvas.hidden = !part || about.drawing === "bars" || about.drawing === "number";
    if (!part) {
      this.controls.root.hidden = true;
      put(this.stats, "");
      put(this.left, "");
      return panel.read("Nothing is typed yet, so there are no numbers.");
    }
    this.controls.draw(part);
    if (part.field) this.measure(part);
    const { drawing } = about;
    let left = part.cut;
    if (drawing === "bars") left = this.bars.draw(part);
    else if (drawing === "number") this.surface.begin(1, 1);
    else if (drawing === "lines") this.box = drawLines(this, part);
    else this.box = drawGrid(this, part);
    if (drawing === "wall") this.wall.draw(part, this.scale);
    put(this.left, left);
    this.left.hidden = !left;
    put(this.stats, part.said(this.numbers, this.scale));
    if (!this.over) this.rest();
  }

  // The statistics and the colours of what is drawn.
  measure(part) {
    if (this.counted !== part.field.values || this.countedAs !== part.change) {
      this.counted = part.field.values;
      this.countedAs = part.change;
      this.numbers = statistics(this.counted, part.gate);
    }
    this.scale = new Scale(part.scale(this.numbers), this.panel.app.dark);
  }

  find(px, py) {
    if (!this.part) return null;
    return this.box?.at ? nearest(this.box, this.part, px, py) : cellAt(this.box, px, py);
  }

  look(px, py) {
    const { part, panel } = this;
    const found = this.find(px, py);
    this.over = !!found;
    if (!found) {
      panel.selection.leave();
      return this.rest();
    }
    const { down, across } = part.about;
    const axis = [down, across].find((a) => a === "token" || a === "query");
    if (axis) panel.selection.look(part.reader.place(found[axis === down ? 0 : 1]));
    panel.read(part.reading(...found));
  }

  keep(px, py) {
    const { part, panel } = this;
    const found = this.find(px, py);
    if (!found) return;
    [part.about.down, part.about.across].forEach((axis, n) => {
      if (axis === "key") panel.selection.keep({ other: found[n] + part.reader.offset }, panel.app);
      else if (axis) pick(panel, axis, found[n] + part.first(axis));
    });
  }

  rest() {
    this.over = false;
    const { part, panel } = this;
    const drawing = part?.about.drawing;
    if (drawing === "bars") panel.read(this.bars.reading(0));
    else if (drawing === "number") panel.read(`${this.name} = ${exact(part.field?.values[0] ?? NaN)}`);
    else if (part) panel.read(part.resting());
  }

  table() {
    const { part, name } = this;
    if (!part) return { columns: [], rows: [] };
    const { drawing, down, across } = part.about;
    if (drawing === "bars") return this.bars.table();
    if (drawing === "number") return { columns: [name], rows: [[exact(part.field?.values[0] ?? NaN)]] };
    const { rows, columns } = part.slice;
    const downs = down ? part.names(down, rows) : [],
      names = part.names(across, columns);
    const found = [];
    for (let r = 0; r < rows && found.length < TABLED; r++)
      for (let c = 0; c < columns && found.length < TABLED; c++)
        found.push([...(down ? [downs[r]] : []), names[c], exact(part.value(r, c))]);
    found.length = rows * columns; // the panel shows the first ones, and says how many there are
    return { columns: [...(down ? [down] : []), across, name], rows: found };
  }

  drawn() {
    return this.panel.root.hidden || this.part?.about.drawing !== "bars" ? {} : this.bars.drawn();
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.stats.textContent} ${this.panel.readout.textContent}`;
  }
}
