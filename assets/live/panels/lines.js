// One unit through the text: its gates above, its candidate, memory and output below.

import { Surface, font, ink } from "../drawing/canvas.js";
import { along } from "../marks/pointer.js";
import { strip } from "../marks/strip.js";
import { digits, visible } from "../dom.js";

const LEFT = 34,
  HIGH = 104,
  GAP = 30,
  TOP = 20;

export default class Lines {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    along(this, LEFT);
  }

  place() {
    const { selection } = this.panel;
    return { layer: selection.get("layer") ?? 0, unit: selection.get("unit") ?? 0 };
  }

  draw() {
    const { panel } = this;
    const { spec, app, selection } = panel;
    const reader = panel.reader();
    const place = this.place();
    const count = reader.labels.length;
    const width = panel.body.clientWidth;
    const height = TOP + spec.groups.length * (HIGH + GAP);
    const g = this.surface.begin(width, height);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    this.step = (width - LEFT - 4) / Math.max(count, 8);
    const now = selection.token(reader);
    panel.say(
      `Unit ${place.unit} of layer ${place.layer + 1}, token by token`,
      `${spec.says} Model: ${reader.spec.title}.`,
    );
    let line = 0;
    spec.groups.forEach((group, n) => {
      const y0 = TOP + n * (HIGH + GAP);
      const y = (v) =>
        y0 +
        HIGH * (1 - (Math.max(group.low, Math.min(group.high, v)) - group.low) / (group.high - group.low));
      g.font = font(11);
      g.textBaseline = "middle";
      for (const tick of [group.low, (group.low + group.high) / 2, group.high]) {
        g.strokeStyle = colours.line;
        g.lineWidth = 1;
        g.beginPath();
        g.moveTo(LEFT, Math.round(y(tick)) + 0.5);
        g.lineTo(width, Math.round(y(tick)) + 0.5);
        g.stroke();
        g.fillStyle = colours.faint;
        g.textAlign = "right";
        g.fillText(String(tick).replace("-", "−"), LEFT - 5, y(tick));
      }
      let x = LEFT;
      group.fields.forEach((name) => {
        const colour = style.getPropertyValue(`--un-line-${line++ % 8}`);
        g.strokeStyle = colour;
        g.lineWidth = 2;
        g.beginPath();
        for (let t = 0; t < count; t++)
          g.lineTo(LEFT + (t + 0.5) * this.step, y(reader.value(name, { ...place, token: t })));
        g.stroke();
        g.fillStyle = colour;
        for (let t = 0; t < count; t++)
          if (this.step > 6 || t === now) {
            g.beginPath();
            g.arc(
              LEFT + (t + 0.5) * this.step,
              y(reader.value(name, { ...place, token: t })),
              t === now ? 4 : 2,
              0,
              7,
            );
            g.fill();
          }
        const about = reader.spec.fields[name];
        g.font = font(12, 600);
        const value = `${about.symbol.replace("_t", "")} ${digits(reader.value(name, { ...place, token: now }))}`;
        const text = width < 125 * group.fields.length ? value : value.replace(" ", ` ${about.short} `); // no room for names on a small screen
        g.textAlign = "left";
        g.fillText(text, x, y0 - 10);
        x += g.measureText(text).width + 14;
      });
    });
    g.fillStyle = colours.accent;
    g.globalAlpha = 0.25;
    g.fillRect(LEFT + now * this.step, TOP, Math.max(1, this.step), height - TOP - GAP + 4);
    g.globalAlpha = 1;
    strip(g, reader.labels, { left: LEFT, step: this.step, y: height - 10, now, colours });
    panel.read(
      `At “${visible(reader.labels[now] ?? "")}”: ${spec.groups
        .flatMap((x) => x.fields)
        .map((f) => `${reader.spec.fields[f].symbol} = ${digits(reader.value(f, { ...place, token: now }))}`)
        .join(", ")}`,
    );
  }

  table() {
    const reader = this.panel.reader();
    const names = this.panel.spec.groups.flatMap((x) => x.fields);
    return {
      columns: ["token", ...names.map((n) => reader.spec.fields[n].symbol)],
      rows: reader.labels.map((l, t) => [
        visible(l),
        ...names.map((n) => digits(reader.value(n, { ...this.place(), token: t }))),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
