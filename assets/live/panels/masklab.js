// A mask on a trained Transformer: a row for each token that looks, a column for each one looked at, with the weights of
// one head under the mask; beside each row what the next token costs, under the model's own mask and under this one.

import { Scale, Surface, font, ink, legend } from "../drawing/canvas.js";
import { digits, percent, small, visible } from "../dom.js";
import { cellAt, columnNames, frame, grid, rowNames } from "../marks/grid.js";
import { fitted } from "../marks/strip.js";
import { bar, button, select, slider } from "../parts/controls.js";
import { flipped, readFlips, readRules, writeRules } from "../sums/masks.js";

const [TOP, GAP, FOOT, NAMES] = [64, 18, 36, 96];
const SEEN = 1e-5; // of a probability: less is rounding

export default class MaskLab {
  store = {};

  constructor(panel) {
    this.panel = panel;
    const { selection, app, spec } = panel;
    const keep = (place) => selection.keep(place, app);
    const set = (part) => keep({ rules: writeRules({ ...this.rules, ...part }) });
    const titles = Object.entries(spec.patterns).map(([id, [title]]) => [id, title]);
    this.pattern = select(titles, (pattern) => set({ pattern }), "Mask");
    this.size = slider((size) => set({ size }), { min: 1, max: spec.largest, step: 1 }, "Size");
    this.sized = document.createElement("span");
    this.sized.className = "un-search-label";
    this.way = select(
      Object.entries(spec.ways).map(([id, name]) => [id, `hide by ${name}`]),
      (way) => set({ way }),
      "How a hidden pair is hidden",
    );
    const { layers, heads } = panel.reader().spec;
    const places = [];
    for (let l = 0; l < layers; l++)
      for (let h = 0; h < heads; h++) places.push([`${l}.${h}`, `layer ${l + 1}, head ${h + 1}`]);
    this.place = select(
      places,
      (at) => {
        const [layer, head] = at.split(".").map(Number);
        keep({ layer, head });
      },
      "Head",
    );
    this.turn = button("Turn pair over", () => this.flip(this.at), {
      title: "Allow or forbid the pair of tokens that is framed; a click on a cell does the same",
    });
    this.clear = button("Undo", () => keep({ masks: "" }), { title: "The pattern as it was" });
    panel.body.append(bar(this.pattern, this.sized, this.size, this.way, this.place));
    this.surface = new Surface(panel.body);
    panel.body.append(bar(this.turn, this.clear));
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => selection.look(this.spot(x, y) ?? {}),
      (x, y) => {
        const found = cellAt(this.box, x, y);
        if (found) this.flip(found);
      },
      () => selection.leave(),
    );
  }

  get rules() {
    return readRules(this.panel.selection.get("rules"), this.panel.spec.first);
  }

  get flips() {
    return readFlips(this.panel.selection.get("masks"));
  }

  get wanted() {
    const { selection } = this.panel;
    return {
      rules: writeRules(this.rules),
      masks: this.flips.join("_"),
      layer: selection.get("layer"),
      head: selection.get("head"),
    };
  }

  /** The same as the reply names it. */
  get key() {
    const { pattern, size, way } = this.rules;
    const cells = this.flips.map((cell) => cell.split(".").map(Number));
    cells.sort(([a, b], [c, d]) => a - c || b - d);
    const { layer, head } = this.wanted;
    return JSON.stringify([pattern, size, way, cells, layer, head]);
  }

  /** @param {number[]} pair */
  flip([t, s]) {
    const { selection, app } = this.panel;
    const reader = this.panel.reader();
    selection.keep(
      { ...reader.place(t), other: s + reader.offset, masks: flipped(this.flips, `${t}.${s}`) },
      app,
    );
  }

  // For the message to Python: the mask wanted, and the one whose numbers are here.
  ask() {
    this.asked = JSON.stringify(this.wanted);
    return { mask: this.wanted, mask_before: this.panel.reader().said.masked?.of ?? null };
  }

  get at() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const last = reader.labels.length - 1;
    const other = (selection.get("other") ?? reader.offset) - reader.offset;
    return [Math.max(0, selection.token(reader)), Math.max(0, Math.min(last, other))];
  }

  spot(x, y) {
    const found = cellAt(this.box, x, y);
    const reader = this.panel.reader();
    return found && { ...reader.place(found[0]), other: found[1] + reader.offset };
  }

  controls() {
    const { spec, selection } = this.panel;
    const { pattern, size, way } = this.rules;
    const [, , sized] = spec.patterns[pattern] ?? ["", "", ""];
    this.pattern.value = pattern;
    this.way.value = way;
    this.place.value = `${selection.get("layer")}.${selection.get("head")}`;
    this.size.hidden = this.sized.hidden = !sized;
    if (Number(this.size.value) !== size) this.size.value = String(size);
    this.sized.textContent = `${sized}: ${size}`;
    this.clear.hidden = !this.flips.length;
  }

  draw() {
    const { panel } = this;
    const { app, spec } = panel;
    const reader = panel.reader();
    const n = reader.labels.length;
    this.controls();
    const wanted = JSON.stringify(this.wanted);
    const fresh = this.key === JSON.stringify(reader.said.masked?.of);
    panel.root.classList.toggle("un-stale", !fresh && n > 0);
    if (!fresh && wanted !== this.asked && n) {
      this.asked = wanted;
      app.again();
    }
    const { pattern } = this.rules;
    const [title, says] = spec.patterns[pattern] ?? [spec.title, ""];
    const from = n ? visible(reader.labels[this.at[0]]) : "";
    panel.say(from ? `${title}, seen from “${from}”` : title, `${says} ${spec.says}`);
    const masked = reader.said.masked;
    const look = reader.fields.get("mask.attention");
    const open = reader.fields.get("mask.may");
    if (!n || !masked || look?.shape[0] !== n) {
      this.box = null;
      this.surface.begin(10, 40);
      return panel.read(n ? "" : "Type a sentence.");
    }
    const width = panel.body.clientWidth;
    const left = Math.min(NAMES, width * 0.2);
    const beside = Math.max(96, Math.min(420, width * 0.36));
    const tall = Math.max(360, innerHeight - 340);
    const cell = Math.min(34, (width - left - beside - GAP) / n, Math.max(9, tall / n));
    const box = (this.box = { x: left, y: TOP, w: cell * n, h: cell * n, rows: n, columns: n });
    const g = this.surface.begin(width, TOP + box.h + FOOT);
    const colours = ink(app.root);
    const scale = new Scale(reader.spec.fields["mask.attention"].scale, app.dark);
    this.values = look.values.map((v, i) => (open.values[i] ? v : NaN));
    // under a large number a hidden pair may have weight all the same
    if (["e9", "e4"].includes(this.rules.way) || pattern === "top")
      this.values = look.values.map((v, i) => (open.values[i] || v > 0.0005 ? v : NaN));
    grid(g, this.store, box, { values: this.values }, scale, colours);
    const [t, s] = this.at;
    rowNames(g, box, reader.labels, t, colours);
    columnNames(g, box, reader.labels, s, colours);
    this.lost(g, box, look.values, colours);
    frame(g, box, { row: t }, colours);
    frame(g, box, { row: t, column: s }, colours, 2.5);
    this.bars(g, box, reader, masked, colours, width);
    legend(g, box.x, box.y + box.h + 8, Math.min(150, box.w / 2), scale, "attention weight", colours);
    panel.read(this.words(reader, masked, look.values, open.values, t, s));
  }

  // Rows that have no numbers, or nobody to look at.
  lost(g, box, values, colours) {
    const n = box.rows;
    const step = box.h / n;
    g.font = font(Math.max(9, Math.min(12, step * 0.7)), 700);
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillStyle = colours.text;
    for (let t = 0; t < n; t++) {
      const row = values.subarray(t * n, (t + 1) * n);
      const y = box.y + (t + 0.5) * step;
      if (row.some(Number.isNaN)) g.fillText("no numbers", box.x + 4, y, box.w - 8);
      else if (row.every((v) => v === 0)) g.fillText(small("nobody"), box.x + 4, y, box.w - 8);
    }
  }

  // Under the own mask a light bar, under this one a strong one.
  bars(g, box, reader, masked, colours, width) {
    const n = box.rows;
    const step = box.h / n;
    const x = box.x + box.w + GAP;
    const names = Math.min(80, (width - x) * 0.3);
    const room = width - x - names - 46;
    const most = Math.max(
      8,
      ...reader.bits.slice(1).filter(Number.isFinite),
      ...masked.bits.filter(Number.isFinite),
    );
    g.font = font(12, 600);
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillStyle = colours.text;
    g.fillText("Bits of the next token", x, 12, width - x);
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.fillRect(x, 26, 14, 5);
    g.fillText("own mask", x + 18, 29);
    g.fillStyle = colours.accent;
    g.fillRect(x, 40, 14, 5);
    g.fillStyle = colours.text;
    g.fillText("this mask", x + 18, 43, width - x - 18);
    for (let t = 0; t + 1 < n; t++) {
      const y = box.y + (t + 0.5) * step;
      const [own, now] = [reader.bits[t + 1], masked.bits[t + 1]];
      g.fillStyle = colours.faint;
      g.globalAlpha = 0.6;
      g.fillRect(x, y - step * 0.32, Math.max(1, (own / most) * room), step * 0.28);
      g.globalAlpha = 1;
      g.fillStyle = colours.accent;
      if (Number.isFinite(now)) g.fillRect(x, y + step * 0.04, Math.max(1, (now / most) * room), step * 0.28);
      if (step < 10) continue;
      g.font = font(Math.min(12, step * 0.72));
      g.fillStyle = colours.text;
      g.textAlign = "right";
      g.fillText(now === null ? "none" : now.toFixed(1), width - names - 6, y);
      g.textAlign = "left";
      g.fillText(fitted(g, reader.labels[t + 1], names - 2), width - names, y);
    }
  }

  words(reader, masked, look, open, t, s) {
    const n = reader.labels.length;
    const word = (i) => `“${visible(reader.labels[i])}”`;
    const parts = [`${masked.pairs} of ${n * n} pairs are allowed.`];
    const mean = (bits) => bits.slice(1).reduce((a, b) => a + (b ?? NaN), 0) / (n - 1);
    if (n > 1)
      parts.push(
        `Bits per token: ${digits(mean(reader.bits))} under its own mask, ${digits(mean(masked.bits))} under this one.`,
      );
    const empty = [];
    for (let i = 0; i < n; i++) if (!open.subarray(i * n, (i + 1) * n).some(Boolean)) empty.push(i);
    const gone = masked.bits.slice(1).filter((b) => b === null).length;
    if (empty.length) parts.push(this.nobody(empty, word));
    if (gone)
      parts.push(
        `No numbers are left for ${gone} of ${n - 1} predictions: 0 times no number is no number, for all who look there.`,
      );
    if (masked.leak > SEEN)
      parts.push(
        `The future is seen: with another last token, a probability before it moves by up to ${percent(masked.leak)}.`,
      );
    const [best] = masked.next;
    if (best) parts.push(`Expected next: “${visible(best[0])}”, ${percent(best[1])}.`);
    const v = look[t * n + s];
    parts.push(
      open[t * n + s]
        ? `${word(t)} gives ${word(s)} ${Number.isNaN(v) ? "no number" : percent(v)} in this head.`
        : `${word(t)} may not look at ${word(s)}${v > 0.0005 ? `, and gives it ${percent(v)} all the same` : ""}.`,
    );
    return parts.join(" ");
  }

  nobody(empty, word) {
    const who = empty.length === 1 ? word(empty[0]) : `${word(empty[0])} and ${empty.length - 1} more`;
    const what = {
      zero: "it reads nothing",
      inf: "a softmax of −∞ alone is no number",
      e9: "all its scores are equal, so it looks at every token alike, later ones too",
      e4: "all its scores fall alike, so its weights are those without a mask",
    }[this.rules.way];
    return `${who} may look at nobody: ${what}.`;
  }

  table() {
    const reader = this.panel.reader();
    const masked = reader.said.masked;
    return {
      columns: ["token", "bits under its own mask", "bits under this mask"],
      rows: reader.labels
        .slice(1)
        .map((label, i) => [
          visible(label),
          digits(reader.bits[i + 1]),
          masked?.bits[i + 1] === null ? "n/a" : digits(masked?.bits[i + 1] ?? NaN),
        ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent} ${this.panel.readout.textContent}`;
  }
}
