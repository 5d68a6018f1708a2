// The whole vocabulary by rank, both axes logarithmic, what is struck out in grey; and one token's way through the rules.

import { Surface, font, ink } from "../drawing/canvas.js";
import { decoded, readRules, OFF } from "../sums/decode.js";
import { digits, element, percent, raised, visible } from "../dom.js";

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
    this.surface.onPointer(
      (x) => panel.selection.look(this.at(x)),
      (x) => panel.selection.keep(this.at(x), panel.app),
      () => panel.selection.leave(),
    );
  }

  get text() {
    return this.panel.selection.get("rules") ?? "off";
  }

  at(x) {
    if (!this.found) return {};
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
    const { order, after, before } = found;
    const colours = ink(app.root);
    const across = (this.across = width - LEFT - RIGHT);
    const size = order.length,
      low = -8;
    const x = (rank) => LEFT + (across * Math.log(rank)) / Math.log(Math.max(2, size));
    const y = (p) => TOP + (HIGH * Math.max(low, Math.log10(Math.max(p, 1e-300)))) / low;
    g.font = font(11);
    g.textBaseline = "middle";
    for (let e = 0; e >= low; e -= 2) {
      g.fillStyle = colours.line;
      g.fillRect(LEFT, Math.round(y(10 ** e)), across, 1);
      g.fillStyle = colours.faint;
      g.textAlign = "right";
      g.fillText(e ? `10${raised(e)}` : "100 %", LEFT - 6, y(10 ** e));
    }
    g.textAlign = "center";
    for (let r = 1; r <= size; r *= 10) g.fillText(r.toLocaleString("en"), x(r), TOP + HIGH + 12);
    g.fillText(
      width < 420 ? "rank" : "rank among all tokens, likeliest first",
      LEFT + across / 2,
      TOP + HIGH + 27,
    );
    for (let i = 0, every; i < size; i += every) {
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
    const id = selection.get("choice") ?? order[0];
    const rank = order.indexOf(id) + 1;
    g.strokeStyle = colours.text;
    g.strokeRect(x(rank), TOP, 1, HIGH);
    panel.say(
      panel.spec.title,
      `All ${size.toLocaleString("en")} tokens: coloured tokens can be drawn, grey ones are struck out. Point at a bar to follow one token through the rules.`,
    );
    this.explain(reader, found, id, rank);
  }

  // One token's sums, rule by rule.
  explain(reader, found, id, rank) {
    const rules = readRules(this.text);
    const logit = reader.fields.get("logits").values[id];
    const lines = [
      `“${visible(reader.spec.labels.next[id])}”, rank ${rank.toLocaleString("en")}: z = ${digits(logit)}, the model says ${percent(found.before[id])}`,
    ];
    if (rules.r !== OFF.r)
      lines.push(
        found.z[id] === logit
          ? "repetition penalty: not used so far, z unchanged"
          : `repetition penalty: z ${logit > 0 ? "/" : "×"} ${rules.r} = ${digits(found.z[id])}`,
      );
    if (rules.t !== OFF.t || rules.r !== OFF.r)
      lines.push(
        rules.t === 0
          ? `temperature 0: ${percent(found.warm[id])}`
          : `temperature: e^(z/${rules.t}) / Σ e^(z/${rules.t}) = ${percent(found.warm[id])}`,
      );
    let p = found.warm[id],
      left = 1;
    for (const { title, mass, left: count } of found.cuts) {
      if (found.by[id] === title) {
        lines.push(`${title}: struck out`);
        break;
      }
      if (!(p > 0)) break;
      const share = mass / left;
      const before = p;
      p /= 1 - share;
      left -= mass;
      lines.push(
        `${title}: ${percent(before)} / (1 − ${percent(share)}) = ${percent(p)}, ${count.toLocaleString("en")} token${count > 1 ? "s" : ""} left`,
      );
    }
    const said = lines.join("\n");
    if (this.sums.textContent !== said) this.sums.textContent = said;
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
