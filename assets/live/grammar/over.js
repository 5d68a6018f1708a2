// Tokens across, or another axis; down the labels of an axis, or numbers; on it layers.  Rows scroll along a long text, and
// their names stay in sight.

import { Surface, font, widest } from "../drawing/canvas.js";
import { digits, element, short } from "../dom.js";
import { rules, shade, three } from "../marks/axes.js";
import { cut, strip } from "../marks/strip.js";
import { LAYERS, heads } from "./layers.js";
import { Picture } from "./picture.js";

const [TOP, WIDEST, LEFT, BOTTOM] = [46, 150, 48, 26];

export default class Over extends Picture {
  /** @type {any} where things lie: {left, top, step, count, width, x(t), y(value), rows, row} */
  box = null;
  stores = {}; // pictures of cells

  constructor(panel) {
    super(panel);
    let parent = panel.body;
    if (this.drawing.rows) {
      this.strip = parent.appendChild(element("div", "un-strip"));
      parent = this.long = this.strip.appendChild(element("div")); // as wide as the text, where the page is not
      this.strip.addEventListener("scroll", () => this.box && this.put());
    }
    this.surface = new Surface(parent);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => panel.selection.look(this.find(x, y) ?? {}),
      (x, y) => this.click(this.find(x, y)),
      () => panel.selection.leave(),
    );
  }

  find(x, y) {
    const { box, source, drawing } = this;
    if (!box || (box.rows && x < box.left + this.strip.scrollLeft)) return null;
    const { across, label } = drawing;
    const along = label ? "token" : across;
    const last = along === "token" ? source.count : box.count;
    const t = Math.max(0, Math.min(last - 1, Math.floor((x - box.left) / box.step)));
    const row = box.rows?.[Math.floor((y - box.top) / box.row)];
    return {
      ...source.place(along, t),
      ...(row === undefined ? {} : source.place(drawing.rows.axis, row)),
    };
  }

  paint(source) {
    if (!source.count) {
      this.box = null;
      return this.surface.begin(1, 1);
    }
    if (this.drawing.rows) this.rowsDown();
    else this.numbersDown();
    if (!this.box) return;
    this.put();
    if (this.box.rows) this.bring();
  }

  rowsDown() {
    const { source, drawing, panel } = this;
    const { axis } = drawing.rows;
    const labels = source.names(drawing.across);
    const rows = this.rows(drawing.rows);
    if (!rows.length) {
      this.box = null;
      return void this.surface.begin(1, 1);
    }
    source.extras.hidden = source.size(axis) - rows.length || NaN;
    const flat = drawing.layers.some(({ kind }) => kind === "cells");
    const row = rows.length <= 6 && !flat ? 64 : rows.length <= 12 ? 30 : 21;
    const width = panel.body.clientWidth;
    const wide = (texts) => widest(texts, font(13, 700));
    const every = source.names(axis, "called");
    const names = rows.map((i) => every[i]);
    const left = Math.min(width * 0.3, 14 + wide(names));
    const shorts = labels.map((label) => short(label, 14));
    const least = drawing.least || Math.max(22, Math.min(84, 10 + wide([...shorts, ...heads(this)])));
    const step = Math.max(least, Math.min(WIDEST, (width - left - 2) / labels.length));
    const long = Math.max(width, left + step * labels.length + 2);
    this.long.style.width = `${long}px`;
    const place = new Map(rows.map((i, n) => [i, n]));
    this.lay({ left, top: TOP, step, row, rows, names, shorts, width: long, high: row * rows.length });
    const whole = rows.length === source.size(axis); // there is something between the rows, too
    this.box.y = (i) => (whole || place.has(i) ? TOP + ((place.get(i) ?? i) + 0.5) * row : NaN);
  }

  numbersDown() {
    const { source, drawing, panel } = this;
    const { across, label, top, high, widest, scale = "share" } = drawing;
    const { labels } = source.reader;
    let shown = across === "token" ? labels : source.names(across);
    if (label) {
      // it goes on behind the tokens, or ends before the last
      const sizes = drawing.layers.map(({ value }) => source.field(value).shape[0]);
      const [count, read] = [Math.max(...sizes), Math.min(...sizes)];
      shown = Array.from({ length: count }, (_, n) => (n ? (n < read ? labels[n] : "·") : label));
      source.labels[across] = shown;
      source.at[across] = Math.min(count - 1, source.at.token);
    }
    const width = panel.body.clientWidth;
    const step = Math.min(widest || Infinity, (width - LEFT - 2) / shown.length);
    this.lay({ left: LEFT, top, step, labels: shown, width, high });
    const [low, most] = scale === "number" || scale === "log" ? this.ends(scale) : [0, 1];
    const share = (value) => (value - low) / (most - low || 1);
    this.box.low = low;
    this.box.y = (value) => top + high * (1 - share(scale === "log" ? Math.log10(value) : value));
    const write = {
      share: (v) => `${100 * v} %`,
      number: digits,
      log: (v) => String(Number((10 ** v).toPrecision(2))),
    }[scale];
    const heights = three(low, most).map((v) => [top + high * (1 - share(v)), write?.(v)]);
    this.box.marks = write ? heights : [];
  }

  // The smallest and the largest number of its layers.
  ends(scale) {
    const { source, drawing, box } = this;
    let [low, most] = scale === "log" ? [Infinity, -Infinity] : [0, -Infinity];
    for (const { value, each } of drawing.layers) {
      if (!value) continue; // words over the columns
      const of = source.numbers(value);
      for (const i of each ? source.places(each) : [0])
        for (let t = 0; t < box.count; t++) {
          const found = of({ ...this.there(t), ...(each && { [each]: i }) });
          const v = scale === "log" ? Math.log10(found) : found;
          if (Number.isFinite(v)) [low, most] = [Math.min(low, v), Math.max(most, v)];
        }
    }
    return most > -Infinity ? [low, most] : [0, 1];
  }

  lay(box) {
    this.box = { ...box, count: (box.labels ?? box.shorts).length };
    this.box.x = (t) => box.left + (t + 0.5) * box.step;
  }

  /** Where one looks, at column t. */
  there(t) {
    return { ...this.source.at, ...this.where(t) };
  }

  where(t) {
    const { across, label } = this.drawing;
    return label ? { token: t, [across]: t } : { [across]: t };
  }

  put() {
    const { box, drawing, colours, source, surface } = this;
    const { left, top, high, step, width } = box;
    const g = surface.begin(width, top + high + (box.rows ? 4 : BOTTOM));
    this.now = source.at[drawing.across] ?? -1;
    if (box.rows && this.now >= 0)
      shade(g, { x: left + this.now * step, y: 0, w: step, h: top + high }, colours, 0.09);
    else if (!box.rows) rules(g, box.marks, { left, right: width, colours });
    for (const layer of drawing.layers)
      if (!layer.when || source.test(layer.when)) LAYERS[layer.kind](g, this, layer);
    if (box.rows) return this.names(g, surface.recording ? 0 : this.strip.scrollLeft);
    strip(g, box.labels, { left, step, y: top + high + 14, now: this.now, colours });
    if (this.now < 0) return;
    if (drawing.now === "frame") {
      g.strokeStyle = colours.accent;
      g.lineWidth = 1.5;
      return g.strokeRect(left + this.now * step, top - 1, step, high + 2);
    }
    g.fillStyle = colours.line;
    g.fillRect(box.x(this.now) - 0.5, top, 1, high);
  }

  // Those of the tokens above, those of the rows over what is scrolled away.
  names(g, scrolled) {
    const { box, colours, source, drawing } = this;
    g.textBaseline = "middle";
    g.textAlign = "center";
    box.shorts.forEach((label, t) => {
      g.font = font(13, t === this.now ? 700 : 600);
      g.fillStyle = t === this.now ? colours.accent : colours.text;
      g.fillText(cut(g, label, box.step - 4), box.x(t), 11);
    });
    g.fillStyle = colours.ground;
    if (scrolled) g.fillRect(scrolled, 0, box.left, box.top + box.high);
    g.textAlign = "right";
    box.rows.forEach((i, n) => {
      const on = i === source.at[drawing.rows.axis];
      g.font = font(box.row < 26 ? 12 : 13, on ? 700 : 400);
      g.fillStyle = on ? colours.accent : colours.text;
      g.fillText(cut(g, box.names[n], box.left - 10), scrolled + box.left - 8, box.y(i));
    });
  }

  click(place) {
    const { source, panel, held, drawing } = this;
    if (!place) return;
    const row = held && place[source.kept(drawing.rows.axis)];
    const t = (place.token ?? 0) - source.reader.offset;
    if (row === undefined || !t) panel.selection.keep(place, panel.app);
    else held.click(t, row, place);
  }

  // The chosen column comes into sight; one that the pointer is on is in sight already.
  bring() {
    const { strip, box, now } = this;
    const at = `${now} ${box.count}`;
    if (this.brought === at) return;
    this.brought = at;
    if (strip.matches(":hover")) return;
    const x = box.left + now * box.step;
    if (x - box.left < strip.scrollLeft || x + box.step > strip.scrollLeft + strip.clientWidth)
      strip.scrollLeft = x - strip.clientWidth / 2;
  }
}
