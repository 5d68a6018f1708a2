// When a decoder looks: after its cell with the new state, or before it with the old one; as boxes and arrows with the
// numbers of the step.

import { Surface, font, ink } from "../drawing/canvas.js";
import { percent, short, small, visible } from "../dom.js";
import { arrow, card } from "../marks/graph.js";
import { cut } from "../marks/strip.js";
import { bar, button } from "../parts/controls.js";
import { scoreOf, scoredBy } from "../sums/scored.js";

const [HIGH, BOX, NARROW] = [210, 46, 80];
// Where the boxes stand, as shares of the width and the height.
const PLACES = {
  after: {
    state: [0.08, 0.5],
    fed: [0.08, 0.86],
    read: [0.29, 0.86],
    cell: [0.29, 0.5],
    keys: [0.5, 0.14],
    score: [0.5, 0.5],
    context: [0.71, 0.5],
    output: [0.92, 0.5],
  },
  before: {
    state: [0.08, 0.5],
    keys: [0.29, 0.14],
    score: [0.29, 0.5],
    context: [0.5, 0.5],
    fed: [0.5, 0.86],
    read: [0.71, 0.86],
    cell: [0.71, 0.5],
    output: [0.92, 0.5],
  },
};
const ARROWS = {
  after: [
    ["state", "cell"],
    ["read", "cell"],
    ["cell", "score"],
    ["keys", "score"],
    ["score", "context"],
    ["context", "output"],
    ["cell", "output", 0.74],
  ],
  before: [
    ["state", "score"],
    ["keys", "score"],
    ["score", "context"],
    ["context", "cell"],
    ["read", "cell"],
    ["cell", "output"],
    ["state", "cell", 0.74],
    ["context", "output", 0.26],
  ],
};

export default class Wiring {
  constructor(panel) {
    this.panel = panel;
    this.fed = false;
    this.feeding = button("Input feeding", () => {
      this.fed = !this.fed;
      this.draw();
    });
    this.shaped = false;
    this.shaping = button("Shapes", () => {
      this.shaped = !this.shaped;
      this.draw();
    });
    panel.body.append(bar(this.feeding, this.shaping));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
  }

  now() {
    const kind = scoredBy(this.panel);
    const reader = this.panel.reader(kind);
    const found = scoreOf(reader, this.panel.selection.token(reader));
    let most = 0;
    for (let s = 1; s < found.S; s++) if (found.weight(s) > found.weight(most)) most = s;
    return { kind, reader, most, ...found };
  }

  // Per box its name and what it holds at this step.
  boxes() {
    const { kind, reader, t, S, weight, most } = this.now();
    const [label, p] = reader.top[t]?.[0] ?? ["", NaN];
    if (this.shaped) return this.shapes(kind, reader, S);
    return {
      state: ["old state", "sₜ₋₁"],
      ...(this.fed && { fed: [small("fed"), "h̃ₜ₋₁"] }),
      read: [small("reads"), `“${short(reader.labels[t] ?? "", 12)}”`],
      cell: [small("cell"), "sₜ"],
      keys: [small("keys"), `${S} words`],
      score: [small("score"), this.panel.spec.called[kind], "softmax"],
      context: S
        ? [small("context"), `“${short(reader.source.labels[most], 10)}”`, percent(weight(most))]
        : [small("context")],
      output: label ? [small("writes"), `“${short(label, 10)}”`, percent(p)] : [small("writes")],
    };
  }

  // Per box how many numbers it holds, for one text; H = units, D = width of a word, S = source
  // words; what is read off goes to all V words.
  shapes(kind, reader, S) {
    const { D, H, V } = reader.spec.sizes;
    const read = D + (this.panel.spec.looks === "before" ? H : 0) + (this.fed ? H : 0);
    return {
      state: ["old state", `H = ${H}`],
      ...(this.fed && { fed: [small("fed"), `H = ${H}`] }),
      read: [small("reads"), `D = ${D}`],
      cell: [small("cell"), `${read}+${H}`, `→ ${H}`],
      keys: [small("keys"), `S × H`, `= ${S} × ${H}`],
      score: [small("score"), this.panel.spec.called[kind], `S = ${S}`],
      context: [small("context"), `H = ${H}`],
      output: [small("writes"), `2H = ${2 * H}`, `→ ${V}`],
    };
  }

