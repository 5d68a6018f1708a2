// The diagram of a recurrent cell, laid out for a width: a belt for each memory with the valve that keeps,
// pipes that bring what is written, and what is shown of it.  A cell without memories: sum, squeeze, done.

import { label, node, pipe, place, valve, wire } from "./pipes.js";

export class CellDiagram {
  left = 4;

  /** @param {SVGElement} svg @param {any} cell its parts @param {boolean} shows whether it has an output gate */
  constructor(svg, cell, shows, width) {
    const { memories } = (this.cell = cell);
    const belts = memories.map((_, k) => 58 + k * 100);
    this.two = memories.length > 1;
    this.sets = []; // each sets one part from the numbers
    this.width = width;
    this.right = width - 4;
    this.candidate = (belts.at(-1) ?? 20) + 158;
    this.bus = this.candidate + 62;
    this.reach = 0.3 * width; // of the wire below all
    svg.setAttribute("viewBox", `0 0 ${width} ${this.bus + 44}`);
    svg.setAttribute("width", String(width));
    svg.setAttribute("height", String(this.bus + 44));
    svg.replaceChildren();
    this.wires = node(svg, "g");
    this.pipes = node(svg, "g");
    this.valves = node(svg, "g");
    this.labels = node(svg, "g");
    if (!memories.length) this.anew();
    memories.forEach((memory, k) =>
      this.belt(memory, belts[k], (this.two ? 0.4 + 0.2 * k : 0.46) * width, k ? 28 : -28),
    );
    if (memories.length)
      this.write((this.two ? 0.5 : 0.46) * width, this.two ? 0.34 * width : 88, cell.resets);
    if (shows) this.output(belts[0], belts.at(-1));
    this.wire([this.left, this.bus], [this.reach, this.bus]);
    this.number(this.left, this.bus + 22, "start", "before hidden");
    this.token = label(this.labels, this.left + 96, this.bus + 22, "start", "token");
  }

  draw(numbers, scale) {
    for (const set of this.sets) set(numbers, scale);
  }

  wire(...points) {
    wire(this.wires, ...points);
  }

  place(x, y, text, wide = 0) {
    place(this.valves, x, y, text, wide);
  }

  pipe(x1, y1, x2, y2, name) {
    const set = pipe(this.pipes, x1, y1, x2, y2);
    this.sets.push((numbers, scale) => set(scale.css(numbers.get(name).value)));
  }

  number(x, y, anchor, name) {
    const set = label(this.labels, x, y, anchor, name);
    this.sets.push((numbers) => set(numbers.get(name).symbol, numbers.get(name).value));
  }

  valve(x, y, lying, name) {
    const set = valve(this.valves, x, y, lying);
    this.sets.push((numbers) => set(numbers.get(name).value));
  }

  // One memory: its belt with the valve that keeps, and the pipe that brings what is written.
  belt({ state, keep, write }, y, x, aside) {
    const { left, right, candidate, bus, two } = this;
    const { coupled, looks } = this.cell;
    const keeper = 0.2 * this.width;
    this.pipe(left, y, keeper, y, `before ${state}`);
    this.pipe(keeper, y, x, y, `kept ${state}`);
    this.pipe(x, y, right, y, state);
    this.number(left, y - 36, "start", `before ${state}`);
    this.number(right, y - 36, "end", state);
    this.number((keeper + x) / 2 + 14, y - 36, "middle", `kept ${state}`);
    if (keep) {
      this.wire([keeper, bus], [keeper, y + 16]);
      const loop = [keeper - 22, keeper - 22, keeper - 4, keeper - 4];
      if (looks) this.wire(...[13, 24, 24, 16].map((down, i) => [loop[i], y + down]));
      this.valve(keeper, y, true, `keep ${state}`);
      this.number(left, y + 34, "start", `keep ${state}`);
    }
    const gate = write.find((name) => name.startsWith("gate."));
    const inlet = candidate - 70;
    this.pipe(x, candidate - 12, x, inlet, "candidate");
    this.pipe(x, inlet, x, y, `added ${state}`);
    this.number(x - 20, y + 34, "end", `added ${state}`);
    if (gate) {
      const own = !coupled && gate !== keep; // else it follows from the valve that keeps
      const from = x + (two ? aside : -34);
      if (own) this.wire([from, bus], [from, inlet], [x + Math.sign(from - x) * 18, inlet]);
      else this.wire([keeper, inlet], [x - 18, inlet]);
      if (looks) this.wire([x - 17, y + 13], [x - 17, inlet - 9]);
      this.valve(x, inlet, false, gate);
      if (two) this.number(x - 20, inlet - 26, "end", gate);
      else this.number(x + 22, inlet - 2, "start", gate);
    }
    this.place(x, y, "+");
  }

  // What may be written, and the gate that resets the state it is made from.
  write(x, wide, resets) {
    const { candidate: y, bus, left, two } = this;
    const reset = 0.12 * this.width;
    this.wire([x, bus], [x, y + 15]);
    this.reach = x;
    if (resets) {
      this.pipe(left, y, x, y, "before hidden");
      this.wire([reset, bus], [reset, y + 16]);
      this.valve(reset, y, true, resets);
      this.number(reset + 2, y - 36, "middle", resets);
    }
    this.place(x, y, "tanh", wide);
    if (resets) this.number(x + wide / 2 + 6, y - 2, "start", "candidate");
    else if (two) this.number(x, y - 36, "middle", "candidate");
    else this.number(x - wide / 2 - 6, y - 2, "end", "candidate");
  }

  // What is shown of the memory: through tanh and the valve of the output gate.
  output(first, last) {
    const { right, candidate, bus, two } = this;
    const x = (two ? 0.74 : 0.7) * this.width;
    const gate = candidate - 44;
    this.pipe(x, first + 13, x, gate, "shown");
    if (this.cell.looks) this.wire([x + 38, last], [x + 38, gate], [x + 18, gate]);
    this.pipe(x, gate, x, candidate + 34, "hidden");
    this.pipe(x - 13, candidate + 34, right, candidate + 34, "hidden");
    this.place(x, last + 46, "tanh");
    this.number(right, last + 42, "end", "shown");
    this.reach = x + (two ? 38 : -38);
    this.wire([this.reach, bus], [this.reach, gate], [x + (two ? 18 : -18), gate]);
    this.valve(x, gate, false, "gate.output");
    this.number(right, gate - 4, "end", "gate.output");
    this.number(right, candidate + 64, "end", "hidden");
  }

  anew() {
    const { right, width, bus } = this;
    const [x, y, squeeze] = [0.3 * width, this.candidate - 70, 0.62 * width];
    this.pipe(x, y, squeeze, y, "preactivation");
    this.pipe(squeeze, y, right, y, "hidden");
    this.wire([x, bus], [x, y + 15]);
    this.place(x, y, "W x + U h + b", Math.min(120, 0.4 * width));
    this.place(squeeze, y, this.cell.squeeze);
    this.number(x, y - 44, "middle", "preactivation");
    this.number(right, y - 44, "end", "hidden");
  }
}
