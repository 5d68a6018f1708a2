// What is chosen above the two nets, and the buttons that train them.

import { element, labelled, small } from "../dom.js";
import { Choices } from "../descend/choices.js";
import { Player } from "../descend/player.js";
import { bar, button } from "../parts/controls.js";
import { CHOICES } from "./trainer.js";

const WORDS = {
  points: {
    ring: "Eight clouds",
    grid: "Nine clouds",
    two: "Two clouds",
    circle: "A circle",
    spiral: "A spiral",
    line: "A wave",
    own: "Your own points",
  },
  loss: { plain: "−ln D (non-saturating)", saturating: "ln(1 − D) (minimax)", wasserstein: "Wasserstein" },
  cure: {
    none: small("none"),
    penalty: "gradient penalty",
    spectral: "spectral norm",
    statistics: "batch statistics",
    unrolled: "unrolled, 5 steps",
  },
  speed: { 0: "As fast as it goes" },
};
const SHOWN = { surface: "D’s surface", fabric: "G’s fabric", arrows: "Gradients" };

export class Controls {
  /** @param {import("./trainer.js").Trainer} trainer @param {import("./board.js").GanBoard} board */
  constructor(trainer, board) {
    this.trainer = trainer;
    this.choices = new Choices(trainer, CHOICES, WORDS);
    const list = (name, label) => this.choices.list(name, label);
    const shown = Object.entries(SHOWN).map(([name, words]) => {
      const box = element("input", "", { type: "checkbox", checked: true });
      box.onchange = () => board.show(name, box.checked);
      return labelled(words, box, "un-both ds-both");
    });
    const more = this.choices.more(
      list("rate", "Rate"),
      list("turns", "Steps of D in a turn"),
      list("pushes", "Steps of G in a turn"),
      list("hidden", "Units of a layer"),
      list("speed", "Steps a second"),
      ...shown,
      button("Other random weights", () => trainer.choose({ seed: trainer.settings.seed + 1 })),
      button("No points at all", () => trainer.choose({ points: "own", own: [] })),
    );
    this.first = bar(list("points", "Points"), list("loss", "G’s loss"), list("cure", "Cure"), more);
    this.player = new Player(trainer, () => trainer.choose({ seed: trainer.settings.seed }));
  }

  draw() {
    this.choices.draw();
    this.player.draw();
  }
}
