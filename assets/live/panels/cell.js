// The cell, one step: belts of memory from left to right, valves that are as open as their gates, and what is
// written. It is drawn from the memories of the model: state_t = keep_t · state_t-1 + product of what is
// written.  A cell with an output gate shows its memory through tanh and a valve; one without memories writes
// its state anew at every step.

import { Scale } from "../drawing/canvas.js";
import { digits, short, visible } from "../dom.js";
import { CellDiagram } from "../parts/celldiagram.js";
import { node } from "../parts/pipes.js";
import { Player, overTokens } from "../parts/player.js";
import { numbers } from "../sums/cell.js";

const NARROWEST = 280;

export default class Cell {
  constructor(panel) {
    this.panel = panel;
    this.player = new Player(panel, {
      title: "Follow the memory through the text",
      label: "Token",
      says: () => this.told(),
      ...overTokens(panel),
    });
    panel.body.append(this.player.node);
    this.svg = this.canvas = node(panel.body, "svg", { class: "un-cell" });
  }

  destroy() {
    this.player.stop();
  }

  // Every number of the chosen unit.
  numbers() {
    const { selection, spec } = this.panel;
    const reader = this.panel.reader();
    const [layer, unit] = [selection.get("layer") ?? 0, selection.get("unit") ?? 0];
    const token = selection.token(reader);
    return { numbers: numbers(reader, spec, layer, token, unit), reader, layer, unit, token };
  }

  draw() {
    const { panel } = this;
    const empty = !panel.reader().labels.length;
    this.player.draw();
    this.svg.style.visibility = empty ? "hidden" : "";
    if (empty) {
      panel.say("The cell, one step", "Nothing is typed yet.");
      return panel.read("");
    }
    const diagram = this.fit();
    const { numbers, reader, layer, unit, token } = this.numbers();
    const label = visible(reader.labels[token] ?? "");
    panel.say(`The cell at “${label}”, unit ${unit} of layer ${layer + 1}`, this.says());
    const state = panel.spec.memories[0]?.state ?? "hidden";
    diagram.draw(numbers, new Scale(reader.spec.fields[state].scale, panel.app.dark));
    diagram.token("x_t", `“${short(reader.labels[token] ?? "", 8)}”`);
    panel.read(this.sentence(numbers));
  }

  // The token looked at, and what it does to the memory.
  told() {
    const { numbers, reader, token } = this.numbers();
    const { memories } = this.panel.spec;
    const parts = (memories.length ? memories.map(({ state }) => state) : ["hidden"]).map((state) => {
      const { symbol, value } = numbers.get(state);
      return `${symbol} ${said(numbers.get(`before ${state}`).value)} → ${said(value)}`;
    });
    return `“${visible(reader.labels[token] ?? "")}”, ${parts.join(", ")}`;
  }

  // The diagram, made anew for another width or other fields.
  fit() {
    const { panel } = this;
    const { fields, spec } = panel.reader();
    if (panel.app.width !== this.measured || !this.width) {
      this.measured = panel.app.width;
      this.width = panel.body.clientWidth; // asking makes the browser lay out the page
    }
    const width = Math.max(NARROWEST, this.width);
    const plan = JSON.stringify([width, [...fields.keys()]]);
    if (plan !== this.plan) {
      this.plan = plan;
      this.diagram = new CellDiagram(this.svg, panel.spec, !!spec.fields["gate.output"], width);
    }
    return this.diagram;
  }

  says() {
    const { memories, note, shown } = this.panel.spec;
    const path = memories.length
      ? `Dashed: the token and the previous state set the valves through their weights; the valves change the memory${shown ? ", and the new state is read from it" : ", which is the state"}.`
      : "The weighted sum of the token and the previous state passes through the activation function: the whole state is rewritten.";
    return [path, note].filter(Boolean).join(" ");
  }

  sentence(numbers) {
    const { memories } = this.panel.spec;
    const put = (name) => said(numbers.get(name).value);
    const symbol = (name) => numbers.get(name).symbol;
    const parts = memories.map(
      ({ state }) =>
        `${symbol(state)} = ${put(`kept ${state}`)} kept + ${put(`added ${state}`)} added = ${put(state)}`,
    );
    const hidden = `${symbol("hidden")} = `;
    if (numbers.has("shown"))
      parts.push(`${hidden}${put("gate.output")} of ${put("shown")} = ${put("hidden")}`);
    else if (!memories.length) parts.push(`${hidden}${put("hidden")}, from the sum ${put("preactivation")}`);
    return `${parts.join("; ")}.`;
  }

  table() {
    const { numbers } = this.numbers();
    const rows = Array.from(numbers, ([name, { symbol, value }]) => [name, symbol, said(value)]);
    return { columns: ["what", "symbol", "number"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent} ${this.panel.says.textContent}`;
  }
}

const said = (value) => (Number.isNaN(value) ? "…" : digits(value));
