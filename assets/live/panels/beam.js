// Beam search as it grows: at each step all kept texts go on, the likeliest of all continuations are kept, the others struck out.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, element, percent, short, visible } from "../dom.js";
import { curve } from "../marks/arcs.js";
import { card } from "../marks/graph.js";
import { bar, button, choice, Player, slider } from "../parts/controls.js";
import { Ranking } from "../parts/ranking.js";
import { Work } from "../parts/work.js";
import { beams } from "../sums/beams.js";

const ROW = 26,
  STEP = 118,
  BOX = 96,
  LEFT = 8,
  TOP = 24,
  PLAY_MS = 900;
const FATES = { kept: "kept", ended: "its sentence has ended, so it is set aside", dropped: "dropped" };
const FIRST = { beams: 3, long: 8 };

export default class BeamSearch {
  at = null; // null: the last step there is
  places = [];
  rest = () => this.work.rest();
  ask = () => this.work.ask();

  constructor(panel) {
    this.panel = panel;
    const settings = () => ({ width: this.set("beams"), steps: this.set("long") });
    this.work = new Work(panel, "beams", settings, "Search");
    const keep = (name) => (value) => {
      panel.selection.keep({ [name]: value }, panel.app);
      this.at = null;
      this.work.start();
    };
    this.where = element("span", "un-total");
    this.slider = slider((step) => this.go(step), { min: 1, max: 8, step: 1 }, "Step of the search");
    this.player = new Player("Watch it grow", PLAY_MS, () => this.grow(), { begin: () => (this.at = 0) });
    const scroller = element("div", "un-strip");
    panel.body.append(
      bar(
        choice("Beams", [1, 2, 3, 4, 5, 6, 8], this.set("beams"), keep("beams")),
        choice("Steps", [4, 6, 8, 10, 12], this.set("long"), keep("long")),
      ),
      bar(
        button("‹ Step back", () => this.go(this.shown - 1), { title: "" }),
        this.slider,
        button("Step ›", () => this.go(this.shown + 1), { title: "" }),
        this.player.node,
        this.where,
      ),
      scroller,
    );
    this.surface = new Surface(scroller);
    this.canvas = this.surface.node;
    this.ranking = new Ranking(panel, () => this.draw());
    const point = (x, y) => {
      this.over = this.places.find((p) => x >= p.x && x <= p.x + BOX && Math.abs(y - p.y) < ROW / 2);
      this.tell();
    };
    this.surface.onPointer(
      point,
      () => {},
      () => point(-1, -1),
    );
  }

  destroy() {
    this.player.stop();
    this.work.destroy();
  }

  set(name) {
    return this.panel.selection.get(name) ?? FIRST[name];
  }

  get count() {
    return this.search?.rows.length ?? 0;
  }
  get shown() {
    return Math.max(1, Math.min(this.at ?? this.count, this.count));
  }

  go(step) {
    this.player.stop();
    this.at = Math.max(1, Math.min(step, this.count));
    this.panel.draw();
  }

  grow() {
    this.at = Math.max(1, Math.min(this.at + 1, this.count));
    this.panel.draw();
    return this.at < this.count;
  }

  draw() {
    const { panel, work } = this;
    const width = this.set("beams");
    this.search = work.take() ?? this.search;
    const found = this.search;
    panel.say(
      panel.spec.title,
      work.progress("steps") ||
        `At each step every kept text is extended by every token. The ${width} likeliest extensions are kept (strong); the next ${width} are struck out. The number is ln P of the text so far. ■ marks a text that has ended, with a line end or a full stop; it is set aside.${panel.spec.alone ? "" : " The rules above are not used."}`,
    );
    if (!found?.rows.length) {
      this.places = [];
      this.stamp = null;
      this.surface.begin(10, 40);
      this.ranking.clear();
      return panel.read(found?.problem ?? "");
    }
    const stamp = [found, this.shown, this.ranking.alpha, work.busy, panel.body.clientWidth, panel.app.dark];
    if (this.stamp?.every((part, i) => part === stamp[i]) && !this.surface.recording) return; // a key leaves it as it is
    this.stamp = stamp;
    this.slider.max = this.count;
    this.slider.value = this.shown;
    this.where.textContent = `step ${this.shown} of ${this.count}`;
    const best = this.ranking.draw(found, this.shown === this.count && !work.busy);
    this.paint(found.rows, best);
  }

