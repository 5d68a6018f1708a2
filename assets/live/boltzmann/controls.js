// What is chosen above the machine, and the buttons that train it and let it draw.

import { labelled, small } from "../dom.js";
import { Choices } from "../descend/choices.js";
import { Player } from "../descend/player.js";
import { bar, button, select } from "../parts/controls.js";
import { CHOICES, HIDDEN } from "./trainer.js";

const WORDS = {
  patterns: {
    bars: "Bars and stripes",
    letters: "Five letters",
    digits: "Handwritten digits",
    words: "Words of your text",
    own: "Your own",
  },
  method: {
    cd1: "CD-1",
    cd5: "CD-5",
    cd20: "CD-20",
    pcd: "Persistent CD",
    exact: "Exact gradient",
  },
  batch: { 10_000: "All" },
  speed: { 1000: "1,000", 0: "As fast as it goes" },
};

export class Controls {
  /** @param {import("./trainer.js").Trainer} trainer @param {import("./board.js").BoltzmannBoard} board */
  constructor(trainer, board) {
    this.trainer = trainer;
    this.board = board;
    this.choices = new Choices(trainer, CHOICES, WORDS);
    const list = (name, label, from) => this.choices.list(name, label, from);
    const more = this.choices.more(
      list("batch", "Patterns in a step"),
      list("speed", "Steps a second"),
      button("Other random weights", () => trainer.choose({ seed: trainer.settings.seed + 1 })),
      button("No patterns at all", () => trainer.choose({ patterns: "own", own: [] })),
    );
    const hidden = Array.from({ length: HIDDEN }, (_, n) => n + 1);
    this.first = bar(
      list("patterns", "Patterns"),
      list("hidden", "Hidden units", hidden),
      list("method", "Gradient"),
      list("rate", "Rate"),
      more,
    );
    this.player = new Player(trainer, () => trainer.choose({ seed: trainer.settings.seed }));
    this.flow = button("Let it run", () => board.flowing(!board.flows), {
      title: "Hidden and visible units are drawn in turn",
    });
    this.hold = select(
      [
        ["none", small("none")],
        ["upper", "upper half"],
        ["left", "left half"],
      ],
      (value) => board.holding(value),
    );
    this.chain = bar(
      button("Draw h", () => board.sample("h"), { title: "Hidden units drawn, given the visible ones" }),
      button("Draw v", () => board.sample("v"), { title: "Visible units drawn, given the hidden ones" }),
      this.flow,
      labelled("Held", this.hold, "un-both ds-both"),
      button("Erase the rest", () => board.erase(), { title: "What is not held becomes noise" }),
      (this.learned = button("Learn this one", () => trainer.add(board.v), {
        title: "What stands there becomes one of the patterns",
      })),
    );
    this.chain.classList.add("bm-chain");
  }

  draw() {
    const { trainer, board } = this;
    this.choices.draw();
    this.player.draw();
    this.flow.setAttribute("aria-pressed", String(board.flows));
    this.learned.disabled = trainer.machine.n !== 16;
    this.hold.value = board.held;
  }
}
