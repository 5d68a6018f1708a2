// The receptive field of dilated causal convolutions over typed tokens: which places of which layers a prediction is made
// of, and what each token does to it.

import { percent, short, visible } from "../dom.js";
import { Scale, css, font, legend, luminance } from "../drawing/canvas.js";
import { Board, mounting } from "../descend/board.js";
import { seen } from "../sums/field.js";
import { heading } from "./squares.js";

const LEFT = 76,
  HEAD = 24,
  LAYER = 40,
  FOOT = 78,
  LEGEND = 32,
  LEAST = 13, // pixels of a token
  LOWEST = -4; // power of ten of an effect, below which it has the colour of none
const power = (/** @type {number} */ share) => Math.log10(Math.max(share, 10 ** LOWEST));

class Field extends Board {
  /** @type {number | null} */
  token = null;

  constructor(parent) {
    super(parent, "The receptive field of a prediction");
    this.root.classList.add("cv");
    this.root.append(this.says);
    Object.defineProperty(this.root, "field", {
      get: () => ({ token: this.at_, cone: this.cone, effect: this.news?.effect, labels: this.news?.labels }),
    });
  }

  settle() {
    const told = this.news.labels.join("\u0000");
    if (told !== this.of) this.token = null;
    this.of = told;
  }

  // The token looked at: the last until another is pointed at.
  get at_() {
    return Math.min(this.token ?? Infinity, this.news.labels.length - 1);
  }

  grab() {
    return false;
  }

  look(px) {
    if (Number.isNaN(px) || px < LEFT) return;
    const t = this.first + Math.floor((px - LEFT) / this.step);
    if (t === this.token || t >= this.news.labels.length) return;
    this.token = t;
    this.refresh();
  }

