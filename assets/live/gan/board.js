// A generator against a discriminator on the plane: the surface of D, the fabric of G, the points of both, where each
// made point is pulled, the best possible D beside the learned one, and how near G has come.

import { digits, element, follow, percent, put, small } from "../dom.js";
import { Scale, font, legend, raster } from "../drawing/canvas.js";
import { Board, mounting } from "../descend/board.js";
import { Curves, heading, level } from "../descend/curves.js";
import { rules, ticks } from "../marks/axes.js";
import { dot } from "../marks/lines.js";
import { placing } from "../network/plane.js";
import { Controls } from "./controls.js";
import { GRID, HIGH, LOW } from "./data.js";
import { NOISE, trainer } from "./trainer.js";

const [NARROW, HEAD, DRAWN, ARROWS, THREADS, FAR, PULL] = [760, 22, 400, 60, 13, 2.2, 0.35];
const sigmoid = (/** @type {number} */ z) => 1 / (1 + Math.exp(-z));

export class GanBoard extends Board {
  shown = { surface: true, fabric: true, arrows: true };
  /** @type {any} */
  pointed = null;
  /** @type {any} */
  plane = null;
  /** @type {any} */
  optimum = null;
  /** @type {any} */
  square = null;
  /** @type {any} */
  curve = null;
  /** @type {any} */
  near = null;
  /** @type {number[]} where z is looked at */
  z = [0, 0];
  stores = [{}, {}];

  constructor(parent) {
    super(parent, "A generator against a discriminator");
    this.root.classList.add("gn");
    this.trainer = trainer();
    this.controls = new Controls(this.trainer, this);
    this.deaf = this.trainer.hear(() => this.refresh());
    this.buttons = this.controls.player.root;
    this.list = element("ul", "ds-key");
    this.root.append(this.controls.first, this.buttons, this.node, this.says, this.list);
    Object.defineProperty(this.root, "gan", {
      get: () => ({
        ...{ step: this.trainer.step, end: this.trainer.end, running: this.trainer.running },
        ...{ settings: this.trainer.settings, here: this.trainer.here, plane: this.plane, z: this.z },
        ...{ G: [...this.trainer.nets.G.p], D: [...this.trainer.nets.D.p], square: this.square },
      }),
    });
  }

  destroy() {
    this.deaf();
    super.destroy();
  }

  settle() {
    this.trainer.ask(this.news.asked);
  }

  show(name, on) {
    this.shown[name] = on;
    this.refresh();
  }

  // Where everything lies.
  lay(width) {
    const narrow = width < NARROW;
    const s = narrow ? width - 34 : Math.min(500, Math.round(width * 0.44));
    this.plane = { x: 30, y: HEAD, s };
    const left = narrow ? 30 : s + 80;
    const top = narrow ? s + HEAD + 50 : HEAD;
    const small = narrow ? Math.floor((width - left - 20) / 2) : Math.min(210, (width - left - 50) / 2);
    this.optimum = { x: left, y: top, s: small };
    this.square = { x: left + small + (narrow ? 14 : 50), y: top, s: narrow ? small - 10 : small };
    const w = width - left - 8;
    const down = top + small + 62;
    const rest = narrow ? 110 : Math.max(80, (s + HEAD - down - 46) / 2);
    this.curve = { x: left + 10, y: down, w: w - 10, h: rest };
    this.near = { ...this.curve, y: down + rest + 46 };
    return Math.max(s + HEAD + 24, this.near.y + rest + 26);
  }

  draw(ink, width, colours) {
    const { trainer: of, controls } = this;
    const height = this.lay(width);
    const g = this.surface.begin(width, height);
    const scale = new Scale(this.news.scale, this.dark);
    this.colours = colours;
    g.textBaseline = "middle";
    if (of.ready) {
      this.painted(g, scale, ink);
      this.points(g, ink);
      this.best(g, scale, ink);
    } else this.frame(g, this.plane, ink);
    this.axes(g, ink);
    this.noise(g, ink);
    this.curves(g, ink);
    controls.draw();
    this.legend(ink);
    put(this.says, this.sentence());
    this.says.setAttribute("aria-live", of.running ? "off" : "polite");
    this.node.style.cursor = this.pointed ? "crosshair" : "default";
    this.node.setAttribute(
      "aria-label",
      "The plane with both nets. Arrow keys move z, the space bar trains and pauses.",
    );
    this.root.dataset.step = String(of.step);
  }

