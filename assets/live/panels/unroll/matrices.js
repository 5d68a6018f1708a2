// The three matrices of a recurrent network, once for all steps: what each does, and how often it is used.  Pointing at
// one lights it up everywhere, a click keeps it so.

import { element } from "../../dom.js";
import { button } from "../../parts/controls.js";
import { MATRICES } from "../../sums/weights.js";

export class Matrices {
  pinned = null; // a matrix by name

  /** @param {any} panel @param {(matrix: string | null) => void} look is called with the matrix that the pointer is over */
  constructor(panel, look) {
    this.root = element("ul", "un-list");
    this.rows = Object.entries(MATRICES).map(([key, { name }]) => {
      const pin = button(name, () => {
        this.pin(key);
        panel.draw();
      });
      pin.dataset.matrix = key;
      const row = element("li", "un-shared-row");
      row.onpointerenter = () => look(key);
      row.onpointerleave = () => look(null);
      const says = element("span", "un-says");
      row.append(pin, says);
      this.root.append(row);
      return { key, pin, says };
    });
  }

  pin(key) {
    this.pinned = this.pinned === key ? null : key;
  }

  draw({ matrices, reader, layer }) {
    const times = reader.total;
    for (const { key, pin, says } of this.rows) {
      const { rows, columns } = matrices[key];
      pin.setAttribute("aria-pressed", String(this.pinned === key));
      const into = key === "xh" && layer ? "from the layer below into the state" : MATRICES[key].says;
      const used = `${times.toLocaleString("en")} ${times === 1 ? "time" : "times"}`;
      says.textContent = `${into}: ${rows} × ${columns} = ${(rows * columns).toLocaleString("en")} numbers, used ${used}`;
    }
  }
}
