// The bytes of a reply, and what the browser keeps of them; engine/live/reply.py describes both, key by key.
//
// A reply holds only what the text on the screen does not share with the new one: the entries of the tokens from
// `keep` on, and of each field the positions from the field's own `keep` on.  What comes before is here already.

const ALONG_TEXT = new Set(["token", "query", "key"]);

/** @import { Field, Header, Part, Reading, ReaderSpec, Span } from "./types.js" */

/** @param {Uint8Array} data @returns {{header: Header, numbers: Float32Array}} */
export function decode(data) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const length = view.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  const numbers = new Float32Array(data.slice(4 + length + ((4 - (length % 4)) % 4)).buffer.slice(0));
  return { header, numbers };
}

export class Reader {
  /** @param {ReaderSpec} spec */
  constructor(spec) {
    this.spec = spec;
    /** @type {Map<string, Field>} */
    this.fields = new Map();
    /** @type {string[]} */
    this.labels = [];
    /** @type {Span[]} */
    this.spans = [];
    /** @type {number[]} */
    this.bits = [];
    /** @type {any[][]} */
    this.top = [];
    /** @type {any[]} */
    this.moves = []; // per token the next tokens that edits change most: [label, p as it is, p edited]
    /** @type {any[]} */
    this.notes = []; // per token what a page says of it besides
    /** @type {Record<string, any>} */
    this.said = {}; // what a page says besides: {edits, problems, writing}
    /** @type {Record<string, any>} */
    this.tops = {}; // by field: per token its largest numbers, and where the word asked for stands among them
    /** @type {any[]} */
    this.found = []; // per token where the word asked for stands: [probability, place, others with the same, ladder]
    /** @type {Set<number>} */
    this.unknown = new Set();
    /** @type {{labels: string[], spans: Span[], unknown: number[]} | null} */
    this.source = null; // of a text that is read beside this one: its labels, where they stand, and which are unknown
    /** @type {Span[]} */
    this.lost = []; // characters that no token stands for
    this.total = 0;
    this.offset = 0;
    this.marks = spec.marks;
    this.key = null;
  }

  /** @param {Pick<Reading, "keep" | "offset" | "fields">} reading */
  accepts(reading) {
    // what comes together is what Python knows to be here, and may be longer than the text
    const most = Math.max(reading.keep, ...reading.fields.map((part) => (part.names ? 0 : part.keep)));
    return most === 0 || (most <= this.labels.length && reading.offset === this.offset);
  }

  /** @param {Reading} reading @param {Float32Array} numbers @param {string} text */
  take(reading, numbers, text) {
    const { keep } = reading;
    /** @param {any[]} old @param {any[]} fresh */
    const join = (old, fresh) => old.slice(0, keep).concat(fresh);
    this.labels = join(this.labels, reading.labels);
    this.spans = join(this.spans, reading.spans);
    this.bits = join(
      this.bits,
      reading.bits.map((b) => b ?? NaN),
    );
    this.top = join(this.top, reading.top);
    this.moves = join(this.moves, reading.moves ?? []);
    this.notes = join(this.notes, reading.notes ?? []);
    this.said = { ...this.said, ...reading.said };
    this.found = join(this.found, reading.found ?? []);
    for (const [name, part] of Object.entries(reading.tops ?? {}))
      this.tops[name] = this.ranked(this.tops[name], part, join);
    this.find = reading.find ?? null; // {word, label, says} of what `found` is about
    if (reading.extra) this.extra = { ...reading.extra, of: text };
    this.unknown = new Set(reading.unknown);
    this.source = reading.source ?? null;
    this.lost = reading.lost ?? [];
    this.total = reading.total;
    this.offset = reading.offset;
    if (!this.labels.length) this.fields.clear(); // of the text before: nothing is typed any more
    for (const { names, ...part } of reading.fields)
      (names ?? [part.name]).forEach((name, n) => {
        const one = { ...part, name, at: part.at + n * part.count };
        this.fields.set(name, grow(this.fields.get(name), one, numbers));
      });
  }

