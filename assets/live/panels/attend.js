// One head as a chain of matrices: input, query, key, value; product, scaled, masked, softmax; weighted values, reading.
// Pointing at a cell lights up what it is made of; its sum stands in the panel beside.

import { Scale, Surface, font, ink, legend } from "../drawing/canvas.js";
import { digits, element, short, visible } from "../dom.js";
import {
  SQUARES,
  STAGES,
  cell,
  choices,
  oneHead,
  sources,
  spot,
  weighted,
  written,
} from "../sums/onehead.js";
import { cellAt, cellNumbers, columnNames, frame, grid, rowNames, share } from "../marks/grid.js";
import { cut } from "../marks/strip.js";
import { pointing } from "../marks/pointer.js";

const GAP = 20,
  ABOUT = 17,
  TITLE = 22,
  HEADS = 46,
  SUMS = 34,
  FOOT = 30,
  LOWER = 20,
  HIGH = 190;

const BY_KEY = new Set(["key", "value", "weighted"]); // their rows are the tokens looked at
const HIDES = "Hide what comes later, or let every token see all";
const SAID = {
  input: "Each token's vector x is projected to three: its query, its key and its value.",
  product: "Every query meets every key: row = the token that looks, column = the token looked at.",
  weighted: "The values, each multiplied by its weight for {token}, are added up: the output of the head.",
};

export default class Attend {
  constructor(panel) {
    this.panel = panel;
    this.stores = {};
    this.bar();
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    pointing(this, (x, y) => this.find(x, y));
  }

  bar() {
    const { panel } = this;
    const { layers, heads, dim } = panel.reader().spec.head;
    const bar = element("div", "un-order");
    const select = (name, count) => {
      const label = element("label", "", { textContent: `${name} ` });
      const node = element("select", "un-select");
      for (let n = 0; n < count; n++)
        node.append(element("option", "", { value: String(n), textContent: String(n + 1) }));
      node.onchange = () => panel.selection.keep({ [name]: Number(node.value) }, panel.app);
      label.append(node);
      bar.append(label);
      return node;
    };
    this.layer = select("layer", layers);
    this.head = select("head", heads);
    const button = (textContent, title, act) => {
      const node = element("button", "un-button", { type: "button", textContent, title });
      node.onclick = () => act(choices(panel.selection));
      bar.append(node);
      return node;
    };
    const put = (choice) => panel.selection.keep({ with: written(choice) }, panel.app);
    this.scale = button(
      `÷ √${dim}`,
      "Divide every score by the square root of the head's width, or not",
      (c) => put({ ...c, scale: !c.scale }),
    );
    this.mask = button("mask", HIDES, (c) => put({ ...c, mask: !c.mask }));
    this.row = button("softmax over rows", "The weights of each row add up to 1", () =>
      panel.selection.keep({ by: undefined }, panel.app),
    );
    this.column = button("over columns", "The weights of each column add up to 1", () =>
      panel.selection.keep({ by: "column" }, panel.app),
    );
    panel.body.append(bar);
  }

  // For the message to Python: the head wanted, and the one whose numbers are here.
  ask() {
    const { selection } = this.panel;
    this.asked = this.wanted();
    return {
      at: [selection.get("layer") ?? 0, selection.get("head") ?? 0],
      at_before: this.panel.reader().said.at ?? null,
    };
  }

  wanted() {
    const { selection } = this.panel;
    return `${selection.get("layer") ?? 0} ${selection.get("head") ?? 0}`;
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const wanted = this.wanted();
    if (wanted !== reader.said.at?.join(" ") && wanted !== this.asked) {
      this.asked = wanted;
      app.again();
    }
    const n = oneHead(reader, selection);
    const [layer, head] = reader.said.at ?? [0, 0];
    this.layer.value = String(layer);
    this.head.value = String(head);
    for (const [node, on] of [
      [this.scale, n.choice.scale],
      [this.mask, n.choice.mask],
      [this.row, !n.choice.column],
      [this.column, n.choice.column],
    ])
      node.setAttribute("aria-pressed", String(on));
    panel.say(`Layer ${layer + 1}, head ${head + 1}, step by step`, this.says(n));
    if (!n.T) {
      this.surface.begin(1, 1);
      this.boxes = [];
      return panel.read("Type something to see its tokens pass through this head.");
    }
    this.mask.disabled = n.biased;
    this.mask.title = n.biased
      ? "This model adds a position bias, which it does not give for masked tokens"
      : HIDES;
    this.paint(reader, n, cell(reader, selection, n));
    panel.read(this.reading(reader, n, cell(reader, selection, n)));
  }

