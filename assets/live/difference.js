// The difference of two readers of one text: every number of the first minus that of the second.

import { Reader } from "./wire.js";

export class Difference extends Reader {
  /** @param {Map<string, Reader>} readers */
  follow(readers) {
    const [a, b] = this.spec.of.map((id) => readers.get(id));
    for (const name of ["labels", "spans", "unknown", "total", "offset", "said"]) this[name] = a[name];
    for (const [name, { axes, shape, values }] of a.fields) {
      const old = b.fields.get(name).values;
      const change = new Float32Array(values.length);
      for (let i = 0; i < change.length; i++) change[i] = values[i] === old[i] ? 0 : values[i] - old[i]; // two scores of -inf differ by nothing
      this.fields.set(name, { axes, shape, values: change });
    }
  }
}
