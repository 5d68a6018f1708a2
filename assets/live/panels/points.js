// Many words as points of a map, in two dimensions or three: what the map made of each, and its true neighbours.

import { Scale, Surface, font, ink, legend } from "../drawing/canvas.js";
import { Cloud, numbers } from "../parts/cloud.js";
import { digits, visible } from "../dom.js";
import { PointBar } from "../parts/pointbar.js";
import { ellipses, ends, name } from "../parts/pointmarks.js";

const LEGEND = 34,
  LABELS = 40,
  GROUPS = 8;

export default class Points {
  constructor(panel) {
    this.panel = panel;
    const { spec } = panel;
    this.words = spec.words;
    this.cloud = new Cloud(spec);
    this.row = new Map(spec.words.map((word, i) => [word, i]));
    this.values = Object.fromEntries(
      Object.entries(spec.colours).map(([name, { values }]) => [name, numbers(values, "f4")]),
    );
    this.group = spec.group && numbers(spec.group, "u1");
    if (spec.near) {
      this.near = numbers(spec.near, "u4");
      this.cosine = numbers(spec.cosine, "i2");
      this.measured = new Map(Array.from(numbers(spec.rows, "u4"), (row, i) => [row, i]));
    }
    this.ellipses = spec.covariance && numbers(spec.covariance, "f4");
    this.chosen = [];
    this.turned = [0.6, 0.35];
    this.whole(true);
    this.bar = new PointBar(this, spec);
    panel.body.append(this.bar.root);
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    if (this.bar.frames) panel.body.append(this.bar.frames);
    panel.body.append(this.bar.list);
    this.picture = document.createElement("canvas");
    this.listen(this.canvas);
  }

  destroy() {
    this.bar.stop();
    cancelAnimationFrame(this.flight);
  }

  whole(silent) {
    cancelAnimationFrame(this.flight);
    this.zoom = 1;
    this.centre = [0, 0];
    if (!silent) this.moved();
  }
  zoomBy(factor, px = this.width / 2, py = this.high / 2) {
    const zoom = Math.max(1, Math.min(200, this.zoom * factor)),
      f = zoom / this.zoom;
    const dx = px - this.width / 2,
      dy = py - this.high / 2;
    this.centre = zoom === 1 ? [0, 0] : [(this.centre[0] - dx) * f + dx, (this.centre[1] - dy) * f + dy]; // in pixels
    this.zoom = zoom;
    this.moved();
  }

  moved() {
    this.stale = true;
    this.soon ??= requestAnimationFrame(() => {
      this.soon = undefined;
      this.draw();
    });
  }

