// The chain rule: the probability of a text is the product of one factor a word, and an n-gram model looks only at the
// last n - 1 words for each.  On the logarithmic axis a bar is as long as the word is surprising, and begins where the
// product so far has come to; on the linear one every bar is the factor itself, and the line is the product.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, element, orderColour, percent, put, short, visible } from "../dom.js";
import { rules } from "../marks/axes.js";
import { course } from "../marks/lines.js";
import { along } from "../marks/pointer.js";
import { button, keyItem } from "../parts/controls.js";
import { writeFactor } from "./chain/factor.js";
import { NEVER, TEN, power, powers, product, sayProduct } from "../sums/chain.js";

const [HIGH, TOP, LABELS, LEFT] = [150, 24, 66, 52];

export default class Chain {
  constructor(panel) {
    this.panel = panel;
    this.factor = element("p", "un-formula un-factor");
    this.log = button("Log axis", () => {
      this.log.setAttribute("aria-pressed", String(!this.logs));
      this.panel.draw();
    });
    this.log.setAttribute("aria-pressed", "true");
    const bar = element("div", "un-search-bar");
    this.total = element("p", "un-total");
    bar.append(this.total, this.log);
    this.key = element("p", "un-key");
    panel.body.append(bar, this.key);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    panel.body.append(this.factor);
    along(this, LEFT, 1);
  }

  get logs() {
    return this.log.getAttribute("aria-pressed") === "true";
  }

  draw() {
    const { panel, logs } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const found = product(reader);
    const { factors, bits } = found;
    const { orders } = reader.spec;
    const width = panel.body.clientWidth;
    this.step = Math.min(130, (width - LEFT - 4) / Math.max(factors.length, 3));
    this.flat = this.step >= 66;
    const g = this.surface.begin(width, TOP + HIGH + (this.flat ? 26 : LABELS));
    const colours = ink(app.root),
      style = getComputedStyle(app.root);
    this.legend(orders);
    const now = selection.token(reader);
    const window = orders.length - 2; // words that are looked at: the order less one
    const deepest = Math.max(1, bits * TEN); // powers of ten from 1 down to the product
    const y = logs ? (power) => TOP + (HIGH * power) / deepest : (p) => TOP + HIGH * (1 - p);
    rules(g, logs ? powers(deepest, y) : [0, 0.5, 1].map((p) => [y(p), `${100 * p} %`]), {
      left: LEFT,
      right: width,
      gap: 6,
      colours,
    });
    for (let t = 1; t <= factors.length; t++) {
      this.bar(g, y, found, t, now, colours, style);
      this.word(g, colours, reader, t, now, window);
    }
    const middle = (i) => LEFT + (i + 0.5) * this.step;
    if (!logs) course(g, factors.length, middle, (i) => y(2 ** -factors[i].after), colours.text, 2);
    if (now > 0) {
      g.strokeStyle = colours.accent;
      g.lineWidth = 2;
      g.strokeRect(LEFT + (now - 1) * this.step, TOP - 1, this.step, HIGH + 2);
    }
    put(this.total, sayProduct(found));
    const bars = logs ? "Each bar starts where the previous one ended." : "The line is the product so far.";
    panel.say(panel.spec.title, `${panel.spec.says} ${bars}`);
    panel.read(writeFactor(this.factor, found, now, window));
  }

  // On the logarithmic axis from the product before to the product with it, on the linear one the factor itself.
  bar(g, y, { reader, factors }, t, now, colours, style) {
    const { step, logs } = this;
    const f = factors[t - 1];
    const x = LEFT + (t - 1) * step,
      gap = step > 6 ? 1.5 : 0;
    const zero = !(f.bits < NEVER),
      p = zero ? 0 : 2 ** -f.bits;
    const a = logs ? y(f.before * TEN) : y(p);
    const b = logs && !zero ? y(f.after * TEN) : TOP + HIGH;
    const n = reader.spec.orders.length;
    const matched = reader.fields.get("matched")?.values[t] ?? n - 1;
    const strange = zero || reader.unknown.has(t);
    g.fillStyle = strange ? colours.faint : style.getPropertyValue(orderColour(matched, n));
    g.fillRect(x + gap, a, Math.max(1, step - 2 * gap), Math.max(1, b - a));
    g.fillStyle = colours.faint;
    if (logs && t < factors.length) g.fillRect(x + gap, b - 0.5, step, 1);
    if (step < 46) return;
    g.font = font(12, t === now ? 700 : 400);
    g.fillStyle = colours.text;
    g.textAlign = "center";
    g.textBaseline = "bottom";
    g.fillText(zero ? "0" : percent(p), x + step / 2, a - 3);
  }

  legend(orders) {
    if (this.key.childElementCount) return;
    this.key.append(document.createTextNode("longest known n-gram ending in this word:"));
    for (const m of orders.keys()) {
      const said = m ? `${m} word${m > 1 ? "s" : ""}` : "none";
      this.key.append(keyItem(`var(${orderColour(m, orders.length)})`, said));
    }
  }

  word(g, colours, reader, t, now, window) {
    if (this.step <= 8 && t !== now && t % Math.ceil(9 / this.step)) return;
    const lost = t < now - window;
    const name = short(reader.labels[t], 11);
    g.save();
    g.translate(LEFT + (t - 0.5) * this.step, TOP + HIGH + 10);
    const { flat } = this;
    if (!flat) g.rotate(-Math.PI / 3.2);
    g.textAlign = flat ? "center" : "right";
    g.textBaseline = "middle";
    g.font = font(12, t === now ? 700 : 400);
    g.fillStyle = t === now ? colours.accent : lost ? colours.faint : colours.text;
    g.fillText(name, 0, 4);
    if (lost) {
      const w = g.measureText(name).width;
      g.fillRect(flat ? -w / 2 : -w, 4, w, 1);
    }
    g.restore();
  }

  table() {
    const { reader, factors } = product(this.panel.reader());
    const rows = factors.map((f, i) => [
      visible(reader.labels[i + 1]),
      f.bits < NEVER ? percent(2 ** -f.bits) : "0",
      f.bits < NEVER ? digits(f.bits) : "∞",
      power(f.after),
      digits(f.after),
    ]);
    return { columns: ["word", "factor", "bits", "product so far", "bits so far"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.total.textContent} ${this.factor.textContent}. ${this.panel.readout.textContent}`;
  }
}
