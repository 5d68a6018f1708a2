// The cell, one step: belts of memory from left to right, valves that are as open as their gates, and what is written.
// It is drawn from the memories of the model: state_t = keep_t · state_t-1 + product of what is written.  A cell with an
// output gate shows its memory through tanh and a valve; one without memories writes its state anew at every step.

import { Scale } from "../drawing/canvas.js";
import { digits, element, short, visible } from "../dom.js";
import { label, node, pipe, place, valve, wire } from "../parts/pipes.js";

export default class Cell {
  constructor(panel) {
    this.panel = panel;
    const bar = element("div", "un-order");
    this.mean = element("button", "un-button", { type: "button", textContent: "Mean of the layer" });
    this.mean.onclick = () =>
      panel.selection.keep({ mean: panel.selection.get("mean") ? undefined : 1 }, panel.app);
    bar.append(this.mean);
    panel.body.append(bar);
    this.svg = this.canvas = node(panel.body, "svg", { class: "un-cell" });
  }

  // What the cell does, by name: [symbol, of one unit].
  amounts() {
    const { panel } = this;
    const reader = panel.reader();
    const { selection } = panel;
    const layer = selection.get("layer") ?? 0;
    const token = selection.token(reader);
    const at =
      (name, shift = 0) =>
      (unit) =>
        token + shift >= 0
          ? reader.value(name, { layer, unit, token: token + shift })
          : reader.offset > 0
            ? NaN
            : 0;
    const symbol = (name) => reader.spec.fields[name].symbol;
    const before = (name) => symbol(name).replace(/_t$/, "_t−1");
    const found = new Map();
    for (const name of reader.fields.keys())
      if (reader.spec.fields[name]) found.set(name, [symbol(name), at(name)]);
    for (const { state, keep, complement, write } of panel.spec.memories) {
      const keeps = keep ? (u) => (complement ? 1 - at(keep)(u) : at(keep)(u)) : () => 1;
      if (keep) found.set(`keep ${state}`, [complement ? `1 − ${symbol(keep)}` : symbol(keep), keeps]);
      found.set(`before ${state}`, [before(state), at(state, -1)]);
      found.set(`kept ${state}`, ["kept", (u) => (keep ? keeps(u) * at(state, -1)(u) : at(state, -1)(u))]);
      found.set(`added ${state}`, [
        "added",
        (u) => write.reduce((product, name) => product * at(name)(u), 1),
      ]);
    }
    const { shown, terms } = panel.spec;
    if (shown) {
      const through = (u) =>
        terms.length
          ? Math.tanh(terms.reduce((sum, [name, weight]) => sum + weight * at(name)(u), 0))
          : at("hidden")(u) / at("gate.output")(u);
      found.set("shown", [
        terms.length > 1
          ? "tanh(both)"
          : `tanh(${shown.replace(/\{\$([^}]+)\}/g, (_, name) => symbol(name))})`,
        through,
      ]);
    }
    found.set("before hidden", [before("hidden"), at("hidden", -1)]);
    return { found, reader, layer, token };
  }

  // Every number, of the chosen unit or as the mean of the layer.
  numbers() {
    const { found, ...where } = this.amounts();
    const { reader } = where;
    const { selection } = this.panel;
    const mean = !!selection.get("mean");
    const field = reader.fields.values().next().value; // none where nothing is typed
    const count = field ? field.shape[field.axes.indexOf("unit")] : 0;
    const numbers = new Map();
    for (const [name, [symbol, of]] of found) {
      let value = 0;
      if (mean) for (let u = 0; u < count; u++) value += of(u) / count;
      else value = of(selection.get("unit") ?? 0);
      numbers.set(name, { symbol, value });
    }
    return { numbers, mean, ...where };
  }

  draw() {
    const { panel } = this;
    const empty = !panel.reader().labels.length;
    this.svg.style.visibility = empty ? "hidden" : "";
    if (empty) {
      panel.say("The cell, one step", "Nothing is typed yet.");
      return panel.read("");
    }
    if (panel.app.width !== this.measured || !this.width) {
      this.measured = panel.app.width;
      this.width = panel.body.clientWidth;
    } // asking makes the browser lay out the page
    const width = Math.max(280, this.width);
    const plan = JSON.stringify([width, [...panel.reader().fields.keys()]]);
    if (plan !== this.plan) {
      this.plan = plan;
      this.build(width);
    }
    const { numbers, mean, reader, layer, token } = this.numbers();
    const unit = panel.selection.get("unit") ?? 0;
    const whose = mean ? `mean of layer ${layer + 1}` : `unit ${unit} of layer ${layer + 1}`;
    panel.say(`The cell at “${visible(reader.labels[token] ?? "")}”, ${whose}`, this.says(mean));
    this.mean.setAttribute("aria-pressed", String(mean));
    const scale = new Scale(
      reader.spec.fields[panel.spec.memories[0]?.state ?? "hidden"].scale,
      panel.app.dark,
    );
    for (const set of this.parts) set(numbers, scale);
    this.token(reader.words === "notes" ? "event E_t" : "x_t", `“${short(reader.labels[token] ?? "", 8)}”`);
    panel.read(this.sentence(numbers, mean));
  }

