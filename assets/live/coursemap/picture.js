// How the lessons hang together: a column for each era, a line from each lesson to those that build on it.

import { element } from "../dom.js";
import { font } from "../drawing/canvas.js";
import { node as draw } from "../parts/pipes.js";
import { byEra } from "./eras.js";

/** @import { Lesson } from "./eras.js" */

const [WIDE, GAP, HIGH, PITCH, TOP] = [126, 34, 30, 42, 34]; // pixels: a lesson, between eras, a lesson, row to row, below the names of eras
const SAYS =
  "A line leads from a lesson to those that build on it. Point at a lesson, or reach it with Tab, to see what it needs.";

const ROOM = WIDE - 14; // for a title
const [USUAL, SMALL] = [13, 11.5];
const TIGHT = { textLength: ROOM, lengthAdjust: "spacingAndGlyphs" };
const ruler = element("canvas").getContext("2d");

/** @param {string} text @param {number} size */
function wide(text, size) {
  ruler.font = font(size);
  return ruler.measureText(text).width;
}

/** A title that is too long stands in two lines, as equal as its words allow. @param {string} title */
function inLines(title) {
  if (wide(title, USUAL) <= ROOM) return [title];
  const words = title.split(/(?<=-)| /);
  const cuts = words.slice(1).map((_, n) => {
    const before = words
      .slice(0, n + 1)
      .join(" ")
      .replaceAll("- ", "-");
    return [before, title.slice(before.length).trim()];
  });
  const longer = (/** @type {string[]} */ cut) => Math.max(...cut.map((line) => wide(line, SMALL)));
  return cuts.sort((a, b) => longer(a) - longer(b))[0] ?? [title];
}

export class Picture {
  /** @type {Map<string, {lesson: Lesson, node: SVGAElement, x: number, y: number}>} */
  places = new Map();
  /** @type {{from: string, to: string, line: SVGElement}[]} */
  lines = [];

  /** @param {Lesson[]} lessons @param {(event: MouseEvent, href: string) => void} open */
  constructor(lessons, open) {
    this.root = element("figure", "un-course-picture");
    this.open = open;
    const eras = [...byEra(lessons)];
    const rows = Math.max(...eras.map(([, of]) => of.length));
    const [width, height] = [GAP + eras.length * (WIDE + GAP), TOP + rows * PITCH];
    const box = element("div", "un-course-box");
    this.svg = draw(box, "svg", {
      viewBox: `0 0 ${width} ${height}`,
      role: "group",
      "aria-label": "How the lessons hang together",
    });
    this.below = draw(this.svg, "g");
    this.svg.style.minWidth = `${width}px`;
    eras.forEach(([era, of], column) => this.era(era, of, GAP + column * (WIDE + GAP)));
    for (const lesson of lessons) for (const id of lesson.before) this.line(id, lesson.href);
    this.says = element("figcaption", "un-says", { textContent: SAYS });
    this.root.append(box, this.says);
  }

  /** @param {string} era @param {Lesson[]} lessons @param {number} x */
  era(era, lessons, x) {
    draw(this.svg, "text", { x, y: 16, class: "un-course-era" }, era);
    lessons.forEach((lesson, row) => this.lesson(lesson, x, TOP + row * PITCH));
  }

  /** @param {Lesson} lesson @param {number} x @param {number} y */
  lesson(lesson, x, y) {
    const { href } = lesson;
    const node = draw(this.svg, "a", { href, class: "un-course-lesson" });
    draw(node, "rect", { x, y, width: WIDE, height: HIGH, rx: 5 });
    const lines = inLines(lesson.title);
    lines.forEach((line, n) => {
      const at = { x: x + 10, y: y + HIGH / 2 + (lines.length > 1 ? 13 * n - 2.5 : 4.5) };
      const small = lines.length > 1 ? { class: "un-course-small" } : {};
      const tight = wide(line, lines.length > 1 ? SMALL : USUAL) > ROOM ? TIGHT : {};
      draw(node, "text", { ...at, ...small, ...tight }, line);
    });
    node.onclick = (/** @type {MouseEvent} */ event) => this.open(event, href);
    node.onpointerenter = node.onfocus = () => this.look(href);
    node.onpointerleave = node.onblur = () => this.look(null);
    this.places.set(href, { lesson, node, x, y });
  }

  /** @param {string} from @param {string} to */
  line(from, to) {
    const [a, b] = [this.places.get(from), this.places.get(to)];
    const [ya, yb] = [a.y + HIGH / 2, b.y + HIGH / 2];
    let d = `M${a.x + WIDE} ${ya} C${a.x + WIDE + GAP} ${ya} ${b.x - GAP} ${yb} ${b.x} ${yb}`;
    if (a.x === b.x) {
      const aside = a.x - 8 - Math.min(26, 6 * ((yb - ya) / PITCH));
      d = `M${a.x} ${ya} C${aside} ${ya} ${aside} ${yb} ${b.x} ${yb}`;
    }
    this.lines.push({ from, to, line: draw(this.below, "path", { d, class: "un-course-line" }) });
    a.node.setAttribute("aria-label", this.sentence(from));
    b.node.setAttribute("aria-label", this.sentence(to));
  }

  /** @param {string} id */
  sentence(id) {
    const { lesson } = this.places.get(id);
    const titles = (/** @type {string[]} */ ids) =>
      ids.map((one) => this.places.get(one).lesson.title).join(", ");
    const next = this.lines.filter(({ from }) => from === id).map(({ to }) => to);
    const parts = [`${lesson.title}, about ${lesson.minutes} minutes: ${lesson.question}`];
    if (lesson.before.length) parts.push(`Know before: ${titles(lesson.before)}.`);
    if (next.length) parts.push(`Leads to: ${titles(next)}.`);
    return parts.join(" ");
  }

  /** What a lesson builds on, back to the beginning, and what builds on it at once. @param {string | null} id */
  look(id) {
    const needed = new Set(id ? [id] : []);
    for (const one of needed) for (const more of this.places.get(one).lesson.before) needed.add(more);
    const near = new Set(needed);
    for (const { from, to, line } of this.lines) {
      const on = needed.has(to) || from === id;
      line.classList.toggle("un-on", !!id && on);
      if (from === id) near.add(to);
    }
    this.svg.classList.toggle("un-looked", !!id);
    for (const [one, { node }] of this.places) node.classList.toggle("un-on", near.has(one));
    this.says.textContent = id ? this.sentence(id) : SAYS;
  }

  /** @param {Set<string>} chosen */
  mark(chosen) {
    for (const [id, { node }] of this.places) node.classList.toggle("un-chosen", chosen.has(id));
  }
}
