// Words as points of a plane: the common words as a quiet background, the typed ones and their neighbours on top.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, element, short, visible } from "../dom.js";
import { dot, dotKey } from "../marks/points.js";
import { Camera } from "../parts/camera.js";
import { button } from "../parts/controls.js";
import { flatNames } from "../parts/pointmarks.js";

const LEGEND = 26,
  FRAME = 300; // pixels of the page around the map

const far = (x, y, px, py) => (x - px) ** 2 + (y - py) ** 2;

export default class Map2D {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.camera = new Camera(this, { closest: 40, wheel: false });
    const bar = element("div", "un-map-bar");
    bar.append(
      button("+", () => this.camera.zoomBy(1.6), { title: "Closer" }),
      button("−", () => this.camera.zoomBy(1 / 1.6), { title: "Further" }),
      button("All", () => this.camera.whole(), { title: "The whole map" }),
    );
    panel.body.append(bar);
  }

  to(x, y) {
    const { left, top, scale } = this.view;
    return [left + x * scale, top - y * scale];
  }

  // Typed words on the map: {t, label, x, y}
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
    const { panel, over } = this;
    const reader = panel.reader();
    const back = reader.spec.map;
    const width = (this.camera.width = panel.body.clientWidth);
    const high = (this.camera.high = width < 600 ? 460 : Math.max(460, Math.min(900, innerHeight - FRAME)));
    this.cloud = { dims: 2, reach: back.reach };
    this.view = this.camera.view;
    const g = this.surface.begin(width, high + LEGEND);
    const colours = ink(panel.app.root);
    g.save();
    g.beginPath();
    g.rect(0, 0, width, high);
    g.clip();
    this.background(g, back, colours);
    const typed = this.typed();
    const now = panel.selection.token(reader);
    const current =
      typed.find((w) => w.t === now) ??
      typed.find((w) => reader.labels[now]?.toLowerCase() === w.label.toLowerCase()) ??
      typed.at(-1);
    const among = { placed: [], inside: [0, -Infinity, width, Infinity], ground: colours.ground };
    const near = current ? (reader.top[current.t] ?? []).slice(0, 10) : [];
    flatNames(g, (x, y) => this.to(x, y), typed, current, near, among, colours);
    if (over) this.tag(g, short(back.words[over.i], 20), this.to(back.x[over.i], back.y[over.i]), colours);
    g.restore();
    g.strokeStyle = colours.line;
    g.strokeRect(0.5, 0.5, width - 1, high - 1);
    const dots = [
      [colours.accent, width < 400 ? "selected" : "selected, with its neighbours"], // no room for all the words
      [colours.text, "typed"],
      [colours.faint, `${back.words.length.toLocaleString("en")} commonest words`],
    ];
    dotKey(g, dots, 2, high + LEGEND / 2 + 3, colours);
    const at = (x, y) => `at (${digits(x)}, ${digits(y)})`;
    panel.read(
      over
        ? `${visible(back.words[over.i])} ${at(back.x[over.i], back.y[over.i])}`
        : current
          ? `“${visible(current.label)}” ${at(current.x, current.y)}, with lines to its true nearest neighbours`
          : "No typed word is in this model's vocabulary yet.",
    );
    this.hits = typed.map((w) => ({ ...w, at: this.to(w.x, w.y) }));
  }

  background(g, back, colours) {
    g.fillStyle = colours.faint;
    g.globalAlpha = 0.35;
    this.screen = [];
    for (let i = 0; i < back.words.length; i++) {
      const [x, y] = this.to(back.x[i], back.y[i]);
      if (x < -4 || y < -4 || x > this.camera.width + 4 || y > this.camera.high + 4) continue;
      g.fillRect(x - 1.25, y - 1.25, 2.5, 2.5);
      this.screen.push({ i, x, y });
    }
    g.globalAlpha = 1;
  }

  tag(g, word, /** @type {number[]} */ [x, y], colours) {
    dot(g, x, y, 3, colours.text);
    g.font = font(12.5, 600);
    g.textAlign = x > this.camera.width - 90 ? "right" : "left";
    g.textBaseline = "bottom";
    g.fillText(word, x, y - 5);
  }

  hit(px, py) {
    return this.hits?.find(({ at: [x, y] }) => far(x, y, px, py) < 100);
  }

  keep(px, py) {
    const hit = this.hit(px, py);
    if (hit) this.panel.selection.keep(this.panel.reader().place(hit.t), this.panel.app);
  }

  look(px, py) {
    const { selection } = this.panel;
    const hit = this.hit(px, py);
    const old = this.over;
    this.over = null;
    if (hit) return selection.look(this.panel.reader().place(hit.t));
    let least = 64;
    for (const word of this.screen ?? [])
      if (far(word.x, word.y, px, py) < least) {
        least = far(word.x, word.y, px, py);
        this.over = word;
      }
    if (this.over?.i !== old?.i) this.draw();
    selection.leave();
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
