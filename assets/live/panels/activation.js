// What squashes the state, its slope, and where the units stand on it at this token.  Where the curve is flat, a unit is
// saturated: it hardly answers to a change of its sum, and in training almost no gradient passes it.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { SQUASH, chosenLayer, chosenUnit, squash } from "../sums/weights.js";

const LEFT = 34,
  RIGHT = 8,
  TOP = 24,
  HIGH = 150,
  REACH = 4;
const FLAT = 0.1; // a slope below this counts as saturated
const NAMED = [0, 1.1, 1.7]; // slopes that the words name

export default class Activation {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.point(x, y),
      (x, y) => this.choose(x, y),
      () => {
        this.over = null;
        panel.selection.leave();
        this.draw();
      },
    );
  }

  place() {
    const reader = this.panel.reader();
    const { selection } = this.panel;
    return {
      reader,
      layer: chosenLayer(reader, selection),
      unit: chosenUnit(reader, selection),
      token: selection.token(reader),
      of: squash(reader),
    };
  }

  // The unit whose dot is nearest, within a finger's breadth.
  nearest(x, y) {
    let found = null,
      best = 12 ** 2;
    (this.dots ?? []).forEach(([px, py], unit) => {
      const far = (px - x) ** 2 + (py - y) ** 2;
      if (far < best) [best, found] = [far, unit];
    });
    return found;
  }

  point(x, y) {
    this.over = (2 * REACH * (x - LEFT)) / this.wide - REACH;
    const unit = this.nearest(x, y);
    this.panel.selection.look(unit === null ? {} : { ...this.panel.selection.hovered, unit });
    this.draw();
  }

  choose(x, y) {
    const unit = this.nearest(x, y);
    if (unit !== null) this.panel.selection.keep({ unit }, this.panel.app);
  }

  sums() {
    const { reader, layer, token } = this.place();
    const { units } = reader.spec.weights;
    return Array.from({ length: units }, (_, unit) => reader.value("preactivation", { layer, unit, token }));
  }

  draw() {
    const { panel } = this;
    const { reader, unit, token, of, layer } = this.place();
    const width = panel.body.clientWidth;
    this.wide = width - LEFT - RIGHT;
    const g = this.surface.begin(width, TOP + HIGH + 34);
    const colours = ink(panel.app.root);
    const style = getComputedStyle(panel.app.root);
    const lowest = of.of(-REACH) < 0 ? -1 : 0,
      highest = of.of(REACH) > 1 ? REACH : 1;
    const at = (a) => LEFT + ((Math.max(-REACH, Math.min(REACH, a)) + REACH) / (2 * REACH)) * this.wide;
    const up = (v) => TOP + HIGH * (1 - (v - lowest) / (highest - lowest));
    g.font = font(11);
    g.textBaseline = "middle";
    const rule = (x1, y1, x2, y2) => {
      g.strokeStyle = colours.line;
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(x1, y1);
      g.lineTo(x2, y2);
      g.stroke();
    };
    for (const v of [lowest, (lowest + highest) / 2, highest]) {
      rule(LEFT, up(v), width - RIGHT, up(v));
      g.fillStyle = colours.faint;
      g.textAlign = "right";
      g.fillText(String(v).replace("-", "−"), LEFT - 5, up(v));
    }
    g.textAlign = "center";
    for (let a = -REACH; a <= REACH; a += 2) g.fillText(String(a).replace("-", "−"), at(a), TOP + HIGH + 12);
    g.fillText("pre-activation a_t", LEFT + this.wide / 2, TOP + HIGH + 27);
    g.textAlign = "left";
    [
      [of.of, "--un-line-0", of.said("a")],
      [of.slope, "--un-line-1", "its slope"],
    ].forEach(([curve, name, words], n) => {
      g.strokeStyle = g.fillStyle = style.getPropertyValue(name);
      g.lineWidth = 2;
      g.beginPath();
      for (let k = 0; k <= 200; k++) {
        const a = REACH * (k / 100 - 1);
        g.lineTo(at(a), up(curve(a)));
      }
      g.stroke();
      g.font = font(12, 600);
      g.fillText(words, LEFT + 96 * n, 10);
    });
    const sums = reader.labels.length ? this.sums() : [];
    this.dots = sums.map((a) => [at(a), up(Math.min(highest, of.of(a)))]);
    g.fillStyle = colours.text;
    g.globalAlpha = 0.45;
    this.dots.forEach(([x, y]) => {
      g.beginPath();
      g.arc(x, y, 3, 0, 7);
      g.fill();
    });
    g.globalAlpha = 1;
    if (sums.length) {
      g.fillStyle = colours.accent;
      g.beginPath();
      const [x, y] = this.dots[unit];
      g.arc(x, y, 6, 0, 7);
      g.fill();
    }
    this.say(sums, of, unit, reader.labels[token] ?? "", layer);
  }

  say(sums, of, unit, label, layer) {
    const { panel } = this;
    const flat = sums.filter((a) => of.slope(a) < FLAT).length;
    const outside = sums.filter((a) => Math.abs(a) > REACH).length;
    const known =
      of === SQUASH.tanh
        ? `The slope is ${NAMED.map((a) => `${of.slope(a).toFixed(4)} at ${a}`).join(", ")}; it is nowhere above 1.`
        : "The slope is 1 above 0 and 0 below: such a unit is off or passes everything.";
    panel.say(
      sums.length
        ? `${flat} of ${sums.length} units of layer ${layer + 1} are saturated at “${visible(label)}”`
        : "What the activation function does",
      `A dot for each unit. Saturated: the slope is below ${FLAT}. ${known}${outside ? ` Sums beyond ±${REACH} are drawn at the edge: ${outside}.` : ""}`,
    );
    const a = this.over ?? sums[unit];
    if (a === undefined || !Number.isFinite(a)) return panel.read("");
    const shown = Math.abs(a) <= REACH || this.over == null;
    panel.read(
      shown
        ? `${this.over == null ? `Unit ${unit}: ` : ""}a = ${digits(a)}, ${of.said("a")} = ${digits(of.of(a))}, slope ${digits(of.slope(a))}`
        : "",
    );
  }

  table() {
    const { of } = this.place();
    return {
      columns: ["unit", "a_t", "h_t", "slope"],
      rows: (this.panel.reader().labels.length ? this.sums() : []).map((a, unit) => [
        unit,
        digits(a),
        digits(of.of(a)),
        digits(of.slope(a)),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
