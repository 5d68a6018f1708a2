// What the places of two tokens alone say: the curve over all earlier tokens, the clocks behind it, the vectors that are added.

import { Scale, Surface, font, ink, legend, raster } from "../drawing/canvas.js";
import { digits, short, visible } from "../dom.js";
import { pointing } from "../marks/pointer.js";

const LEFT = 46,
  TOP = 26,
  HIGH = 128,
  WORDS = 62,
  CLOCK = 58,
  HEAD = 24,
  CAPTION = 40,
  LEGEND = 30,
  BAND = 66;

export default class Places {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.store = [];
    pointing(this, (x, y) => this.at(x, y));
  }

  // A token of the curve is the one looked at; a column of the vectors is the one that looks.
  at(x, y) {
    const reader = this.panel.reader();
    const t = Math.floor((x - LEFT) / this.step);
    if (x < LEFT || t >= reader.labels.length) return null;
    if (y > this.vectors) return reader.place(t);
    const from = this.panel.selection.keptToken(reader);
    return y < TOP + HIGH + WORDS && t <= from
      ? { ...reader.place(from), other: t + reader.offset }
      : undefined;
  }

  // The token that looks, the one looked at, and the layer; heads and layers that share their numbers stand once.
  place() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const [layers, heads] = reader.fields.get("place").shape;
    const query = selection.token(reader);
    const other = selection.get("other");
    const key = Math.max(0, Math.min(query, other === undefined ? query - 1 : other - reader.offset));
    return { reader, layers, heads, query, key, layer: Math.min(selection.get("layer") ?? 0, layers - 1) };
  }

  // The number of a token's place: the run may begin behind the start of a long text.
  number(reader, t) {
    const behind = reader.offset + reader.labels.length - reader.spec.place.context;
    return t + reader.offset - Math.max(0, behind);
  }

  draw() {
    const { panel } = this;
    const { app } = panel;
    const field = panel.reader().fields.get("place");
    if (!field || !panel.reader().labels.length) {
      this.surface.begin(panel.body.clientWidth, 1);
      return panel.read("Type a few words: their places stand here.");
    }
    const at = this.place();
    const { reader, query, key, layer } = at;
    const { about, speeds, stretch } = reader.spec.place;
    const width = panel.body.clientWidth;
    const columns = Math.max(1, Math.min(12, Math.floor((width - 4) / CLOCK)));
    const shown = speeds ? pick(speeds, width < 500 ? 2 * columns : 12) : [];
    const clocks = shown.length ? CAPTION + Math.ceil(shown.length / columns) * (CLOCK + 14) : 0;
    const added = reader.fields.get("embedding.position");
    this.vectors = TOP + HIGH + WORDS + clocks;
    const high = added ? 3 * (HEAD + BAND) + LEGEND + 8 : 0;
    const g = this.surface.begin(width, this.vectors + high);
    const colours = ink(app.root);
    this.step = (width - LEFT - 4) / Math.max(reader.labels.length, 8);
    panel.say(
      `What the places alone say, seen from “${short(reader.labels[query])}” at place ${this.number(reader, query)}`,
      `${about} Drawn: ${reader.spec.fields.place.says} Model: ${reader.spec.title}.`,
    );
    this.curve(g, colours, at, field);
    if (shown.length) this.clocks(g, colours, at, shown, columns, stretch);
    if (added) this.columns(g, colours, at, added, width);
    const values = Array.from({ length: at.heads }, (_, head) =>
      digits(reader.value("place", { layer, head, query, key })),
    );
    const far = query - key;
    panel.read(
      `“${visible(reader.labels[query])}” at place ${this.number(reader, query)}, “${visible(reader.labels[key])}” at place ${this.number(reader, key)}, ${far} back: ${at.heads > 1 ? values.map((v, h) => `head ${h + 1} ${v}`).join(", ") : values[0]}.`,
    );
  }

  curve(g, colours, { reader, heads, layers, query, key, layer }, field) {
    const style = getComputedStyle(this.panel.app.root);
    let low = 0,
      high = 0;
    for (const v of field.values)
      if (Number.isFinite(v)) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    if (high - low < 1e-6) high = low + 1;
    const y = (v) => TOP + HIGH * (1 - (v - low) / (high - low));
    const x = (t) => LEFT + (t + 0.5) * this.step;
    g.textBaseline = "middle";
    for (const tick of [low, 0, high]) {
      if (tick === 0 && (y(0) - TOP < 12 || TOP + HIGH - y(0) < 12) && low !== 0 && high !== 0) continue;
      g.fillStyle = colours.line;
      g.fillRect(LEFT, Math.round(y(tick)), this.panel.body.clientWidth - LEFT, 1);
      g.fillStyle = colours.faint;
      g.font = font(11);
      g.textAlign = "right";
      g.fillText(tick ? digits(tick) : "0", LEFT - 6, y(tick));
    }
    g.globalAlpha = 0.22;
    g.fillStyle = colours.accent;
    g.fillRect(LEFT + key * this.step, TOP, this.step, HIGH);
    g.globalAlpha = 1;
    let at = LEFT;
    for (let head = 0; head < heads; head++) {
      const colour = style.getPropertyValue(`--un-line-${head % 8}`);
      g.strokeStyle = g.fillStyle = colour;
      g.lineWidth = 2;
      g.beginPath();
      for (let k = 0; k <= query; k++)
        g.lineTo(x(k), y(reader.value("place", { layer, head, query, key: k })));
      g.stroke();
      for (let k = 0; k <= query; k++) {
        g.beginPath();
        g.arc(x(k), y(reader.value("place", { layer, head, query, key: k })), k === key ? 4 : 2, 0, 7);
        g.fill();
      }
      if (heads === 1) continue;
      const name = `${layers > 1 && head === 0 ? `layer ${layer + 1}: ` : ""}head ${head + 1}`;
      g.font = font(12, 600);
      g.textAlign = "left";
      g.fillText(name, at, 9);
      at += g.measureText(name).width + 14;
    }
    const every = Math.max(1, Math.ceil(11 / this.step));
    reader.labels.forEach((label, t) => {
      if (t % every && t !== query && t !== key) return;
      g.save();
      g.translate(x(t), TOP + HIGH + 9);
      g.rotate(-Math.PI / 3.2);
      g.textAlign = "right";
      g.font = font(12, t === query || t === key ? 700 : 400);
      g.fillStyle = t === query ? colours.accent : t > query ? colours.faint : colours.text;
      g.fillText(short(label, 9), 0, 0);
      g.restore();
    });
  }

  // One face a pair: it turns by its speed times the place; full hand for the token that looks, thin one for the other.
  clocks(g, colours, { reader, query, key }, shown, columns, stretch) {
    const other = getComputedStyle(this.panel.app.root).getPropertyValue("--un-line-1");
    const top = TOP + HIGH + WORDS;
    const radius = CLOCK / 2 - 7;
    g.textAlign = "left";
    g.font = font(12, 600);
    g.fillStyle = colours.accent;
    const first = `thick: “${short(reader.labels[query], 10)}”`;
    g.fillText(first, 2, top + 6);
    g.fillStyle = other;
    g.fillText(`thin: “${short(reader.labels[key], 10)}”`, 16 + g.measureText(first).width, top + 6);
    g.fillStyle = colours.faint;
    g.font = font(11);
    g.fillText("below each clock: its pair, and how many places a turn takes", 2, top + 24);
    shown.forEach(([i, speed], n) => {
      const x = (n % columns) * CLOCK + CLOCK / 2;
      const y = top + CAPTION + Math.floor(n / columns) * (CLOCK + 14) + radius;
      g.strokeStyle = colours.line;
      g.lineWidth = 1.5;
      g.beginPath();
      g.arc(x, y, radius, 0, 7);
      g.stroke();
      for (const [t, colour, wide, long] of [
        [query, colours.accent, 4, 0.8],
        [key, other, 1.8, 0.98],
      ]) {
        const angle = this.number(reader, t) * stretch * speed;
        g.strokeStyle = colour;
        g.lineWidth = wide;
        g.beginPath();
        g.moveTo(x, y);
        g.lineTo(x + radius * long * Math.sin(angle), y - radius * long * Math.cos(angle));
        g.stroke();
      }
      g.font = font(10.5);
      g.fillStyle = colours.faint;
      g.textAlign = "center";
      g.fillText(`${i}: ${lasts((2 * Math.PI) / speed)}`, x, y + radius + 9);
    });
    g.textAlign = "left";
  }

  // What is added: the token's vector, its place's, and the sum that the first layer gets.  One column a token.
  columns(g, colours, { reader, query }, added, width) {
    const [count, size] = added.shape;
    const scale = new Scale(reader.spec.place.scale, this.panel.app.dark);
    const token = reader.fields.get("embedding.token").values;
    if (this.sumOf !== added.values) {
      this.sumOf = added.values;
      this.sum = added.values.map((v, i) => v + token[i]);
    }
    // sines above, cosines below: side by side, as they are added, they would only look like stripes
    const { waves } = reader.spec.place;
    const parts = waves ? [0, 1].map((n) => [n, (size - n + 1) >> 1, 2]) : [[0, size, 1]];
    g.imageSmoothingEnabled = false;
    [
      [`the token's own vector, ${size} numbers`, token],
      ["+ its place's", added.values],
      ["= what layer 1 gets", this.sum],
    ].forEach(([name, values], row) => {
      const y = this.vectors + row * (HEAD + BAND) + HEAD;
      parts.forEach(([first, rows, apart], n) => {
        const picture = raster(
          (this.store[2 * row + n] ??= {}),
          values,
          rows,
          count,
          first,
          apart,
          size,
          scale,
        );
        g.drawImage(picture, LEFT, y + (n * BAND) / parts.length, this.step * count, BAND / parts.length);
      });
      g.strokeStyle = colours.line;
      g.lineWidth = 1;
      g.strokeRect(LEFT - 0.5, y - 0.5, this.step * count + 1, BAND + 1);
      g.font = font(12, 600);
      g.fillStyle = colours.text;
      g.textAlign = "left";
      g.fillText(name, 2, y - 11, width - 4);
      g.font = font(11);
      g.fillStyle = colours.faint;
      g.textAlign = "right";
      for (const [word, at] of /** @type {[string, number][]} */ (
        waves
          ? [
              ["sin", 0.25],
              ["cos", 0.75],
            ]
          : [
              ["0", 0.09],
              [String(size - 1), 0.91],
            ]
      ))
        g.fillText(word, LEFT - 6, y + at * BAND);
      g.strokeStyle = colours.accent;
      g.lineWidth = 1.5;
      g.strokeRect(LEFT + query * this.step, y - 1, this.step, BAND + 2);
    });
    legend(
      g,
      LEFT,
      this.vectors + 3 * (HEAD + BAND) + 8,
      Math.min(160, width - LEFT - 90),
      scale,
      "value",
      colours,
    );
  }

  table() {
    const { reader, heads, query, layer } = this.place();
    const names = Array.from({ length: heads }, (_, h) => (heads > 1 ? `head ${h + 1}` : "value"));
    return {
      columns: ["token", "place", "back", ...names],
      rows: reader.labels
        .slice(0, query + 1)
        .map((label, k) => [
          visible(label),
          this.number(reader, k),
          query - k,
          ...names.map((_, head) => digits(reader.value("place", { layer, head, query, key: k }))),
        ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}

// At most `most` pairs, evenly spread from the fastest to the slowest: [[pair, speed], ...].
function pick(speeds, most) {
  const n = Math.min(most, speeds.length);
  return Array.from({ length: n }, (_, i) => Math.round((i * (speeds.length - 1)) / Math.max(1, n - 1))).map(
    (i) => [i, speeds[i]],
  );
}

// How many places a turn takes, in few characters.
const lasts = (places) =>
  places < 100
    ? places.toFixed(1)
    : places < 10_000
      ? String(Math.round(places))
      : `${Math.round(places / 1000)}k`;
