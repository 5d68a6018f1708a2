// One unit through the text: its gates above, its candidate, memory and output below.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { plain, rules, shade, three } from "../marks/axes.js";
import { course } from "../marks/lines.js";
import { along } from "../marks/pointer.js";
import { strip } from "../marks/strip.js";

const LEFT = 34,
  HIGH = 104,
  GAP = 30,
  TOP = 20;

export default class Lines {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.names = panel.spec.groups.flatMap((group) => group.fields);
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
    const step = (this.step = (width - LEFT - 4) / Math.max(count, 8));
    const x = (t) => LEFT + (t + 0.5) * step;
    const now = selection.token(reader);
    panel.say(
      `Unit ${place.unit} of layer ${place.layer + 1}, token by token`,
      `${spec.says} Model: ${reader.spec.title}.`,
    );
    let line = 0;
    spec.groups.forEach(({ low, high, fields }, n) => {
      const top = TOP + n * (HIGH + GAP);
      const y = (v) => top + HIGH * (1 - (Math.max(low, Math.min(high, v)) - low) / (high - low));
      const marks = three(low, high).map((v) => [y(v), plain(v)]);
      rules(g, marks, { left: LEFT, right: width, colours });
      let left = LEFT;
      for (const name of fields) {
        const value = (t) => reader.value(name, { ...place, token: t });
        const colour = style.getPropertyValue(`--un-line-${line++ % 8}`);
        const dots = (t) => (t === now ? 4 : step > 6 ? 2 : 0);
        course(g, count, x, (t) => y(value(t)), colour, 2, dots);
        const { symbol, short } = reader.spec.fields[name];
        g.font = font(12, 600);
        g.textAlign = "left";
        const called = width < 125 * fields.length ? "" : `${short} `; // no room for names on a small screen
        const text = `${symbol.replace("_t", "")} ${called}${digits(value(now))}`;
        g.fillText(text, left, top - 10);
        left += g.measureText(text).width + 14;
      }
    });
    const column = { x: LEFT + now * step, y: TOP, w: Math.max(1, step), h: height - TOP - GAP + 4 };
    shade(g, column, colours, 0.25);
    strip(g, reader.labels, { left: LEFT, step, y: height - 10, now, colours });
    const said = this.names.map(
      (name) =>
        `${reader.spec.fields[name].symbol} = ${digits(reader.value(name, { ...place, token: now }))}`,
    );
    panel.read(`Numbers at “${visible(reader.labels[now] ?? "")}”: ${said.join(", ")}`);
  }

  table() {
    const reader = this.panel.reader();
    const place = this.place();
    return {
      columns: ["token", ...this.names.map((name) => reader.spec.fields[name].symbol)],
      rows: reader.labels.map((label, token) => [
        visible(label),
        ...this.names.map((name) => digits(reader.value(name, { ...place, token }))),
      ]),
    };
  }
}