  draw() {
    const { panel } = this;
    const { looks } = panel.spec;
    const after = looks === "after";
    this.feeding.setAttribute("aria-pressed", String(this.fed));
    this.shaping.setAttribute("aria-pressed", String(this.shaped));
    panel.say(
      after ? "It looks after the cell (Luong)" : "It looks before the cell (Bahdanau)",
      after
        ? this.fed
          ? "With input feeding the cell also reads h̃ₜ₋₁, what was made of state and context a step before: so it knows where it looked. The translators above were trained without; below, small ones are trained with it."
          : "The cell makes the new state from the old one and the word. The new state looks, and what it finds is used for this word only."
        : this.fed
          ? "The cell reads the context of this step, and with input feeding also h̃ₜ₋₁, what was made a step before. The translators above were trained without; below, small ones are trained with it."
          : "The old state looks first. What it finds goes into the cell with the word, so that it stays in every later state too.",
    );
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, HIGH);
    const colours = ink(panel.app.root);
    const wide = Math.min(118, width * 0.16);
    const places = PLACES[looks];
    /** @returns {[number, number]} */
    const at = (/** @type {string} */ name) => [places[name][0] * width, places[name][1] * HIGH];
    g.strokeStyle = g.fillStyle = colours.accent;
    g.lineWidth = 1.4;
    for (const [from, to, by] of /** @type {[string, string, number?][]} */ (ARROWS[looks]))
      this.arrow(g, at(from), at(to), wide, by && by * HIGH);
    if (this.fed) {
      const [[x, y], [u, v]] = [at("fed"), at("cell")];
      arrow(g, x + wide / 2, y, u - wide / 2, v + BOX / 4, true);
    }
    g.textBaseline = "middle";
    g.textAlign = "center";
    const narrow = wide < NARROW;
    for (const [name, [title, ...says]] of Object.entries(this.boxes())) {
      const [x, y] = at(name);
      const looking = name === "score";
      g.fillStyle = colours.ground;
      g.strokeStyle = looking ? colours.accent : colours.line;
      g.lineWidth = looking ? 2 : 1.2;
      card(g, x - wide / 2, y, wide, BOX);
      g.fillStyle = colours.text;
      const lines = [title, ...(narrow ? says : [says.join(" ")])].filter((line) => line);
      lines.forEach((line, i) => {
        g.font = font(narrow ? 10 : 12, i ? 400 : 600);
        g.fillText(cut(g, line, wide - 4), x, y + (i - (lines.length - 1) / 2) * (narrow ? 14 : 17));
      });
    }
    panel.read(this.words());
  }

  // Straight, or around what stands between, at the height `by`.
  arrow(g, [x, y], [u, v], wide, by) {
    const half = wide / 2;
    if (by) {
      g.beginPath();
      g.moveTo(x, y + Math.sign(by - y) * (BOX / 2));
      g.lineTo(x, by);
      g.lineTo(u, by);
      g.stroke();
      return arrow(g, u, by, u, v + Math.sign(by - v) * (BOX / 2));
    }
    if (x === u) return arrow(g, x, y + Math.sign(v - y) * (BOX / 2), u, v - Math.sign(v - y) * (BOX / 2));
    arrow(g, x + half, y, u - half, v);
  }

  words() {
    const { reader, t, S, most, weight } = this.now();
    if (!S) return "";
    const read = visible(reader.labels[t]);
    const word = visible(reader.source.labels[most]);
    return this.panel.spec.looks === "after"
      ? `Step ${t + 1}: the decoder reads “${read}”; the new state looks most at “${word}”, ${percent(weight(most))}.`
      : `Step ${t + 1}: the old state looks most at “${word}”, ${percent(weight(most))}; with that the decoder reads “${read}”.`;
  }

  table() {
    return {
      columns: ["part", "at this step"],
      rows: Object.values(this.boxes()).map(([title, ...says]) => [title, visible(says.join(" "))]),
    };
  }
}
