// What is chosen above the network: its points, its layers, how it learns; and the buttons that train and rewind it.

import { element, labelled, put } from "../dom.js";
import { Choices } from "../descend/choices.js";
import { Player } from "../descend/player.js";
import { bar, button, select } from "../parts/controls.js";
import { CHOICES, LAYERS } from "./trainer.js";

export const [LOOK, BLUE, ORANGE, AWAY] = ["look", "0", "1", "-1"];
const WORDS = {
  points: {
    moons: "Two moons",
    corners: "XOR, four points",
    xor: "XOR, clouds",
    circles: "Circles",
    spirals: "Two spirals",
    clouds: "Two clouds",
    own: "Your own points",
  },
  activation: {
    tanh: "tanh",
    relu: "ReLU",
    leaky: "Leaky ReLU",
    sigmoid: "sigmoid",
    linear: "None (linear)",
  },
  loss: { entropy: "Cross-entropy", squared: "Half the square" },
  optimiser: { sgd: "SGD", adam: "Adam" },
  batch: { 1000: "All points" },
  speed: { 1000: "1,000", 0: "As fast as it goes" },
};
/** @type {Record<string, [string, any]>} */
const EXAMPLES = {
  line: ["XOR without a hidden layer", { points: "corners", units: [], rate: 1, batch: 1000 }],
  hand: ["XOR by hand", { start: "hand", points: "corners", units: [2], activation: "sigmoid", batch: 1000 }],
  learned: ["XOR, learned", { points: "corners", units: [3], optimiser: "adam", rate: 0.03, batch: 1000 }],
  squared: ["Sigmoids and squares", { points: "xor", activation: "sigmoid", loss: "squared", rate: 0.3 }],
  spirals: [
    "Two spirals",
    { points: "spirals", units: [8, 8], activation: "relu", optimiser: "adam", rate: 0.01 },
  ],
  linear: [
    "Four linear layers",
    { points: "circles", units: [8, 8, 8, 8], activation: "linear", rate: 0.03 },
  ],
  explodes: ["Too high a rate", { points: "circles", activation: "relu", units: [8, 8], rate: 10 }],
};

export class Controls {
  /** @param {import("./trainer.js").Trainer} trainer @param {() => void} brushed */
  constructor(trainer, brushed) {
    this.trainer = trainer;
    this.choices = new Choices(trainer, CHOICES, WORDS);
    const list = (name, label) => this.choices.list(name, label);
    this.examples = select(
      [["", "Examples"], ...Object.entries(EXAMPLES).map(([id, [title]]) => [id, title])],
      (id) => {
        if (id) trainer.open(EXAMPLES[id][1]);
        this.examples.value = "";
      },
      "Examples",
    );
    this.examples.classList.add("nw-examples");
    const layers = (/** @type {number} */ by) => {
      const { units } = trainer.settings;
      trainer.choose({ units: by > 0 ? [...units, units.at(-1) ?? 4] : units.slice(0, -1) });
    };
    this.less = button("−", () => layers(-1), {
      title: "One hidden layer less",
      className: "un-button nw-small",
    });
    this.more = button("+", () => layers(1), {
      title: "One hidden layer more",
      className: "un-button nw-small",
    });
    this.count = element("b", "");
    const depth = element("span", "un-both ds-both", { role: "group" });
    depth.setAttribute("aria-label", "Hidden layers");
    depth.append(element("span", "", { textContent: "Hidden layers" }), this.less, this.count, this.more);
    this.brush = select(
      [
        [LOOK, "Reads p"],
        [BLUE, "Adds blue"],
        [ORANGE, "Adds orange"],
        [AWAY, "Takes away"],
      ],
      brushed,
    );
    this.seed = button("Other random weights", () => trainer.choose({ seed: trainer.settings.seed + 1 }));
    this.clear = button("No points at all", () => trainer.choose({ points: "own", own: [] }));
    const rest = this.choices.more(
      list("loss", "Loss"),
      list("optimiser", "Optimiser"),
      list("batch", "Points in a step"),
      list("speed", "Steps a second"),
      list("noise", "Noise"),
      this.seed,
      this.clear,
    );
    this.first = bar(
      this.examples,
      list("points", "Points"),
      depth,
      list("activation", "Activation"),
      list("rate", "Rate"),
      rest,
    );
    const click = labelled("A click", this.brush, "un-both ds-both");
    const afresh = () => trainer.choose({ start: trainer.settings.start, seed: trainer.settings.seed });
    this.player = new Player(trainer, afresh, [click]);
    this.second = this.player.root;
  }

  draw() {
    const { trainer } = this;
    const { settings } = trainer;
    this.choices.draw();
    put(this.count, String(settings.units.length));
    this.less.disabled = !settings.units.length;
    this.more.disabled = settings.units.length >= LAYERS;
    this.player.draw();
  }
}
