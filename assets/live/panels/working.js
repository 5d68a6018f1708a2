// The opened cell as the sum that it is, with this moment's numbers.

import { digits, visible } from "../dom.js";
import { Equation } from "../marks/equation.js";
import { SQUARES, STAGES, cell, numbers, spot } from "./attend/cell.js";
import { OPENED } from "./working/opened.js";

const PAIRS = [...SQUARES, "weighted"];

export default class Working {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.equation = new Equation(panel.body);
  }

  what() {
    const { panel } = this;
    const reader = panel.reader();
    const n = numbers(reader);
    if (!n.T) return null;
    const at = cell(reader, panel.selection, n);
    const word = (t) => `“${visible(reader.labels[t] ?? "")}”`;
    const of = PAIRS.includes(at.stage) ? `${word(at.i)} reads ${word(at.j)}` : word(spot(at)[0]);
    const found = OPENED[at.stage]({ ...at, n, reader, word });
    return { stage: at.stage, of, sum: found.field, ...found };
  }

  draw() {
    const { panel, equation } = this;
    const found = this.what();
    if (!found) {
      panel.say("One cell and its sum", "Type something, then point at a cell to see its sum.");
      return equation.write({});
    }
    const { stage, title, of, says, sum, field } = found;
    panel.say(`${STAGES.indexOf(stage) + 1} ${title}: ${of}`, says);
    equation.write(found);
    Object.assign(panel.body.dataset, { stage, sum: String(sum), field: String(field) });
  }

  table() {
    return {
      columns: ["part", "how", "number"],
      rows: (this.what()?.terms ?? []).map(({ name, said, value }) => [name, said ?? "", digits(value)]),
    };
  }

  alt() {
    const { sum, note } = this.equation;
    return `${this.panel.title.textContent}. ${sum.textContent} ${note.textContent}`;
  }
}