  says(n) {
    const whose = n.own
      ? "All numbers are the model's own."
      : "Changed: from your change on, the numbers are computed here, over the tokens shown.";
    return `A row is a token. Point at any cell to see how it is computed; click to keep it. ${whose}`;
  }

  paint(reader, n, at) {
    const { panel } = this;
    const { app } = panel;
    const width = panel.body.clientWidth;
    const colours = ink(app.root);
    const g = this.surface.begin(width, this.height ?? 10); // for measuring; begun again below where the height is another
    g.font = font(12, 700);
    const widest = Math.max(...reader.labels.map((label) => g.measureText(short(label)).width));
    const left = Math.ceil(Math.min(widest + 8, width * 0.22, 96));
    const per = width > 540 ? 4 : 2;
    const wide = Math.floor((width - left - GAP * (per - 1) - SUMS) / per);
    const high = Math.max(3, Math.min(22, Math.floor(HIGH / n.T)));
    const lines = [STAGES.slice(0, 4), SQUARES, STAGES.slice(8)].flatMap((line) =>
      per === 4 || line.length < 3 ? [line] : [line.slice(0, 2), line.slice(2)],
    );
    let y = 0;
    this.boxes = lines.flatMap((line) => {
      const square = SQUARES.includes(line[0]);
      const said = SAID[line[0]]
        ? wrapped(g, SAID[line[0]].replace("{token}", `“${short(reader.labels[at.i])}”`), width)
        : [];
      const about = said.length * ABOUT + 3;
      const heading = y + about + TITLE / 2;
      const top = y + about + TITLE + (square && wide / n.T >= 8 ? HEADS : 0);
      y = top + high * n.T + (line.includes("attention") ? LOWER : 0) + FOOT + 12;
      return line.map((stage, c) => ({
        stage,
        square,
        heading,
        said: c ? [] : said,
        first: c === 0,
        x: left + c * (wide + GAP),
        y: top,
        w: wide,
        h: high * n.T,
        rows: n.T,
        columns: square ? n.T : stage === "input" ? n.D : n.d,
      }));
    });
    this.height = y;
    this.surface.begin(width, y);
    const [row, column] = spot(at);
    /** @type {{stage: string, row?: number, column?: number, main?: boolean}[]} */
    const lit = [{ row, column, stage: at.stage, main: true }, ...sources(at, n.choice)];
    for (const box of this.boxes) this.box(g, reader, n, box, at, colours, left);
    for (const box of this.boxes)
      for (const light of lit)
        if (light.stage === box.stage) frame(g, box, light, colours, light.main ? 2.5 : 1.5);
    this.sums(g, n, at, colours);
  }

  box(g, reader, n, box, at, colours, left) {
    const { stage, x, y, w, h, rows, columns, square } = box;
    const scale = scaleOf(reader, stage, this.panel.app.dark);
    const values = stage === "weighted" ? weighted(n, at.i) : n[stage];
    grid(g, (this.stores[stage] ??= {}), box, { values }, scale, colours);
    g.textBaseline = "middle";
    g.textAlign = "left";
    g.fillStyle = colours.text;
    g.font = font(12, 650);
    g.fillText(cut(g, title(stage, n, reader), w + GAP - 8), x, box.heading);
    g.fillStyle = colours.faint;
    g.font = font(12);
    box.said.forEach((words, n) =>
      g.fillText(words, 0, box.heading - TITLE / 2 - ABOUT * (box.said.length - n - 0.5)),
    );
    if (box.first) rowNames(g, box, reader.labels, BY_KEY.has(stage) ? at.j : at.i, colours, left);
    const [wide, high] = [w / columns, h / rows];
    if (square && wide >= 8) columnNames(g, box, reader.labels, at.j, colours, HEADS);
    if (square && wide >= 21 && high >= 12)
      cellNumbers(
        g,
        box,
        Math.min(11, wide * 0.42, high * 0.75),
        scale,
        (r, c) => values[r * columns + c],
        stage === "attention" ? share : oneDigit,
      );
    legend(g, x, y + h + 6 + (stage === "attention" ? LOWER : 0), Math.min(w, 150), scale, "", colours);
  }

