// The stops of a forward pass: the vector that stands at each for a token, and the likeliest words at the last ones.

import { digits, percent, visible } from "../dom.js";

export const length = (x) => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0));

export class Stops {
  constructor({ stops, norms }) {
    this.stops = stops;
    this.norms = norms;
    this.kept = [];
  }

  // The vector of token t at stop n; null where the stop holds words.
  vector(reader, n, t) {
    const stop = this.stops[n];
    if (stop.words) return null;
    if (stop.norm !== undefined) return this.normed(this.vector(reader, stop.of, t), this.norms[stop.norm]);
    const { values, shape, axes } = reader.fields.get(stop.field);
    const wide = shape[shape.length - 1];
    const first = ((axes[0] === "layer" ? (stop.layer ?? 0) * shape[1] : 0) + t) * wide;
    return values.subarray(first, first + wide);
  }

  normed(x, { gain, shift, epsilon, layer }) {
    const mean = layer ? x.reduce((a, v) => a + v, 0) / x.length : 0;
    const spread = Math.sqrt(x.reduce((a, v) => a + (v - mean) ** 2, 0) / x.length + epsilon);
    return x.map((v, i) => ((v - mean) / spread) * gain[i] + (shift ? shift[i] : 0));
  }

  // Vectors side by side as the columns of one grid, and their lengths; made anew when the numbers or `key` change.
  grid(slot, reader, key, columns, each) {
    const of = [reader.fields.get("residual").values, key];
    const kept = this.kept[slot];
    if (kept?.of.every((part, i) => part === of[i])) return kept;
    const vectors = Array.from({ length: columns }, (_, c) => each(c));
    const wide = vectors.find(Boolean)?.length ?? 0;
    const values = new Float32Array(columns * wide);
    vectors.forEach((v, c) => v && values.set(v, c * wide));
    return (this.kept[slot] = { of, values, wide, lengths: vectors.map((v) => (v ? length(v) : NaN)) });
  }

  // A round number that 19 of 20 numbers of a grid stay below; of a large one, evenly chosen ones are looked at.
  span({ values }) {
    const every = Math.max(1, Math.floor(values.length / 4096));
    const found = values.filter((_, i) => i % every === 0).map(Math.abs);
    const high = found.sort()[Math.floor(0.95 * (found.length - 1))] || 1;
    const step = 10 ** Math.floor(Math.log10(high));
    return step * Math.ceil(high / step - 1e-9);
  }

  // The likeliest words with their logits or probabilities; a logit is the answer's, and the logarithm of how much likelier that is.
  likeliest(reader, now, asked) {
    const top = reader.top[now] ?? [];
    const logit = reader.value("logit", { token: now });
    return top.map(([label, p]) => {
      const value = asked === "probability" ? p : logit + Math.log(p / top[0][1]);
      return { label, value, said: asked === "probability" ? percent(p) : digits(value) };
    });
  }

  // A stop and the number that stands there, in a few words.
  told(reader, at, now) {
    const { title, words } = this.stops[at];
    if (!words) return `${title}, length ${digits(length(this.vector(reader, at, now)))}`;
    const [best] = this.likeliest(reader, now, words);
    return best ? `${title}, “${visible(best.label)}” ${best.said}` : title;
  }

  sentence(reader, at, now) {
    const { stops } = this;
    const stop = stops[at];
    const word = `“${visible(reader.labels[now] ?? "")}”`;
    if (stop.words) {
      const [best] = this.likeliest(reader, now, stop.words);
      return best
        ? `After ${word}: ${stop.words === "probability" ? "the likeliest is" : "the largest logit is that of"} “${visible(best.label)}”, ${best.said}.`
        : "";
    }
    const of = (n) => digits(length(this.vector(reader, n, now)));
    const long = of(at);
    if (stop.adds !== undefined)
      return `At ${word}: what is added has length ${long}. The stream had ${of(stop.adds)}, with it ${of(stop.then)}.`;
    return `At ${word}: a vector of ${this.vector(reader, at, now).length} numbers, length ${long}.`;
  }
}
