// Numbers as a line that one may draw, what each method expects behind it, the fan of one of them, and below it what a
// net holds after each number.

import { digits, element, percent } from "../dom.js";
import { Scale, Surface, font, ink, inside, raster } from "../drawing/canvas.js";
import { plain, rules, three } from "../marks/axes.js";
import { course } from "../marks/lines.js";
import { bar, button, choice, keyItem, select, slider } from "../parts/controls.js";

const [LEFT, TOP, HIGH, UNIT, EMPTY] = [46, 10, 230, 2.5, 60]; // pixels; numbers that an empty board has room for
const [MIDDLE, LOW_80, HIGH_80] = [3, 1, 5]; // places of quantiles
const BANDS = [
  [0, 6, 0.14],
  [1, 5, 0.2],
  [2, 4, 0.28],
];

export default class Series {
  drawing = false;
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
    this.clear = button("Clear and draw", () => {
      this.draws(true);
      panel.app.setText("");
    });
    this.method = select(methods, (by) => keep({ by }), "Whose fan is drawn");
    const fan = element("label", "un-search-label", { textContent: "Fan of " });
    fan.append(this.method);
    const numbers = ["least AICc", ...Array.from({ length: orders }, (_, i) => i + 1)];
    this.order = choice("AR order", numbers, numbers[0], (p) => keep({ order: Number.isFinite(p) ? p : 0 }));
    this.back = slider((n) => keep({ back: n }), { min: 0, max: back, step: 1, value: 0 }, "Numbers kept back");
    this.kept = element("label", "un-search-label");
    this.kept.append(element("span", ""), this.back);
    panel.body.append(bar(this.pen, this.clear, fan, this.order, this.kept));
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
  get number() {
    const of = (name) => Number(this.panel.selection.get(name)) || 0;
    return { back: of("back"), order: of("order") };
  }

  ask() {
    return { ...this.number, net: this.by === "transformer" ? "transformer" : "lstm" };
  }

  // Where numbers lie, in pixels and back.
  place(values, fans, width) {
    const slots = Math.max(values.length + this.panel.spec.horizon, EMPTY / 2);
    const all = [...values, ...(fans?.[this.by] ?? []).slice(1, 6).flat()];
    for (const fan of Object.values(fans ?? {})) all.push(...fan[MIDDLE]);
    let [low, high] = all.length ? [Math.min(...all), Math.max(...all)] : [0, 100];
    const spread = values.length ? Math.max(...values) - Math.min(...values) : 100;
    [low, high] = [Math.max(low, Math.min(...values) - 2 * spread), Math.min(high, Math.max(...values) + 2 * spread)];
    if (!values.length) [low, high] = [0, 100];
    if (!(high - low > 1e-9 * (1 + Math.abs(high)))) [low, high] = [low - 1, high + 1];
    const room = 0.05 * (high - low);
    return { slots: values.length ? slots : EMPTY, low: low - room, high: high + room, width };
  }
  x(i, { slots, width } = this.at) {
    return LEFT + ((i + 0.5) * (width - LEFT - 4)) / slots;
  }
  y(value, { low, high } = this.at) {
    const clipped = Math.max(low, Math.min(high, value));
    return TOP + HIGH * (1 - (clipped - low) / (high - low));
  }

  pointer(e) {
    if (!this.drawing || !this.at) return;
    if (e.type === "pointerdown") {
      this.canvas.setPointerCapture(e.pointerId);
      this.stroke = { values: [...(this.said.values ?? [])], last: null, at: this.at };
      e.preventDefault();
    }
    if (!this.stroke) return;
    if (e.type === "pointerdown" || e.type === "pointermove") {
      const r = this.canvas.getBoundingClientRect();
      this.mark(e.clientX - r.left, e.clientY - r.top);
    } else this.stroke = null;
  }

