// Patterns of attention beside each other: who looks at whom in one layer, and how far it reaches through several.

import { Scale, Surface, css, font, ink } from "../drawing/canvas.js";
import { percent } from "../dom.js";
import { boxAt } from "../marks/pointer.js";
import { cut } from "../marks/strip.js";
import { bar, slider } from "../parts/controls.js";
import { may, reach, readRules, writeRules } from "../sums/masks.js";

const [GAP, WORDS, NARROW] = [16, 40, 150];
const LAYERS = 8;

export default class MaskGallery {
  constructor(panel) {
    this.panel = panel;
    const { selection, app } = panel;
    this.layers = slider(
      (times) => selection.keep({ times }, app),
      { min: 1, max: LAYERS, step: 1 },
      "Layers",
    );
    this.told = document.createElement("span");
    this.told.className = "un-search-label";
    this.size = slider(
      (size) => selection.keep({ rules: writeRules({ ...this.rules, size }) }, app),
      { min: 1, max: 16, step: 1 },
      "Size",
    );
    this.sized = document.createElement("span");
    this.sized.className = "un-search-label";
    this.surface = new Surface(panel.body);
    panel.body.append(bar(this.sized, this.size, this.told, this.layers));
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => {
        const over = boxAt(this.boxes, x, y)?.id;
        if (over === this.over) return;
        this.over = over;
        panel.draw();
      },
      (x, y) => this.choose(boxAt(this.boxes, x, y)?.id),
      () => {
        this.over = undefined;
        panel.draw();
      },
    );
  }

  get ids() {
    return Object.keys(this.panel.spec.patterns);
  }

  get rules() {
    return readRules(this.panel.selection.get("rules"), this.panel.spec.first);
  }

  get depth() {
    return Math.max(1, Math.min(LAYERS, this.panel.selection.get("times") ?? 1));
  }

  choose(pattern) {
    const { selection, app } = this.panel;
    if (pattern) selection.keep({ rules: writeRules({ ...this.rules, pattern }) }, app);
  }

  /** Of one pattern: what is drawn, the pairs it has, and how far back the last token reaches. */
  figures(id) {
    const n = this.panel.spec.drawn;
    const { size } = this.rules;
    const open = may(id, n, size);
    const pairs =
      id === "top"
        ? Array.from({ length: n }, (_, t) => Math.min(t + 1, size)).reduce((a, b) => a + b)
        : open.reduce((a, b) => a + b, 0);
    const far = reach(open, n, this.depth);
    let reached = 0;
    for (let s = 0; s < n; s++) reached += Number(far[(n - 1) * n + s] > 0);
    return { n, open, pairs, far, reached, share: pairs / ((n * (n + 1)) / 2) };
  }

  draw() {
    const { panel, ids, rules, depth } = this;
    const { app, spec } = panel;
    const width = panel.body.clientWidth;
    const across = width < 4 * NARROW ? 2 : 4;
    const side = (width - (across - 1) * GAP) / across;
    const cell = Math.floor(Math.min(side, 176) / spec.drawn);
    const w = cell * spec.drawn;
    const down = Math.ceil(ids.length / across);
    const g = this.surface.begin(width, down * (w + WORDS + GAP));
    const colours = ink(app.root);
    const scale = new Scale(spec.scale, app.dark);
    this.layers.value = String(depth);
    this.told.textContent = `Layers: ${depth}`;
    this.size.value = String(Math.min(16, rules.size));
    this.sized.textContent = `Size: ${rules.size}`;
    this.boxes = [];
    g.textBaseline = "middle";
    ids.forEach((id, i) => {
      const x = (i % across) * (side + GAP);
      const y = Math.floor(i / across) * (w + WORDS + GAP);
      const { n, far, share } = this.figures(id);
      for (let t = 0; t < n; t++)
        for (let s = 0; s < n; s++) {
          const steps = far[t * n + s];
          g.fillStyle = steps ? css(scale.packed(1 - (0.85 * (steps - 1)) / depth)) : css(scale.none);
          g.fillRect(x + s * cell, y + t * cell, cell - 1, cell - 1);
        }
      const on = id === rules.pattern;
      g.strokeStyle = colours.accent;
      g.lineWidth = on ? 3 : 1;
      if (on || id === this.over) g.strokeRect(x - 0.5, y - 0.5 + 1, w, w - 2);
      g.textAlign = "left";
      g.font = font(13, on ? 700 : 400);
      g.fillStyle = on ? colours.accent : colours.text;
      g.fillText(cut(g, spec.patterns[id][0], side - 4), x, y + w + 12);
      g.font = font(12);
      g.fillStyle = colours.faint;
      g.fillText(cut(g, `${percent(share)} of the pairs`, side - 4), x, y + w + 29);
      this.boxes.push({ x, y, w: side, h: w + WORDS, id });
    });
    const id = this.over ?? rules.pattern;
    panel.read(spec.patterns[id] ? this.words(id) : "");
  }

  words(id) {
    const { n, pairs, reached, share } = this.figures(id);
    const [title, says] = this.panel.spec.patterns[id];
    const layers = this.depth === 1 ? "After one layer" : `After ${this.depth} layers`;
    return `${title}: ${says} ${pairs} of ${(n * (n + 1)) / 2} pairs of ${n} tokens, ${percent(share)}. ${layers} the last token has heard of ${reached} of ${n}.`;
  }

  table() {
    return {
      columns: ["pattern", "pairs", "share", `heard of after ${this.depth} layers`],
      rows: this.ids.map((id) => {
        const { pairs, share, reached } = this.figures(id);
        return [this.panel.spec.patterns[id][0], pairs, percent(share), reached];
      }),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
