// The track of the time machine: the loss curve, with a stop for each step that was kept, and a handle.

import { Surface, ink } from "../drawing/canvas.js";
import { course, dot, pointer } from "../marks/lines.js";

const HEIGHT = 38,
  LEFT = 10,
  RIGHT = 12,
  TOP = 9,
  BOTTOM = 12,
  GROUND = HEIGHT - BOTTOM + 3;

export const number = (n) => Math.round(n).toLocaleString("en");

export class Track {
  dragging = false;

  /**
   * @param {HTMLElement} parent @param {any} news
   * @param {{key: (e: KeyboardEvent) => void, held: () => void, go: (at: number) => void}} on
   */
  constructor(parent, news, { key, held, go }) {
    this.news = news;
    this.surface = new Surface(parent);
    const { node } = this.surface;
    this.node = node;
    const about = { role: "slider", "aria-label": "Training step; everything below follows" };
    const range = { "aria-valuemin": "0", "aria-valuemax": String(news.steps.length - 1) };
    for (const [name, value] of Object.entries({ ...about, ...range })) node.setAttribute(name, value);
    node.addEventListener("keydown", key);
    node.addEventListener("pointerdown", (e) => {
      if (e.button) return;
      held();
      this.dragging = true;
      node.setPointerCapture(e.pointerId);
      go(this.nearest(e));
    });
    node.addEventListener("pointermove", (e) => {
      if (this.dragging) go(this.nearest(e));
    });
    for (const name of ["pointerup", "pointercancel"])
      node.addEventListener(name, () => {
        this.dragging = false;
      });
  }

  nearest(e) {
    const x = e.clientX - this.node.getBoundingClientRect().left;
    const away = this.news.steps.map((step) => Math.abs(this.x(step) - x));
    return away.indexOf(Math.min(...away));
  }

  // Where a step lies: its logarithm.
  x(step) {
    const { low, high, width } = this.span;
    const share = Math.log(Math.max(step, low) / low) / Math.max(1e-9, Math.log(high / low));
    return LEFT + share * (width - LEFT - RIGHT);
  }

  /**
   * @param {number} at number of the stop @param {HTMLElement} root
   * @param {string[]} lines colours of the training and of held-out text
   */
  draw(at, root, lines) {
    const { news } = this;
    const width = Math.max(120, this.node.parentElement.clientWidth);
    const first = Math.min(news.steps[0], news.train[0]?.[0] ?? 1e9);
    this.span = { low: Math.max(1, first), high: Math.max(news.total, 2), width };
    const g = this.surface.begin(width, HEIGHT);
    const colours = ink(root);
    this.ground(g, width, colours);
    const values = [...news.train, ...news.held].map((row) => row[1]);
    if (values.length) this.curves(g, values, lines, colours);
    news.steps.forEach((step, n) => {
      g.fillStyle = n === at ? colours.accent : colours.faint;
      g.fillRect(Math.round(this.x(step)) - 1, GROUND - 5, 2, 10);
    });
    g.fillStyle = colours.text;
    for (const { step } of news.marks) pointer(g, this.x(step), 8, 7);
    const x = this.x(news.steps[at]);
    g.strokeStyle = g.fillStyle = colours.accent;
    g.lineWidth = 2;
    g.beginPath();
    g.moveTo(x, TOP - 4);
    g.lineTo(x, GROUND);
    g.stroke();
    dot(g, x, GROUND, 6);
    g.strokeStyle = colours.ground;
    g.stroke();
    g.lineWidth = 1;
  }

  // The line that the stops stand on.
  ground(g, width, colours) {
    g.fillStyle = colours.line;
    g.fillRect(LEFT, GROUND, width - RIGHT - LEFT, 1);
  }

  curves(g, values, lines, colours) {
    const { news } = this;
    const [train, held] = lines;
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = HEIGHT - TOP - BOTTOM;
    const y = (v) => TOP + ((high - Math.max(low, Math.min(high, v))) / Math.max(1e-9, high - low)) * room;
    const at = (rows) => (t) => this.x(rows[t][0]);
    const of = (rows) => (t) => y(rows[t][1]);
    g.fillStyle = train;
    g.globalAlpha = 0.22; // from the least to the most of all steps in a column
    g.beginPath();
    for (const [step, , , most] of news.train) g.lineTo(this.x(step), y(most));
    for (const [step, , least] of news.train.toReversed()) g.lineTo(this.x(step), y(least));
    g.fill();
    g.globalAlpha = 1;
    course(g, news.train.length, at(news.train), of(news.train), train, 1.5);
    course(g, news.held.length, at(news.held), of(news.held), held, 1, 2.5);
  }
}
