// Next sentence: what the model says, at [CLS], of a pair.

import { element, percent } from "../dom.js";
import { BarList } from "../marks/bars.js";
import { expected } from "../marks/rows.js";

const ANSWERS = ["IsNext", "NotNext"];

export default class Follows {
  constructor(panel) {
    this.panel = panel;
    const list = element("ol", "un-list");
    this.bars = new BarList(list);
    panel.body.append(list);
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { pair, second } = reader.said;
    panel.say(
      panel.spec.title,
      pair === null
        ? "This model has no output for pairs of sentences."
        : second
          ? "IsNext: B follows A. NotNext: B is from elsewhere. Read at [CLS], from the whole pair; masked words are hidden here too."
          : "There is one sentence. Begin a new line in the box: what stands there is the second one.",
    );
    const answers = pair && second ? pair.map((p, i) => [ANSWERS[i], p]) : [];
    expected(this.bars, answers, reader);
    panel.read(
      pair && second ? `${pair[0] >= 0.5 ? "IsNext" : "NotNext"} with ${percent(Math.max(...pair))}` : "",
    );
  }

  drawn() {
    const { pair, second } = this.panel.reader().said;
    return pair && second
      ? { sentence: { axes: ["label"], labels: [["IsNext", "NotNext"]], values: Float32Array.from(pair) } }
      : {};
  }

  table() {
    const { pair, second } = this.panel.reader().said;
    return {
      columns: ["answer", "probability"],
      rows: pair && second ? pair.map((p, i) => [ANSWERS[i], percent(p)]) : [],
    };
  }

  alt() {
    const { pair, second } = this.panel.reader().said;
    return pair && second
      ? `IsNext ${percent(pair[0])}, NotNext ${percent(pair[1])}`
      : "No pair of sentences";
  }
}
