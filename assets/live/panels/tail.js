// The whole vocabulary by rank, both axes logarithmic, what is struck out in grey; and one token's way through the rules.

import { Surface, ink } from "../drawing/canvas.js";
import { rules, tens, ticks } from "../marks/axes.js";
import { pointing } from "../marks/pointer.js";
import { element, percent, put, raised } from "../dom.js";
import { decoded, passage } from "../sums/decode.js";

const HIGH = 170,
  TOP = 10,
  BOTTOM = 36,
  LEFT = 46,
  RIGHT = 10;

export default class Tail {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.sums = element("p", "un-formula un-sums");
    panel.body.append(this.sums);
    pointing(this, (x) => this.at(x));
  }

  get text() {
    return this.panel.selection.get("rules") ?? "off";
  }

  at(x) {
    if (!this.found) return null;
    const size = this.found.order.length;
    const rank = Math.round(Math.max(2, size) ** ((x - LEFT) / this.across));
    return { choice: this.found.order[Math.max(1, Math.min(size, rank)) - 1] };
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const found = (this.found = decoded(reader, this.text));
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, TOP + HIGH + BOTTOM);
    if (!found) {
      this.sums.textContent = "";
      return;
    }
    const colours = ink(app.root);
    const across = (this.across = width - LEFT - RIGHT);
    const size = found.order.length,
      low = -8;
    const x = (rank) => LEFT + (across * Math.log(rank)) / Math.log(Math.max(2, size));
    const y = (p) => TOP + (HIGH * Math.max(low, Math.log10(Math.max(p, 1e-300)))) / low;
    const levels = [0, -2, -4, -6, -8].map((e) => [y(10 ** e), e ? `10${raised(e)}` : "100 %"]);
    rules(g, levels, { left: LEFT, right: LEFT + across, gap: 6, colours });
    ticks(
      g,
      tens(size).map((r) => [x(r), r.toLocaleString("en")]),
      TOP + HIGH + 12,
      colours,
    );
    const rank = width < 420 ? "rank" : "rank among all tokens, likeliest first";
    g.fillText(rank, LEFT + across / 2, TOP + HIGH + 27);
    this.bars(g, x, y, colours);
    const id = selection.get("choice") ?? found.order[0];
    const at = x(found.order.indexOf(id) + 1);
    g.strokeStyle = colours.text;
    g.strokeRect(at, TOP, 1, HIGH);
    panel.say(
      panel.spec.title,
      `All ${size.toLocaleString("en")} tokens: coloured tokens can be drawn, grey ones are struck out. Point at a bar to follow one token through the rules.`,
    );
    put(this.sums, passage(reader, found, this.text, id).join("\n"));
  }

  bars(g, x, y, colours) {
    const { order, after, before } = this.found;
    for (let i = 0, every; i < order.length; i += every) {
      const from = x(i + 0.5 > 1 ? i + 0.5 : 1),
        to = x(i + 1.5);
      const id = order[i];
      const kept = after[id] > 0;
      const value = kept ? after[id] : before[id];
      every = Math.max(1, Math.ceil(0.4 / (to - from))); // far down several ranks share a pixel
      g.fillStyle = kept ? colours.accent : colours.faint;
      g.globalAlpha = kept ? 1 : 0.45;
      g.fillRect(
        from,
        y(value),
        Math.max(1, Math.min(16, to - from - (to - from > 4 ? 1 : 0))),
        TOP + HIGH - y(value),
      );
    }
    g.globalAlpha = 1;
  }

  table() {
    return {
      columns: ["rule", "cuts of the mass", "tokens left"],
      rows: (this.found?.cuts ?? []).map((c) => [c.title, percent(c.mass), c.left.toLocaleString("en")]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.sums.textContent}`;
  }
}
