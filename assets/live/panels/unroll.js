// The loop of a recurrent network over the text: folded, one box with an arrow to itself; unfolded, a box for
// each token. The three matrices stand once below, and a small picture of one on every arrow where it is
// used. Only what is in sight is drawn: the picture stands still in a scrolled strip as long as the text.

import { ink } from "../drawing/canvas.js";
import { digits, percent, visible } from "../dom.js";
import { bar, button, select } from "../parts/controls.js";
import { Player, overTokens } from "../parts/player.js";
import { chosenLayer, chosenUnit, squash } from "../sums/weights.js";
import { Matrices } from "./unroll/matrices.js";
import { pictures } from "./unroll/pictures.js";
import { Strip } from "./unroll/strip.js";

const MOVE_MS = 320;

export default class Unroll {
  folded = 0; // 0 unfolded, 1 folded, between them while it moves
  stores = {};
  over = null; // the matrix under the pointer

  constructor(panel) {
    this.panel = panel;
    this.fold = button("", () => this.move());
    const { layers } = panel.reader().spec.weights;
    const names = Array.from({ length: layers }, (_, n) => [n, `layer ${n + 1}`]);
    const choose = (layer) => panel.selection.keep({ layer: Number(layer) }, panel.app);
    this.list = layers > 1 ? select(names, choose, "Layer") : null;
    this.player = new Player(panel, {
      title: "Follow the state through the text",
      label: "Token",
      says: () => this.told(),
      ...overTokens(panel),
    });
    this.strip = new Strip(this);
    this.canvas = this.strip.surface.node;
    this.matrices = new Matrices(panel, (matrix) => this.light(matrix));
    const above = bar(this.fold, this.list ?? "");
    panel.body.append(above, this.player.node, this.strip.root, this.matrices.root);
  }

  destroy() {
    this.player.stop();
  }

  // A number of the state at a token; before the first it is 0, before the part shown it is not here.
  number(t) {
    const { reader, layer, unit } = this.what;
    return t < 0 ? (reader.offset ? NaN : 0) : reader.value("hidden", { layer, token: t, unit });
  }

  // The token looked at, and what it does to the unit looked at.
  told() {
    const { reader, now, unit } = this.what;
    const [before, after] = [now - 1, now].map((t) => digits(this.number(t)));
    return `“${visible(reader.labels[now])}”, h_t of unit ${unit} ${before} → ${after}`;
  }

  // Columns slide together or apart; at once for who wants no motion.
  move() {
    const [from, to] = [this.folded, this.folded < 0.5 ? 1 : 0];
    const start = performance.now();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = () => {
      const share = still ? 1 : Math.min(1, (performance.now() - start) / MOVE_MS);
      this.folded = from + (to - from) * share;
      this.strip.now = null;
      this.draw();
      if (share < 1) requestAnimationFrame(step);
    };
    step();
  }

  get lit() {
    return this.over ?? this.matrices.pinned;
  }

  // The matrix that the pointer is over.
  light(matrix) {
    if (matrix === this.over) return;
    this.over = matrix;
    this.draw();
  }

  leave() {
    this.over = null;
    this.panel.selection.leave();
    this.draw();
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const count = reader.labels.length;
    this.strip.root.hidden = !count;
    this.what = null;
    this.player.node.hidden = !count;
    if (!count) {
      this.player.stop();
      panel.say("The loop, unfolded", "Type something: each token gets a box.");
      return panel.read("");
    }
    const layer = chosenLayer(reader, selection),
      unit = chosenUnit(reader, selection),
      now = selection.token(reader);
    if (this.list) this.list.value = String(layer);
    const made = pictures(this.stores, reader, layer, app.dark);
    this.what = { reader, layer, count, now, unit, colours: ink(app.root), ...made };
    this.player.draw();
    this.strip.draw();
    this.matrices.draw(this.what);
    this.say();
  }

  say() {
    const { panel } = this;
    const { count, reader, now, layer, order } = this.what;
    const { layers } = reader.spec.weights;
    const folded = this.folded > 0.5;
    const deep = layers > 1 ? `, layer ${layer + 1}` : "";
    const tokens = `${count} ${count === 1 ? "token" : "tokens"}`;
    const below = `Below: the token and ${layer ? `the state of layer ${layer} under it` : "its vector"}.`;
    const above = `Above: the likeliest next token${layer === layers - 1 ? "" : ", computed by the layers above"}.`;
    panel.say(
      folded ? `The loop over ${tokens}, folded${deep}` : `The loop, unfolded over ${tokens}${deep}`,
      `${below} In the box: the state${order ? `, the ${order.length} of ${reader.spec.weights.units} units whose values span the widest range over this text, the widest first` : ", one strip per unit"}. ${above} ${panel.spec.says}`,
    );
    this.fold.textContent = folded ? "Unfold" : "Fold";
    const [guess] = reader.top[now] ?? [];
    const likeliest = guess ? `; likeliest next: “${visible(guess[0])}”, ${percent(guess[1])}` : "";
    const { unit } = this.what;
    const number = digits(this.number(now));
    panel.read(
      `Step ${now + reader.offset + 1}, “${visible(reader.labels[now])}”: h_t = ${squash(reader).said("W_hh h_t−1 + W_xh x_t + b")}${likeliest}; h_t of unit ${unit} is ${number}. Left and right keys change the step, up and down the unit.`,
    );
  }

  table() {
    if (!this.what) return { columns: ["step", "token"], rows: [] };
    const { reader, layer, unit } = this.what;
    const rows = reader.labels.map((label, token) => {
      const [next, p] = reader.top[token]?.[0] ?? ["", NaN];
      const h = reader.value("hidden", { layer, token, unit });
      return [token + reader.offset + 1, visible(label), visible(next), percent(p), digits(h)];
    });
    return { columns: ["step", "token", "likeliest next", "probability", `h_t of unit ${unit}`], rows };
  }
}
