// Numbers as a line that one may draw, what each method expects behind it, the fan of one of them, and below it what a
// net holds after each number.

import { digits, element, labelled, percent } from "../dom.js";
import { Scale, Surface, font, ink, inside, raster } from "../drawing/canvas.js";
import { plain, rules, three } from "../marks/axes.js";
import { course, dot } from "../marks/lines.js";
import { bar, button, choice, keyItem, select, slider } from "../parts/controls.js";

const [LEFT, TOP, HIGH, UNIT, LEAST, EMPTY, MOST] = [46, 10, 230, 2.5, 5, 60, 400]; // pixels; numbers
const [MIDDLE, LOW_80, HIGH_80] = [3, 1, 5]; // places of quantiles
const BANDS = [
  [0, 6, 0.14],
  [1, 5, 0.2],
  [2, 4, 0.28],
];

export default class Series {
  drawing = false;
  store = {}; // the pixels of the states
  stroke = null; // while somebody draws: the numbers, and where they lie
  looked = null; // the place under the pointer

  constructor(panel) {
    this.panel = panel;
    const { methods, orders, back } = panel.spec;
    const keep = (more) => {
      panel.selection.keep(more, panel.app);
      panel.app.again();
    };
    this.pen = button("Draw", () => this.draws(!this.drawing));
    this.method = select(methods, (by) => keep({ by }), "Whose fan is drawn");
    const fan = element("label", "un-search-label", { textContent: "Fan of " });
    fan.append(this.method);
    const numbers = ["least AICc", ...Array.from({ length: orders }, (_, i) => i + 1)];
    this.order = choice("AR order", numbers, numbers[0], (p) => keep({ order: Number.isFinite(p) ? p : 0 }));
    this.back = slider(
      (n) => keep({ back: n }),
      { min: 0, max: back, step: 1, value: 0 },
      "Numbers kept back",
    );
    this.kept = labelled("", this.back);
    panel.body.append(bar(this.pen, fan, this.order, this.kept));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.key = element("p", "un-key");
    panel.body.append(this.key);
    this.surface.onPointer(
      (x) => this.look(x),
      (x) => this.look(x, true),
      () => this.leave(),
    );
    for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel"])
      this.canvas.addEventListener(type, (e) => this.pointer(e));
  }

  draws(on) {
    this.drawing = on;
    this.pen.setAttribute("aria-pressed", String(on));
    this.canvas.style.touchAction = on ? "none" : "";
    this.canvas.style.cursor = on ? "crosshair" : "";
  }

  get said() {
    return this.panel.reader()?.said ?? {};
  }
  get by() {
    const by = this.panel.selection.get("by");
    return this.panel.spec.covered[by] ? by : "lstm";
  }

  ask() {
    const of = (name) => Number(this.panel.selection.get(name)) || 0;
    return { back: of("back"), order: of("order"), net: this.by === "transformer" ? this.by : "lstm" };
  }