  view() {
    const [a, b] = this.turned;
    return {
      scale: (Math.min(this.width, this.high) / 2 / this.cloud.reach) * this.zoom,
      turn: [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)],
      left: this.width / 2 + this.centre[0],
      top: this.high / 2 + this.centre[1],
    };
  }

  // Pointer: hover looks, drag moves or turns, the lasso lists; the wheel zooms once the map has the focus.
  listen(node) {
    const at = (e) => {
      const r = node.getBoundingClientRect();
      return [e.clientX - r.left, e.clientY - r.top];
    };
    node.addEventListener("pointerdown", (e) => {
      const [x, y] = at(e);
      this.drag = {
        x,
        y,
        far: 0,
        centre: this.centre,
        turned: this.turned,
        path: this.lassoing ? [[x, y]] : null,
      };
      node.setPointerCapture(e.pointerId);
    });
    node.addEventListener("pointermove", (e) => {
      const [x, y] = at(e);
      const { drag } = this;
      if (!drag) return this.look(x, y);
      const dx = x - drag.x,
        dy = y - drag.y;
      drag.far = Math.max(drag.far, Math.abs(dx) + Math.abs(dy));
      if (drag.path) {
        drag.path.push([x, y]);
        return this.draw();
      }
      if (this.cloud.dims === 3 && !e.shiftKey)
        this.turned = [drag.turned[0] + dx / 160, Math.max(-1.5, Math.min(1.5, drag.turned[1] + dy / 160))];
      else this.centre = [drag.centre[0] + dx, drag.centre[1] + dy];
      this.moved();
    });
    const up = (e) => {
      const { drag } = this;
      this.drag = null;
      if (!drag) return;
      if (drag.path && drag.far > 6) {
        this.chosen = this.cloud.inside(drag.path);
        this.lassoing = false;
        this.bar.choose(this.chosen);
        this.draw();
      } else if (drag.far < 4) this.keep(...at(e));
    };
    node.addEventListener("pointerup", up);
    node.addEventListener("pointercancel", () => {
      this.drag = null;
      this.draw();
    });
    node.addEventListener("pointerleave", () => {
      if (!this.drag && this.over >= 0) {
        this.over = -1;
        this.draw();
      }
    });
    node.addEventListener(
      "wheel",
      (e) => {
        if (document.activeElement !== node || !e.deltaY) return;
        e.preventDefault();
        this.zoomBy(e.deltaY < 0 ? 1.2 : 1 / 1.2, ...at(e));
      },
      { passive: false },
    );
  }

  look(x, y) {
    const found = this.cloud.nearest(x, y, 14);
    if (found === (this.over ?? -1)) return;
    this.over = found;
    this.draw();
  }

  keep(x, y) {
    const found = this.cloud.nearest(x, y, 14);
    this.note = "";
    this.panel.selection.keep(
      { next: found < 0 ? undefined : this.words[found], token: undefined },
      this.panel.app,
    );
  }

  fly(word) {
    if (!word) return;
    const row = this.row.get(word) ?? this.row.get(word.toLowerCase());
    if (row === undefined) {
      const typed = this.typed().find((w) => w.label.toLowerCase() === word.toLowerCase());
      this.note = typed
        ? `“${visible(word)}” is not among the drawn words; a ring marks its position.`
        : `“${visible(word)}” is not among the ${this.words.length.toLocaleString("en")} words of this map. Draw more words, or type it above.`;
      return this.draw();
    }
    this.note = "";
    this.panel.selection.keep({ next: this.words[row], token: undefined }, this.panel.app);
    this.bar.stop();
    const end = Math.max(this.zoom, 5),
      begin = { zoom: this.zoom, centre: this.centre },
      started = performance.now();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = () => {
      const f = still ? 1 : Math.min(1, (performance.now() - started) / 400),
        s = f * f * (3 - 2 * f);
      this.zoom = begin.zoom * (end / begin.zoom) ** s;
      const { dims, shown } = this.cloud;
      this.centre = [0, 0];
      const [x, y] = this.cloud.to(shown.subarray(row * dims, (row + 1) * dims), this.view());
      this.centre = [
        (this.width / 2 - x) * s + begin.centre[0] * (1 - s),
        (this.high / 2 - y) * s + begin.centre[1] * (1 - s),
      ];
      this.stale = true;
      this.draw();
      if (f < 1) this.flight = requestAnimationFrame(step);
    };
    cancelAnimationFrame(this.flight);
    step();
  }

  // The typed words that have a place: {t, label, row (-1 where they are not drawn), place}.
  typed() {
    const reader = this.panel.reader();
    const field = reader.fields.get("place");
    if (!field) return [];
    const size = field.shape[1],
      seen = new Map();
    reader.labels.forEach((label, t) => {
      if (reader.spans[t][1] === 0 || !field.values[t * size + size - 1]) return;
      seen.set(label.toLowerCase(), {
        t,
        label,
        row: this.row.get(label.toLowerCase()) ?? -1,
        place: field.values.subarray(t * size, t * size + size - 1),
      });
    });
    return [...seen.values()];
  }

  // The word looked at: under the pointer, clicked, or the typed one chosen in the text.
  current(typed) {
    if (this.over >= 0) return this.over;
    const { selection, app } = this.panel,
      next = selection.get("next");
    if (next !== this.next) {
      this.next = next;
      this.text = app.text;
    } // what was clicked stays until something else is typed
    if (next !== undefined && this.text === app.text && selection.get("token") === undefined)
      return this.row.get(next) ?? -1;
    const now = this.panel.reader().labels[selection.token(this.panel.reader())]?.toLowerCase();
    const drawn = typed.filter((w) => w.row >= 0);
    return (drawn.find((w) => w.label.toLowerCase() === now) ?? drawn.at(-1))?.row ?? -1;
  }

  draw() {
    const { panel } = this;
    const width = panel.body.clientWidth,
      high = width < 600 ? 420 : 580;
    const by = panel.selection.get("by") ?? "";
    this.by =
      by === "none" || (by === "group" && this.group) || by in this.values
        ? by
        : (Object.keys(this.values)[0] ?? "none");
    const key = `${width} ${this.by} ${panel.app.dark} ${window.devicePixelRatio}`;
    const g = this.surface.begin((this.width = width), (this.high = high) + LEGEND);
    const colours = ink(panel.app.root);
    this.canvas.style.touchAction = this.lassoing || this.zoom > 1 ? "none" : ""; // else a finger scrolls the page
    if (this.stale || key !== this.key || !this.drawnOnce) this.base(colours, key);
    this.bar.follow(this.by, !!this.lassoing);
    g.save();
    g.beginPath();
    g.rect(0, 0, width, high);
    g.clip();
    g.imageSmoothingEnabled = false;
    g.drawImage(this.picture, 0, 0, width, high);
    this.over2D(g, colours);
    g.restore();
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.strokeRect(0.5, 0.5, width - 1, high - 1);
    this.key2D(g, colours);
  }

  // The points alone: drawn again only when something moved or changed colour.
  base(colours, key) {
    const began = performance.now(),
      {
        picture,
        cloud,
        surface: { ratio },
      } = this;
    const w = Math.max(1, Math.round(this.width * ratio)),
      h = Math.round(this.high * ratio);
    if (picture.width !== w || picture.height !== h || !this.image) {
      picture.width = w;
      picture.height = h;
      this.g = picture.getContext("2d");
      this.image = this.g.createImageData(w, h);
    }
    if (key !== this.key) this.colours = this.packed();
    this.key = key;
    this.stale = false;
    this.drawnOnce = true;
    cloud.project(this.view());
    const n = cloud.count,
      size = Math.min(
        7,
        (n <= 600 ? 5 : n <= 3000 ? 4 : n <= 12000 ? 3 : 2) * Math.max(1, Math.min(1.8, this.zoom ** 0.25)),
      );
    cloud.paint(this.image, ratio, this.colours, size);
    this.g.putImageData(this.image, 0, 0);
    this.took = performance.now() - began;
  }

  // A packed colour per point.
  packed() {
    const found = new Uint32Array(this.cloud.count),
      { dark } = this.panel.app;
    const pack = (css) => {
      const [r, g, b] = [1, 3, 5].map((i) => parseInt(css.slice(i, i + 2), 16));
      return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
    };
    this.scale = null;
    if (this.by === "group") {
      const style = getComputedStyle(this.panel.app.root);
      const packs = Array.from({ length: GROUPS }, (_, i) =>
        pack(style.getPropertyValue(`--un-line-${i}`).trim()),
      );
      for (let i = 0; i < found.length; i++) found[i] = packs[this.group[i] % GROUPS];
    } else if (this.by === "none") found.fill(pack(dark ? "#8b95a5" : "#8a93a1"));
    else {
      this.scale = new Scale(this.panel.spec.colours[this.by].scale, dark);
      const values = this.values[this.by];
      for (let i = 0; i < found.length; i++) found[i] = this.scale.packed(values[i]);
    }
    return found;
  }

  over2D(g, colours) {
    const { cloud, panel } = this;
    const typed = this.typed(),
      now = this.current(typed),
      view = this.view(),
      placed = [];
    const finished = cloud.shown === cloud.places;
    if (this.ellipses && finished)
      ellipses(g, cloud, this.ellipses, colours, view.scale, new Set([now, ...typed.map((w) => w.row)]));
    if (panel.spec.ends.length) ends(g, panel.spec.ends, colours, this);
    this.spots = (i) => [cloud.x[i], cloud.y[i]];
    if (this.chosen.length) {
      g.fillStyle = colours.text;
      for (const i of this.chosen) {
        const [x, y] = this.spots(i);
        g.fillRect(x - 2, y - 2, 4, 4);
      }
    }
    const at = this.measured?.get(now);
    const lines =
      at === undefined
        ? []
        : Array.from({ length: panel.spec.k }, (_, n) => ({
            row: this.near[at * panel.spec.k + n],
            cosine: this.cosine[at * panel.spec.k + n] / 32767,
          }));
    if (now >= 0) {
      const [x0, y0] = this.spots(now);
      g.strokeStyle = colours.accent;
      g.lineWidth = 1.2;
      for (const { row } of lines) {
        const [x, y] = this.spots(row);
        g.beginPath();
        g.moveTo(x0, y0);
        g.lineTo(x, y);
        g.stroke();
      }
      name(g, this, this.spots(now), this.words[now], {
        colour: colours.accent,
        weight: 700,
        radius: 6,
        placed,
        ground: colours.ground,
      });
    }
    for (const w of typed) {
      if (w.row === now && w.row >= 0) continue;
      const spot = w.row >= 0 ? this.spots(w.row) : finished ? cloud.to(w.place, view) : null;
      if (spot)
        name(g, this, spot, w.label, {
          colour: colours.text,
          weight: 700,
          radius: 5,
          placed,
          ground: colours.ground,
          hollow: w.row < 0,
        });
    }
    for (const { row, cosine } of lines)
      name(g, this, this.spots(row), this.words[row], {
        more: ` ${cosine.toFixed(2)}`,
        colour: colours.accent,
        weight: 400,
        radius: 3,
        placed,
        ground: colours.ground,
      });
    if (!this.drag && !this.bar.timer) this.labels(g, colours, placed);
    if (this.drag?.path) {
      g.strokeStyle = colours.accent;
      g.lineWidth = 1.5;
      g.setLineDash([4, 3]);
      g.beginPath();
      for (const [x, y] of this.drag.path) g.lineTo(x, y);
      g.stroke();
      g.setLineDash([]);
    }
    panel.say(
      now >= 0 ? `${panel.spec.title}, at “${visible(this.words[now])}”` : panel.spec.title,
      panel.spec.says,
    );
    const line =
      now >= 0
        ? `“${visible(this.words[now])}”${
            lines.length
              ? `: true neighbours ${lines
                  .slice(0, 5)
                  .map((l) => `${visible(this.words[l.row])} ${l.cosine.toFixed(2)}`)
                  .join(", ")}`
              : ""
          }. ${this.bar.describe(now) && `${this.bar.describe(now)}.`}`
        : "Point at a word: lines lead to its true nearest neighbours.";
    const outside = typed.filter((w) => w.row < 0).map((w) => `“${visible(w.label)}”`);
    panel.read(
      this.note ||
        `${line}${outside.length ? ` Not among the drawn words: ${outside.slice(0, 4).join(", ")}${outside.length > 4 ? ` and ${outside.length - 4} more` : ""}; a ring ${panel.spec.rings}.` : ""}`,
    );
  }

  // Some of the names, where there is room: the commonest words first; more of them as one comes closer.
  labels(g, colours, placed) {
    const { cloud } = this;
    g.globalAlpha = 0.75;
    for (let i = 0, written = 0, tried = 0; i < cloud.count && written < LABELS && tried < 600; i++) {
      const [x, y] = this.spots(i);
      if (x < 0 || y < 0 || x > this.width || y > this.high) continue;
      tried += 1;
      written += name(g, this, [x, y], this.words[i], {
        colour: colours.text,
        weight: 400,
        radius: 0,
        placed,
        ground: colours.ground,
        small: true,
      })
        ? 1
        : 0;
    }
    g.globalAlpha = 1;
  }

  key2D(g, colours) {
    const y = this.high + 12;
    if (this.width > 620) {
      g.font = font(11);
      g.textAlign = "right";
      g.textBaseline = "top";
      g.fillStyle = colours.faint;
      g.fillText(
        `${this.cloud.dims === 3 ? "drag to rotate, Shift-drag to move" : "drag to move"}; click the map, then zoom with the wheel`,
        this.width - 2,
        y,
      );
    }
    if (this.scale)
      return legend(
        g,
        2,
        y,
        Math.min(150, this.width / 3),
        this.scale,
        this.panel.spec.colours[this.by].name,
        colours,
      );
    g.font = font(12);
    g.textBaseline = "middle";
    g.textAlign = "left";
    g.fillStyle = colours.faint;
    if (this.by !== "group")
      return g.fillText("Only nearness means something: the map has no unit.", 2, y + 4);
    const style = getComputedStyle(this.panel.app.root);
    for (let n = 0, x = 2; n < Math.min(GROUPS, new Set(this.group).size); n++, x += 36) {
      g.fillStyle = style.getPropertyValue(`--un-line-${n}`);
      g.fillRect(x, y - 1, 10, 10);
      g.fillStyle = colours.text;
      g.fillText(String(n + 1), x + 14, y + 5);
    }
  }

  // The words inside the lasso, or all; the colour measures beside their places.
  table(rounded = true) {
    const { dims, places } = this.cloud;
    const rows = this.chosen.length ? this.chosen : this.words.map((_, i) => i);
    const show = rounded ? digits : (v) => String(v);
    return {
      columns: [
        "word",
        ..."xyz".slice(0, dims),
        ...Object.values(this.panel.spec.colours).map((c) => c.name),
      ],
      rows: rows.map((i) => [
        rounded ? visible(this.words[i]) : this.words[i],
        ...Array.from(places.subarray(i * dims, (i + 1) * dims), show),
        ...Object.values(this.values).map((v) => show(v[i])),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }

  drawn() {
    const { dims, places } = this.cloud;
    const fields = {
      map: { axes: ["word", "coordinate"], labels: [this.words, [..."xyz".slice(0, dims)]], values: places },
    };
    for (const [name, values] of Object.entries(this.values))
      fields[name] = { axes: ["word"], labels: [this.words], values };
    return fields;
  }
}
