// All heads of all layers as small pictures on one scale from 0 to 1, and beside them the heads of each layer taken together.

import { Scale, Surface, font, ink, legend, raster } from "../drawing/canvas.js";
import { element, percent } from "../dom.js";
import {
  COMBINED,
  SORTS,
  chosen,
  hasMarks,
  hides,
  name,
  ordered,
  pooled,
  said,
  scale,
  small,
  spot,
  statistic,
  statisticSaid,
  tags,
  tidy,
} from "../sums/heads.js";

const LEFT = 50,
  TOP = 18,
  LEGEND = 30,
  SHORT = {
    average: "avg.",
    maximum: "max.",
    previous: "prev.",
    punctuation: "punct.",
    induction: "induct.",
    pronoun: "pron.",
  };

export default class HeadWall {
  constructor(panel) {
    this.panel = panel;
    this.stores = new Map();
    this.sheet = document.createElement("canvas"); // all pictures in their places: a hover draws them in one go
    this.bar = element("div", "un-order");
    this.sort = element("select", "un-select", { title: "Sort the heads by" });
    this.sort.setAttribute("aria-label", "Sort the heads by");
    for (const [value, label] of [["", "layer"], ...Object.entries(SORTS)])
      this.sort.append(element("option", "", { value, textContent: label }));
    this.sort.onchange = () => panel.selection.keep({ order: this.sort.value || undefined }, panel.app);
    this.turn = this.button("Smallest first", () =>
      panel.selection.keep({ up: panel.selection.get("up") ? undefined : 1 }, panel.app),
    );
    this.marks = this.button("Hide special tokens", () =>
      panel.selection.keep({ with: hides(panel.selection) ? undefined : "no_marks" }, panel.app),
    );
    this.bar.append(
      element("span", "un-search-label", { textContent: "Heads by" }),
      this.sort,
      this.turn,
      this.marks,
    );
    this.note = element("p", "un-says");
    panel.body.append(this.bar, this.note);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => {
        panel.selection.leave();
        this.over = false;
        panel.read(this.hint());
      },
    );
  }

  button(textContent, act) {
    const node = element("button", "un-button", { type: "button", textContent });
    node.onclick = act;
    return node;
  }

  // What the next message asks for: the head that is opened, where not all are here in full.
  ask() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    return { open: chosen(reader, selection, true), hides: hides(selection), tags: !!reader.said.tags };
  }

  // Whether the server has to be asked again: another head of a long text was opened.
  wish(reader) {
    if (!pooled(reader)) return false;
    const { open, hides: hidden } = this.ask();
    return reader.said.open?.join() !== open.join() || !!reader.said.hides !== hidden;
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    tidy(reader);
    this.controls(reader);
    const items = this.items(reader);
    const width = panel.body.clientWidth;
    const columns = reader.spec.heads + COMBINED.length;
    const gap = columns > 12 ? 4 : 7;
    const box = Math.max(14, Math.min(132, Math.floor((width - LEFT - gap * columns - 6) / columns)));
    const sorted = selection.get("order") in SORTS;
    const line = (box < 30 ? 12 : 15) * (sorted ? 2 : 1); // then a head's place stands over what it was sorted by
    const rows = Math.max(...items.map((i) => i.r)) + 1;
    const height = TOP + rows * (box + line + 4) + LEGEND;
    const g = this.surface.begin(width, height);
    const colours = ink(app.root);
    const over = new Scale(scale(reader), app.dark);
    const [layer, head] = chosen(reader, selection);
    this.boxes = items.map((item) => ({
      ...item,
      x: LEFT + item.c * (box + gap) + (item.head >= reader.spec.heads ? 6 : 0),
      y: TOP + item.r * (box + line + 4),
      size: box,
      square: small(reader, selection, item.layer, item.head),
    }));
    this.pictures(g, width, height, over);
    g.textBaseline = "middle";
    for (const item of this.boxes) {
      const { x, y } = item;
      const open = item.layer === layer && item.head === head;
      g.lineWidth = open ? 2.5 : 1;
      g.strokeStyle = open ? colours.accent : colours.line;
      g.strokeRect(x - 0.5, y - 0.5, box + 1, box + 1);
      g.textAlign = "left";
      g.fillStyle = open ? colours.accent : colours.text;
      g.font = font(box < 30 ? 9 : 11, open ? 700 : 400);
      const words = this.under(g, reader, item, box);
      words.forEach((text, n) => g.fillText(text, x, y + box + ((n + 0.5) * line) / (sorted ? 2 : 1) + 1));
    }
    this.names(g, reader, colours, box, gap, line);
    this.mark(g, reader, selection, colours);
    legend(
      g,
      LEFT,
      height - LEGEND + 6,
      Math.min(140, width - LEFT - 150),
      over,
      "attention weight",
      colours,
    );
    if (!this.over) panel.read(this.hint());
    if (this.wish(reader)) this.soon();
  }

  // Heads by layer, one row each; sorted ones flow; the combined ones always stand in their layer's row.
  items(reader) {
    const sorted = this.panel.selection.get("order") in SORTS;
    const { heads, layers } = reader.spec;
    const own = ordered(reader, this.panel.selection).map(([layer, head], n) => ({
      layer,
      head,
      r: sorted ? Math.floor(n / heads) : layer,
      c: sorted ? n % heads : head,
    }));
    const more = Array.from({ length: layers * COMBINED.length }, (_, n) => ({
      layer: Math.floor(n / COMBINED.length),
      head: heads + (n % COMBINED.length),
    }));
    return [...own, ...more.map((item) => ({ ...item, r: item.layer, c: item.head }))];
  }

  // Painted anew only where numbers, order, size or theme have changed.
  pictures(g, width, height, over) {
    const { ratio } = this.surface;
    const of = [
      width,
      height,
      ratio,
      over.colours,
      ...this.boxes.flatMap((b) => [b.layer, b.head, b.square?.values, b.square?.size]),
    ];
    if (!this.of || of.length !== this.of.length || of.some((part, i) => part !== this.of[i])) {
      this.of = of;
      this.sheet.width = Math.round(width * ratio);
      this.sheet.height = Math.round(height * ratio);
      const sheet = this.sheet.getContext("2d");
      sheet.scale(ratio, ratio);
      for (const box of this.boxes) if (box.square?.size) this.thumbnail(sheet, box, over);
    }
    g.imageSmoothingEnabled = false;
    g.drawImage(this.sheet, 0, 0, this.sheet.width / ratio, this.sheet.height / ratio);
  }

  thumbnail(g, { layer, head, square, x, y, size }, over) {
    const key = `${layer}.${head}`;
    if (!this.stores.has(key)) this.stores.set(key, {});
    const picture = raster(
      this.stores.get(key),
      square.values,
      square.size,
      square.size,
      square.start,
      square.size,
      1,
      over,
    );
    g.imageSmoothingEnabled = square.size > size * this.surface.ratio;
    g.drawImage(picture, x, y, size, size);
  }

  // Under a picture: its strongest tag; of sorted ones layer and head, and what they were sorted by.
  under(g, reader, { layer, head }, box) {
    const sort = this.panel.selection.get("order");
    const sorted = sort in SORTS;
    if (head >= reader.spec.heads) return [];
    const [tag] = tags(reader, layer, head);
    const what =
      sorted && sort !== "tag"
        ? statisticSaid(sort, statistic(reader, layer, head)[sort])
        : tag
          ? tag.id
          : "";
    const fits = (text) => g.measureText(text).width <= box + 6;
    const shown =
      [what, SHORT[what] ?? what, what.replace(/ .*/, "")].find(fits) ??
      (SHORT[what] ?? what).slice(0, Math.max(1, Math.floor(box / 7)));
    return sorted ? [`${layer + 1}.${head + 1}`, shown] : [shown];
  }

  names(g, reader, colours, box, gap, line) {
    const sorted = this.panel.selection.get("order") in SORTS;
    g.fillStyle = colours.text;
    g.font = font(11, 600);
    const fits = (text) => g.measureText(text).width <= box + 1;
    for (let c = 0; c < reader.spec.heads + COMBINED.length; c++) {
      const together = c >= reader.spec.heads;
      if (sorted && !together) continue;
      const text = together
        ? COMBINED[c - reader.spec.heads]
        : fits("head 12")
          ? `head ${c + 1}`
          : String(c + 1);
      g.fillText(
        fits(text) ? text : (SHORT[text] ?? text).slice(0, box < 30 ? 4 : 7),
        LEFT + c * (box + gap) + (together ? 6 : 0),
        TOP / 2,
      );
    }
    for (let l = 0; l < reader.spec.layers; l++)
      if (!sorted) g.fillText(`layer ${l + 1}`, 0, TOP + l * (box + line + 4) + box / 2);
  }

  // The token looked at, as a thin line through every picture.
  mark(g, reader, selection, colours) {
    if (selection.kept.token === undefined && selection.hovered.token === undefined) return;
    const t = selection.token(reader);
    g.fillStyle = colours.accent;
    for (const { x, y, size, square } of this.boxes) {
      const at = square?.places.indexOf(t) ?? -1;
      if (at >= 0) g.fillRect(x, y + ((at + 0.5) / square.places.length) * size - 0.5, size, 1);
    }
  }

  controls(reader) {
    const { selection } = this.panel;
    const sort = selection.get("order") in SORTS ? selection.get("order") : "";
    this.sort.value = sort;
    this.turn.hidden = !sort || sort === "tag";
    this.turn.setAttribute("aria-pressed", String(!!selection.get("up")));
    this.marks.hidden = !hasMarks(reader);
    this.marks.setAttribute("aria-pressed", String(hides(selection)));
    const notes = [];
    if (hides(selection) && hasMarks(reader))
      notes.push(
        "Special tokens, such as start marks, are hidden: their rows and columns are dropped, and each row is renormalised to 100 %.",
      );
    if (pooled(reader))
      notes.push(
        `${reader.labels.length} tokens: one pixel of a small picture is the largest weight of ${reader.said.cell} × ${reader.said.cell} tokens; the opened head is whole.`,
      );
    if (sort) notes.push("Under a picture: layer.head, and what it is sorted by.");
    if (!reader.said.tags)
      notes.push(
        reader.said.untagged
          ? "The roles of this model's heads could not be measured."
          : "Measuring the roles of the heads…",
      );
    const text = notes.join(" ");
    if (this.note.textContent !== text) this.note.textContent = text;
    this.note.hidden = !text;
  }

  // A long text: the whole of the head just opened.  Tags: as soon as they are measured.
  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.panel.app.again(), 0);
  }

  // Not at once: the charts below are asked for first, and one wish goes at a time.
  rest() {
    const { tags: known, untagged } = this.panel.reader().said;
    if (known || untagged) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.panel.app.again(), 1500);
  }

  destroy() {
    clearTimeout(this.timer);
  }

  hint() {
    return "Point at a picture to read a weight; click to open the head.";
  }

  find(px, py) {
    const box = this.boxes?.find((b) => px >= b.x && px < b.x + b.size && py >= b.y && py < b.y + b.size);
    if (!box?.square?.size) return null;
    const along = (f) => Math.min(box.square.size - 1, Math.floor(f * box.square.size));
    return { box, r: along((py - box.y) / box.size), c: along((px - box.x) / box.size) };
  }

  look(px, py) {
    const found = this.find(px, py);
    this.over = !!found;
    const { selection } = this.panel;
    if (!found) {
      selection.leave();
      return this.panel.read(this.hint());
    }
    const reader = this.panel.reader();
    const { box, r, c } = found;
    selection.look({ layer: box.layer, head: box.head, ...spot(reader, box.square, r, c) });
    const doing = tags(reader, box.layer, box.head)
      .map((tag) => `${tag.id} ${percent(tag.score)}, baseline ${percent(tag.baseline)}`)
      .join("; ");
    this.panel.read(
      `${said(reader, box.square, box.layer, box.head, r, c)}.${doing ? ` Tags: ${doing}.` : ""}`,
    );
  }

  keep(px, py) {
    const found = this.find(px, py);
    if (found) this.panel.selection.keep({ layer: found.box.layer, head: found.box.head }, this.panel.app);
  }

  table() {
    const reader = this.panel.reader();
    const rows = ordered(reader, this.panel.selection).map(([l, h]) => {
      const { entropy, distance, first } = statistic(reader, l, h);
      return [
        l + 1,
        h + 1,
        tags(reader, l, h)
          .map((tag) => `${tag.id} (${percent(tag.score)} / ${percent(tag.baseline)})`)
          .join(", "),
        statisticSaid("entropy", entropy),
        statisticSaid("distance", distance),
        percent(first),
      ];
    });
    return {
      columns: [
        "layer",
        "head",
        "tags (score / baseline)",
        "entropy of a row",
        "looks back",
        "on the first token",
      ],
      rows,
    };
  }

  alt() {
    const reader = this.panel.reader();
    const [layer, head] = chosen(reader, this.panel.selection);
    return `Wall of ${reader.spec.layers} layers by ${reader.spec.heads} heads, and three pictures per layer of all its heads together. Opened: layer ${layer + 1}, ${name(reader, head)}.`;
  }
}
