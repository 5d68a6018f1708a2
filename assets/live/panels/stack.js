// Shares of a whole under each token: how much of every answer came from which n-gram order.

import { Surface, font, ink } from "../drawing/canvas.js";
import { along } from "../marks/pointer.js";
import { digits, orderColour, short, visible } from "../dom.js";

const HIGH = 150,
  TOP = 26,
  LABELS = 64,
  LEFT = 46;

export default class Stack {
  constructor(panel) {
    this.panel = panel;
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    along(this, LEFT);
  }

  draw() {
    const { panel } = this;
    const { app, selection, spec } = panel;
    const reader = panel.reader();
    const name = spec.fields[0];
    const field = reader.fields.get(name);
    if (!field) return;
    const orders = reader.spec.labels.order;
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, TOP + HIGH + LABELS);
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const count = reader.labels.length;
    this.step = Math.min(72, (width - LEFT) / Math.max(count, 4));
    const now = selection.token(reader);
    g.font = font(12);
    g.textBaseline = "middle";
    let x = LEFT;
    const numbers = orders.map((order) => order.split(" ").at(-1));
    const room = orders.reduce((sum, order) => sum + 24 + g.measureText(order).width, LEFT);
    const names = room > width ? numbers : orders;
    names.forEach((name, m) => {
      g.fillStyle = style.getPropertyValue(orderColour(m, orders.length));
      g.fillRect(x, 4, 10, 10);
      g.fillStyle = colours.text;
      g.textAlign = "left";
      g.fillText(name, x + 14, 9);
      x += 24 + g.measureText(name).width;
    });
    g.textAlign = "right";
    g.fillStyle = colours.faint;
    for (const tick of [0, 0.5, 1]) g.fillText(`${100 * tick} %`, LEFT - 6, TOP + HIGH * (1 - tick));
    for (let t = 0; t < count; t++) {
      let y = TOP + HIGH;
      for (let m = 0; m < orders.length; m++) {
        const h = HIGH * field.values[t * orders.length + m];
        g.fillStyle = style.getPropertyValue(orderColour(m, orders.length));
        g.fillRect(LEFT + t * this.step + 1, y - h, Math.max(1, this.step - 2), h);
        y -= h;
      }
      g.save();
      g.translate(LEFT + (t + 0.5) * this.step, TOP + HIGH + 8);
      if (this.step < 60) g.rotate(-Math.PI / 3.2);
      g.textAlign = this.step < 60 ? "right" : "center";
      g.fillStyle = t === now ? colours.accent : colours.text;
      g.font = font(12, t === now ? 700 : 400);
      if (this.step > 8 || t === now || t % Math.ceil(9 / this.step) === 0)
        g.fillText(short(reader.labels[t], 9), 0, 4);
      g.restore();
    }
    g.strokeStyle = colours.accent;
    g.lineWidth = 2;
    g.strokeRect(LEFT + now * this.step, TOP - 1, this.step, HIGH + 2);
    const parts = orders
      .map((o, m) => `${o} ${digits(100 * field.values[now * orders.length + m])} %`)
      .reverse();
    panel.read(`After “${visible(reader.labels[now] ?? "")}”: ${parts.join(", ")}`);
  }

  table() {
    const reader = this.panel.reader();
    const field = reader.fields.get(this.panel.spec.fields[0]);
    const orders = reader.spec.labels.order;
    return {
      columns: ["after", ...orders],
      rows: reader.labels.map((l, t) => [
        visible(l),
        ...orders.map((_, m) => `${digits(100 * field.values[t * orders.length + m])} %`),
      ]),
    };
  }
}