  // Beside and below the weights: what each row and each column adds up to, as a bar; 1 is as long as there is room.
  sums(g, n, at, colours) {
    const box = this.boxes.find(({ stage }) => stage === "attention");
    const down = box.h / n.T,
      across = box.w / n.T;
    const most = Math.max(1, ...n.rowSums, ...n.columnSums);
    g.globalAlpha = 0.55;
    g.fillStyle = colours.faint;
    for (let t = 0; t < n.T; t++) {
      g.fillRect(
        box.x + box.w + 3,
        box.y + t * down + 0.5,
        ((SUMS - 6) * n.rowSums[t]) / most,
        Math.max(1, down - 1),
      );
      g.fillRect(
        box.x + t * across + 0.5,
        box.y + box.h + 3,
        Math.max(1, across - 1),
        ((LOWER - 4) * n.columnSums[t]) / most,
      );
    }
    g.globalAlpha = 1;
    g.font = font(10, 700);
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillStyle = colours.text;
    g.fillText(digits(n.rowSums[at.i]).slice(0, 4), box.x + box.w + 5, box.y + (at.i + 0.5) * down);
    g.textAlign = "center";
    g.fillText(digits(n.columnSums[at.j]).slice(0, 4), box.x + (at.j + 0.5) * across, box.y + box.h + 11);
  }

  find(px, py) {
    const box = this.boxes?.find((b) => cellAt(b, px, py));
    if (!box) return null;
    const reader = this.panel.reader();
    const [row, column] = cellAt(box, px, py);
    const token = reader.place(row);
    if (box.square) return { ...token, other: column + reader.offset, field: box.stage };
    if (BY_KEY.has(box.stage)) return { other: row + reader.offset, unit: column, field: box.stage };
    return { ...token, unit: column, field: box.stage };
  }

  reading(reader, n, at) {
    const word = (t) => `“${visible(reader.labels[t])}”`;
    const before = n.own && reader.offset > 0 ? " together with the tokens before the part shown" : "";
    const sums = n.choice.column
      ? "Each column adds up to 1, but the rows do not: the weights of a token no longer add up to 1."
      : `Each row adds up to 1${before}, but the columns do not: some tokens get more attention than others.`;
    return `${word(at.i)} reads ${digits(100 * n.attention[at.i * n.T + at.j])} % of ${word(at.j)}. ${sums} Sums: row ${digits(n.rowSums[at.i])}, column ${digits(n.columnSums[at.j])}.`;
  }

  // What is on the screen besides the fields, for checks from outside.
  drawn() {
    const n = oneHead(this.panel.reader(), this.panel.selection);
    const { labels } = this.panel.reader();
    return n.T
      ? Object.fromEntries(
          SQUARES.map((stage) => [
            `drawn.${stage}`,
            { axes: ["query", "key"], labels: [labels, labels], values: Float32Array.from(n[stage]) },
          ]),
        )
      : {};
  }

  table() {
    const reader = this.panel.reader();
    const n = oneHead(reader, this.panel.selection);
    const rows = [];
    for (let i = 0; i < n.T; i++)
      for (let j = 0; j < n.T; j++)
        rows.push([
          visible(reader.labels[i]),
          visible(reader.labels[j]),
          ...SQUARES.map((stage) => digits(n[stage][i * n.T + j])),
        ]);
    return { columns: ["looks", "looked at", "q · k", "scaled", "masked", "weight"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}

// As wide as the numbers of this head need, the same whatever is typed.
function scaleOf(reader, stage, dark) {
  const { scale } = reader.spec.fields[stage];
  const far = reader.said.reach[stage === "weighted" ? "value" : stage];
  return new Scale(far ? { ...scale, low: -far, high: far } : scale, dark);
}

function title(stage, n, reader) {
  const root = `√${n.d}`;
  const before = reader.said.at[0] ? `x, after layer ${reader.said.at[0]}` : "x, embedding";
  const names = {
    input: before,
    query: "q, queries",
    key: "k, keys",
    value: "v, values",
    product: "q · k",
    scaled: n.choice.scale ? `÷ ${root}` : "not divided",
    masked: n.choice.mask ? "mask" : "no mask",
    attention: "softmax",
    weighted: "weight × v",
    reading: "z, the sums",
  };
  return `${STAGES.indexOf(stage) + 1} ${names[stage]}`;
}

function oneDigit(v) {
  if (!Number.isFinite(v)) return "";
  return (Math.abs(v) >= 9.95 ? v.toFixed(0) : v.toFixed(1)).replace("-", "−");
}

// A sentence in lines of at most `room` pixels.
function wrapped(g, sentence, room) {
  const lines = [""];
  for (const word of sentence.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${word}` : word;
    if (lines.at(-1) && g.measureText(longer).width > room) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
