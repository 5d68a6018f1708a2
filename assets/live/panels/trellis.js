// The trellis of a hidden Markov model over the text: states down, tokens across, a circle for each belief, the
// likeliest path, and from each state a line back to where its best path comes from.

import { Surface, font, ink } from "../drawing/canvas.js";
import { element, percent, short, visible } from "../dom.js";
import { bar, button, keyItem } from "../parts/controls.js";
import * as hmm from "../sums/hmm.js";
import { circles, lines, names } from "./trellis/drawing.js";

const MOST = 24, // states with a row
  TOP = 46,
  WIDEST = 150;

export default class Trellis {
  backs = true;

  constructor(panel) {
    this.panel = panel;
    this.views = Object.entries(hmm.VIEWS).map(([name, words]) => {
      const node = button(words, () => panel.selection.keep({ by: name }, panel.app));
      node.dataset.view = name;
      return node;
    });
    this.lines = button("Lines back", () => {
      this.backs = !this.backs;
      this.draw();
    });
    this.reset = button("Back to the best path", () => this.bend(new Map()));
    this.key = element("span", "un-key");
    this.key.append(
      keyItem("var(--un-accent)", "likeliest path"),
      keyItem("var(--un-line-1)", "likeliest state at a place, where it differs"),
      (this.own = keyItem("var(--un-line-2)", "your path")),
    );
    const above = bar(...this.views, this.lines, this.reset, this.key);
    this.strip = element("div", "un-strip");
    panel.body.append(above, this.strip);
    this.long = this.strip.appendChild(element("div")); // as wide as the text, where the page is not
    this.strip.addEventListener("scroll", () => this.box?.left && this.paint()); // the names of the states stay in sight
    this.surface = new Surface(this.long);
    this.pen = document.createElement("canvas").getContext("2d"); // measures words
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => panel.selection.look(this.at(x, y) ?? {}),
      (x, y) => this.click(x, y),
      () => panel.selection.leave(),
    );
  }

  get view() {
    const chosen = this.panel.selection.get("by");
    return chosen in hmm.VIEWS ? chosen : "filter";
  }

  bend(of, place = {}) {
    this.panel.selection.keep({ ...place, picks: hmm.written(of) }, this.panel.app);
  }

  at(x, y) {
    const { box } = this;
    if (!box || x < box.left + this.strip.scrollLeft) return null;
    const reader = this.panel.reader();
    const t = Math.max(0, Math.min(reader.labels.length - 1, Math.floor((x - box.left) / box.step)));
    const row = Math.floor((y - TOP) / box.row);
    return { ...reader.place(t), ...(row >= 0 && row < box.rows.length ? { unit: box.rows[row] } : {}) };
  }

  click(x, y) {
    const place = this.at(x, y);
    if (!place) return;
    const reader = this.panel.reader();
    const { token, unit } = place;
    if (unit === undefined || !(token - reader.offset))
      return this.panel.selection.keep(place, this.panel.app);
    const found = hmm.held(reader, this.panel.selection);
    if (unit === hmm.viterbi(reader)[token - reader.offset] || unit === found.get(token)) found.delete(token);
    else found.set(token, unit);
    this.bend(found, place);
  }

  draw() {
    const { panel, view } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const count = reader.labels.length;
    for (const node of this.views) node.setAttribute("aria-pressed", String(node.dataset.view === view));
    this.lines.setAttribute("aria-pressed", String(this.backs));
    this.reset.hidden = this.own.hidden = true;
    if (!count) return this.nothing();
    const model = hmm.tables(reader);
    const rows = hmm.rowsOf(reader, MOST);
    const now = selection.token(reader);
    const row = rows.length <= 6 ? 64 : rows.length <= 12 ? 30 : 21;
    this.pen.font = font(13, 700);
    const width = panel.body.clientWidth;
    const wide = (texts) => Math.max(...texts.map((text) => this.pen.measureText(text).width));
    const left = Math.min(width * 0.3, 14 + wide(rows.map((s) => hmm.called(model, s))));
    const path = hmm.viterbi(reader);
    const labels = reader.labels.map((label) => short(label, 14));
    const said = model.named ? path.map((s) => model.states[s]) : [];
    const least = Math.max(22, Math.min(84, 10 + wide([...labels, ...said])));
    const step = Math.max(least, Math.min(WIDEST, (width - left - 2) / count));
    const long = Math.max(width, left + step * count + 2);
    this.long.style.width = `${long}px`;
    const place = new Map(rows.map((s, i) => [s, i]));
    this.box = { left, step, row, rows, place, top: TOP, count, long };
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const [differs, mine] = ["--un-line-1", "--un-line-2"].map((name) => style.getPropertyValue(name));
    const bends = hmm.held(reader, selection);
    const own = bends.size ? hmm.bent(reader, bends) : null;
    const best = reader.labels.map((_, t) => hmm.largest(hmm.belief(reader, view, t)));
    const state = hmm.chosenState(reader, selection, now);
    const look = {
      reader,
      model,
      state,
      view,
      now,
      path,
      own,
      best,
      labels,
      colours,
      differs,
      mine,
      backs: this.backs,
    };
    this.look = look;
    this.paint();
    this.reset.hidden = this.own.hidden = !bends.size;
    this.bring(now);
    this.tell(look);
    const hidden = model.states.length - rows.length;
    const left_out = hidden ? ` ${hidden} states that are likely nowhere have no row.` : "";
    panel.say(this.title(look), `${panel.spec.says}${left_out}`);
  }

  paint() {
    const { box, look } = this;
    const g = this.surface.begin(box.long, TOP + box.row * box.rows.length + 4);
    lines(g, box, look);
    circles(g, box, look);
    names(g, box, look, this.surface.recording ? 0 : this.strip.scrollLeft);
  }

  nothing() {
    this.look = this.box = null;
    this.surface.begin(1, 1);
    this.panel.say(this.panel.spec.title, "Type something: each token gets a column of states.");
    this.panel.read("");
  }

  title({ reader, model, path, now }) {
    const tag = model.states[path[now]];
    return `“${visible(reader.labels[now])}” is in state ${tag}: the trellis of the text`;
  }

  // The chosen column comes into sight; one that the pointer is on is in sight already.
  bring(now) {
    const { strip, box } = this;
    const at = `${now} ${box.count}`;
    if (this.brought === at) return;
    this.brought = at;
    if (strip.matches(":hover")) return;
    const x = box.left + now * box.step;
    if (x - box.left < strip.scrollLeft || x + box.step > strip.scrollLeft + strip.clientWidth)
      strip.scrollLeft = x - strip.clientWidth / 2;
  }

  tell({ reader, model, now, path, state, best }) {
    const value = (name) => percent(reader.value(name, { token: now, state }));
    const word = visible(reader.labels[now]);
    const back = now ? model.states[reader.value("path.back", { token: now, state })] : "";
    const parts = [
      `“${word}” in state ${model.states[state]}: predicted ${value("predict")}, filtered ${value("filter")}, smoothed ${value("smooth")}.`,
    ];
    if (back) parts.push(`The best path to it comes from ${back}.`);
    if (best[now] !== path[now])
      parts.push(
        `Here the two answers differ: likeliest by itself is ${model.states[best[now]]}, on the likeliest path ${model.states[path[now]]}.`,
      );
    this.panel.read(parts.join(" "));
  }

  table() {
    const { look } = this;
    const rows = [];
    for (const [t, label] of look?.reader.labels.entries() ?? [])
      look.model.states.forEach((name, state) => {
        const value = (of) => percent(look.reader.value(of, { token: t, state }));
        const back = t ? look.model.states[look.reader.value("path.back", { token: t, state })] : "";
        const on = look.path[t] === state ? "yes" : "";
        rows.push([visible(label), name, value("predict"), value("filter"), value("smooth"), back, on]);
      });
    return {
      columns: ["token", "state", "predicted", "filtered", "smoothed", "comes from", "likeliest path"],
      rows,
    };
  }

  drawn() {
    const { look } = this;
    if (!look) return {};
    const { reader, model, view, path } = look;
    const field = reader.fields.get(view);
    return {
      [view]: { axes: ["token", "state"], labels: [reader.labels, model.states], values: field.values },
      viterbi: { axes: ["token"], labels: [reader.labels], values: Float32Array.from(path) },
    };
  }

  alt() {
    const { look } = this;
    const path = look
      ? look.path.map((s, t) => `${visible(look.reader.labels[t])} ${look.model.states[s]}`)
      : [];
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent} ${path.join(", ")}`;
  }
}
