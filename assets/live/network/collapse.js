// What is left of the layers without an activation: their matrices, and the one that these are together.

import { digits, put } from "../dom.js";
import { Scale, font } from "../drawing/canvas.js";
import { Board, mounting } from "../descend/board.js";
import { bar, button } from "../parts/controls.js";
import { GRID, Maps } from "./maps.js";
import { short, unitName, whole } from "./names.js";
import { mapped, points } from "./plane.js";
import { trainer } from "./trainer.js";

const [SIGN, HEAD, MOST, PICTURE, NARROW] = [24, 34, 46, 190, 640];

class Collapse extends Board {
  maps = new Maps();
  store = {};
  line = new Float32Array(GRID * GRID);

  constructor(parent) {
    super(parent, "Layers without an activation");
    this.root.classList.add("nw");
    this.trainer = trainer();
    this.deaf = this.trainer.hear(() => this.refresh());
    this.linear = button("Make the layers linear", () => this.trainer.choose({ activation: "linear" }));
    this.curved = button("Put tanh between them", () => this.trainer.choose({ activation: "tanh" }));
    this.root.prepend(bar(this.linear, this.curved));
    this.root.append(this.says);
    Object.defineProperty(this.root, "collapse", { get: () => this.found });
  }

  destroy() {
    this.deaf();
    super.destroy();
  }

  grab() {
    return false;
  }

  draw(ink, width, colours) {
    const { net, data, settings } = this.trainer;
    const { matrix, bias } = net.product();
    const alone = settings.activation === "linear" || net.last === 1;
    this.linear.disabled = settings.activation === "linear";
    this.curved.disabled = settings.activation !== "linear";
    const columns = net.sizes.slice(0, -1).reduce((sum, n) => sum + n, 0) + net.sizes[0];
    const cell = Math.max(5, Math.min(MOST, (width - SIGN * (net.last + 1) - 12) / columns));
    const tall = Math.min(24, cell * 0.62 + 4);
    const matrices = HEAD + Math.max(...net.sizes.slice(1)) * tall + 30;
    const s = Math.min(PICTURE, (width - 20) / 2);
    const height = matrices + 26 + s + 4;
    const g = this.surface.begin(width, height);
    const weights = Math.max(1, ...Array.from(net.p, Math.abs));
    const scale = new Scale({ ...this.news.scale, low: -weights, high: weights }, this.dark);
    const most = Math.max(1, ...Array.from(matrix, Math.abs));
    const large = new Scale({ ...this.news.scale, low: -most, high: most }, this.dark);
    g.textBaseline = "middle";
    let x = 4;
    for (let l = net.last; l >= 1; l--) {
      const values = net.p.subarray(net.w[l], net.b[l]);
      x = this.grid(
        g,
        { x, cell, tall, high: matrices },
        values,
        net.sizes[l - 1],
        unitName(net, l, 0).replace(/\W/u, ""),
        scale,
        ink,
      );
      x = this.sign(g, x, matrices, l > 1 ? "·" : "=", ink);
    }
    this.grid(g, { x, cell, tall, high: matrices }, matrix, net.sizes[0], "", large, ink);
    this.pictures(g, { y: matrices + 22, s, width }, { matrix, bias }, ink, colours);
    this.found = this.compare({ matrix, bias });
    put(this.says, this.sentence(alone, { matrix, bias }));
    this.node.setAttribute("aria-label", this.says.textContent);
    this.says.setAttribute("aria-live", this.trainer.running ? "off" : "polite");
    this.root.dataset.points = String(data.t.length);
  }

  grid(g, { x, cell, tall, high }, values, columns, title, scale, ink) {
    const rows = values.length / columns;
    const y = HEAD + (high - HEAD - 30 - rows * tall) / 2;
    for (let k = 0; k < values.length; k++) {
      const [left, top] = [x + (k % columns) * cell, y + Math.floor(k / columns) * tall];
      g.fillStyle = scale.css(values[k]);
      g.fillRect(left + 0.5, top + 0.5, cell - 1, tall - 1);
      if (cell < 30) continue;
      g.font = font(11);
      g.textAlign = "center";
      g.fillStyle = Math.abs(values[k]) > 0.55 * scale.high ? ink.ground : ink.text;
      g.fillText(short(values[k]), left + cell / 2, top + tall / 2);
    }
    g.font = font(12, 600);
    g.fillStyle = ink.text;
    g.textAlign = "center";
    g.fillText(title ? `to ${title}` : "W", x + (columns * cell) / 2, y - 12);
    g.font = font(11);
    g.fillStyle = ink.faint;
    g.fillText(`${rows} × ${columns}`, x + (columns * cell) / 2, y + rows * tall + 12);
    return x + columns * cell;
  }