  /** @param {any} old @param {any} part @param {(old: any[], fresh: any[]) => any[]} join */
  ranked(old, { along, rows, find, curve }, join) {
    if (!along) return { along, rows, find, curve };
    if (find) find.rows = join(old?.find?.word === find.word ? old.find.rows : [], find.rows);
    return { along, rows: join(old?.rows ?? [], rows), find, curve };
  }

  /** @param {Field} field @param {string} axis */
  axisLabels(field, axis) {
    if (ALONG_TEXT.has(axis)) return this.labels;
    if (this.source && (axis === "source" || axis === "seen")) return this.source.labels;
    const size = field.shape[field.axes.indexOf(axis)];
    return this.spec.labels?.[axis] ?? Array.from({ length: size }, (_, i) => String(i));
  }

  /** Token t of those shown, for the selection of the page. @param {number} t @returns {{token: number, reader: string, span: Span}} */
  place(t) {
    return { token: t + this.offset, reader: this.spec.id, span: this.spans[t] };
  }

  /** One number of a field; NaN beside it. @param {string} name @param {Record<string, number>} at a position for each axis */
  value(name, at) {
    return numberOf(this.fields.get(name), at);
  }
}

/** The place on an axis; a query is the token. @param {Record<string, number>} at @param {string} axis @returns {number | undefined} */
export const axisPlace = (at, axis) => at[axis] ?? (axis === "query" ? at.token : undefined);

/** One number of a field; NaN beside it. @param {Field | undefined} field @param {Record<string, number>} at a position for each axis */
export function numberOf(field, at) {
  if (!field) return NaN;
  let index = 0;
  for (let a = 0; a < field.axes.length; a++) {
    const position = axisPlace(at, field.axes[a]);
    if (!(position >= 0 && position < field.shape[a])) return NaN;
    index = index * field.shape[a] + position;
  }
  return field.values[index];
}

// The new field: positions before its `keep` along the text from the old one, the rest from the reply.
// Over two axes of the text (query, key) the reply holds the rows from `keep` on, each whole; the old rows are
// padded with what a causal field has there: 0, or -inf for scores.
/** @param {Field | undefined} old @param {Part} part @param {Float32Array} numbers @returns {Field} */
function grow(old, part, numbers) {
  const { axes, shape, keep } = part;
  const size = shape.reduce((a, b) => a * b, 1);
  const first = part.grows?.[0] ?? axes.findIndex((a) => ALONG_TEXT.has(a));
  const fresh = numbers.subarray(part.at, part.at + part.count);
  if (keep === 0 || first < 0 || !old) return { axes, shape, values: fresh.slice() };
  const values = new Float32Array(size);
  const outer = shape.slice(0, first).reduce((a, b) => a * b, 1);
  const rows = shape[first];
  const inner = shape.slice(first + 1).reduce((a, b) => a * b, 1);
  const oldRows = old.shape[first];
  const square = !part.grows && ALONG_TEXT.has(axes[first + 1]);
  const oldInner = square ? old.shape[first + 1] : inner;
  if (square) values.fill(part.fill === null ? -Infinity : part.fill);
  const width = Math.min(oldInner, inner);
  for (let o = 0; o < outer; o++) {
    if (square)
      for (let r = 0; r < keep; r++)
        values.set(
          old.values.subarray(
            (o * oldRows + r) * oldInner,
            (o * oldRows + r) * oldInner + Math.min(width, keep),
          ),
          (o * rows + r) * inner,
        );
    else values.set(old.values.subarray(o * oldRows * inner, (o * oldRows + keep) * inner), o * rows * inner);
    const count = (rows - keep) * inner;
    values.set(fresh.subarray(o * count, (o + 1) * count), (o * rows + keep) * inner);
  }
  return { axes, shape, values };
}

/** Numbers along one axis, as they are given to checks from outside. @param {string} axis @param {string[]} labels @param {Iterable<number>} values */
export const series = (axis, labels, values) => ({
  axes: [axis],
  labels: [labels],
  values: Float32Array.from(values),
});
