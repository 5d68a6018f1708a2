// One step of the filter: the belief before, what it predicts, how likely each state writes the token, the belief after,
// and the same with all that follows.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, percent, visible } from "../dom.js";
import { cut } from "../marks/strip.js";
import { Player, overTokens } from "../parts/player.js";
import * as hmm from "../sums/hmm.js";

const TOP = 40,
  MOST = 20,
  TERMS = 3,
  SMALL = 8, // pixels of a heading that would not fit
  HEADS = ["Before", "Prediction", "Writes it", "Filtered", "Smoothed"],
  // of each column the longest that has room
  SIGNS = [["f_t-1"], ["p_t = f_t-1 A", "f_t-1 A"], ["b(w_t)"], ["f_t"], ["γ_t"]];

export default class Filtering {
  constructor(panel) {
    this.panel = panel;
    this.player = new Player(panel, {
      title: "Read the text step by step",
      label: "Token",
      says: () => this.told(),
      ...overTokens(panel),
    });
    panel.body.append(this.player.node);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (_, y) => panel.selection.look({ ...panel.selection.hovered, unit: undefined, ...this.at(y) }),
      (_, y) => panel.selection.keep(this.at(y), panel.app),
      () => panel.selection.leave(),
    );
  }

  destroy() {
    this.player.stop();
  }

  at(y) {
    const row = Math.floor((y - TOP) / (this.row ?? 20));
    return this.rows?.[row] === undefined ? {} : { unit: this.rows[row] };
  }

  // The five columns of a step: (S,) each.
  step(reader, t) {
    const of = (name, at) => (at < 0 ? null : hmm.belief(reader, name, at));
    return [of("filter", t - 1), of("predict", t), of("likely", t), of("filter", t), of("smooth", t)];
  }

  told() {
    const reader = this.panel.reader();
    const t = this.panel.selection.token(reader);
    const best = hmm.largest(hmm.belief(reader, "filter", t));
    const name = hmm.tables(reader).states[best];
    return `“${visible(reader.labels[t])}”, ${name} ${percent(hmm.belief(reader, "filter", t)[best])}`;
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    this.player.node.hidden = !reader.labels.length;
    if (!reader.labels.length) return this.nothing();
    this.player.draw();
    const model = hmm.tables(reader);
    const t = selection.token(reader);
    const state = hmm.chosenState(reader, selection, t);
    const rows = (this.rows = hmm.rowsOf(reader, MOST));
    const row = (this.row = rows.length <= 6 ? 34 : 20);
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, TOP + rows.length * row + 2);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const left = width < 480 ? 56 : model.named ? 66 : 104;
    const wide = (width - left) / HEADS.length;
    const columns = this.step(reader, t);
    const most = Math.max(1e-30, ...columns[2]);
    g.textBaseline = "middle";
    HEADS.forEach((head, n) => {
      g.textAlign = "left";
      g.fillStyle = colours.text;
      const size = wide < 66 ? 9.5 : 12;
      g.font = font(size, 700);
      const room = (wide - 3) / g.measureText(head).width;
      if (room < 1) g.font = font(Math.max(SMALL, size * room), 700);
      g.fillText(cut(g, head, wide - 1), left + n * wide, 9);
      g.fillStyle = colours.faint;
      g.font = font(wide < 66 ? 9.5 : 11);
      const fits = SIGNS[n].find((sign) => g.measureText(sign).width <= wide - 4);
      g.fillText(fits ?? cut(g, SIGNS[n].at(-1) ?? "", wide - 4), left + n * wide, 25);
    });
    rows.forEach((s, i) => {
      const y = TOP + (i + 0.5) * row;
      const on = s === state;
      if (on) {
        g.globalAlpha = 0.09;
        g.fillStyle = colours.accent;
        g.fillRect(0, y - row / 2, width, row);
        g.globalAlpha = 1;
      }
      g.textAlign = "right";
      g.font = font(12, on ? 700 : 400);
      g.fillStyle = on ? colours.accent : colours.text;
      g.fillText(cut(g, hmm.called(model, s), left - 8), left - 8, y);
      columns.forEach((column, n) => {
        if (!column) return;
        const x = left + n * wide;
        const share = n === 2 ? column[s] / most : column[s];
        g.fillStyle = style.getPropertyValue(`--un-line-${[7, 0, 4, 0, 2][n]}`);
        g.globalAlpha = n === 1 ? 0.55 : 1;
        g.fillRect(x, y - row * 0.36, Math.max(share > 0.0005 ? 1 : 0, (wide - 8) * share), row * 0.72);
        g.globalAlpha = 1;
        if (share < 0.005) return;
        const said = n === 2 ? digits(column[s]) : percent(column[s]);
        g.font = font(11);
        const room = g.measureText(said).width;
        const inside = (wide - 8) * share > room + 6;
        if (!inside && (wide - 8) * share + room + 3 > wide) return;
        g.textAlign = "left";
        g.fillStyle = inside ? colours.ground : colours.text;
        g.fillText(said, inside ? x + 4 : x + (wide - 8) * share + 3, y);
      });
    });
    const word = visible(reader.labels[t]);
    panel.say(`“${word}”: predict, correct, repeat`, panel.spec.says);
    this.tell(reader, model, t, state);
    this.now = { reader, model, t, columns };
  }

  nothing() {
    this.now = this.rows = null;
    this.player.stop();
    this.surface.begin(1, 1);
    this.panel.say(this.panel.spec.title, this.panel.spec.says);
    this.panel.read("");
  }

  tell(reader, model, t, state) {
    const name = model.states[state];
    const value = (of) => reader.value(of, { token: t, state });
    const word = visible(reader.labels[t]);
    const past = hmm.evidence(reader, t);
    const terms = hmm
      .sources(reader, t, state)
      .slice(0, TERMS)
      .map(([i, f, a]) => `${percent(f)} (${model.states[i]}) × ${percent(a)}`);
    const from = terms.length
      ? `Predicted ${name}: ${terms.join(" + ")} … = ${percent(value("predict"))}. `
      : "";
    this.panel.read(
      `${from}Filtered ${name}: ${percent(value("predict"))} × ${digits(value("likely"))} ÷ ${digits(past)} = ${percent(value("filter"))}. The divisor is the sum over all states: P(“${word}” | what stands before).`,
    );
  }

  table() {
    const { now } = this;
    const rows = (now?.model.states ?? []).map((name, s) => [
      name,
      ...now.columns.map((column, n) => (column ? (n === 2 ? digits(column[s]) : percent(column[s])) : "")),
    ]);
    return { columns: ["state", ...HEADS], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