  // Where numbers lie, in pixels and back.
  place(values, fans, width) {
    const { horizon } = this.panel.spec;
    const most = Math.max(EMPTY / 2, Math.floor((width - LEFT) / LEAST)); // that have room; of more the last
    const slots = Math.min(most, Math.max(values.length + horizon, EMPTY / 2));
    const first = Math.max(0, values.length + horizon - slots);
    values = values.slice(first);
    const all = (fans?.[this.by] ?? []).slice(1, 6).flat();
    for (const fan of Object.values(fans ?? {})) all.push(...fan[MIDDLE]);
    const [least, largest] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 100];
    const spread = 2 * (largest - least);
    let low = Math.max(Math.min(least, ...all), least - spread);
    let high = Math.min(Math.max(largest, ...all), largest + spread);
    if (!(high - low > 1e-9 * (1 + Math.abs(high)))) [low, high] = [low - 1, high + 1];
    const room = 0.05 * (high - low);
    return { slots: values.length ? slots : EMPTY, first, low: low - room, high: high + room, width };
  }
  x(i, { slots, first, width } = this.at) {
    return LEFT + ((i - first + 0.5) * (width - LEFT - 4)) / slots;
  }
  numberAt(px, { slots, first, width } = this.at) {
    return first + Math.floor(((px - LEFT) / (width - LEFT - 4)) * slots);
  }
  y(value, { low, high } = this.at) {
    const clipped = Math.max(low, Math.min(high, value));
    return TOP + HIGH * (1 - (clipped - low) / (high - low));
  }

  pointer(e) {
    if (!this.drawing || !this.at) return;
    if (e.type === "pointerdown") {
      this.canvas.setPointerCapture(e.pointerId);
      this.holds(true);
      this.looked = null;
      this.stroke = { values: [...(this.said.values ?? [])], last: null, at: this.at };
      e.preventDefault();
    }
    if (!this.stroke) return;
    if (e.type === "pointerdown" || e.type === "pointermove") return this.mark(e.offsetX, e.offsetY);
    this.stroke = null;
    this.holds(false);
    this.draw();
  }

  // While one draws, the text box above keeps its height, so that the line stays under the pointer.
  holds(on) {
    const { box } = this.panel.app;
    box.style.maxHeight = on ? `${box.offsetHeight}px` : "";
  }

  // One more place of a stroke; what it has skipped is filled in on a line.
  mark(px, py) {
    const { values, last, at } = this.stroke;
    const i = this.numberAt(px, at);
    const to = Math.max(at.first, Math.min(i, at.first + at.slots - 1, MOST - 1));
    const share = 1 - Math.max(0, Math.min(1, (py - TOP) / HIGH));
    const value = at.low + share * (at.high - at.low);
    const end = Math.min(to, values.length);
    const [from, begin] = last ?? [end, values[end - 1] ?? value];
    const steps = Math.max(1, Math.abs(to - from));
    for (let k = 0; k <= steps; k++) {
      const n = Math.round(from + ((to - from) * k) / steps);
      if (!last && n < to && n < values.length) continue;
      values[n] = begin + ((value - begin) * k) / steps;
    }
    values[to] = value;
    this.stroke.last = [to, value];
    const fine = Math.max(0, Math.min(6, Math.ceil(2.3 - Math.log10(at.high - at.low))));
    this.panel.app.setText(values.map((v) => String(Number(v.toFixed(fine)))).join(" "));
    this.draw();
  }

  look(px, keeps = false) {
    if (!this.at || this.stroke) return;
    const reader = this.panel.reader();
    const i = this.numberAt(px);
    this.looked = i >= this.at.first && i < this.at.first + this.at.slots ? i : null;
    const there = i >= 0 && i < reader.labels.length ? reader.place(i) : {};
    if (keeps && !this.drawing && "token" in there) this.panel.selection.keep(there, this.panel.app);
    else this.panel.selection.look(there);
    this.draw();
  }

  leave() {
    this.looked = null;
    this.panel.selection.leave();
    this.draw();
  }

  draw() {
    const { panel, said, by } = this;
    const { methods } = panel.spec;
    const reader = panel.reader();
    this.method.value = by;
    const { back, order } = this.ask();
    this.order.lastChild.value = order ? String(order) : this.order.lastChild.options[0].value;
    this.back.value = String(back);
    this.kept.firstChild.textContent = `Kept back: ${back} `;
    const values = this.stroke?.values ?? said.values ?? [];
    const fans = this.stroke && said.values?.length !== values.length ? null : said.fans;
    const known = said.known ?? values.length;
    const width = panel.body.clientWidth;
    this.at = this.stroke?.at ?? this.place(said.values ?? [], said.fans, width);
    const state = reader?.fields.get("state");
    const units = state && said.fans && !this.stroke ? state.values.length / reader.labels.length : 0;
    const below = units ? 34 + units * UNIT : 8;
    const g = this.surface.begin(width, TOP + HIGH + below);
    const colours = ink(panel.app.root);
    const style = getComputedStyle(panel.app.root);
    this.colours = Object.fromEntries(
      methods.map(([id], n) => [id, style.getPropertyValue(`--un-line-${n}`).trim()]),
    );
    const marks = three(this.at.low, this.at.high).map((v) => [this.y(v), plain(digits(v))]);
    rules(g, marks, { left: LEFT, right: width, colours });
    if (fans) this.fan(g, fans, known);
    const { first } = this.at;
    const [x, y] = [(t) => this.x(t + first), (t) => this.y(values[t + first])];
    course(g, Math.max(0, values.length - first), x, y, colours.text, 1.8, values.length < 80 ? 2 : 0);
    g.fillStyle = colours.accent;
    for (const t of said.missing ?? []) if (t >= first) dot(g, this.x(t), this.y(values[t]), 4);
    if (units) this.held(g, state, reader.labels.length, units, colours, width);
    const chosen = panel.selection.get("token") === undefined ? null : panel.selection.token(reader);
    const at = this.looked ?? chosen;
    if (at !== null && at >= first && values.length) {
      g.fillStyle = colours.faint;
      g.fillRect(this.x(at) - 0.5, TOP, 1, HIGH);
    }
    if (!values.length) this.invite(g, colours, width);
    this.words(values, fans, known, at);
  }

  fan(g, fans, known) {
    const { by } = this;
    const xs = fans[by][0].map((_, h) => this.x(known + h));
    for (const [low, high, alpha] of BANDS) {
      g.globalAlpha = alpha;
      g.fillStyle = this.colours[by];
      g.beginPath();
      xs.forEach((x, h) => g.lineTo(x, this.y(fans[by][low][h])));
      for (let h = xs.length - 1; h >= 0; h--) g.lineTo(xs[h], this.y(fans[by][high][h]));
      g.fill();
      g.globalAlpha = 1;
    }
    for (const [id, fan] of Object.entries(fans)) {
      g.globalAlpha = id === by ? 1 : 0.75;
      const [x, y] = [(h) => xs[h], (h) => this.y(fan[MIDDLE][h])];
      course(g, xs.length, x, y, this.colours[id], id === by ? 2.6 : 1.3);
    }
    g.globalAlpha = 1;
  }

  // What the net holds: a row for each unit, below the number after which it holds it.
  held(g, state, count, units, colours, width) {
    const scale = new Scale(this.panel.spec.scales[this.said.net], this.panel.app.dark);
    const { first } = this.at;
    const [some, start] = [count - first, first * units];
    const picture = raster(this.store, state.values, units, some, start, 1, units, scale);
    const top = TOP + HIGH + 26;
    g.fillStyle = colours.faint;
    g.font = font(11);
    g.textAlign = "left";
    g.textBaseline = "middle";
    const name = this.said.net === "lstm" ? "LSTM" : "Transformer";
    const { known } = this.said;
    const read = Math.min(known, this.panel.spec.context);
    inside(
      g,
      `What the ${name} holds after the ${read} numbers it reads, a row for each of ${units} units`,
      LEFT,
      top - 10,
    );
    g.imageSmoothingEnabled = false;
    const step = (width - LEFT - 4) / this.at.slots;
    g.drawImage(picture, LEFT, top, step * some, units * UNIT);
  }

  invite(g, colours, width) {
    g.fillStyle = colours.faint;
    g.font = font(14);
    g.textAlign = "center";
    g.textBaseline = "middle";
    const words = this.drawing ? "Draw a line here, from left to right" : "Press Draw, or type numbers above";
    inside(g, words, LEFT + (width - LEFT) / 2, TOP + HIGH / 4); // between two rules
  }

  words(values, fans, known, at) {
    const { panel, by, said } = this;
    const { spec } = panel;
    const { methods } = spec;
    const titles = Object.fromEntries(methods);
    this.key.replaceChildren(...methods.map(([id, title]) => keyItem(this.colours[id], title)));
    if (!fans) {
      panel.say(spec.title, "");
      const few = values.length < spec.least;
      return panel.read(few ? `Four numbers are needed; so far: ${values.length}.` : "");
    }
    const next = (id, h = 0) => digits(fans[id][MIDDLE][h]);
    const between = (h) => `${digits(fans[by][LOW_80][h])} to ${digits(fans[by][HIGH_80][h])}`;
    panel.say(
      `${titles[by]}: ${next(by)} next, with 80 % between ${digits(fans[by][LOW_80][0])} and ${digits(fans[by][HIGH_80][0])}`,
      `The fan holds 50, 80 and 95 % by its own account. On 2,000 held-out series the fans of this method held ${["50", "80", "95"].map((b) => percent(spec.covered[by][b])).join(", ")} of the numbers.`,
    );
    const h = at === null ? -1 : at - known;
    const true_ = at !== null && at < values.length ? `Number ${at + 1}: ${digits(values[at])}. ` : "";
    if (h >= 0 && h < spec.horizon) {
      const each = methods.map(([id, title]) => `${title} ${next(id, h)}`).join(", ");
      return panel.read(`${true_}${h + 1} ahead: ${each}. ${titles[by]}, 80 %: ${between(h)}.`);
    }
    panel.read(`${true_}${this.fitted(said)}`);
  }

  // What was found in the numbers.
  fitted({ season, weights, left_out: out, missing, values }) {
    const { order, c, ...lags } = weights.ar;
    const terms = Object.entries(lags).map(
      ([a, w]) => `${w < 0 ? "−" : "+"} ${digits(Math.abs(w))} x(t−${a.slice(1)})`,
    );
    const shown = terms.slice(0, 3).join(" ") + (terms.length > 3 ? " …" : ".");
    const found = [season > 1 ? `Season of ${season}.` : "No season found."];
    const least = 1e-9 * Math.max(...values.map(Math.abs)); // below it, what is left of rounding
    if (order) found.push(`AR(${order}): x(t) = ${digits(Math.abs(c) < least ? 0 : c)} ${shown}`);
    if (missing.length)
      found.push(`${missing.length} of ${values.length} missing, filled in on a line (dots).`);
    if (out) found.push(`Words left out: ${out}.`);
    return found.join(" ");
  }

  table() {
    const { fans, known = 0, values = [] } = this.said;
    if (!fans) return { columns: [], rows: [] };
    const { methods, horizon } = this.panel.spec;
    const rows = Array.from({ length: horizon }, (_, h) => [
      h + 1,
      known + h < values.length ? digits(values[known + h]) : "",
      ...methods.map(([id]) => digits(fans[id][MIDDLE][h])),
      digits(fans[this.by][LOW_80][h]),
      digits(fans[this.by][HIGH_80][h]),
    ]);
    return { columns: ["ahead", "true", ...methods.map(([, title]) => title), "80 % from", "to"], rows };
  }
}
