// One score opened: the query, every key, the score of each as a sum over units, the weights, and the context.

import { Scale, Surface, font, ink, raster } from "../drawing/canvas.js";
import { digits, percent, small, visible } from "../dom.js";
import { frame } from "../marks/grid.js";
import { cut, fitted } from "../marks/strip.js";
import { bar, button } from "../parts/controls.js";
import { row, scoreOf, scoredBy, summed } from "../sums/scored.js";
import { series } from "../wire.js";

const [TALL, GAP, TOP] = [24, 12, 18];
const TERMS = 3; // of a sum that are named

export default class ScoreStep {
  constructor(panel) {
    this.panel = panel;
    const { called } = panel.spec;
    this.buttons = Object.keys(called).map((kind) => {
      const node = button(called[kind], () => panel.selection.keep({ by: kind }, panel.app));
      node.dataset.by = kind;
      return node;
    });
    panel.body.append(bar(...this.buttons));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.stores = {};
    this.surface.onPointer(
      (x, y) => panel.selection.look(this.find(x, y) ?? {}),
      (x, y) => {
        const place = this.find(x, y);
        if (place) panel.selection.keep(place, panel.app);
      },
      () => panel.selection.leave(),
    );
  }

  now() {
    const kind = scoredBy(this.panel);
    const reader = this.panel.reader(kind);
    return { kind, reader, ...scoreOf(reader, this.panel.selection.token(reader)) };
  }

  find(x, y) {
    const { box } = this;
    if (!box || y < box.y || y >= box.y + box.h) return null;
    const other = Math.min(box.rows - 1, Math.floor((y - box.y) / TALL));
    const unit = Math.floor(((x - box.x) / box.w) * box.columns);
    return x < box.x || unit >= box.columns ? { other } : { other, unit };
  }

  draw() {
    const { panel } = this;
    const n = this.now();
    const { kind, reader, S, t } = n;
    for (const node of this.buttons) {
      node.setAttribute("aria-pressed", String(node.dataset.by === kind));
      node.classList.toggle("un-on", node.dataset.by === kind);
    }
    const name = panel.spec.called[kind];
    panel.say(
      S ? `The ${name} score, number by number: ${reader.spec.formula}` : panel.spec.title,
      panel.spec.looks === "before"
        ? "The query q is the decoder's old state sₜ₋₁, a key k what the encoder left at a word. Point at a row to see its sum."
        : "The query q is the decoder's new state sₜ, a key k what the encoder left at a word. Point at a row to see its sum.",
    );
    this.box = null;
    if (!S) {
      this.surface.begin(1, 1);
      return panel.read("Type an English sentence.");
    }
    const width = panel.body.clientWidth;
    const left = Math.min(96, width * 0.22);
    const right = Math.min(250, width * 0.34);
    const key = kind === "additive" ? "offered" : "key.state";
    const U = reader.fields.get(key).shape[1];
    const asks = kind === "dot" ? "query" : "asked";
    const queries = kind === "dot" ? ["query"] : ["query", ...(kind === "location" ? [] : ["asked"])];
    const high = TOP + queries.length * TALL + GAP + S * TALL + GAP + TALL + 4;
    const g = this.surface.begin(width, high);
    const colours = ink(panel.app.root);
    const scale = new Scale(reader.spec.fields.query.scale, panel.app.dark);
    const box = {
      x: left,
      y: TOP + queries.length * TALL + GAP,
      w: width - left - right,
      h: S * TALL,
      rows: S,
      columns: U,
    };
    this.box = box;
    const { selection } = panel;
    const other = selection.get("other");
    const strip = (values, y, id) => {
      g.imageSmoothingEnabled = false;
      const picture = raster((this.stores[id] ??= {}), values, 1, values.length, 0, values.length, 1, scale);
      g.drawImage(picture, box.x, y, box.w, TALL - 4);
    };
    const word = (text, y, on, faint) => {
      g.font = font(13, on ? 700 : 400);
      g.textAlign = "right";
      g.fillStyle = on ? colours.accent : faint ? colours.faint : colours.text;
      g.fillText(faint ? cut(g, text, left - 10) : fitted(g, text, left - 10), left - 8, y + TALL / 2 - 2);
    };
    g.textBaseline = "middle";
    const made = { bilinear: "q M", additive: "W q", scaled_dot: "q / √d" };
    queries.forEach((field, i) => {
      strip(row(reader, field, t), TOP + i * TALL, field);
      word(field === asks && kind !== "dot" ? made[kind] : "query q", TOP + i * TALL, false, true);
    });
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.textAlign = "left";
    g.fillText(
      kind === "additive" ? "keys as U k, a column for each unit" : "a column for each unit",
      box.x,
      8,
    );
    const [at, wide] = [width - right + 10, right - 112];
    g.fillText(small("score"), at, box.y - 8);
    g.fillText(small("weight"), at + 52, box.y - 8);
    for (let s = 0; s < S; s++) {
      const y = box.y + s * TALL;
      strip(row(reader, key, s), y, `key ${s}`);
      word(reader.source.labels[s], y, s === other);
      g.textAlign = "left";
      g.font = font(13, s === other ? 700 : 400);
      g.fillStyle = colours.text;
      g.fillText(digits(n.score(s)), at, y + TALL / 2 - 2, 48);
      const weight = n.weight(s);
      g.fillStyle = colours.accent;
      g.fillRect(at + 52, y + 4, Math.max(1, weight * wide), TALL - 12);
      g.fillStyle = colours.text;
      const behind = at + 58 + weight * wide;
      g.fillText(percent(weight), behind, y + TALL / 2 - 2, width - behind);
    }
    const below = box.y + S * TALL + GAP;
    strip(row(reader, "context", t), below, "context");
    word("context c", below, false, true);
    g.textAlign = "left";
    g.font = font(11);
    g.fillStyle = colours.faint;
    const whole = "all keys, each as heavy as its weight";
    if (g.measureText(whole).width < 1.5 * right) g.fillText(whole, at, below + TALL / 2 - 2, right - 12);
    if (other !== undefined && other < S) {
      const unit = selection.get("unit");
      frame(g, { ...box, h: S * TALL - 4 }, { row: other }, colours);
      if (unit !== undefined && unit < U && kind !== "location")
        frame(g, { ...box, h: S * TALL - 4 }, { row: other, column: unit }, colours, 2);
    }
    panel.read(this.sum(n, other ?? this.most(n)));
  }