  paint(rows, best) {
    const { panel } = this;
    const colours = ink(panel.app.root);
    const step = Math.max(STEP, Math.min(150, (panel.body.clientWidth - LEFT) / this.count));
    const high = Math.max(...rows.map((r) => r.length));
    const g = this.surface.begin(LEFT + step * this.count, TOP + high * ROW + 4);
    const [x, y] = [(s) => LEFT + s * step, (i) => TOP + (i + 0.5) * ROW];
    g.textBaseline = "middle";
    g.textAlign = "left";
    for (let s = 0; s < this.shown; s++) {
      const last = s === this.shown - 1;
      g.fillStyle = last ? colours.text : colours.faint;
      g.font = font(11, last ? 700 : 400);
      g.fillText(`step ${s + 1}`, x(s), 10);
    }
    this.places = beams(rows.slice(0, this.shown)).map((p) => ({ ...p, x: x(p.s), y: y(p.i) }));
    for (const p of this.places) this.candidate(g, p, best?.path[p.s] === p.i, colours);
    this.tell();
  }

  candidate(g, { s, x, y, label, total, fate, above }, best, colours) {
    const last = s === this.shown - 1,
      dropped = fate === "dropped";
    const from = this.places[above];
    g.globalAlpha = dropped ? (last ? 0.6 : 0.25) : 1;
    g.strokeStyle = best ? colours.accent : colours.faint;
    g.lineWidth = best ? 2.5 : 1;
    if (from) curve(g, from.x + BOX, from.y, x, y);
    g.fillStyle = colours.ground;
    g.strokeStyle = dropped ? colours.line : colours.accent;
    g.lineWidth = best ? 2 : 1;
    card(g, x, y, BOX, 22);
    const word = `${fate === "ended" ? "■ " : ""}${short(label, 9)}`;
    g.font = font(12, dropped ? 400 : 600);
    g.fillStyle = dropped && !last ? colours.faint : colours.text;
    g.fillText(word, x + 5, y);
    if (dropped) g.fillRect(x + 4, y, Math.min(g.measureText(word).width + 2, BOX - 40), 1);
    g.font = font(10);
    g.textAlign = "right";
    g.fillText(digits(total), x + BOX - 5, y);
    g.textAlign = "left";
    g.globalAlpha = 1;
  }

  tell() {
    const over = this.over && this.places.find((p) => p.s === this.over.s && p.i === this.over.i);
    if (!over) return this.panel.read("Point at a candidate to read it.");
    const { text, one, total, fate } = over;
    const before = digits(total - one);
    this.panel.read(
      `“${text}”: ${before} + ln ${percent(Math.exp(one))} = ${before} − ${digits(-one)} = ${digits(total)}; ${FATES[fate]}.`,
    );
  }

  table() {
    return {
      columns: ["step", "token", "ln P of the token", "ln P so far", "fate"],
      rows: beams(this.search?.rows ?? []).map(({ s, label, one, total, fate }) => {
        return [s + 1, visible(label), digits(one), digits(total), fate];
      }),
    };
  }

  drawn() {
    const rows = (this.search?.rows ?? []).flat();
    if (!rows.length) return {};
    const over = (labels, values) => ({
      axes: ["rank"],
      labels: [labels],
      values: Float32Array.from(values),
    });
    const { ranked } = this.ranking;
    return {
      "beam.total": over(
        rows.map((r) => r[1]),
        rows.map((r) => r[3]),
      ),
      "beam.score": over(
        ranked.map((h) => h.text),
        ranked.map((h) => h.score),
      ),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.where.textContent}. ${this.ranking.best(3)}`;
  }
}
