// The difference of two readers of one text: every number of the first minus that of the second.

export class Difference {
  constructor(spec) {
    this.spec = spec; // of: ids of the two readers
    this.fields = new Map();
    this.labels = [];
    this.bits = [];
    this.top = [];
    this.marks = spec.marks;
  }

  speak() {}

  follow(readers) {
    const [a, b] = this.spec.of.map((id) => readers.get(id));
    for (const name of ["labels", "spans", "unknown", "total", "offset", "said"]) this[name] = a[name];
    for (const [name, { axes, shape, values }] of a.fields) {
      const old = b.fields.get(name).values;
      const change = new Float32Array(values.length);
      for (let i = 0; i < change.length; i++) change[i] = values[i] - old[i];
      this.fields.set(name, { axes, shape, values: change });
    }
  }

  axisLabels(field, axis) {
    return axis === "token" || axis === "query" || axis === "key" ? this.labels : Array.from({ length: field.shape[field.axes.indexOf(axis)] }, (_, i) => String(i));
  }

  // One number of a field; `at` gives a position for each axis.
  value(name, at) {
    const field = this.fields.get(name);
    const index = field?.axes.reduce((sum, axis, a) => (at[axis] >= 0 && at[axis] < field.shape[a] ? sum * field.shape[a] + at[axis] : NaN), 0);
    return index >= 0 ? field.values[index] : NaN;
  }
}
