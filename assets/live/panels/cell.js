// The cell, one step: belts of memory from left to right, valves that are as open as their gates, and what is
// written. It is drawn from the memories of the model: state_t = keep_t · state_t-1 + product of what is
// written.  A cell with an output gate shows its memory through tanh and a valve; one without memories writes
// its state anew at every step.

import { Scale } from "../drawing/canvas.js";
import { digits, short, visible } from "../dom.js";
import { CellDiagram } from "../parts/celldiagram.js";
import { bar, button } from "../parts/controls.js";
import { node } from "../parts/pipes.js";
import { Player, overTokens } from "../parts/player.js";
import { numbers } from "../sums/cell.js";

const NARROWEST = 280;

export default class Cell {
  constructor(panel) {
    this.panel = panel;
    const { selection, app } = panel;
    this.mean = button("Mean of the layer", () =>
      selection.keep({ mean: selection.get("mean") ? undefined : 1 }, app),
    );
    this.player = new Player(panel, {
      title: "Follow the memory through the text",
      label: "Token",
      says: () => this.told(),
      move: () => this.ride(),
      ...overTokens(panel),
    });
    panel.body.append(bar(this.mean), this.player.node);
    this.svg = this.canvas = node(panel.body, "svg", { class: "un-cell" });
  }

  destroy() {
    this.player.stop();
  }

  // Every number, of the chosen unit or as the mean of the layer.
  numbers() {
    const { selection, spec } = this.panel;
    const reader = this.panel.reader();
    const layer = selection.get("layer") ?? 0,
      unit = selection.get("unit") ?? 0,
      token = selection.token(reader);
    const mean = !!selection.get("mean");
    const found = numbers(reader, spec, layer, token, mean ? null : unit);
    return { numbers: found, mean, reader, layer, unit, token };
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
    const { numbers, mean, reader, layer, unit, token } = this.numbers();
    const whose = mean ? `mean of layer ${layer + 1}` : `unit ${unit} of layer ${layer + 1}`;
    panel.say(`The cell at “${visible(reader.labels[token] ?? "")}”, ${whose}`, this.says(mean));
    this.mean.setAttribute("aria-pressed", String(mean));
    const state = panel.spec.memories[0]?.state ?? "hidden";
    diagram.riders.set(numbers);
    diagram.draw(numbers, new Scale(reader.spec.fields[state].scale, panel.app.dark));
    const label = `“${short(reader.labels[token] ?? "", 8)}”`;
    diagram.token(reader.words === "notes" ? "event E_t" : "x_t", label);
    this.ride();
    panel.read(this.sentence(numbers, mean));
  }

  // The memory on its way through the cell, where it is slow enough to be read.
  ride() {
    const { playing, slow, share } = this.player;
    this.diagram?.riders.ride(playing && slow ? share : 1);
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

  says(mean) {
    const { memories, note, shown } = this.panel.spec;
    const path = memories.length
      ? `Dashed: the token and the previous state set the valves through their weights; the valves change the memory${shown ? ", and the new state is read from it" : ", which is the state"}.`
      : "The weighted sum of the token and the previous state passes through the activation function: the whole state is rewritten.";
    const means = mean && memories.length ? "Kept and added are means of the units' products." : "";
    return [path, note, means].filter(Boolean).join(" ");
  }

  sentence(numbers, mean) {
    const { memories } = this.panel.spec;
    const put = (name) => said(numbers.get(name).value);
    const symbol = (name) => numbers.get(name).symbol;
    const parts = memories.map(
      ({ state }) =>
        `${symbol(state)} = ${put(`kept ${state}`)} kept + ${put(`added ${state}`)} added = ${put(state)}`,
    );
    const hidden = `${symbol("hidden")} = `;
    if (mean) parts.push(`${hidden}${put("hidden")}, the mean of what each unit shows`);
    else if (numbers.has("shown"))
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
