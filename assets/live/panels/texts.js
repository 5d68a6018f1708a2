// The likeliest token each time beside tokens drawn at random; what is said again is marked, and its share measured.

import { sayRules } from "../sums/decode.js";
import { element, percent } from "../dom.js";
import { bar } from "../parts/controls.js";
import { Work } from "../parts/work.js";

const BEFORE = 40; // characters of the text shown before what is written
const SIDES = [
  ["greedy", "Greedy: the likeliest token each time"],
  ["drawn", "Drawn"],
];

export default class Texts {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.work = new Work(
      panel,
      "texts",
      () => ({ seed: panel.selection.get("seed") ?? 1, rules: panel.selection.get("rules") ?? "off" }),
      "Write with the rules above",
    );
    this.grid = element("div", "un-tops");
    panel.body.append(bar(this.work.again), this.grid);
    this.sides = SIDES.map(([id, title]) => {
      const side = {
        id,
        root: element("div", "un-written"),
        title: element("h4", "", { textContent: title }),
        text: element("p", ""),
        share: element("p", "un-says"),
      };
      side.root.append(side.title, side.text, side.share);
      this.grid.append(side.root);
      return side;
    });
  }

  rest() {
    this.work.rest();
  }
  ask() {
    return this.work.ask();
  }
  destroy() {
    this.work.destroy();
  }

  draw() {
    const { panel } = this;
    const { app } = panel;
    const found = this.work.take();
    if (found) this.shown = found;
    panel.say(
      panel.spec.title,
      this.work.progress("tokens") ||
        "Marked: every token of a 4-gram (four tokens in a row) that occurred here before. Greedy text often goes round in circles: compare the two shares.",
    );
    const after = panel.reader().said.after ?? 0;
    const stop = panel.reader().spans[after - panel.reader().offset]?.[1] ?? 0;
    const end = app.points.slice(Math.max(0, stop - BEFORE), stop).join("");
    for (const { id, title, text, share, root } of this.sides) {
      const side = this.shown?.[id];
      if (id === "drawn") title.textContent = `Drawn: ${sayRules(this.work.of?.rules)}`;
      root.hidden = !side;
      if (!side) continue;
      const shown = JSON.stringify([end, side.pieces]);
      if (text.dataset.shown !== shown) {
        text.dataset.shown = shown;
        text.replaceChildren(
          element("span", "un-forgotten", { textContent: end }),
          ...side.pieces.map(([piece, again]) =>
            element(again ? "mark" : "span", "", { textContent: piece }),
          ),
        );
      }
      share.textContent =
        side.share === null
          ? "Too short for a 4-gram."
          : `${side.pieces.length} tokens; ${percent(side.share)} of the 4-grams occurred before.`;
    }
    if (this.shown?.problem) panel.say(panel.spec.title, this.shown.problem);
  }

  table() {
    return {
      columns: ["text", "repeated 4-grams", "written"],
      rows: this.sides.map(({ id, title }) => [
        title.textContent,
        this.shown?.[id]?.share == null ? "" : percent(this.shown[id].share),
        (this.shown?.[id]?.pieces ?? []).map((p) => p[0]).join(""),
      ]),
    };
  }

  drawn() {
    const shares = this.sides.map(({ id }) => this.shown?.[id]?.share ?? NaN);
    return this.shown && shares.every(Number.isFinite)
      ? {
          "text.repeated": {
            axes: ["method"],
            labels: [SIDES.map((s) => s[0])],
            values: Float32Array.from(shares),
          },
        }
      : {};
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.sides.map(({ title, text, share }) => `${title.textContent}: ${text.textContent} ${share.textContent}`).join(" ")}`;
  }
}