  says(mean) {
    const { memories } = this.panel.spec;
    const { note, shown } = this.panel.spec;
    let path =
      "The weighted sum of the token and the previous state passes through the activation function: the whole state is rewritten.";
    if (memories.length)
      path = `Dashed: the token and the previous state set the valves through their weights; the valves change the memory${shown ? ", and the new state is read from it" : ", which is the state"}.`;
    if (note) path += ` ${note}`;
    return mean && memories.length ? `${path} Kept and added are means of the units' products.` : path;
  }

  sentence(numbers, mean) {
    const { memories } = this.panel.spec;
    const put = (name) => {
      const { value } = numbers.get(name);
      return Number.isNaN(value) ? "…" : digits(value);
    };
    const parts = memories.map(
      ({ state }) =>
        `${numbers.get(state).symbol} = ${put(`kept ${state}`)} kept + ${put(`added ${state}`)} added = ${put(state)}`,
    );
    if (mean)
      parts.push(`${numbers.get("hidden").symbol} = ${put("hidden")}, the mean of what each unit shows`);
    else if (numbers.has("shown"))
      parts.push(
        `${numbers.get("hidden").symbol} = ${put("gate.output")} of ${put("shown")} = ${put("hidden")}`,
      );
    else if (!memories.length)
      parts.push(`${numbers.get("hidden").symbol} = ${put("hidden")}, from the sum ${put("preactivation")}`);
    return `${parts.join("; ")}.`;
  }

  // The parts of this cell, laid out for a width.
  build(width) {
    const { memories } = this.panel.spec;
    const fields = this.panel.reader().spec.fields;
    this.parts = [];
    const left = 4,
      right = width - 4;
    const belt = memories.map((_, k) => 58 + k * 100);
    const last = belt.at(-1) ?? 20;
    const candidate = last + 158;
    const bus = candidate + 62;
    this.svg.replaceChildren();
    this.svg.setAttribute("viewBox", `0 0 ${width} ${bus + 44}`);
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", bus + 44);
    const layer = () => node(this.svg, "g");
    const draw = {
      wires: layer(),
      pipes: layer(),
      valves: layer(),
      labels: layer(),
      left,
      right,
      width,
      candidate,
      bus,
      reach: 0.3 * width,
    };
    if (!memories.length) this.anew(draw);
    const two = memories.length > 1;
    memories.forEach((memory, k) =>
      this.belt(draw, memory, belt[k], (two ? 0.4 + 0.2 * k : 0.46) * width, two),
    );
    if (memories.length) this.candidate(draw, (two ? 0.5 : 0.46) * width, two ? 0.34 * width : 88, two);
    if (fields["gate.output"]) this.output(draw, belt, two);
    wire(draw.wires, [left, bus], [draw.reach, bus]);
    this.number(draw, left, bus + 22, "start", "before hidden");
    this.token = label(draw.labels, left + 96, bus + 22, "start", "token");
  }

  colour(set, name) {
    this.parts.push((numbers, scale) => set(scale.css(numbers.get(name).value)));
  }
  number({ labels }, x, y, anchor, name) {
    const set = label(labels, x, y, anchor, name);
    this.parts.push((numbers) => {
      const { symbol, value } = numbers.get(name);
      set(symbol, value);
    });
  }
  opening(set, name) {
    this.parts.push((numbers) => set(numbers.get(name).value));
  }

