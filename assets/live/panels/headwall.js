// All heads of all layers as small pictures on one scale from 0 to 1, and beside them the heads of each layer taken together.

import { Scale, Surface, ink, legend } from "../drawing/canvas.js";
import { percent } from "../dom.js";
import * as heads from "../sums/heads.js";
import { WallBar } from "./headwall/bar.js";
import { LEFT, Wall } from "./headwall/wall.js";

const LEGEND = 30;
const HINT = "Point at a picture to read a weight; click to open the head.";

export default class HeadWall {
  constructor(panel) {
    this.panel = panel;
    this.bar = new WallBar(panel);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.wall = new Wall(this.surface);
    this.surface.onPointer(
      (x, y) => this.look(this.wall.find(x, y)),
      (x, y) => {
        const found = this.wall.find(x, y);
        if (found) panel.selection.keep({ layer: found.layer, head: found.head }, panel.app);
      },
      () => this.look(null),
    );
  }

  // What the next message asks for: the head that is opened, where not all are here in full.
  ask() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    const { cell, hides, open } = reader.said;
    return {
      open: heads.chosen(reader, selection, true),
      hides: heads.hides(selection),
      tags: !!reader.said.tags,
      on_screen: open && [cell, Number(hides), ...open],
    };
  }

  // Whether the server has to be asked again: another head of a long text was opened.
  wish(reader) {
    if (!heads.pooled(reader)) return false;
    const { open, hides } = this.ask();
    return reader.said.open?.join() !== open.join() || !!reader.said.hides !== hides;
  }

  draw() {
    const { panel, wall } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    heads.tidy(reader);
    this.bar.draw(reader, selection);
    const width = panel.body.clientWidth;
    const high = wall.place(reader, selection, width);
    const g = this.surface.begin(width, high + LEGEND);
    const colours = ink(app.root);
    const scale = new Scale(heads.scale(reader), app.dark);
    wall.pictures(g, width, high + LEGEND, scale);
    wall.frames(g, heads.chosen(reader, selection), colours);
    wall.names(g, colours);
    if (selection.kept.token !== undefined || selection.hovered.token !== undefined)
      wall.mark(g, selection.token(reader), colours);
    legend(g, LEFT, high + 6, Math.min(140, width - LEFT - 150), scale, "attention weight", colours);
    if (!this.over) panel.read(HINT);
    if (this.wish(reader)) this.later(0);
  }

  later(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.panel.app.again(), ms);
  }

  // Tags, as soon as they are measured; not at once: the charts below are asked for first, and one wish goes at a time.
  rest() {
    const { tags, untagged } = this.panel.reader().said;
    if (!tags && !untagged) this.later(1500);
  }

  destroy() {
    clearTimeout(this.timer);
  }

  look(found) {
    const { panel } = this;
    this.over = !!found;
    if (!found) {
      panel.selection.leave();
      return panel.read(HINT);
    }
    const reader = panel.reader();
    const { layer, head, square, r, c } = found;
    panel.selection.look({ layer, head, ...heads.spot(reader, square, r, c) });
    const doing = heads
      .tags(reader, layer, head)
      .map((tag) => `${tag.label} ${percent(tag.score)}, baseline ${percent(tag.baseline)}`)
      .join("; ");
    panel.read(`${heads.said(reader, square, layer, head, r, c)}.${doing ? ` Tags: ${doing}.` : ""}`);
  }

  table() {
    const reader = this.panel.reader();
    const rows = heads.ordered(reader, this.panel.selection).map(([l, h]) => {
      const { entropy, distance, first } = heads.statistic(reader, l, h);
      const tags = heads
        .tags(reader, l, h)
        .map((tag) => `${tag.label} (${percent(tag.score)} / ${percent(tag.baseline)})`);
      const [bits, back] = [
        heads.statisticSaid("entropy", entropy),
        heads.statisticSaid("distance", distance),
      ];
      return [l + 1, h + 1, tags.join(", "), bits, back, percent(first)];
    });
    const columns = ["layer", "head", "tags (score / baseline)", "entropy of a row"];
    return { columns: [...columns, "looks back", "on the first token"], rows };
  }

  alt() {
    const reader = this.panel.reader();
    const [layer, head] = heads.chosen(reader, this.panel.selection);
    return `Wall of ${reader.spec.layers} layers by ${reader.spec.heads} heads, and three pictures per layer of all its heads together. Opened: layer ${layer + 1}, ${heads.name(reader, head)}.`;
  }
}