  frame(g, { x, y, s }, ink) {
    g.strokeStyle = ink.line;
    g.lineWidth = 1;
    g.strokeRect(x + 0.5, y + 0.5, s - 1, s - 1);
  }

  inside(g, { x, y, s }, paint) {
    g.save();
    g.beginPath();
    g.rect(x, y, s, s);
    g.clip();
    paint();
    g.restore();
  }

  /** D over the plane: a share for a probability; scores of the Wasserstein loss as they lie between their ends. */
  painted(g, scale, ink) {
    const { nets, settings, version } = this.trainer;
    const { x, y, s } = this.plane;
    if (this.mapped !== version || !this.map) {
      this.mapped = version;
      const places = new Float64Array(2 * GRID * GRID);
      for (let r = 0, k = 0; r < GRID; r++)
        for (let c = 0; c < GRID; c++, k += 2) {
          places[k] = LOW + ((c + 0.5) / GRID) * (HIGH - LOW);
          places[k + 1] = HIGH - ((r + 0.5) / GRID) * (HIGH - LOW);
        }
      const f = this.scoresOf(places);
      if (settings.loss !== "wasserstein") this.map = Float32Array.from(f, sigmoid);
      else {
        const [least, most] = [Math.min(...f), Math.max(...f)];
        this.map = Float32Array.from(f, (v) => (v - least) / (most - least || 1));
      }
      this.stores[0] = {};
    }
    if (this.shown.surface) {
      g.imageSmoothingEnabled = true;
      g.drawImage(raster(this.stores[0], this.map, GRID, GRID, 0, GRID, 1, scale), x, y, s, s);
    }
    this.frame(g, this.plane, ink);
    if (this.shown.fabric) this.inside(g, this.plane, () => this.fabric(g, nets, ink));
  }

  /** Where batch statistics are read, those of what G makes count for every place. */
  scoresOf(places) {
    const { nets } = this.trainer;
    if (!nets.statistics) return nets.scores(places);
    const { spread } = nets.read(nets.made(this.trainer.z));
    return Float64Array.from(
      { length: places.length / 2 },
      (_, n) => nets.D.forward([places[2 * n], places[2 * n + 1], spread[0].size, spread[1].size])[0],
    );
  }

  /** A net of threads over the noise, where G puts it. */
  fabric(g, { G }, ink) {
    const at = placing(this.plane, [LOW, HIGH]);
    g.strokeStyle = ink.text;
    g.globalAlpha = 0.35;
    g.lineWidth = 1;
    const ends = Array.from({ length: THREADS }, (_, k) => -FAR + (2 * FAR * k) / (THREADS - 1));
    const fine = Array.from({ length: 41 }, (_, k) => -FAR + (2 * FAR * k) / 40);
    for (const turned of [false, true])
      for (const one of ends) {
        g.beginPath();
        for (const other of fine) {
          const [x, y] = G.forward(turned ? [other, one] : [one, other]);
          g.lineTo(at.x(x), at.y(y));
        }
        g.stroke();
      }
    g.globalAlpha = 1;
  }

  points(g, ink) {
    const { nets, real, z, settings } = this.trainer;
    const at = placing(this.plane, [LOW, HIGH]);
    const made = nets.made(z.subarray(0, NOISE * DRAWN));
    this.inside(g, this.plane, () => {
      for (const [points, colour] of [
        [real, this.colours[1]],
        [made, this.colours[0]],
      ])
        for (let n = 0; n < DRAWN; n++) {
          g.fillStyle = ink.ground;
          dot(g, at.x(points[2 * n]), at.y(points[2 * n + 1]), 3.2);
          g.fillStyle = colour;
          dot(g, at.x(points[2 * n]), at.y(points[2 * n + 1]), 2.4);
        }
      if (this.shown.arrows) this.arrows(g, made.subarray(0, 2 * ARROWS), nets, settings.loss, ink);
      const [x, y] = nets.G.forward(this.z);
      g.strokeStyle = ink.accent;
      g.lineWidth = 2.5;
      g.beginPath();
      g.arc(at.x(x), at.y(y), 7, 0, 2 * Math.PI);
      g.stroke();
    });
  }