  sign(g, x, high, sign, ink) {
    g.font = font(18);
    g.fillStyle = ink.text;
    g.textAlign = "center";
    g.fillText(sign, x + SIGN / 2, HEAD + (high - HEAD - 30) / 2);
    return x + SIGN;
  }

  // Side by side: the network, and one unit with the product as its weights.
  pictures(g, { y, s, width }, { matrix, bias }, ink, colours) {
    const { trainer: of } = this;
    const { net, data } = of;
    this.maps.follow(of);
    const [low, high] = data.box;
    const at = (n) => low + ((n + 0.5) / GRID) * (high - low);
    for (let k = 0; k < this.line.length; k++) {
      const z = matrix[0] * at(k % GRID) + matrix[1] * at(GRID - 1 - Math.floor(k / GRID)) + bias[0];
      this.line[k] = 2 / (1 + Math.exp(-z)) - 1;
    }
    this.store = {};
    const pale = new Scale({ ...this.news.scale, low: -1.7, high: 1.7 }, this.dark);
    const gap = width < NARROW ? 12 : 60;
    const left = { x: 4, y, s };
    const right = { x: 4 + s + gap, y, s };
    mapped(g, left, this.maps.values[net.last][0], {}, pale, ink);
    mapped(g, right, this.line, {}, pale, ink);
    for (const square of [left, right]) points(g, square, { data, point: -1 }, colours, ink, 2.6);
    g.font = font(12, 600);
    g.fillStyle = ink.text;
    g.textAlign = "left";
    g.fillText("The network", left.x, y - 10);
    g.fillText("One unit with W", right.x, y - 10);
  }

  table() {
    const { net } = this.trainer;
    const { matrix, bias } = net.product();
    const grid = (name, values, columns) =>
      Array.from(values, (v, k) => [name, Math.floor(k / columns) + 1, (k % columns) + 1, v]);
    const rows = [];
    for (let l = net.last; l >= 1; l--)
      rows.push(
        ...grid(`weights of layer ${l}`, net.p.subarray(net.w[l], net.b[l]), net.sizes[l - 1]),
        ...grid(`biases of layer ${l}`, net.p.subarray(net.b[l], net.b[l] + net.sizes[l]), 1),
      );
    rows.push(...grid("product W", matrix, net.sizes[0]), ...grid("product b", bias, 1));
    return { columns: ["what", "row", "column", "value"], rows };
  }

  compare({ matrix, bias }) {
    const { net, data } = this.trainer;
    let [furthest, other, rightOne, rightNet] = [0, 0, 0, 0];
    data.t.forEach((t, n) => {
      const [x, y] = [data.x[2 * n], data.x[2 * n + 1]];
      const [p] = net.forward([x, y]);
      const q = 1 / (1 + Math.exp(-(matrix[0] * x + matrix[1] * y + bias[0])));
      furthest = Math.max(furthest, Math.abs(p - q));
      if (p > 0.5 !== q > 0.5) other++;
      if (p > 0.5 === t > 0.5) rightNet++;
      if (q > 0.5 === t > 0.5) rightOne++;
    });
    return { furthest, other, rightOne, rightNet, matrix: [...matrix], bias: [...bias] };
  }

  sentence(alone, { matrix, bias }) {
    const { net, data } = this.trainer;
    const { furthest, other, rightNet, rightOne } = this.found;
    const many = data.t.length;
    const one = `sigmoid(${short(matrix[0])} · x₁ + ${short(matrix[1])} · x₂ + ${short(bias[0])})`.replaceAll(
      "+ −",
      "− ",
    );
    if (!many) return "Put points on the plane above.";
    if (alone)
      return `All ${whole(net.count)} weights and biases do what 3 can do: p = ${one}, a straight border. At none of the ${many} points do the two differ by more than ${digits(furthest)}; ${rightNet} are on their right side.`;
    return `With an activation between the layers the product is another function, ${one}: it decides otherwise at ${other} of ${many} points. The network has ${rightNet} on their right side, the straight border ${rightOne}.`;
  }
}

export const mount = mounting(Collapse);
