// Words as points of a plane: the common words as a quiet background, the typed ones and their neighbours on top.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, element, short, visible } from "../dom.js";

const HIGH = 460,
  LEGEND = 26;

export default class Map2D {
  constructor(panel) {
    this.panel = panel;
    this.zoom = 1;
    this.centre = [0, 0];
    const bar = element("div", "un-map-bar");
    for (const [text, title, act] of [
      ["+", "Closer", () => this.scaleBy(1.6)],
      ["−", "Further", () => this.scaleBy(1 / 1.6)],
      [
        "All",
        "The whole map",
        () => {
          this.zoom = 1;
          this.centre = [0, 0];
          this.draw();
        },
      ],
    ]) {
      const b = element("button", "un-button", { type: "button", textContent: text, title });
      b.onclick = act;
      bar.append(b);
    }
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    panel.body.append(bar);
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => {
        this.over = null;
        panel.selection.leave();
        this.draw();
      },
    );
    this.canvas.addEventListener("pointerdown", (e) => {
      if (this.zoom === 1) return;
      const box = this.canvas.getBoundingClientRect();
      this.drag = { x: e.clientX - box.left, y: e.clientY - box.top, centre: this.centre };
    });
    window.addEventListener("pointerup", () => {
      this.drag = null;
    });
  }

  scaleBy(f) {
    this.zoom = Math.max(1, Math.min(40, this.zoom * f));
    this.draw();
  }

  to(x, y) {
    const s = this.unit * this.zoom;
    return [this.width / 2 + (x - this.centre[0]) * s, HIGH / 2 - (y - this.centre[1]) * s];
  }

  // Typed words on the map: {t, label, x, y, neighbours}
  typed() {
    const reader = this.panel.reader();
    const place = reader.fields.get("place");
    if (!place) return [];
    const seen = new Map();
    reader.labels.forEach((label, t) => {
      if (reader.spans[t][1] === 0 || reader.unknown.has(t)) return;
      seen.set(label.toLowerCase(), { t, label, x: place.values[t * 2], y: place.values[t * 2 + 1] });
    });
    return [...seen.values()];
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const back = reader.spec.map;
    this.width = panel.body.clientWidth;
    this.unit = Math.min(this.width, HIGH) / 2 / back.reach;
    const g = this.surface.begin(this.width, HIGH + LEGEND);
    const colours = ink(app.root);
    g.save();
    g.beginPath();
    g.rect(0, 0, this.width, HIGH);
    g.clip();
    g.fillStyle = colours.faint;
    g.globalAlpha = 0.35;
    this.screen = [];
    for (let i = 0; i < back.words.length; i++) {
      const [x, y] = this.to(back.x[i], back.y[i]);
      if (x < -4 || y < -4 || x > this.width + 4 || y > HIGH + 4) continue;
      g.fillRect(x - 1.25, y - 1.25, 2.5, 2.5);
      this.screen.push([x, y, back.words[i]]);
    }
    g.globalAlpha = 1;
    const typed = this.typed();
    const now = selection.token(reader);
    const current =
      typed.find((w) => w.t === now) ??
      typed.find((w) => reader.labels[now]?.toLowerCase() === w.label.toLowerCase()) ??
      typed.at(-1);
    const placed = [];
    if (current) this.near(g, reader.top[current.t] ?? [], current, colours, placed);
    for (const w of typed) if (w !== current) this.word(g, w, colours.text, 4, 600, placed, w.label);
    if (current) this.word(g, current, colours.accent, 6, 700, placed, current.label);
    if (this.over && !this.over.typed) this.tag(g, this.over, colours);
    g.restore();
    g.strokeStyle = colours.line;
    g.strokeRect(0.5, 0.5, this.width - 1, HIGH - 1);
    this.key(g, colours, back);
    panel.read(
      this.over
        ? `${visible(this.over.label)} at (${digits(this.over.at[0])}, ${digits(this.over.at[1])})`
        : current
          ? `“${visible(current.label)}” at (${digits(current.x)}, ${digits(current.y)}), with lines to its true nearest neighbours`
          : "No typed word is in this model's vocabulary yet.",
    );
    this.hits = typed.map((w) => ({ ...w, at: this.to(w.x, w.y) }));
  }

  near(g, rows, from, colours, placed) {
    const [x0, y0] = this.to(from.x, from.y);
    g.strokeStyle = colours.accent;
    g.lineWidth = 1;
    for (const [word, , x, y] of rows.slice(0, 10)) {
      const [x1, y1] = this.to(x, y);
      g.globalAlpha = 0.45;
      g.beginPath();
      g.moveTo(x0, y0);
      g.lineTo(x1, y1);
      g.stroke();
      g.globalAlpha = 1;
      this.word(g, { x, y }, colours.accent, 3, 400, placed, word);
    }
  }

  // A point with its label, unless the label would lie on another one.
  word(g, { x, y }, colour, radius, weight, placed, label) {
    const [sx, sy] = this.to(x, y);
    g.fillStyle = colour;
    g.beginPath();
    g.arc(sx, sy, radius, 0, 7);
    g.fill();
    g.font = font(weight > 600 ? 15 : 12.5, weight);
    const text = short(label, 20);
    const w = g.measureText(text).width;
    g.textBaseline = "middle";
    g.textAlign = "left";
    for (const [dx, dy] of [
      [radius + 4, 0],
      [-w - radius - 4, 0],
      [-w / 2, -14],
      [-w / 2, 14],
    ]) {
      const box = [sx + dx - 1, sy + dy - 8, sx + dx + w + 1, sy + dy + 8];
      const free =
        box[0] >= 0 &&
        box[2] <= this.width &&
        !placed.some((p) => box[0] < p[2] && box[2] > p[0] && box[1] < p[3] && box[3] > p[1]);
      if (!free && !(weight > 600 && dy === 14)) continue;
      placed.push(box);
      g.lineWidth = 3;
      g.strokeStyle = getComputedStyle(this.panel.app.root).getPropertyValue("--un-ground");
      g.strokeText(text, sx + dx, sy + dy);
      g.fillText(text, sx + dx, sy + dy);
      return;
    }
  }

  tag(g, { at, label }, colours) {
    const [x, y] = this.to(...at);
    g.fillStyle = colours.text;
    g.beginPath();
    g.arc(x, y, 3, 0, 7);
    g.fill();
    g.font = font(12.5, 600);
    g.textAlign = x > this.width - 90 ? "right" : "left";
    g.textBaseline = "bottom";
    g.fillText(short(label, 20), x, y - 5);
  }

  key(g, colours, back) {
    g.font = font(11.5);
    g.textBaseline = "middle";
    g.textAlign = "left";
    let x = 2;
    const narrow = this.width < 400; // no room for all the words
    for (const [colour, text] of [
      [colours.accent, narrow ? "selected" : "selected, with its neighbours"],
      [colours.text, "typed"],
      [colours.faint, `${back.words.length.toLocaleString("en")} commonest words`],
    ]) {
      g.fillStyle = colour;
      g.beginPath();
      g.arc(x + 5, HIGH + LEGEND / 2 + 3, 4, 0, 7);
      g.fill();
      g.fillStyle = colours.text;
      g.fillText(text, x + 13, HIGH + LEGEND / 2 + 3);
      x += 28 + g.measureText(text).width;
    }
  }

  look(px, py) {
    if (this.drag) {
      // pressed: the map moves with the pointer
      const scale = this.unit * this.zoom;
      this.centre = [
        this.drag.centre[0] - (px - this.drag.x) / scale,
        this.drag.centre[1] + (py - this.drag.y) / scale,
      ];
      return this.draw();
    }
    const near = (x, y) => (x - px) ** 2 + (y - py) ** 2;
    const hit = this.hits?.find((h) => near(...h.at) < 100);
    const reader = this.panel.reader();
    if (hit) {
      this.over = null;
      return this.panel.selection.look({
        token: hit.t + reader.offset,
        reader: reader.spec.id,
        span: reader.spans[hit.t],
      });
    }
    let best = null;
    for (const [x, y, label] of this.screen ?? [])
      if (near(x, y) < 64 && (!best || near(x, y) < near(...best.screen))) best = { screen: [x, y], label };
    const old = this.over?.label;
    this.over = best
      ? {
          label: best.label,
          at: [
            this.centre[0] + (best.screen[0] - this.width / 2) / (this.unit * this.zoom),
            this.centre[1] - (best.screen[1] - HIGH / 2) / (this.unit * this.zoom),
          ],
        }
      : null;
    if (this.over?.label !== old) this.draw();
    this.panel.selection.leave();
  }

  keep(px, py) {
    const hit = this.hits?.find((h) => (h.at[0] - px) ** 2 + (h.at[1] - py) ** 2 < 100);
    const reader = this.panel.reader();
    if (hit) this.panel.selection.keep(reader.place(hit.t), this.panel.app);
  }

  table() {
    const reader = this.panel.reader();
    const rows = this.typed().map((w) => [visible(w.label), "typed", digits(w.x), digits(w.y)]);
    for (const [w, , x, y] of reader.top[this.panel.selection.token(reader)] ?? [])
      rows.push([visible(w), "neighbour", digits(x), digits(y)]);
    return { columns: ["word", "group", "x", "y"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}: ${this.typed().length} typed words among ${this.panel.reader().spec.map.words.length} common ones. ${this.panel.readout.textContent}`;
  }
}
