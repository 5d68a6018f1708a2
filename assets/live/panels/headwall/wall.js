// The pictures of all heads, where they stand and how they are called: heads by layer, one row each; sorted ones flow; the
// combined ones always stand in their layer's row.

import { font, raster } from "../../drawing/canvas.js";
import { COMBINED, SORTS, ordered, small, statistic, statisticSaid, tags } from "../../sums/heads.js";

export const LEFT = 50;
const TOP = 18,
  APART = 6, // of the combined ones
  SHORT = {
    average: "avg.",
    maximum: "max.",
    previous: "prev.",
    punctuation: "punct.",
    induction: "induct.",
    pronoun: "pron.",
  };

export class Wall {
  constructor(surface) {
    this.surface = surface;
    this.stores = new Map();
    this.sheet = document.createElement("canvas"); // all pictures in their places: a hover draws them in one go
  }

  // Where everything stands on a page so wide; the height of it all.
  place(reader, selection, width) {
    const { heads, layers } = reader.spec;
    const columns = heads + COMBINED.length;
    const gap = columns > 12 ? 4 : 7;
    const size = Math.max(14, Math.min(132, Math.floor((width - LEFT - gap * columns - 6) / columns)));
    const sorted = selection.get("order") in SORTS;
    const line = (size < 30 ? 12 : 15) * (sorted ? 2 : 1); // then a head's place stands over what it was sorted by
    this.reader = reader;
    this.sort = selection.get("order");
    this.sorted = sorted;
    this.size = size;
    this.line = line;
    this.x = (c) => LEFT + c * (size + gap) + (c < heads ? 0 : APART);
    this.y = (r) => TOP + r * (size + line + 4);
    const all = ordered(reader, selection).map(([layer, head]) => ({ layer, head }));
    for (let n = 0; n < layers * COMBINED.length; n++)
      all.push({ layer: Math.floor(n / COMBINED.length), head: heads + (n % COMBINED.length) });
    let rows = 0;
    this.boxes = all.map(({ layer, head }, n) => {
      const flows = sorted && head < heads;
      const [r, c] = flows ? [Math.floor(n / heads), n % heads] : [layer, head];
      rows = Math.max(rows, r + 1);
      return { layer, head, x: this.x(c), y: this.y(r), square: small(reader, selection, layer, head) };
    });
    return this.y(rows);
  }

  // Painted anew only where numbers, order, size or theme have changed.
  pictures(g, width, height, over) {
    const { sheet, size } = this;
    const { ratio } = this.surface;
    const drawn = this.boxes.flatMap((b) => [b.layer, b.head, b.square?.values, b.square?.size]);
    const of = [width, height, ratio, over.colours, ...drawn];
    if (of.length !== this.of?.length || of.some((part, i) => part !== this.of[i])) {
      this.of = of;
      sheet.width = Math.round(width * ratio);
      sheet.height = Math.round(height * ratio);
      const on = sheet.getContext("2d");
      on.scale(ratio, ratio);
      for (const { layer, head, square, x, y } of this.boxes) {
        if (!square?.size) continue;
        const key = `${layer}.${head}`;
        if (!this.stores.has(key)) this.stores.set(key, {});
        const { values, size: n, start } = square;
        on.imageSmoothingEnabled = n > size * ratio;
        on.drawImage(raster(this.stores.get(key), values, n, n, start, n, 1, over), x, y, size, size);
      }
    }
    g.imageSmoothingEnabled = false;
    g.drawImage(sheet, 0, 0, sheet.width / ratio, sheet.height / ratio);
  }

  // A frame around each picture and what it is called below it; the opened head is marked.
  frames(g, [layer, head], colours) {
    const { size, line } = this;
    g.textBaseline = "middle";
    g.textAlign = "left";
    for (const box of this.boxes) {
      const { x, y } = box;
      const open = box.layer === layer && box.head === head;
      g.lineWidth = open ? 2.5 : 1;
      g.strokeStyle = open ? colours.accent : colours.line;
      g.strokeRect(x - 0.5, y - 0.5, size + 1, size + 1);
      g.fillStyle = open ? colours.accent : colours.text;
      g.font = font(size < 30 ? 9 : 11, open ? 700 : 400);
      const words = this.under(g, box);
      words.forEach((text, n) =>
        g.fillText(text, x, y + size + ((n + 0.5) * line) / (this.sorted ? 2 : 1) + 1),
      );
    }
  }

  // Under a picture: its strongest tag; of sorted ones layer and head, and what they were sorted by.
  under(g, { layer, head }) {
    const { reader, sort, sorted, size } = this;
    if (head >= reader.spec.heads) return [];
    const [tag] = tags(reader, layer, head);
    const number = sorted && sort !== "tag";
    const what = number ? statisticSaid(sort, statistic(reader, layer, head)[sort]) : (tag?.label ?? "");
    const brief = SHORT[what] ?? what;
    const fits = (text) => g.measureText(text).width <= size + 6;
    const shown =
      [what, brief, what.replace(/ .*/, "")].find(fits) ?? brief.slice(0, Math.max(1, Math.floor(size / 7)));
    return sorted ? [`${layer + 1}.${head + 1}`, shown] : [shown];
  }

  // Over the columns and beside the rows; sorted heads stand in neither.
  names(g, colours) {
    const { reader, size, sorted } = this;
    const { heads, layers } = reader.spec;
    g.fillStyle = colours.text;
    g.font = font(11, 600);
    const fits = (text) => g.measureText(text).width <= size + 1;
    const head = fits("head 12") ? "head " : "";
    const names = Array.from({ length: sorted ? 0 : heads }, (_, c) => [c, `${head}${c + 1}`]);
    COMBINED.forEach((text, c) =>
      names.push([heads + c, fits(text) ? text : (SHORT[text] ?? text).slice(0, size < 30 ? 4 : 7)]),
    );
    for (const [c, text] of names) g.fillText(text, this.x(c), TOP / 2);
    if (!sorted) for (let l = 0; l < layers; l++) g.fillText(`layer ${l + 1}`, 0, this.y(l) + size / 2);
  }

  // The token looked at, as a thin line through every picture.
  mark(g, t, colours) {
    g.fillStyle = colours.accent;
    for (const { x, y, square } of this.boxes) {
      const at = square?.places.indexOf(t) ?? -1;
      if (at >= 0) g.fillRect(x, y + ((at + 0.5) / square.places.length) * this.size - 0.5, this.size, 1);
    }
  }

  find(px, py) {
    const { size } = this;
    const box = this.boxes?.find((b) => px >= b.x && px < b.x + size && py >= b.y && py < b.y + size);
    if (!box?.square?.size) return null;
    const along = (f) => Math.min(box.square.size - 1, Math.floor(f * box.square.size));
    return { ...box, r: along((py - box.y) / size), c: along((px - box.x) / size) };
  }
}
