// What squashes the state, its slope, and where the units stand on it at this token.  Where the curve is
// flat, a unit is saturated: it hardly answers to a change of its sum, and in training almost no gradient
// passes it.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { plain, rules, three, ticks } from "../marks/axes.js";
import { course, dot } from "../marks/lines.js";
import { SQUASH, chosenLayer, chosenUnit, squash } from "../sums/weights.js";

const LEFT = 34,
  RIGHT = 8,
  TOP = 24,
  HIGH = 150,
  REACH = 4,
  FINGER = 12;
const TENTHS = 10; // the pointer reads a curve in such steps
const FLAT = 0.1; // a slope below this counts as saturated
const NAMED = [0, 1.1, 1.7]; // slopes that the words name

export default class Activation {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.point(x, y),
      (x, y) => {
        const unit = this.nearest(x, y);
        if (unit !== null) panel.selection.keep({ unit }, panel.app);
      },
      () => {
        this.over = null;
        panel.selection.leave();
        this.draw();
      },
    );
  }

  place() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const layer = chosenLayer(reader, selection),
      token = selection.token(reader);
    return { reader, layer, token, unit: chosenUnit(reader, selection), of: squash(reader) };
  }

  // The unit whose dot is nearest, within a finger's breadth.
  nearest(x, y) {
    let found = null,
      best = FINGER ** 2;
    (this.dots ?? []).forEach(([px, py], unit) => {
      const far = (px - x) ** 2 + (py - y) ** 2;
      if (far < best) [best, found] = [far, unit];
    });
    return found;
  }

  point(x, y) {
    this.over = Math.round(TENTHS * ((2 * REACH * (x - LEFT)) / this.wide - REACH)) / TENTHS;
    const unit = this.nearest(x, y);
    this.panel.selection.look(unit === null ? {} : { ...this.panel.selection.hovered, unit });
    this.draw();
  }

  sums() {
    const { reader, layer, token } = this.place();
    if (!reader.labels.length) return [];
    const { units } = reader.spec.weights;
    return Array.from({ length: units }, (_, unit) => reader.value("preactivation", { layer, unit, token }));
  }

  draw() {
    const { panel } = this;
    const { unit, of } = this.place();
    const width = panel.body.clientWidth;
    const wide = (this.wide = width - LEFT - RIGHT);
    const g = this.surface.begin(width, TOP + HIGH + 34);
    const colours = ink(panel.app.root);
    const style = getComputedStyle(panel.app.root);
    const lowest = of.of(-REACH) < 0 ? -1 : 0,
      highest = of.of(REACH) > 1 ? REACH : 1;
    const at = (a) => LEFT + ((Math.max(-REACH, Math.min(REACH, a)) + REACH) / (2 * REACH)) * wide;
    const up = (v) => TOP + HIGH * (1 - (v - lowest) / (highest - lowest));
    const marks = three(lowest, highest).map((v) => [up(v), plain(v)]);
    rules(g, marks, { left: LEFT, right: width - RIGHT, colours, sharp: false });
    const below = [-4, -2, 0, 2, 4].map((a) => [at(a), plain(a)]);
    ticks(g, below, TOP + HIGH + 12, colours);
    ticks(g, [[LEFT + wide / 2, "pre-activation a_t"]], TOP + HIGH + 27, colours);
    const a = (k) => REACH * (k / 100 - 1);
    const curves = [
      [of.of, of.said("a")],
      [of.slope, "its slope"],
    ];
    g.font = font(12, 600);
    g.textAlign = "left";
    curves.forEach(([curve, words], n) => {
      const colour = style.getPropertyValue(`--un-line-${n}`);
      course(
        g,
        201,
        (k) => at(a(k)),
        (k) => up(curve(a(k))),
        colour,
        2,
      );
      g.fillText(words, LEFT + 96 * n, 10);
    });
    const sums = this.sums();
    this.dots = sums.map((sum) => [at(sum), up(Math.min(highest, of.of(sum)))]);
    g.fillStyle = colours.text;
    g.globalAlpha = 0.45;
    for (const [x, y] of this.dots) dot(g, x, y, 3);
    g.globalAlpha = 1;
    g.fillStyle = colours.accent;
    if (sums.length) dot(g, this.dots[unit][0], this.dots[unit][1], 6);
    this.say(sums);
  }

  say(sums) {
    const { panel, over } = this;
    const { reader, layer, unit, token, of } = this.place();
    const flat = sums.filter((a) => of.slope(a) < FLAT).length;
    const outside = sums.filter((a) => Math.abs(a) > REACH).length;
    const known =
      of === SQUASH.tanh
        ? `The slope is ${NAMED.map((a) => `${of.slope(a).toFixed(4)} at ${a}`).join(", ")}; it is nowhere above 1.`
        : "The slope is 1 above 0 and 0 below: such a unit is off or passes everything.";
    panel.say(
      sums.length
        ? `${flat} of ${sums.length} units of layer ${layer + 1} are saturated at “${visible(reader.labels[token] ?? "")}”`
        : "What the activation function does",
      `A dot for each unit. Saturated: the slope is below ${FLAT}. ${known}${outside ? ` Sums beyond ±${REACH} are drawn at the edge: ${outside}.` : ""}`,
    );
    const a = over ?? sums[unit];
    const shown = Number.isFinite(a) && (Math.abs(a) <= REACH || over == null);
    const numbers =
      shown && `a = ${digits(a)}, ${of.said("a")} = ${digits(of.of(a))}, slope ${digits(of.slope(a))}`;
    panel.read(shown ? (over == null ? `Unit ${unit}: ` : "") + numbers : "");
  }

  table() {
    const { of } = this.place();
    const rows = this.sums().map((a, unit) => [unit, digits(a), digits(of.of(a)), digits(of.slope(a))]);
    return { columns: ["unit", "a_t", "h_t", "slope"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
