// The bytes of a reply: [u32 length][JSON header][padding][float32 numbers], and what the browser keeps of them.
//
// A reply holds only what the text on the screen does not share with the new one: of every field, the positions
// from `keep` on.  The start is copied from what is here already, since a causal model never changes it.

const ALONG_TEXT = new Set(["token", "query", "key"]);

export function decode(data) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const length = view.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  const numbers = new Float32Array(data.slice(4 + length + ((4 - (length % 4)) % 4)).buffer.slice(0));
  return { header, numbers };
}

export class Reader {
  constructor(spec) {
    this.spec = spec; // id, title, run, unit, fields: {name: {kind, says, symbol, unit, scale}}
    this.fields = new Map();
    this.labels = [];
    this.spans = [];
    this.bits = [];
    this.top = [];
    this.lines = [];
    this.moves = []; // per token the next tokens that edits change most: [label, p as it is, p edited]
    this.notes = []; // per token what a page says of it besides
    this.said = {}; // what a page says besides: {edits, problems, writing}
    this.found = []; // per token where the word asked for stands: [probability, place, others with the same, ladder]
    this.unknown = new Set();
    this.source = null; // of a text that is read beside this one: its labels, and which are unknown
    this.total = 0;
    this.offset = 0;
    this.marks = spec.marks;
    this.key = null;
  }

  // Fields under the names of a vocabulary; their own names where it has none.
  speak(words) {
    if (words === this.words) return;
    this.words = words;
    this.own ??= this.spec.fields;
    const other = this.spec.words?.[words] ?? {};
    this.spec.fields = Object.fromEntries(Object.entries(this.own).map(([name, about]) => [name, { ...about, ...other[name] }]));
  }

  accepts(reading) {
    return reading.keep === 0 || (reading.keep <= this.labels.length && reading.offset === this.offset);
  }

  take(reading, numbers, text) {
    const { keep } = reading;
    const join = (old, fresh) => old.slice(0, keep).concat(fresh);
    this.labels = join(this.labels, reading.labels);
    this.spans = join(this.spans, reading.spans);
    this.bits = join(this.bits, reading.bits.map((b) => b ?? NaN));
    this.top = join(this.top, reading.top);
    this.lines = join(this.lines, reading.lines ?? []);
    this.moves = join(this.moves, reading.moves ?? []);
    this.notes = join(this.notes, reading.notes ?? []);
    this.said = { ...this.said, ...reading.said };
    this.found = join(this.found, reading.found ?? []);
    this.find = reading.find ?? null; // {word, label, says} of what `found` is about
    if (reading.extra) this.extra = { ...reading.extra, of: text };
    this.unknown = new Set(reading.unknown);
    this.source = reading.source ?? null;
    this.total = reading.total;
    this.offset = reading.offset;
    for (const part of reading.fields) this.fields.set(part.name, grow(this.fields.get(part.name), part, keep, numbers));
  }

  axisLabels(field, axis) {
    if (ALONG_TEXT.has(axis)) return this.labels;
    if (this.source && (axis === "source" || axis === "seen")) return this.source.labels;
    const size = field.shape[field.axes.indexOf(axis)];
    return this.spec.labels[axis] ?? Array.from({ length: size }, (_, i) => String(i));
  }

  // One number of a field; `at` gives a position for each axis.
  value(name, at) {
    const field = this.fields.get(name);
    if (!field) return NaN;
    let index = 0;
    for (let a = 0; a < field.axes.length; a++) {
      const position = at[field.axes[a]];
      if (!(position >= 0 && position < field.shape[a])) return NaN;
      index = index * field.shape[a] + position;
    }
    return field.values[index];
  }
}

// The new field: positions before `keep` along the text from the old one, the rest from the reply.
// Over two axes of the text (query, key) the reply holds the rows from `keep` on, each whole; the old rows are
// padded with what a causal model puts there: 0, or -inf for scores.
function grow(old, part, keep, numbers) {
  const { axes, shape } = part;
  const size = shape.reduce((a, b) => a * b, 1);
  const first = axes.findIndex((a) => ALONG_TEXT.has(a));
  const fresh = numbers.subarray(part.at, part.at + part.count);
  if (keep === 0 || first < 0 || !old) return { axes, shape, values: fresh.slice() };
  const values = new Float32Array(size);
  const outer = shape.slice(0, first).reduce((a, b) => a * b, 1);
  const rows = shape[first];
  const inner = shape.slice(first + 1).reduce((a, b) => a * b, 1);
  const oldRows = old.shape[first];
  const square = ALONG_TEXT.has(axes[first + 1]);
  const oldInner = square ? old.shape[first + 1] : inner;
  if (square) values.fill(part.fill === null ? -Infinity : part.fill);
  const width = Math.min(oldInner, inner);
  for (let o = 0; o < outer; o++) {
    if (square)
      for (let r = 0; r < keep; r++)
        values.set(old.values.subarray((o * oldRows + r) * oldInner, (o * oldRows + r) * oldInner + Math.min(width, keep)), (o * rows + r) * inner);
    else values.set(old.values.subarray(o * oldRows * inner, (o * oldRows + keep) * inner), o * rows * inner);
    const count = (rows - keep) * inner;
    values.set(fresh.subarray(o * count, (o + 1) * count), (o * rows + keep) * inner);
  }
  return { axes, shape, values };
}