  key(e) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!way) return false;
    this.token = Math.max(0, Math.min(this.news.labels.length - 1, this.at_ + way));
    this.refresh();
    return true;
  }

  draw(ink, width) {
    const { labels, layers, kernel, written, scales } = this.news;
    const t = this.at_;
    const fits = Math.max(1, Math.floor((width - LEFT) / LEAST));
    this.first = Math.max(0, Math.min(t + 1 - fits, labels.length - fits));
    const shown = Math.min(fits, labels.length);
    const step = (this.step = Math.min(26, (width - LEFT) / shown));
    const bottom = HEAD + layers * LAYER;
    const narrow = width < 520; // the legends below each other
    const foot = FOOT + (narrow ? LEGEND : 0);
    const g = this.surface.begin(width, bottom + foot);
    const x = (/** @type {number} */ place) => LEFT + (place - this.first + 0.5) * step;
    const y = (/** @type {number} */ layer) => bottom - layer * LAYER; // 0: the tokens
    this.cone = seen(layers, kernel, t);
    const let_ = new Scale(scales.written, this.dark);
    const does = new Scale({ ...scales.effect, low: LOWEST, high: 0 }, this.dark);
    g.save();
    g.beginPath();
    g.rect(LEFT, 0, width - LEFT, bottom + foot);
    g.clip();
    g.strokeStyle = ink.accent;
    g.lineWidth = 1.3;
    g.globalAlpha = 0.55;
    for (let layer = layers; layer > 0; layer--)
      for (const place of this.cone[layer])
        for (let k = 0; k < kernel; k++) {
          const back = place - k * 2 ** (layer - 1);
          if (back < 0) continue;
          g.beginPath();
          g.moveTo(x(place), y(layer));
          g.lineTo(x(back), y(layer - 1) - (layer > 1 ? 0 : 12));
          g.stroke();
        }
    g.globalAlpha = 1;
    const round = Math.min(6, step * 0.36);
    for (let layer = 1; layer <= layers; layer++) {
      const strong = new Set(this.cone[layer]);
      for (let place = this.first; place < this.first + shown; place++) {
        g.fillStyle = ink.ground;
        g.globalAlpha = 1;
        circle(g, x(place), y(layer), round + 1);
        g.globalAlpha = strong.has(place) ? 1 : 0.25;
        g.fillStyle = let_.css(written[layer - 1][place]);
        circle(g, x(place), y(layer), round);
        g.fill();
        g.strokeStyle = strong.has(place) ? ink.text : ink.faint;
        g.lineWidth = 1;
        g.stroke();
      }
    }
    g.globalAlpha = 1;
    this.tokens(g, ink, { x, bottom, step, shown, does, t });
    g.restore();
    for (let layer = 1; layer <= layers; layer++) {
      heading(g, `layer ${layer}`, 0, y(layer) - 7, ink.text, 12);
      g.font = font(11);
      g.fillStyle = ink.faint;
      g.fillText(`${2 ** (layer - 1)} back`, 0, y(layer) + 7);
    }
    heading(g, "the text", 0, bottom, ink.text, 12);
    const room = narrow ? 140 : Math.min(140, width / 2 - 96);
    const low = bottom + FOOT - 30;
    legend(g, 0, low, room, does, "its effect", ink, (v) => `${Number((10 ** (v + 2)).toPrecision(1))} %`);
    legend(g, narrow ? 0 : width / 2, low + (narrow ? LEGEND : 0), room, let_, "let through", ink);
    this.tell();
  }

  tokens(g, ink, { x, bottom, step, shown, does, t }) {
    const { labels, effect } = this.news;
    const within = new Set(this.cone[0]);
    g.textAlign = "center";
    g.textBaseline = "middle";
    for (let place = this.first; place < this.first + shown; place++) {
      const inside = within.has(place);
      const packed = does.packed(power(effect[t][place]));
      g.fillStyle = css(packed);
      if (inside) g.fillRect(x(place) - step / 2 + 0.5, bottom - 12, step - 1, 24);
      g.fillStyle = !inside ? ink.text : luminance(packed) < 128 ? "#ffffff" : "#111111";
      g.globalAlpha = inside ? 1 : 0.45;
      g.font = font(13, place === t ? 700 : 400);
      g.fillText(short(labels[place], 1), x(place), bottom + 1);
      g.globalAlpha = 1;
      if (place !== t) continue;
      g.strokeStyle = ink.accent;
      g.lineWidth = 2;
      g.strokeRect(x(place) - step / 2, bottom - 13, step, 26);
    }
  }

  table() {
    const { labels, effect } = this.news;
    const t = this.at_;
    const rows = this.cone[0].map((s) => [s + 1, visible(labels[s]), t - s, effect[t][s]]);
    return { columns: ["place", "token", "how far back", "its effect"], rows };
  }

  tell() {
    const { labels, effect, next, layers, kernel } = this.news;
    const t = this.at_;
    const within = this.cone[0];
    const ranked = within.filter((s) => s !== t).sort((a, b) => effect[t][b] - effect[t][a]);
    const best = next[t].map(([label, p]) => `“${visible(label)}” ${percent(p)}`).join(", ");
    const reach = 1 + (kernel - 1) * (2 ** layers - 1);
    const beyond = within[0] > 0 ? `The ${within[0]} before them have no effect at all.` : "";
    const strong = ranked.length
      ? `Of the others “${visible(labels[ranked[0]])}”, ${t - ranked[0]} back, matters most: ${percent(effect[t][ranked[0]])}.`
      : "";
    this.says.textContent = `After “${visible(labels[t])}”: ${best}. Tokens that this depends on: ${within.length} of ${reach} at most. ${strong} ${beyond}`;
    this.node.setAttribute("role", "img");
    this.node.setAttribute(
      "aria-label",
      `The places that the prediction after token ${t + 1} depends on, in ${layers} layers. Arrow keys choose another token. ${this.says.textContent}`,
    );
  }
}

function circle(g, x, y, r) {
  g.beginPath();
  g.arc(x, y, r, 0, 7);
  g.fill();
}

export const mount = mounting(Field);