  most({ S, weight }) {
    let best = 0;
    for (let s = 1; s < S; s++) if (weight(s) > weight(best)) best = s;
    return best;
  }

  // One score as a sum: its largest parts, the unit pointed at among them, and the rest.
  sum(n, s) {
    const { kind, reader, t, S } = n;
    if (s >= S) return "";
    const { parts, sum, asked, offered } = summed(reader, kind, t, s);
    const word = `“${visible(reader.source.labels[s])}”`;
    const weight = `Softmax over all ${S} scores makes that ${percent(n.weight(s))}.`;
    if (kind === "location")
      return `${word} stands at place ${s + 1}: its score ${digits(sum)} is row ${s + 1} of W times the query, whatever word stands there. ${weight}`;
    const unit = this.panel.selection.get("unit");
    const order = Array.from(parts.keys()).sort((a, b) => Math.abs(parts[b]) - Math.abs(parts[a]));
    const shown = order.slice(0, TERMS);
    if (unit !== undefined && unit < parts.length && !shown.includes(unit)) shown.unshift(unit);
    const { read } = reader.spec;
    const term = (u) =>
      kind === "additive"
        ? `${digits(read[u])} · tanh(${digits(asked[u])} + ${digits(offered[u])})`
        : `${digits(asked[u])} · ${digits(offered[u])}`;
    const rest = parts.reduce((all, part, u) => (shown.includes(u) ? all : all + part), 0);
    return `${word}: ${digits(sum)} = ${shown.map((u) => `${term(u)} (unit ${u})`).join(" + ")} + ${digits(rest)} of the other ${parts.length - shown.length} units. ${weight}`;
  }

  table() {
    const n = this.now();
    return {
      columns: ["source word", "score", "weight", "largest part", "of unit"],
      rows: Array.from({ length: n.S }, (_, s) => {
        const { parts } = summed(n.reader, n.kind, n.t, s);
        let u = 0;
        parts.forEach((part, i) => {
          if (Math.abs(part) > Math.abs(parts[u])) u = i;
        });
        const unit = n.kind === "location" ? "" : String(u);
        return [
          visible(n.reader.source.labels[s]),
          digits(n.score(s)),
          digits(n.weight(s)),
          digits(parts[u]),
          unit,
        ];
      }),
    };
  }

  // The scores as the sums that are shown, for checks from outside.
  drawn() {
    const { kind, reader, t, S } = this.now();
    if (!S) return {};
    const sums = Array.from({ length: S }, (_, s) => summed(reader, kind, t, s).sum);
    return { "drawn.score": series("source", reader.source.labels, sums) };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