  // One more place of a stroke; what it has skipped is filled in on a line.
  mark(px, py) {
    const { values, last, at } = this.stroke;
    const i = Math.floor(((px - LEFT) / (at.width - LEFT - 4)) * at.slots);
    const to = Math.max(0, Math.min(i, values.length + this.panel.spec.horizon, 399));
    const share = 1 - Math.max(0, Math.min(1, (py - TOP) / HIGH));
    const value = at.low + share * (at.high - at.low);
    const [from, begin] = last ?? [Math.min(to, values.length), values[Math.min(to, values.length) - 1] ?? value];
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
    const i = Math.floor(((px - LEFT) / (this.at.width - LEFT - 4)) * this.at.slots);
    this.looked = i >= 0 && i < this.at.slots ? i : null;
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
    const { methods, spec = panel.spec } = panel.spec;
    const reader = panel.reader();
    this.method.value = by;
    const { back, order } = this.number;
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
    this.colours = Object.fromEntries(
      methods.map(([id], n) => [id, getComputedStyle(panel.app.root).getPropertyValue(`--un-line-${n}`).trim()]),
    );
    const marks = three(this.at.low, this.at.high).map((v) => [this.y(v), plain(digits(v))]);
    rules(g, marks, { left: LEFT, right: width, colours });
    if (fans) this.fan(g, fans, known);
    course(g, values.length, (t) => this.x(t), (t) => this.y(values[t]), colours.text, 1.8, values.length < 80 ? 2 : 0);
    for (const t of said.missing ?? []) this.ring(g, t, values[t], colours);
    if (units) this.held(g, state, reader.labels.length, units, colours, width);
    const at = this.looked ?? (panel.selection.get("token") === undefined ? null : panel.selection.token(reader));
    if (at !== null && at >= 0 && values.length) {
      g.fillStyle = colours.faint;
      g.fillRect(this.x(at) - 0.5, TOP, 1, HIGH);
    }
    if (!values.length) this.invite(g, colours, width);
    this.words(values, fans, known, at, methods, spec);
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
      course(g, xs.length, (h) => xs[h], (h) => this.y(fan[MIDDLE][h]), this.colours[id], id === by ? 2.6 : 1.3);
    }
    g.globalAlpha = 1;
  }

  ring(g, t, value, colours) {
    g.strokeStyle = colours.accent;
    g.lineWidth = 1.5;
    g.beginPath();
    g.arc(this.x(t), this.y(value), 4, 0, 7);
    g.stroke();
  }

  // What the net holds: a row for each unit, below the number after which it holds it.
  held(g, state, count, units, colours, width) {
    const scale = new Scale(this.panel.spec.scales[this.said.net], this.panel.app.dark);
    const picture = raster((this.store ??= {}), state.values, units, count, 0, 1, units, scale);
    const top = TOP + HIGH + 26;
    g.fillStyle = colours.faint;
    g.font = font(11);
    g.textAlign = "left";
    g.textBaseline = "middle";
    const name = this.said.net === "lstm" ? "LSTM" : "Transformer";
    inside(g, `What the ${name} holds after each number, a row for each of ${units} units`, LEFT, top - 10);
    g.imageSmoothingEnabled = false;
    const step = (width - LEFT - 4) / this.at.slots;
    g.drawImage(picture, LEFT, top, step * count, units * UNIT);
  }

  invite(g, colours, width) {
    g.fillStyle = colours.faint;
    g.font = font(14);
    g.textAlign = "center";
    g.textBaseline = "middle";
    const words = this.drawing ? "Draw a line here, from left to right" : "Press Draw, or type numbers above";
    inside(g, words, LEFT + (width - LEFT) / 2, TOP + HIGH / 2);
  }

  words(values, fans, known, at, methods, spec) {
    const { panel, by, said } = this;
    const titles = Object.fromEntries(methods);
    this.key.replaceChildren(...methods.map(([id, title]) => keyItem(this.colours[id], title)));
    if (!fans) {
      panel.say(panel.spec.title, "");
      return panel.read(
        values.length < spec.least ? `Four numbers are needed; there are ${values.length}.` : "",
      );
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
    panel.read(`${true_}${this.fitted(said, titles)}`);
  }

  // What was found in the numbers.
  fitted({ season, weights, left_out: out, missing, values }) {
    const { order, c, ...lags } = weights.ar;
    const terms = Object.entries(lags).map(([a, w]) => `${digits(w)} x(t−${a.slice(1)})`);
    const shown = terms.slice(0, 3).join(" + ") + (terms.length > 3 ? " + …" : "");
    const found = [season > 1 ? `Season of ${season}.` : "No season found."];
    if (order) found.push(`AR(${order}): x(t) = ${digits(c)} + ${shown}.`);
    if (missing.length) found.push(`${missing.length} of ${values.length} missing, filled in on a line (rings).`);
    if (out) found.push(`Left out, for it is no number: ${out}.`);
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

  alt() {
    const { panel } = this;
    return `${panel.title.textContent}. ${panel.readout.textContent}`;
  }
}
