// The chain rule: the probability of a text is the product of one factor a word, and an n-gram model looks only at the
// last n - 1 words for each.  On the logarithmic axis a bar is as long as the word is surprising, and begins where the
// product so far has come to; on the linear one every bar is the factor itself, and the line is the product.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, element, orderColour, percent, powerOfTen, raised, short, visible } from "../dom.js";
import { along } from "../marks/pointer.js";

const HIGH = 150,
  TOP = 24,
  LABELS = 66,
  LEFT = 52;
const TEN = Math.log10(2); // powers of ten a bit
const NEVER = 1e8; // bits: a probability of 0 comes as 1e9
const FORGOTTEN = 12; // words named before the window

export default class Chain {
  constructor(panel) {
    this.panel = panel;
    this.factor = element("p", "un-formula un-factor");
    this.log = element("button", "un-button", { type: "button", textContent: "Log axis" });
    this.log.setAttribute("aria-pressed", "true");
    this.log.onclick = () => {
      this.log.setAttribute("aria-pressed", String(!this.logs));
      this.panel.draw();
    };
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

  // Per word its bits, and the bits of the product before and with it.  A factor of 0 is kept out of the sum and said.
  product() {
    const reader = this.panel.reader();
    let sum = 0;
    const never = [];
    const factors = reader.bits.slice(1).map((bits, i) => {
      const before = sum;
      if (bits < NEVER) sum += bits;
      else never.push(i + 1);
      return { bits, before, after: sum };
    });
    return { reader, factors, bits: sum, never };
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const { reader, factors, bits, never } = this.product();
    const count = factors.length;
    const width = panel.body.clientWidth;
    this.step = Math.min(130, (width - LEFT - 4) / Math.max(count, 3));
    this.flat = this.step >= 66;
    const g = this.surface.begin(width, TOP + HIGH + (this.flat ? 26 : LABELS));
    const colours = ink(app.root);
    const style = getComputedStyle(app.root);
    const orders = reader.spec.orders;
    this.legend(orders);
    const now = selection.token(reader);
    const window = orders.length - 2; // words that are looked at: the order less one
    const { logs } = this;
    const deepest = Math.max(1, bits * TEN); // powers of ten from 1 down to the product
    const y = (power) => TOP + (HIGH * power) / deepest;
    const matched = reader.fields.get("matched");
    this.ticks(g, colours, logs, deepest, y, width);
    factors.forEach((f, i) => {
      const t = i + 1;
      const x = LEFT + i * this.step;
      const gap = this.step > 6 ? 1.5 : 0;
      const zero = !(f.bits < NEVER);
      const a = logs ? y(f.before * TEN) : TOP + HIGH * (1 - (zero ? 0 : 2 ** -f.bits));
      const b = logs ? (zero ? TOP + HIGH : y(f.after * TEN)) : TOP + HIGH;
      g.fillStyle =
        zero || reader.unknown.has(t)
          ? colours.faint
          : style.getPropertyValue(
              orderColour(matched ? matched.values[t] : orders.length - 1, orders.length),
            );
      g.fillRect(x + gap, a, Math.max(1, this.step - 2 * gap), Math.max(1, b - a));
      if (logs && i + 1 < count) {
        g.fillStyle = colours.faint;
        g.fillRect(x + gap, b - 0.5, this.step, 1);
      }
      if (this.step >= 46) {
        g.font = font(12, t === now ? 700 : 400);
        g.fillStyle = colours.text;
        g.textAlign = "center";
        g.textBaseline = "bottom";
        g.fillText(zero ? "0" : percent(2 ** -f.bits), x + this.step / 2, a - 3);
      }
      this.word(g, colours, reader, t, now, window);
    });
    if (!logs) this.line(g, colours, factors);
    if (now > 0) {
      g.strokeStyle = colours.accent;
      g.lineWidth = 2;
      g.strokeRect(LEFT + (now - 1) * this.step, TOP - 1, this.step, HIGH + 2);
    }
    this.write(reader, factors, bits, never, now, window);
  }

  legend(orders) {
    if (this.key.childElementCount) return;
    this.key.append(document.createTextNode("longest known n-gram ending in this word:"));
    for (const m of orders.keys()) {
      const item = element("span", "un-key-item");
      const dot = element("i", "");
      dot.style.background = `var(${orderColour(m, orders.length)})`;
      item.append(dot, document.createTextNode(m ? `${m} word${m > 1 ? "s" : ""}` : "none"));
      this.key.append(item);
    }
  }

  ticks(g, colours, logs, deepest, y, width) {
    g.font = font(11);
    g.textAlign = "right";
    g.textBaseline = "middle";
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((n) => deepest / n <= 5) ?? 1000;
    const marks = logs
      ? Array.from({ length: Math.floor(deepest / every) + 1 }, (_, i) => [
          y(i * every),
          i ? `10${raised(-i * every)}` : "1",
        ])
      : [0, 0.5, 1].map((p) => [TOP + HIGH * (1 - p), `${100 * p} %`]);
    for (const [at, name] of marks) {
      g.fillStyle = colours.line;
      g.fillRect(LEFT, Math.round(at), width - LEFT, 1);
      g.fillStyle = colours.faint;
      g.fillText(name, LEFT - 6, at);
    }
  }

  // The product so far, on the linear axis: it is near 0 after a few words.
  line(g, colours, factors) {
    g.strokeStyle = colours.text;
    g.lineWidth = 2;
    g.beginPath();
    factors.forEach((f, i) => {
      const at = TOP + HIGH * (1 - 2 ** -f.after);
      g[i ? "lineTo" : "moveTo"](LEFT + (i + 0.5) * this.step, at);
    });
    g.stroke();
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

  // The sentence's probability, and the factor of the word looked at with what the model has forgotten struck out.
  write(reader, factors, bits, never, now, window) {
    const { panel } = this;
    const n = factors.length;
    const part = reader.offset > 0 || reader.offset + reader.labels.length < reader.total;
    const words = `${n} ${n === 1 ? reader.spec.unit.replace(/s$/, "") : reader.spec.unit}`;
    const each = bits / Math.max(1, n - never.length);
    const strange = [...reader.unknown].filter((t) => t > 0 && t <= n).length;
    const unknown = strange
      ? ` Grey: ${strange} unknown ${strange > 1 ? "words, read" : "word, read"} as <unk>, which is likelier than any of them.`
      : "";
    let said = n
      ? `P(${part ? "the part shown" : "sentence"}) = ${power(bits)} = 2^−${bits.toFixed(1)}: ${digits(bits)} bits for ${words}, ${digits(each)} bits each, perplexity ${digits(2 ** each)}.${unknown}`
      : "Type a word to see its factor.";
    if (never.length)
      said = `P = 0: ${never.length} of ${n} factors ${never.length > 1 ? "are" : "is"} 0 (${never
        .slice(0, 4)
        .map((t) => `“${short(reader.labels[t], 14)}”`)
        .join(", ")}). The product of the others is ${power(bits)}, ${digits(bits)} bits.`;
    if (this.total.textContent !== said) this.total.textContent = said;
    const f = factors[now - 1];
    if (!f) {
      this.factor.replaceChildren(
        document.createTextNode(n ? "The start mark is given, so it has no factor." : ""),
      );
      return panel.read("");
    }
    const from = Math.max(0, now - window);
    const pieces = [document.createTextNode(`P(${visible(reader.labels[now])} | `)];
    const lost = reader.labels.slice(0, from);
    if (lost.length || reader.offset) {
      const cut = lost.slice(-FORGOTTEN);
      const gone = element("s", "un-forgotten", {
        textContent: (lost.length > cut.length || reader.offset ? "… " : "") + cut.map(visible).join(" "),
      });
      gone.title = "forgotten: the model does not look this far back";
      pieces.push(gone, document.createTextNode(" "));
    }
    pieces.push(element("b", "", { textContent: reader.labels.slice(from, now).map(visible).join(" ") }));
    pieces.push(
      document.createTextNode(
        `) = ${f.bits < NEVER ? `${power(f.bits)} = 2^−${f.bits.toFixed(2)}` : "0"}${reader.unknown.has(now) ? ", as an unknown word" : ""}`,
      ),
    );
    this.factor.replaceChildren(...pieces);
    const cut =
      from > 0 || reader.offset
        ? `The model looks back only ${window} ${window === 1 ? "word" : "words"}; the words struck out do not count (the Markov assumption).`
        : `Nothing is forgotten yet: the model looks back ${window} ${window === 1 ? "word" : "words"}.`;
    panel.read(
      `${cut} The product up to “${visible(reader.labels[now])}” is ${power(f.after)}, ${digits(f.after)} bits.`,
    );
  }

  table() {
    const { reader, factors } = this.product();
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

// 2^-bits, however small.
const power = (bits) => powerOfTen(-bits * TEN);
