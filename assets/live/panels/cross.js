// Cross-attention of one head: the words of the source above, the words being written below, lines where each step looks;
// and the same as a rectangle, a row for each step.  A step has read one word and is about to write the next one.

import { Scale, Surface, font, ink, legend, luminance } from "../drawing/canvas.js";
import { digits, percent, short, visible } from "../dom.js";
import { share } from "../marks/grid.js";
import { fitted } from "../marks/strip.js";

const EDGE = 8,
  HIGH = 104,
  WORD = 22,
  LEGEND = 34,
  LEAST = 0.04; // LEAST: weights below it get no line

// What step t writes: the next word of the text, or the model's own first choice where the text ends.
const written = (reader, t) =>
  t + 1 < reader.labels.length
    ? { label: reader.labels[t + 1], typed: true }
    : { label: reader.top[t]?.[0]?.[0] ?? "", typed: false };

// A sentence about English and French, in the names of the two texts of the shown model.
export const named = (text, { sides = ["English", "French"] }) =>
  text.replaceAll("English", sides[0]).replaceAll("French", sides[1]);

export default class Cross {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => panel.selection.leave(),
    );
  }

  // The field of the chosen head: sizes, and the weight of step t on source word s.
  what() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const field = reader.fields.get("cross.attention");
    if (!field || !reader.source || !reader.labels.length)
      return { reader, field: null, layer: 0, head: 0, T: 0, S: 0, weight: () => NaN };
    const [layers, heads, T, S] = field.shape;
    const layer = Math.min(selection.get("layer") ?? 0, layers - 1),
      head = Math.min(selection.get("head") ?? 0, heads - 1);
    const first = (layer * heads + head) * T * S;
    return { reader, field, layer, head, T, S, weight: (t, s) => field.values[first + t * S + s] };
  }

  draw() {
    const { panel } = this;
    const found = (this.found = this.what());
    const { reader, T, S, layer, head } = found;
    const width = panel.body.clientWidth;
    if (!found.field) {
      this.surface.begin(width, 40);
      this.places = null;
      panel.say(panel.spec.title);
      return panel.read(
        reader.total
          ? "The part of this text that is shown has no target. Go to an earlier part, or type a shorter text."
          : "Type a sentence.",
      );
    }
    panel.say(`${panel.spec.title}: layer ${layer + 1}, head ${head + 1}`, panel.spec.says);
    const left = Math.min(190, width * 0.36),
      cell = Math.max(6, Math.min(46, (width - left - EDGE) / S)),
      tall = Math.max(16, Math.min(28, cell));
    const slanted = cell < 44;
    const top = HIGH + 2 * WORD + (slanted ? 66 : 34);
    const g = this.surface.begin(width, top + T * tall + LEGEND + 8);
    const colours = ink(panel.app.root);
    const scale = new Scale(reader.spec.fields["cross.attention"].scale, panel.app.dark);
    const now = panel.selection.token(reader),
      { other } = this;
    const ends = reader.labels.map((_, t) => written(reader, t));
    this.places = {
      above: spread(g, reader.source.labels, width),
      below: spread(
        g,
        ends.map((e) => e.label),
        width,
      ),
      left,
      cell,
      tall,
      top,
    };
    this.lines(g, found, now, other, colours);
    this.words(g, found, ends, now, other, colours);
    this.grid(g, found, ends, scale, now, other, colours, slanted);
    legend(g, width < 420 ? EDGE : left, top + T * tall + 14, 150, scale, "attention weight", colours);
    panel.read(this.says(found, now, other));
  }

  lines(g, { T, S, weight }, now, other, colours) {
    const { above, below } = this.places;
    const one = other === undefined ? (t) => t === now : (t, s) => s === other;
    for (const strong of [false, true])
      for (let t = 0; t < T; t++)
        for (let s = 0; s < S; s++) {
          const w = weight(t, s);
          if (w < LEAST || one(t, s) !== strong) continue;
          g.globalAlpha = Math.min(1, strong ? 0.25 + w : 0.75 * w);
          g.strokeStyle = strong ? colours.accent : colours.faint;
          g.lineWidth = 0.6 + 3 * w;
          g.beginPath();
          g.moveTo(above.at[s], WORD);
          g.bezierCurveTo(
            above.at[s],
            WORD + HIGH / 2,
            below.at[t],
            WORD + HIGH / 2,
            below.at[t],
            WORD + HIGH,
          );
          g.stroke();
        }
    g.globalAlpha = 1;
  }

  words(g, { reader, T, S, weight }, ends, now, other, colours) {
    const { above, below } = this.places;
    g.textAlign = "center";
    g.textBaseline = "middle";
    const put = (place, i, label, y, on, faint) => {
      g.font = font(place.size, on ? 700 : 400);
      g.fillStyle = on ? colours.accent : faint ? colours.faint : colours.text;
      g.fillText(fitted(g, label, place.room), place.at[i], y);
    };
    for (let s = 0; s < S; s++)
      put(
        above,
        s,
        reader.source.labels[s],
        WORD / 2,
        other === undefined ? weight(now, s) >= 0.3 : s === other,
        reader.source.unknown.includes(s) || s === S - 1,
      );
    for (let t = 0; t < T; t++)
      put(
        below,
        t,
        ends[t].typed ? ends[t].label : `${ends[t].label}?`,
        WORD * 1.5 + HIGH,
        other === undefined ? t === now : weight(t, other) >= 0.3,
        !ends[t].typed,
      );
  }

  grid(g, { reader, T, S, weight }, ends, scale, now, other, colours, slanted) {
    const { left, cell, tall, top } = this.places;
    g.textBaseline = "middle";
    for (let s = 0; s < S; s++) {
      g.font = font(12, s === other ? 700 : 400);
      g.fillStyle = s === other ? colours.accent : colours.text;
      g.save();
      g.translate(left + (s + 0.5) * cell, top - 6);
      g.rotate(slanted ? -Math.PI / 3.2 : 0);
      g.textAlign = slanted ? "left" : "center";
      if (cell >= 11 || s === other)
        g.fillText(fitted(g, reader.source.labels[s], slanted ? 62 : cell - 2), 0, slanted ? 0 : -6);
      g.restore();
    }
    for (let t = 0; t < T; t++) {
      const y = top + t * tall;
      g.textAlign = "right";
      g.font = font(Math.min(13, tall - 3), t === now ? 700 : 400);
      g.fillStyle = t === now ? colours.accent : colours.text;
      const half = (left - 34) / 2;
      g.fillText(fitted(g, reader.labels[t], half), left - half - 28, y + tall / 2);
      g.fillText(
        fitted(g, ends[t].typed ? ends[t].label : `${ends[t].label}?`, half),
        left - 8,
        y + tall / 2,
      );
      g.fillStyle = colours.faint;
      g.fillText("▸", left - half - 12, y + tall / 2);
      for (let s = 0; s < S; s++) {
        const w = weight(t, s),
          x = left + s * cell;
        g.fillStyle = scale.css(w);
        g.fillRect(x, y, cell - 1, tall - 1);
        if (cell < 30 || w < 0.01) continue;
        g.fillStyle = luminance(scale.packed(w)) < 128 ? "#ffffff" : "#111111";
        g.font = font(11);
        g.textAlign = "center";
        g.fillText(share(w), x + cell / 2 - 0.5, y + tall / 2);
      }
    }
    g.lineWidth = 1.5;
    g.strokeStyle = colours.accent;
    if (other === undefined) g.strokeRect(left - 1.5, top + now * tall - 1.5, S * cell + 2, tall + 2);
    else if (other < S) g.strokeRect(left + other * cell - 1.5, top - 1.5, cell + 2, T * tall + 2);
    g.font = font(11);
    g.fillStyle = colours.faint;
    g.textAlign = "right";
    const half = (left - 34) / 2;
    g.fillText("has read", left - half - 28, top - 9);
    g.fillText("writes", left - 8, top - 9);
  }

  says({ reader, T, S, weight }, now, other) {
    const ranked = (count, of) =>
      Array.from({ length: count }, (_, i) => [i, of(i)])
        .sort((a, b) => b[1] - a[1])
        .slice(0, 3)
        .filter(([, w]) => w >= 0.02);
    if (other !== undefined && other < S) {
      const from = ranked(T, (t) => weight(t, other)).map(
        ([t, w]) => `to write “${visible(written(reader, t).label)}” ${percent(w)}`,
      );
      return `“${visible(reader.source.labels[other])}” is looked at ${from.join(", ") || "by no step"}.`;
    }
    const { label, typed } = written(reader, now);
    return `Having read “${visible(reader.labels[now])}”, ${typed ? "about to write" : "with this first choice:"} “${visible(label)}”, this head looks at ${ranked(
      S,
      (s) => weight(now, s),
    )
      .map(([s, w]) => `“${visible(reader.source.labels[s])}” ${percent(w)}`)
      .join(", ")}.`;
  }

  // The step or the source word under the pointer.
  find(x, y) {
    const { places, found } = this;
    if (!places) return null;
    const near = ({ at }) =>
      at.reduce((best, p, i) => (Math.abs(p - x) < Math.abs(at[best] - x) ? i : best), 0);
    if (y < WORD * 1.5) return { s: near(places.above) };
    if (y < HIGH + 2 * WORD + 4) return y > HIGH / 2 + WORD ? { t: near(places.below) } : null;
    const t = Math.floor((y - places.top) / places.tall),
      s = Math.floor((x - places.left) / places.cell);
    if (t >= found.T || s >= found.S) return null;
    return t < 0 ? (s >= 0 ? { s } : null) : { t };
  }

  place(spot) {
    const { reader } = this.found;
    return spot.s !== undefined ? { other: spot.s } : reader.place(spot.t);
  }

  look(x, y) {
    const spot = this.find(x, y);
    this.panel.selection.look(spot ? this.place(spot) : {});
  }

  // A step that is kept lets go of the source word, and a source word clicked again of itself.
  keep(x, y) {
    const spot = this.find(x, y);
    if (!spot) return;
    const { selection, app } = this.panel;
    const place = this.place(spot);
    if (spot.s === undefined || selection.kept.other === spot.s) {
      delete selection.kept.other;
      delete place.other;
    }
    selection.keep(place, app);
  }

  // The source word looked at; none while the pointer is on a step.
  get other() {
    const { selection } = this.panel;
    return selection.hovered.token === undefined ? selection.get("other") : undefined;
  }

  table() {
    const { reader, field, T, S, weight } = this.what();
    if (!field) return { columns: ["has read", "writes"], rows: [] };
    return {
      columns: ["has read", "writes", ...reader.source.labels.map(visible)],
      rows: reader.labels
        .map((label, t) => [
          visible(label),
          visible(written(reader, t).label),
          ...Array.from({ length: S }, (_, s) => digits(weight(t, s))),
        ])
        .slice(0, T),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}

// Words in a row over the whole width: their middles, the size of their letters, the room of each.
function spread(g, labels, width) {
  const size = labels.length * 46 > width ? 11 : 14;
  g.font = font(size, 700);
  const wide = labels.map((label) => Math.min(120, g.measureText(short(label, 16)).width + 4));
  const whole = wide.reduce((a, b) => a + b, 0),
    gap = (width - 2 * EDGE - whole) / Math.max(1, labels.length);
  if (gap < 3) {
    const room = (width - 2 * EDGE) / labels.length;
    return { at: labels.map((_, i) => EDGE + (i + 0.5) * room), size, room };
  }
  let x = EDGE + gap / 2;
  const at = wide.map((w) => {
    const middle = x + w / 2;
    x += w + gap;
    return middle;
  });
  return { at, size, room: 130 };
}