  /** Where made points are pulled; the longest has a fixed length. */
  arrows(g, made, nets, loss, ink) {
    const at = placing(this.plane, [LOW, HIGH]);
    const pulls = nets.pulls(loss, made);
    let most = 1e-12;
    for (let n = 0; n < pulls.length; n += 2) most = Math.max(most, Math.hypot(pulls[n], pulls[n + 1]));
    g.strokeStyle = ink.text;
    g.lineWidth = 1.2;
    for (let n = 0; n < made.length; n += 2) {
      const [x, y] = [at.x(made[n]), at.y(made[n + 1])];
      const [dx, dy] = [
        at.x(made[n] + (PULL * pulls[n]) / most) - x,
        at.y(made[n + 1] + (PULL * pulls[n + 1]) / most) - y,
      ];
      const size = Math.hypot(dx, dy);
      if (size < 2) continue;
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(x + dx, y + dy);
      g.lineTo(x + dx - (4 * (dx - dy * 0.6)) / size, y + dy - (4 * (dy + dx * 0.6)) / size);
      g.stroke();
    }
  }

  best(g, scale, ink) {
    const { x, y, s } = this.optimum;
    if (this.bestAt !== this.trainer.version) {
      this.bestAt = this.trainer.version;
      this.bestMap = this.trainer.best();
      this.stores[1] = {};
    }
    g.imageSmoothingEnabled = false;
    g.drawImage(raster(this.stores[1], this.bestMap, GRID, GRID, 0, GRID, 1, scale), x, y, s, s);
    this.frame(g, this.optimum, ink);
    heading(g, "The best D possible", this.optimum, ink);
    legend(g, x, y + s + 8, 90, scale, small("real"), ink);
  }

  axes(g, ink) {
    const at = placing(this.plane, [LOW, HIGH]);
    const { x, y, s } = this.plane;
    heading(
      g,
      this.trainer.settings.loss === "wasserstein" ? "D’s score, and the points" : "D: real or made?",
      this.plane,
      ink,
    );
    ticks(
      g,
      [-1, 0, 1].map((v) => [at.x(v), String(v).replace("-", "−")]),
      y + s + 10,
      ink,
    );
    rules(
      g,
      [-1, 0, 1].map((v) => [at.y(v), String(v).replace("-", "−")]),
      { left: x, right: x, colours: ink },
    );
  }

  /** The noise that G reads, with the place that is looked at. */
  noise(g, ink) {
    const at = placing(this.square, [-FAR, FAR]);
    this.frame(g, this.square, ink);
    heading(g, "Noise z", this.square, ink);
    this.inside(g, this.square, () => {
      g.fillStyle = this.colours[0];
      g.globalAlpha = 0.5;
      const { z } = this.trainer;
      for (let n = 0; n < DRAWN; n++) dot(g, at.x(z[2 * n]), at.y(z[2 * n + 1]), 1.8);
      g.globalAlpha = 1;
      g.strokeStyle = ink.accent;
      g.lineWidth = 2.5;
      g.beginPath();
      g.arc(at.x(this.z[0]), at.y(this.z[1]), 7, 0, 2 * Math.PI);
      g.stroke();
    });
    g.font = font(11);
    g.fillStyle = ink.faint;
    g.textAlign = "left";
    g.fillText("Drag the ring", this.square.x, this.square.y + this.square.s + 12);
  }

  // What both lose by step, and how far G is from the data.
  curves(g, ink) {
    const { records, least, settings } = this.trainer;
    const { curve: box, near } = this;
    const curves = new Curves(g, this.trainer, box, ink);
    const finite = records.flatMap((one) => [one.d, one.g]).filter(Number.isFinite);
    const [low, high] = [Math.min(0, ...finite), Math.max(0.5, ...finite)];
    const up = (v) => box.y + box.h * (1 - (v - low) / (high - low));
    const marks = (low < 0 ? [low, 0, high] : [0, high / 2, high]).map((v) => [up(v), v ? digits(v) : "0"]);
    rules(g, marks, { left: box.x, right: box.x + box.w, colours: ink });
    if (settings.loss !== "wasserstein") level(g, up(2 * Math.LN2), box, ink);
    curves.line("d", this.colours[1], up);
    curves.line("g", this.colours[0], up);
    heading(g, "Losses of D and G", box, ink);
    const js = (v) => near.y + near.h * (1 - v / Math.LN2);
    const ends = [
      [js(0), "0"],
      [js(Math.LN2), "ln 2"],
    ];
    rules(g, ends, { left: near.x, right: near.x + near.w, colours: ink });
    if (Number.isFinite(least)) level(g, js(least), near, ink);
    curves.line("js", this.colours[2], js);
    heading(g, "Jensen-Shannon divergence of G from the data", near, ink);
    curves.steps(near);
    curves.now([box, near]);
  }

