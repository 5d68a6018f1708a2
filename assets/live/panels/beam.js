// Beam search as it grows: at each step all kept texts go on, the likeliest of all continuations are kept, the others struck out.

import { ink } from "../drawing/canvas.js";
import { digits, element, percent, visible } from "../dom.js";
import { candidates } from "./beam/candidates.js";
import { bar, button, choice, Player, slider } from "../parts/controls.js";
import { Ranking } from "./beam/ranking.js";
import { WorkPicture } from "../parts/work.js";
import { beams } from "../sums/beams.js";

const ROW = 26,
  STEP = 118,
  BOX = 96,
  LEFT = 8,
  TOP = 24,
  PLAY_MS = 900;
const FATES = { kept: "kept", ended: "its sentence has ended, so it is set aside", dropped: "dropped" };

export default class BeamSearch extends WorkPicture {
  at = null; // null: the last step there is
  places = [];

  constructor(panel) {
    const settings = () => ({ width: this.set("beams"), steps: this.set("long") });
    super(panel, "beams", { beams: 3, long: 8 }, settings, "Search");
    const keep = (name) => (value) => {
      this.at = null;
      this.keep(name, value);
    };
    this.where = element("span", "un-total");
    this.slider = slider((step) => this.go(step), { min: 1, max: 8, step: 1 }, "Step of the search");
    this.player = new Player("Watch it grow", PLAY_MS, () => this.grow(), { begin: () => (this.at = 0) });
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
      this.strip,
    );
    this.ranking = new Ranking(panel, () => this.draw());
  }

  point(x, y) {
    this.over = this.places.find((p) => x >= p.x && x <= p.x + BOX && Math.abs(y - p.y) < ROW / 2);
    this.tell();
  }

  destroy() {
    this.player.stop();
    super.destroy();
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
      this.ranking.clear();
      return this.nothing(found?.problem);
    }
    if (!this.changed(found, this.shown, this.ranking.alpha, work.busy)) return;
    this.slider.max = this.count;
    this.slider.value = this.shown;
    this.where.textContent = `step ${this.shown} of ${this.count}`;
    const best = this.ranking.draw(found, this.shown === this.count && !work.busy);
    this.paint(found.rows, best);
  }

  paint(rows, best) {
    const room = (this.panel.body.clientWidth - LEFT) / this.count;
    const high = Math.max(...rows.map((r) => r.length));
    const step = Math.max(STEP, Math.min(150, room));
    const g = this.surface.begin(LEFT + step * this.count, TOP + high * ROW + 4);
    this.places = beams(rows.slice(0, this.shown)).map((p) => {
      return { ...p, x: LEFT + p.s * step, y: TOP + (p.i + 0.5) * ROW };
    });
    candidates(g, this.places, this.shown - 1, best, BOX, ink(this.panel.app.root));
    this.tell();
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
    const over = (of) => {
      const [labels, values] = [0, 1].map((i) => of.map((pair) => pair[i]));
      return { axes: ["rank"], labels: [labels], values: Float32Array.from(values) };
    };
    return {
      "beam.total": over(rows.map((r) => [r[1], r[3]])),
      "beam.score": over(this.ranking.ranked.map((h) => [h.text, h.score])),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.where.textContent}. ${this.ranking.best(3)}`;
  }
}
