// Beam search as it grows: at each step all kept texts go on, the likeliest of all continuations are kept, the others struck out.

import { ink } from "../drawing/canvas.js";
import { digits, percent, small, visible } from "../dom.js";
import { candidates } from "./beam/candidates.js";
import { bar, choice } from "../parts/controls.js";
import { Player } from "../parts/player.js";
import { Ranking } from "./beam/ranking.js";
import { WorkPicture } from "../parts/work.js";
import { beams } from "../sums/beams.js";

const ROW = 26,
  STEP = 140,
  BOX = 120,
  LEFT = 8,
  TOP = 24;
const FATES = {
  kept: small("kept"),
  ended: "its sentence has ended, so it is set aside",
  dropped: small("dropped"),
};

export default class BeamSearch extends WorkPicture {
  places = [];
  best = null;

  constructor(panel) {
    const settings = () => ({ width: this.set("beams"), steps: this.set("long") });
    super(panel, "beams", { beams: 3, long: 8 }, settings, "Search");
    const keep = (name) => (value) => {
      this.player.stop();
      this.keep(name, value);
    };
    this.player = new Player(panel, {
      title: "Watch the beam grow",
      label: "Step of the search",
      count: () => this.count,
      says: (step) => this.told(step),
      move: () => this.paint(),
    });
    panel.body.append(
      bar(
        choice("Beams", [1, 2, 3, 4, 5, 6, 8], this.set("beams"), keep("beams")),
        choice("Steps", [4, 6, 8, 10, 12], this.set("long"), keep("long")),
      ),
      this.player.node,
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
    return this.player.step + 1;
  }

  // The likeliest text of a step that is not dropped.
  told(step) {
    const row = beams(this.search.rows).filter(({ s, fate }) => s === step && fate !== "dropped");
    const [{ text, total }] = row.sort((one, other) => other.total - one.total);
    return `the likeliest so far is “${visible(text)}”, ln P = ${digits(total)}`;
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
    this.player.draw();
    if (!found?.rows.length) {
      this.places = [];
      this.ranking.clear();
      return this.nothing(found?.problem);
    }
    if (!this.changed(found, this.shown, this.player.share, this.ranking.alpha, work.busy)) return;
    this.best = this.ranking.draw(found, this.shown === this.count && !work.busy);
    this.paint();
  }

  // What has just been found comes out of what it goes on from.
  paint() {
    const { rows } = this.search;
    const { share } = this.player;
    const room = (this.panel.body.clientWidth - LEFT) / this.count;
    const high = Math.max(...rows.map((r) => r.length));
    const step = Math.max(STEP, Math.min(170, room));
    const g = this.surface.begin(LEFT + step * this.count, TOP + high * ROW + 4);
    const here = ({ s, i }) => ({ x: LEFT + s * step, y: TOP + (i + 0.5) * ROW });
    this.places = [];
    for (const node of beams(rows.slice(0, this.shown))) {
      const { x, y } = here(node);
      const from = node.s === this.shown - 1 ? (this.places[node.above] ?? { x, y }) : { x, y };
      this.places.push({ ...node, x: from.x + share * (x - from.x), y: from.y + share * (y - from.y) });
    }
    candidates(g, this.places, this.shown - 1, this.best, BOX, ink(this.panel.app.root));
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
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} Step ${this.shown} of ${this.count}. ${this.ranking.best(3)}`;
  }
}
