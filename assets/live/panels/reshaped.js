// How the matrix of all queries becomes one for each head, without a loop: a small one, number by number.

import { Surface, font, ink } from "../drawing/canvas.js";
import { element, put, short } from "../dom.js";
import { fitted } from "../marks/strip.js";
import { button } from "../parts/controls.js";
import { Player } from "../parts/player.js";
import { heads } from "../sums/reshaped.js";

const [TOKENS, HEADS, WIDE] = [5, 4, 2]; // of the small one: tokens at most, heads, numbers of a head
const [TOP, ROW, APART, BETWEEN] = [24, 26, 10, 34];
const STEPS = [
  ["(n, d)", "one product with W_Q for all heads"],
  ["(n, h, d_k)", "the columns are counted by head; nothing moves"],
  ["(h, n, d_k)", "the heads stand before the tokens"],
  ["(h, n, n)", "one product of queries and keys, in every head at once"],
  ["(n, d)", "what the heads mixed, side by side again, for W_O"],
];
const BLOCKS = 2; // the step from which each head has a block of its own

export default class Reshaped {
  wrong = false;
  seen = BLOCKS;

  constructor(panel) {
    this.panel = panel;
    this.player = new Player(panel, {
      title: "Follow the numbers from one matrix to the heads and back",
      count: () => STEPS.length,
      says: (step) => STEPS[step][0],
      where: () => this.seen,
    });
    this.swap = button("Forget the transpose", () => {
      this.wrong = !this.wrong;
      this.player.go(BLOCKS);
    });
    this.player.node.append(this.swap);
    this.key = element("p", "un-key");
    panel.body.append(this.player.node, this.key);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
  }

  destroy() {
    this.player.stop();
  }

  get labels() {
    return this.panel.reader().labels.slice(0, TOKENS);
  }

  draw() {
    const { panel, player, labels } = this;
    const n = labels.length;
    this.swap.setAttribute("aria-pressed", String(this.wrong));
    if (!n) {
      this.surface.begin(panel.body.clientWidth, 1);
      return panel.read("");
    }
    player.draw();
    const step = player.step;
    this.seen = step;
    const width = panel.body.clientWidth;
    const left = width < 480 ? 64 : 110;
    const cell = Math.min(44, (width - left - BETWEEN - 4) / (2 * Math.max(n, HEADS)));
    const block = n * ROW + BETWEEN;
    const g = this.surface.begin(width, TOP + 2 * block);
    const at = { n, cell, left, block, across: Math.max(n, WIDE) * cell + BETWEEN };
    const colours = ink(panel.app.root);
    const { share } = player;
    const blocks = (s) => s === BLOCKS || s === BLOCKS + 1;
    this.names(g, labels, blocks(step), at, colours);
    const squares = step === 3 ? share : step === 4 && share < 1 ? 1 - share : 0;
    if (squares) this.squares(g, at, squares, colours);
    const [from, to] = [this.places(Math.max(0, step - 1), at), this.places(step, at)];
    const style = getComputedStyle(panel.app.root);
    g.font = font(11);
    g.textAlign = "center";
    g.textBaseline = "middle";
    const seen = step === 3 ? 1 - share : step === 4 && share < 1 ? share : 1;
    for (let i = 0; seen && i < to.length; i++) {
      const [x, y] = [0, 1].map((d) => from[i][d] + (to[i][d] - from[i][d]) * share);
      g.globalAlpha = 0.3 * seen;
      g.fillStyle = style.getPropertyValue(`--un-line-${Math.floor(i / WIDE) % HEADS}`) || colours.accent;
      g.fillRect(x, y, cell - 2, ROW - 2);
      g.globalAlpha = seen;
      g.fillStyle = colours.text;
      g.fillText(String(i), x + cell / 2 - 1, y + ROW / 2);
    }
    g.globalAlpha = 1;
    panel.say(`${panel.spec.title}: ${STEPS[step][0]}`, panel.spec.says);
    put(this.key, `${STEPS[step][0]}: ${STEPS[step][1]}. A colour is a head, a number its place in memory.`);
    panel.read(this.words(n));
  }

  // Where the numbers stand at a step, by their place in memory.
  places(step, { n, cell, left, block, across }) {
    if (step === 0 || step > BLOCKS + 1)
      return heads(n, HEADS, WIDE).map(({ head, row, column }) => [
        left + (head * WIDE + column) * cell,
        TOP + row * ROW,
      ]);
    if (step < BLOCKS)
      return heads(n, HEADS, WIDE).map(({ head, row, column }) => [
        left + (head * WIDE + column) * cell + head * APART * Math.min(1, cell / 30),
        TOP + row * ROW,
      ]);
    return heads(n, HEADS, WIDE, this.wrong).map(({ head, row, column }) => [
      left + (head % 2) * across + column * cell,
      TOP + Math.floor(head / 2) * block + row * ROW,
    ]);
  }

  names(g, labels, blocks, { left, block, across }, colours) {
    g.textBaseline = "middle";
    for (let b = 0; b < (blocks ? 2 : 1); b++) {
      g.font = font(13);
      g.textAlign = "right";
      g.fillStyle = colours.text;
      labels.forEach((label, t) => {
        const named = blocks && this.wrong ? `${t + 1}` : short(label, 14);
        g.fillText(fitted(g, named, left - 12), left - 8, TOP + b * block + (t + 0.5) * ROW);
      });
      if (!blocks) continue;
      g.font = font(12, 600);
      g.textAlign = "left";
      for (let c = 0; c < 2; c++)
        g.fillText(`head ${2 * b + c + 1}`, left + c * across, TOP + b * block - 11);
    }
  }

  // The scores of each head: a row for each token that looks, a column for each that is looked at.
  squares(g, { n, cell, left, block, across }, seen, colours) {
    const style = getComputedStyle(this.panel.app.root);
    for (let head = 0; head < HEADS; head++)
      for (let i = 0; i < n * n; i++) {
        g.globalAlpha = 0.3 * seen;
        g.fillStyle = style.getPropertyValue(`--un-line-${head}`) || colours.accent;
        const x = left + (head % 2) * across + (i % n) * cell;
        g.fillRect(x, TOP + Math.floor(head / 2) * block + Math.floor(i / n) * ROW, cell - 2, ROW - 2);
      }
    g.globalAlpha = 1;
  }

  words(n) {
    const { heads: h, size: k, width } = this.panel.spec;
    if (this.wrong)
      return `Read as (h, n, d_k) at once, head 1 gets the numbers 0 to ${n * WIDE - 1} as they lie in memory: a few tokens, with numbers of all heads. The shapes are right, so nothing complains.`;
    return `Drawn small, ${HEADS} heads of ${WIDE} numbers. In this model ${n} × ${width} numbers become ${h} × ${n} × ${k}, then ${h} × ${n} × ${n} scores: two products for all heads, where a loop would need ${2 * h}.`;
  }

  table() {
    const n = this.labels.length;
    return {
      columns: ["token", "column", "place in memory", "head", "row of the head"],
      rows: heads(n, HEADS, WIDE, this.wrong).map(({ head, row }, i) => [
        this.labels[Math.floor(i / (HEADS * WIDE))],
        (i % (HEADS * WIDE)) + 1,
        i,
        head + 1,
        row + 1,
      ]),
    };
  }
}
