// What edits change in one layer: a picture of the differences of all units, with the edited tokens and units marked.

import { ink } from "../drawing/canvas.js";
import { covers, parse } from "../sums/edits.js";
import Matrix from "./matrix.js";

export default class Change extends Matrix {
  draw() {
    super.draw();
    const { name, field, place, reader } = this.what();
    if (!field || !this.box) return;
    const { x: left, y: top, w: wide, h: high, rows, columns } = this.box;
    const { g } = this.surface;
    g.fillStyle = ink(this.panel.app.root).accent;
    for (const edit of parse(this.panel.selection.kept.edits)) {
      for (let t = 0; t < columns; t++)
        if (covers(edit.tokens, t + reader.offset))
          g.fillRect(left + (t / columns) * wide, top + high + 2, wide / columns, 4);
      if (edit.field !== name || !covers(edit.layer, place.layer)) continue;
      for (let row = 0; row < rows; row++)
        if (covers(edit.unit, this.units.unitAt(row)))
          g.fillRect(left + wide + 1, top + (row / rows) * high, 4, Math.max(2, high / rows));
    }
  }
}
