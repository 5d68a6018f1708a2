// What is chosen above the machine, and the buttons that train it and let it draw.

import { element, labelled, small } from "../dom.js";
import { Player } from "../descend/player.js";
import { bar, button, folds, select } from "../parts/controls.js";
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
    /** @type {Record<string, any>} */
    this.lists = {};
    const list = (name, label, values = [...(CHOICES[name] ?? [])]) => {
      const numbers = typeof values[0] === "number";
      if (numbers) values.sort((a, b) => Number(a) - Number(b));
      const node = select(
        values.map((value) => [value, WORDS[name]?.[value] ?? value]),
        (value) => trainer.choose({ [name]: numbers ? Number(value) : value }),
      );
      this.lists[name] = node;
      return labelled(label, node, "un-both ds-both");
    };
    const more = element("details", "ds-more");
    const inside = element("div", "ds-list");
    inside.append(
      list("batch", "Patterns in a step"),
      list("speed", "Steps a second"),
      button("Other random weights", () => trainer.choose({ seed: trainer.settings.seed + 1 })),
      button("No patterns at all", () => trainer.choose({ patterns: "own", own: [] })),
    );
    more.append(element("summary", "un-button", { textContent: "More" }), inside);
    folds(more);
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
    for (const [name, node] of Object.entries(this.lists))
      if (node.value !== String(trainer.settings[name])) node.value = String(trainer.settings[name]);
    this.player.draw();
    this.flow.setAttribute("aria-pressed", String(board.flows));
    this.learned.disabled = trainer.machine.n !== 16;
    this.hold.value = board.held;
  }
}
