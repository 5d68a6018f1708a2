// Many words as points of a map, in two dimensions or three: what the map made of each, and its true neighbours.

import { Surface, font, ink } from "../drawing/canvas.js";
import { digits, visible } from "../dom.js";
import { scatter } from "../marks/points.js";
import { Camera } from "../parts/camera.js";
import { PointBar } from "./points/bar.js";
import { commonNames, ring, typedNames } from "../parts/pointmarks.js";
import { PointColours } from "./points/colours.js";
import { PointWords } from "./points/words.js";
import { Cloud } from "../sums/cloud.js";

const [LEGEND, NEAR] = [34, 14];
const FRAME = 330; // pixels of the page around the map

export default class Points {
  stale = true; // the points have moved
  /** @type {number | null} of the optimisation, as in its bar */
  step = null;
  over = -1;
  chosen = [];
  picture = {};

  constructor(panel) {
    const { spec } = (this.panel = panel);
    this.cloud = new Cloud(spec);
    this.words = new PointWords(panel);
    this.colours = new PointColours(panel);
    this.bar = new PointBar(this, spec);
    panel.body.append(this.bar.root, ...this.bar.above); // what plays stands above the map, where one sees it move
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    panel.body.append(this.bar.list);
    this.camera = new Camera(this);
  }

  destroy() {
    this.bar.player?.stop();
    this.camera.land();
  }

  look(x, y) {
    const found = this.cloud.nearest(x, y, NEAR);
    if (found === this.over) return;
    this.over = found;
    this.draw();
  }

  keep(x, y) {
    this.words.keep(this.cloud.nearest(x, y, NEAR));
  }

  // The words inside the lasso.
  choose(path = []) {
    this.chosen = this.cloud.inside(path);
    this.bar.choose(this.chosen);
    this.draw();
  }

  fly(word) {
    if (!word) return;
    const row = this.words.find(word);
    if (row < 0) return this.draw();
    this.words.keep(row);
    this.bar.player?.stop();
    const { dims, shown } = this.cloud;
    this.camera.fly(shown.subarray(row * dims, (row + 1) * dims));
  }

  draw() {
    const { panel, camera, cloud, words } = this;
    const width = (camera.width = panel.body.clientWidth),
      high = (camera.high = width < 600 ? 420 : Math.max(460, Math.min(900, innerHeight - FRAME)));
    const g = this.surface.begin(width, high + LEGEND);
    const colours = ink(panel.app.root);
    this.canvas.style.touchAction = camera.lassoing || camera.zoom > 1 ? "none" : ""; // else a finger scrolls the page
    const { by } = this.colours;
    this.move();
    const key = `${width} ${by} ${panel.app.dark} ${window.devicePixelRatio}`;
    if (this.stale || key !== this.key) this.points(key, width, high);
    this.bar.follow(by, camera.lassoing);
    g.save();
    g.beginPath();
    g.rect(0, 0, width, high);
    g.clip();
    g.imageSmoothingEnabled = false;
    g.drawImage(this.picture.canvas, 0, 0, width, high);
    const typed = words.typed(),
      now = this.over >= 0 ? this.over : words.current(typed),
      near = words.neighbours(now);
    const among = { placed: [], inside: [0, 0, width, high], ground: colours.ground };
    typedNames(g, this, typed, now, near, among, colours);
    if (!camera.drag && !this.bar.playing) commonNames(g, this, { ...among, room: 6 }, colours);
    if (camera.drag?.path) ring(g, camera.drag.path, colours);
    g.restore();
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.strokeRect(0.5, 0.5, width - 1, high - 1);
    if (width > 620) {
      const drag = cloud.dims === 3 ? "drag to rotate, Shift-drag to move" : "drag to move";
      g.font = font(11);
      g.textAlign = "right";
      g.textBaseline = "top";
      g.fillStyle = colours.faint;
      g.fillText(`${drag}; click the map, then zoom with the wheel`, width - 2, high + 12);
    }
    this.colours.legend(g, high + 12, width, colours);
    words.say(typed, now, near, now >= 0 ? this.colours.describe(now) : "");
  }

  // To the step of the optimisation that is shown.
  move() {
    const { bar, cloud } = this;
    bar.player?.draw();
    if (bar.step === this.step) return;
    this.step = bar.step;
    cloud.at(this.step);
    this.stale = true;
  }

  // The points alone: drawn again only when something moved or changed colour.
  points(key, width, high) {
    const { cloud, camera } = this;
    if (key !== this.key) this.packed = this.colours.of(cloud.count);
    this.key = key;
    this.stale = false;
    cloud.project(camera.view);
    const size = cloud.count <= 600 ? 5 : cloud.count <= 3000 ? 4 : cloud.count <= 12000 ? 3 : 2;
    const where = { width, high, ratio: this.surface.ratio, size };
    where.size = Math.min(7, size * Math.max(1, Math.min(1.8, camera.zoom ** 0.25)));
    scatter(this.picture, cloud, where, this.packed);
  }

  // The words inside the lasso, or all; the colour measures beside their places.
  table(rounded = true) {
    const { dims, places } = this.cloud;
    const { words, colours } = this.panel.spec;
    const rows = this.chosen.length ? this.chosen : words.map((_, i) => i);
    const show = rounded ? digits : (v) => String(v);
    return {
      columns: ["word", ..."xyz".slice(0, dims), ...Object.values(colours).map((c) => c.label)],
      rows: rows.map((i) => [
        rounded ? visible(words[i]) : words[i],
        ...Array.from(places.subarray(i * dims, (i + 1) * dims), show),
        ...Object.values(this.colours.values).map((v) => show(v[i])),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }

  drawn() {
    const { dims, places } = this.cloud;
    const { words } = this.panel.spec;
    const over = (values) => ({ axes: ["word"], labels: [words], values });
    return {
      map: { axes: ["word", "coordinate"], labels: [words, [..."xyz".slice(0, dims)]], values: places },
      ...Object.fromEntries(Object.entries(this.colours.values).map(([name, v]) => [name, over(v)])),
    };
  }
}