  // One memory: its belt with the valve that keeps, and the pipe that brings what is written.
  belt(draw, { state, keep, write }, y, x, two) {
    const { left, right, width, candidate, bus } = draw;
    const { coupled, looks } = this.panel.spec;
    const keeper = 0.2 * width;
    this.colour(pipe(draw.pipes, left, y, keeper, y), `before ${state}`);
    this.colour(pipe(draw.pipes, keeper, y, x, y), `kept ${state}`);
    this.colour(pipe(draw.pipes, x, y, right, y), state);
    this.number(draw, left, y - 36, "start", `before ${state}`);
    this.number(draw, right, y - 36, "end", state);
    this.number(draw, (keeper + x) / 2 + 14, y - 36, "middle", `kept ${state}`);
    if (keep) {
      wire(draw.wires, [keeper, bus], [keeper, y + 16]);
      if (looks)
        wire(
          draw.wires,
          [keeper - 22, y + 13],
          [keeper - 22, y + 24],
          [keeper - 4, y + 24],
          [keeper - 4, y + 16],
        );
      this.opening(valve(draw.valves, keeper, y, true), `keep ${state}`);
      this.number(draw, left, y + 34, "start", `keep ${state}`);
    }
    const gate = write.find((name) => name.startsWith("gate."));
    const inlet = candidate - 70;
    this.colour(pipe(draw.pipes, x, candidate - 12, x, inlet), "candidate");
    this.colour(pipe(draw.pipes, x, inlet, x, y), `added ${state}`);
    this.number(draw, x - 20, y + 34, "end", `added ${state}`);
    if (gate) {
      const own = !coupled && gate !== keep; // else it follows from the valve that keeps
      const aside = two ? (y > 100 ? 28 : -28) : -34;
      if (own) wire(draw.wires, [x + aside, bus], [x + aside, inlet], [x + Math.sign(aside) * 18, inlet]);
      else wire(draw.wires, [keeper, inlet], [x - 18, inlet]);
      if (looks) wire(draw.wires, [x - 17, y + 13], [x - 17, inlet - 9]);
      this.opening(valve(draw.valves, x, inlet, false), gate);
      if (two) this.number(draw, x - 20, inlet - 26, "end", gate);
      else this.number(draw, x + 22, inlet - 2, "start", gate);
    }
    place(draw.valves, x, y, "+");
  }

  candidate(draw, x, wide, two) {
    const { candidate, bus, width, left } = draw;
    const { resets } = this.panel.spec;
    wire(draw.wires, [x, bus], [x, candidate + 15]);
    draw.reach = x;
    if (resets) {
      this.colour(pipe(draw.pipes, left, candidate, x, candidate), "before hidden");
      wire(draw.wires, [0.12 * width, bus], [0.12 * width, candidate + 16]);
      this.opening(valve(draw.valves, 0.12 * width, candidate, true), resets);
      this.number(draw, 0.12 * width + 2, candidate - 36, "middle", resets);
    }
    place(draw.valves, x, candidate, "tanh", wide);
    if (resets) this.number(draw, x + wide / 2 + 6, candidate - 2, "start", "candidate");
    else if (two) this.number(draw, x, candidate - 36, "middle", "candidate");
    else this.number(draw, x - wide / 2 - 6, candidate - 2, "end", "candidate");
  }

  // What is shown of the memory: through tanh and the valve of the output gate.
  output(draw, belt, two) {
    const { right, width, candidate, bus } = draw;
    const x = (two ? 0.74 : 0.7) * width,
      y = belt.at(-1);
    const { looks } = this.panel.spec;
    const gate = candidate - 44;
    this.colour(pipe(draw.pipes, x, belt[0] + 13, x, gate), "shown");
    if (looks) wire(draw.wires, [x + 38, y], [x + 38, gate], [x + 18, gate]);
    this.colour(pipe(draw.pipes, x, gate, x, candidate + 34), "hidden");
    this.colour(pipe(draw.pipes, x - 13, candidate + 34, right, candidate + 34), "hidden");
    place(draw.valves, x, y + 46, "tanh");
    this.number(draw, right, y + 42, "end", "shown");
    draw.reach = x + (two ? 38 : -38);
    wire(draw.wires, [draw.reach, bus], [draw.reach, gate], [x + (two ? 18 : -18), gate]);
    this.opening(valve(draw.valves, x, gate, false), "gate.output");
    this.number(draw, right, gate - 4, "end", "gate.output");
    this.number(draw, right, candidate + 64, "end", "hidden");
  }

  // A cell without a memory: sum, squeeze, done.
  anew(draw) {
    const { right, width, candidate, bus } = draw;
    const y = candidate - 70,
      x = 0.3 * width,
      squeeze = 0.62 * width;
    this.colour(pipe(draw.pipes, x, y, squeeze, y), "preactivation");
    this.colour(pipe(draw.pipes, squeeze, y, right, y), "hidden");
    wire(draw.wires, [x, bus], [x, y + 15]);
    place(draw.valves, x, y, "W x + U h + b", Math.min(120, 0.4 * width));
    place(draw.valves, squeeze, y, this.panel.spec.squeeze);
    this.number(draw, x, y - 44, "middle", "preactivation");
    this.number(draw, right, y - 44, "end", "hidden");
  }

  table() {
    const { numbers } = this.numbers();
    return {
      columns: ["what", "symbol", "number"],
      rows: Array.from(numbers, ([name, { symbol, value }]) => [
        name,
        symbol,
        Number.isNaN(value) ? "…" : digits(value),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent} ${this.panel.says.textContent}`;
  }
}
