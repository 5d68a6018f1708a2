// What a model reads as unknown, underlined in the text box: a copy of the text behind the box, in its place and
// its letters, of which only the lines under those words are seen.

import { element, short } from "./dom.js";
import { clusters } from "./segmentation.js";

/** @import { Reader } from "./wire.js" */
/** @import { Span } from "./types.js" */

const MOST = 4000; // characters of a text that is marked; a longer one has its chips
const NAMED = 6; // of them that are named
const SIGN = /[\p{L}\p{N}]|[^\p{ASCII}]/u; // what is looked for among the letters that pieces have

export class BoxMarks {
  /** @type {Span[]} */
  spans = []; // in UTF-16 units of the text that was read
  of = "";
  /** @type {{reader: Reader, spans: Span[], lost: Span[]}[]} */
  lists = [];

  /** @param {any} app @param {HTMLTextAreaElement} box */
  constructor(app, box) {
    this.app = app;
    this.box = box;
    this.root = element("div", "un-under");
    this.root.setAttribute("aria-hidden", "true");
    box.before(this.root);
    box.addEventListener("input", () => this.show());
    box.addEventListener("scroll", () => this.follow());
    new ResizeObserver(() => this.follow()).observe(box);
  }

  /** Every reply, and when nobody types: then the last word counts as well. @param {Iterable<Reader>} readers @param {boolean} [resting] */
  draw(readers, resting) {
    const { points, text } = this.app;
    this.lists = [...readers].map((reader) => ({
      reader,
      spans: strange(reader, points, resting),
      lost: reader.lost,
    }));
    const found =
      text.length > MOST
        ? []
        : this.lists.flatMap(({ spans, lost }) => [...spans, ...lost.map(([a, b]) => [a, b])]);
    // the same word of two readers, or of its pieces, is one mark
    const joined = found
      .sort((a, b) => a[0] - b[0])
      .reduce((/** @type {Span[]} */ all, [a, b]) => {
        const last = all.at(-1);
        if (last && a <= last[1]) last[1] = Math.max(last[1], b);
        else all.push([a, b]);
        return all;
      }, []);
    const at = offsets(points, joined);
    this.spans = joined.map(([a, b]) => [at.get(a) ?? 0, at.get(b) ?? 0]);
    this.of = text;
    this.show();
  }

  // While one types on, before the reply: what stands before the change keeps its marks.
  show() {
    const { value } = this.box;
    let same = 0;
    if (value === this.of) same = value.length + 1;
    else while (same < value.length && value[same] === this.of[same]) same += 1;
    const kept = this.spans.filter(([, b]) => b < same);
    const drawn = kept.length ? JSON.stringify([value, kept]) : "";
    if (drawn === this.root.dataset.drawn) return this.follow();
    this.root.dataset.drawn = drawn;
    /** @type {(Node | string)[]} */
    const parts = [];
    let from = 0;
    for (const [a, b] of kept) {
      parts.push(value.slice(from, a), element("mark", "", { textContent: value.slice(a, b) }));
      from = b;
    }
    if (kept.length) parts.push(`${value.slice(from)}\n`);
    this.root.replaceChildren(...parts);
    this.follow();
  }

  /**
   * What is underlined, in words: a list, and whose it is where readers differ.  Of a model of few words KnownWords
   * says it.
   */
  says() {
    /** @param {"spans" | "lost"} which */
    const grouped = (which) => {
      /** @type {Map<string, Reader["spec"][]>} */
      const lists = new Map();
      for (const { reader, [which]: spans } of this.lists) {
        const list = this.named(spans);
        lists.set(list, [...(lists.get(list) ?? []), reader.spec]);
      }
      return lists;
    };
    const [lists, lost] = [grouped("spans"), grouped("lost")];
    const unknown = [...lists].flatMap(([list, specs]) => {
      if (!list || (lists.size === 1 && specs[0].known)) return [];
      if (lists.size > 1) return [`not in the vocabulary (${specs.map((s) => s.title).join(", ")}): ${list}`];
      return [
        specs[0].letters
          ? `in none of its pieces: ${list}`
          : `not in the vocabulary, read as unknown: ${list}`,
      ];
    });
    const left = [...lost].flatMap(([list, specs]) => {
      if (!list) return [];
      return lost.size > 1
        ? [`in none of the pieces, so not read (${specs.map((s) => s.title).join(", ")}): ${list}`]
        : [`in none of its pieces, so not read: ${list}`];
    });
    return [...unknown, ...left];
  }

  /** The first of them, each once. @param {Span[]} spans */
  named(spans) {
    const { points } = this.app;
    const words = new Set(spans.map(([a, b]) => points.slice(a, b).join("")));
    const named = [...words].slice(0, NAMED).map((word) => `“${short(word, 24)}”`);
    return `${named.join(", ")}${words.size > NAMED ? " …" : ""}`;
  }

  follow() {
    if (!this.root.childNodes.length) return;
    this.root.style.width = `${this.box.clientWidth}px`; // beside its scroll bar
    this.root.style.height = `${this.box.clientHeight}px`;
    this.root.scrollTop = this.box.scrollTop;
  }
}

/**
 * Where the text holds what a reader has no piece for, in characters.
 * @param {Reader} reader @param {string[]} points @param {boolean} [resting] @returns {Span[]}
 */
export function strange({ spec, labels, spans, unknown, source }, points, resting = true) {
  if (!labels.length) return [];
  const found = [...unknown].map((t) => spans[t]);
  for (const s of source?.unknown ?? []) found.push(source.spans[s]);
  if (spec.letters) {
    const known = new Set(spec.letters);
    let at = 0;
    for (const sign of clusters(points.join(""))) {
      const letters = Array.from(sign);
      if (letters.some((c) => SIGN.test(c) && !known.has(c))) found.push([at, at + letters.length]);
      at += letters.length;
    }
  }
  const last = resting ? Infinity : points.length; // a word that is still being typed may become a known one
  return found.filter((span) => span && span[1] > span[0] && span[1] < last).map(([a, b]) => [a, b]);
}

/** UTF-16 units before each end of the spans. @param {string[]} points @param {Span[]} spans */
function offsets(points, spans) {
  const wanted = new Set(spans.flat());
  const at = new Map();
  let units = 0;
  for (let i = 0; wanted.size && i <= points.length; i++) {
    if (wanted.delete(i)) at.set(i, units);
    units += points[i]?.length ?? 0;
  }
  return at;
}