  legend(ink) {
    const [g, d, js] = this.colours;
    const items = [
      [d, "Real points, and the loss of D"],
      [g, "Points that G makes, and the loss of G"],
      [js, "Divergence; dashed: two samples of the data"],
      [ink.accent, "z, and G(z)"],
    ];
    follow(this.list, items, ([colour, words]) => {
      const item = element("li", "");
      const mark = element("i", "");
      mark.style.background = colour;
      item.append(mark, element("span", "", { textContent: words }));
      return item;
    });
  }

  sentence() {
    const { trainer: of, pointed } = this;
    const { here, data, settings } = of;
    if (!of.ready) return "Click on the plane to put points there.";
    if (of.lost)
      return "The losses are no finite numbers any more: the steps are too long. Go back, or start again with a lower rate.";
    if (pointed?.place) {
      const [x, y] = pointed.place;
      const [f] = this.scoresOf(Float64Array.of(x, y));
      const place = `x₁ = ${digits(x)}, x₂ = ${digits(y)}`;
      if (settings.loss === "wasserstein") return `${place}: D scores this place ${digits(f)}.`;
      return `${place}: D takes a point here for real with probability ${digits(sigmoid(f))}.`;
    }
    if (pointed?.z) {
      const [x, y] = of.nets.G.forward(this.z);
      return `z = (${digits(this.z[0])}, ${digits(this.z[1])}) becomes (${digits(x)}, ${digits(y)}).`;
    }
    const far = `The divergence of G from the data is ${digits(here.js)} nats; two samples of the data are ${digits(of.least)} apart.`;
    if (!data.counts) return far;
    return `G covers ${here.modes} of ${data.modes.length} clouds; ${percent(here.near)} of its points lie in one. ${far}`;
  }

  table() {
    const rows = this.trainer.records.flatMap((one) =>
      Object.entries({
        "loss of D": one.d,
        "loss of G": one.g,
        divergence: one.js,
        "clouds covered": one.modes,
      })
        .filter(([, value]) => Number.isFinite(value))
        .map(([what, value]) => [what, one.step, value]),
    );
    const made = this.trainer.nets.made(this.trainer.z.subarray(0, NOISE * DRAWN));
    for (let n = 0; n < DRAWN; n++)
      rows.push(["made x₁", n + 1, made[2 * n]], ["made x₂", n + 1, made[2 * n + 1]]);
    return { columns: ["what", "step or point", "value"], rows };
  }

  // What lies under the pointer.
  find(px, py) {
    if (!this.plane || !Number.isFinite(px)) return null;
    const [plane, square] = [placing(this.plane, [LOW, HIGH]), placing(this.square, [-FAR, FAR])];
    if (plane.holds(px, py)) return { place: plane.back(px, py) };
    if (square.holds(px, py)) return { z: square.back(px, py) };
    for (const box of [this.curve, this.near])
      if (px > box.x - 8 && px < box.x + box.w + 8 && py > box.y - 6 && py < box.y + box.h + 14)
        return { step: Math.round(Math.max(0, Math.min(1, (px - box.x) / box.w)) * this.trainer.end) };
    return null;
  }

  grab(px, py) {
    const found = this.find(px, py);
    if (found?.place && this.trainer.settings.points === "own")
      this.trainer.add(found.place[0], found.place[1]);
    return !!found && !found.place;
  }

  drag(px, py) {
    const found = this.find(px, py);
    if (found?.step !== undefined) this.trainer.go(found.step);
    if (!found?.z) return;
    this.z = found.z;
    this.pointed = found;
    this.refresh();
  }

  look(px, py) {
    this.pointed = this.find(px, py);
    if (!this.trainer.running) this.refresh();
  }

  key(e) {
    const { trainer: of } = this;
    if (e.key === " ") {
      if (of.running) of.pause();
      else of.play();
      return true;
    }
    const by = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[e.key];
    if (!by) return false;
    this.z = this.z.map((v, k) => Math.max(-FAR, Math.min(FAR, v + by[k])));
    this.pointed = { z: this.z };
    this.refresh();
    return true;
  }
}

export const mount = mounting(GanBoard);
