// One field of a model, whatever its axes: a grid, lines, bars, or a wall of small grids with one opened.
// Two axes are drawn, all others have pickers; engine/views says which drawings accept it, Python sends the part that is drawn.

import { Scale, Surface, font, ink, legend, luminance, raster } from "../drawing/canvas.js";
import { digits, element, percent, raised, short, visible } from "../dom.js";
import {
  ALONG_TEXT,
  answered,
  brief,
  exact,
  labelOf,
  pick,
  pickAll,
  pickOf,
  place,
  said,
  scaleOf,
  setWay,
  statistics,
} from "../parts/inspected.js";

const LEGEND = 30,
  GAP = 6,
  LONG = 512,
  TABLED = 200,
  MOST_BARS = 16,
  SHARES = new Set(["probability", "attention"]),
  FIXED = new Set(["gate", "attention", "cosine"]);
const DRAWINGS = { wall: "Wall", grid: "Grid", lines: "Lines", bars: "Bars" };

export default class FieldPanel {
  constructor(panel) {
    this.panel = panel;
    this.name = panel.spec.field;
    this.controls = element("div", "un-order");
    this.wall = new Surface(panel.body);
    this.surface = new Surface(panel.body);
    this.list = element("ol", "un-list un-wide");
    this.stats = element("p", "un-says");
    this.left = element("p", "un-says");
    this.walls = [];
    this.store = {};
    this.rows = [];
    panel.body.prepend(this.controls);
    if (panel.spec.search) this.searchBox();
    panel.body.append(this.list, this.left);
    if (panel.spec.search) this.fall = new Surface(panel.body);
    panel.body.append(this.stats);
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      (x, y) => this.keep(x, y),
      () => {
        panel.selection.leave();
        this.rest();
      },
    );
    this.wall.onPointer(
      (x, y) => this.lookAtWall(x, y),
      (x, y) => this.open(x, y),
      () => this.rest(),
    );
    this.list.addEventListener("pointerover", (e) => {
      const row = e.target.closest("[data-i]");
      if (row) this.panel.read(this.bar(Number(row.dataset.i)));
    });
    this.list.addEventListener("pointerleave", () => this.rest());
  }

  get canvas() {
    return this.surface.node;
  }

  // What Python made of the wish: how it is drawn, which axes, which positions of the others.
  get about() {
    return answered(this.panel.reader()).fields[this.name];
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { shows, reads } = answered(reader);
    const at = shows.indexOf(this.name);
    panel.root.hidden = at < 0;
    panel.root.style.order = String(at);
    if (at < 0) return;
    const { about } = this;
    const spec = reader.spec.fields[this.name];
    const change = reads === "change";
    panel.say(
      `${this.name} ${spec.symbol}`.trim(),
      `${spec.says}${change ? " Drawn: edited minus as it is." : ""}`,
    );
    this.surface.node.hidden = this.wall.node.hidden = this.list.hidden = true;
    if (!about) {
      this.controls.hidden = true;
      this.stats.textContent = "";
      this.left.textContent = "";
      panel.read("Nothing is typed yet, so there are no numbers.");
      return;
    }
    this.controls.hidden = false;
    this.control(reader, about);
    const field = reader.fields.get(this.name);
    const ranked = about.ranked ? reader.tops[this.name] : undefined;
    this.field = ranked ? null : field;
    this.share = SHARES.has(spec.kind) && !change;
    const gate = spec.kind === "gate" && !change;
    if (this.field) {
      if (this.counted !== this.field.values || this.countedAs !== change) {
        this.counted = this.field.values;
        this.countedAs = change;
        this.numbers = statistics(this.field.values, gate);
      }
      this.scale = new Scale(
        scaleOf(
          change ? { scale: reader.spec.signed } : spec,
          this.numbers,
          !change && (panel.spec.domain || FIXED.has(spec.kind)),
        ),
        panel.app.dark,
      );
    }
    const left = [
      ...Object.entries(about.start).map(
        ([axis, start]) =>
          `${LONG} of ${about.sizes[axis].toLocaleString("en")} ${axis} positions are drawn, from ${start}; the slider moves on.`,
      ),
      about.left_out ?? "",
    ]
      .filter(Boolean)
      .join(" ");
    if (this.left.textContent !== left) this.left.textContent = left;
    this.left.hidden = !left;
    if (about.drawing === "bars") this.drawBars(reader, about, ranked);
    else if (about.drawing === "number") this.surface.begin(1, 1);
    else if (about.drawing === "lines") this.drawLines(reader, about);
    else this.drawGrid(reader, about);
    if (about.drawing === "wall") this.drawWall(reader, about);
    const numbers = this.field
      ? this.numbers
      : ranked?.rows[ranked.along ? this.row(reader, about) : 0]?.says;
    const of = this.field
      ? "in this picture"
      : ranked?.along
        ? `at “${visible(reader.labels[this.row(reader, about)] ?? "")}”`
        : "in all";
    const words = numbers ? said(numbers, of) : "";
    const beyond =
      this.field &&
      numbers &&
      (numbers[3] > this.scale.high * 1.0001 ||
        numbers[1] < this.scale.low - Math.abs(this.scale.low) * 1e-4) &&
      about.drawing !== "bars" &&
      about.drawing !== "lines"
        ? " Numbers beyond the scale get its end colour."
        : "";
    if (this.stats.textContent !== words + beyond) this.stats.textContent = words + beyond;
    if (!this.over) this.rest();
  }

  // ---- controls: the drawing, its two axes, and a picker for each axis that is left ----

  control(reader, about) {
    const { panel } = this;
    const { drawings, axes } = panel.spec;
    const key = JSON.stringify([
      about.drawing,
      about.down,
      about.across,
      Object.keys(about.at),
      about.sizes,
      Object.keys(about.start),
      axes.length && about.labels,
    ]);
    if (key !== this.controlled) {
      this.controlled = key;
      this.pickers = new Map();
      const parts = [];
      if (drawings.length > 1)
        parts.push(
          this.select(
            "Drawn as",
            drawings.map((d) => [d, DRAWINGS[d]]),
            about.drawing,
            (d) => this.way(d, about.down, about.across),
          ),
        );
      if (axes.length > 1 && about.drawing !== "bars")
        parts.push(
          this.select(
            "down",
            axes.map((a) => [a, a]),
            about.down,
            (a) => this.way(about.drawing, a, a === about.across ? about.down : about.across),
          ),
        );
      if (axes.length > 1)
        parts.push(
          this.select(
            about.drawing === "bars" ? "over" : "across",
            axes.map((a) => [a, a]),
            about.across,
            (a) => this.way(about.drawing, a === about.down ? about.across : about.down, a),
          ),
        );
      for (const axis of Object.keys(about.at)) parts.push(this.picker(axis, about));
      for (const [axis, start] of Object.entries(about.start))
        parts.push(
          this.slider(`${axis} from`, about.sizes[axis] - LONG, start, (n) => pick(panel, `${axis}.from`, n)),
        );
      this.controls.replaceChildren(...parts);
      this.controls.hidden = !parts.length;
    }
    for (const [axis, node] of this.pickers) {
      const now = String(about.at[axis]);
      if (node.value !== now && document.activeElement !== node) node.value = now;
      if (node.told) node.told.textContent = this.counted1(reader, about, axis);
    }
  }

  way(drawing, down, across) {
    const { axes } = this.panel.spec;
    if (axes.length > 1 && drawing !== "bars" && !down) down = axes.find((a) => a !== across);
    setWay(this.panel, this.name, [drawing, axes.length > 1 ? down : "", across]);
  }

  counted1(reader, about, axis) {
    return `${place(reader, about, axis, about.at[axis]).replace(`${axis} `, "")} of ${about.sizes[axis].toLocaleString("en")}`;
  }

  select(name, options, now, chosen) {
    const label = element("label", "un-pick", { textContent: `${name} ` });
    const node = element("select", "un-select");
    node.setAttribute("aria-label", `${name}, ${this.name}`);
    for (const [value, textContent] of options) node.append(element("option", "", { value, textContent }));
    node.value = now;
    node.onchange = () => chosen(node.value);
    label.append(node);
    return label;
  }

  picker(axis, about) {
    const size = about.sizes[axis];
    const reader = this.panel.reader();
    if (size <= 64 && !ALONG_TEXT.has(axis)) {
      const label = this.select(
        axis,
        Array.from({ length: size }, (_, i) => [
          String(i),
          place(reader, about, axis, i).replace(`${axis} `, ""),
        ]),
        String(about.at[axis]),
        (i) => pick(this.panel, axis, Number(i)),
      );
      this.pickers.set(axis, label.lastChild);
      return label;
    }
    const label = this.slider(axis, size - 1, about.at[axis], (i) => pick(this.panel, axis, i));
    const node = label.querySelector("input");
    this.pickers.set(axis, node);
    node.told = label.lastChild;
    return label;
  }

  slider(name, most, now, chosen) {
    const label = element("label", "un-pick un-pick-long", { textContent: `${name} ` });
    const node = element("input", "un-slider", { type: "range", min: 0, max: Math.max(0, most), step: 1 });
    node.value = String(now);
    node.setAttribute("aria-label", `${name}, ${this.name}`);
    const out = element("output", "", { textContent: String(now) });
    node.oninput = () => {
      out.textContent = node.value;
      chosen(Number(node.value));
    };
    label.append(node, out);
    return label;
  }

  // ---- the part that is drawn: rows and columns of it ----

  slice(about) {
    const { field } = this;
    const steps = {};
    field.axes.reduceRight((step, axis, a) => {
      steps[axis] = step;
      return step * field.shape[a];
    }, 1);
    const size = (axis) => (axis ? field.shape[field.axes.indexOf(axis)] : 1);
    return {
      values: field.values,
      rows: size(about.down),
      columns: size(about.across),
      rowStep: steps[about.down] ?? 0,
      columnStep: steps[about.across] ?? 0,
    };
  }

  value(about, r, c) {
    const s = this.slice(about);
    return s.values[r * s.rowStep + c * s.columnStep];
  }

  // Where along an axis the page looks: a place among those drawn, or -1.
  chosen(reader, about, axis) {
    const { selection } = this.panel;
    if (!axis) return 0;
    if (axis === "token" || axis === "query") return selection.token(reader);
    if (axis === "key") return (selection.get("other") ?? -1) - reader.offset;
    return pickOf(selection, axis) - (about.start[axis] ?? 0);
  }

  row(reader, about) {
    return Math.max(0, this.chosen(reader, about, about.down));
  }

  names(reader, about, axis, count) {
    const first = about.start[axis] ?? 0;
    return Array.from({ length: count }, (_, i) => {
      const label = labelOf(reader, about, axis, i + first);
      return label === null
        ? String(axis === "layer" || axis === "head" ? i + 1 : i + first)
        : visible(label);
    });
  }

  drawGrid(reader, about) {
    const { panel, scale } = this;
    const { rows, columns, values, rowStep, columnStep } = this.slice(about);
    const width = panel.body.clientWidth;
    const colours = ink(panel.app.root);
    this.surface.node.hidden = false;
    let g = this.surface.begin(width, 50);
    g.font = font(12);
    const down = this.names(reader, about, about.down, rows),
      across = this.names(reader, about, about.across, columns);
    const widest = (names, most) =>
      names.reduce((w, n) => Math.max(w, g.measureText(Array.from(n).slice(0, 14).join("")).width), 0) + 10 >
      most
        ? most
        : names.reduce((w, n) => Math.max(w, g.measureText(n).width), 0) + 10;
    const left = Math.max(34, widest(down, Math.min(100, width * 0.24)));
    const square = ALONG_TEXT.has(about.down) && ALONG_TEXT.has(about.across);
    const step = (width - left - 4) / Math.max(1, columns);
    const cell = Math.min(step, square ? 40 : columns < 6 ? 90 : 64);
    const line = square ? cell : Math.max(rows > 200 ? 300 / rows : 1, Math.min(22, 300 / rows));
    const long = across.some((n) => n.length > 1 && g.measureText(n).width > cell - 2);
    const numbered = across.every((n) => /^\d+$/.test(n));
    const top = long && !numbered ? Math.min(76, widest(across, 80) * 0.85 + 8) : 20;
    const wide = cell * columns,
      high = line * rows,
      height = top + high + LEGEND + 10;
    g = this.surface.begin(width, height);
    g.imageSmoothingEnabled = false;
    g.drawImage(
      raster(this.store, values, rows, columns, 0, rowStep, columnStep, scale),
      left,
      top,
      wide,
      high,
    );
    g.strokeStyle = colours.line;
    g.lineWidth = 1;
    g.strokeRect(left - 0.5, top - 0.5, wide + 1, high + 1);
    this.box = { left, top, wide, high, rows, columns };
    const nowRow = this.chosen(reader, about, about.down),
      nowColumn = this.chosen(reader, about, about.across);
    g.textBaseline = "middle";
    g.textAlign = "right";
    g.font = font(Math.max(9, Math.min(12, line)));
    this.spaced(down.length, line, 11, nowRow, (r) => {
      g.fillStyle = r === nowRow ? colours.accent : colours.text;
      g.fillText(this.fit(g, down[r], left - 8), left - 5, top + (r + 0.5) * line);
    });
    this.spaced(across.length, cell, long ? (numbered ? 34 : 11) : 8, nowColumn, (c) => {
      g.fillStyle = c === nowColumn ? colours.accent : colours.text;
      g.font = font(Math.max(10, Math.min(13, cell)), c === nowColumn ? 700 : 400);
      if (!long || numbered) {
        g.textAlign = "center";
        g.fillText(across[c], left + (c + 0.5) * cell, top - 9);
        return;
      }
      g.save();
      g.translate(left + (c + 0.5) * cell, top - 5);
      g.rotate(-Math.PI / 3.2);
      g.textAlign = "left";
      g.fillText(this.fit(g, across[c], (top - 6) / 0.83), 0, 0);
      g.restore();
    });
    if (cell >= 30 && line >= 12)
      this.written(g, { rows, columns, values, rowStep, columnStep, left, top, cell, line });
    g.strokeStyle = colours.accent;
    g.lineWidth = 1.5;
    if (nowRow >= 0 && nowRow < rows) g.strokeRect(left - 1, top + nowRow * line - 0.5, wide + 2, line + 1);
    if (!square && nowColumn >= 0 && nowColumn < columns)
      g.strokeRect(left + nowColumn * cell, top - 1, cell, high + 2);
    legend(g, left, height - LEGEND + 2, Math.min(160, width - left - 80), scale, this.unit(), colours);
  }

  unit() {
    const spec = this.panel.reader().spec.fields[this.name];
    return spec.unit || spec.kind;
  }

  // Every so many positions, so that they keep `room` pixels apart, and the chosen one.
  spaced(count, step, room, chosen, put) {
    const every = Math.max(1, Math.ceil(room / step));
    for (let i = 0; i < count; i += every)
      if (i === chosen || chosen < 0 || Math.abs(i - chosen) * step >= room) put(i);
    if (chosen >= 0 && chosen < count && chosen % every) put(chosen);
  }

  written(g, { rows, columns, values, rowStep, columnStep, left, top, cell, line }) {
    g.font = font(Math.min(12, cell * 0.3, line));
    g.textAlign = "center";
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++) {
        const v = values[r * rowStep + c * columnStep];
        if (!Number.isFinite(v)) continue;
        g.fillStyle = luminance(this.scale.packed(v)) < 128 ? "#ffffff" : "#111111";
        g.fillText(
          Math.abs(v) >= 100
            ? v.toFixed(0)
            : Math.abs(v) >= 10
              ? v.toFixed(1)
              : v.toFixed(2).replace("-", "−"),
          left + (c + 0.5) * cell,
          top + (r + 0.5) * line,
        );
      }
  }

  fit(g, label, room) {
    let text = short(label, 20);
    while (text.length > 1 && g.measureText(text).width > room)
      text = `${Array.from(text).slice(0, -2).join("")}…`;
    return text;
  }

  // ---- the wall: one small grid for each position of the outer axes, on the scale of the opened one ----

  drawWall(reader, about) {
    const field = reader.fields.get(`${this.name}#wall`);
    if (!field || about.left_out || !about.outer?.length) return;
    const { panel } = this;
    const [a, b] = about.outer.length > 1 ? about.outer : [null, about.outer[0]];
    const size = (axis) => (axis ? field.shape[field.axes.indexOf(axis)] : 1);
    const steps = {};
    field.axes.reduceRight((step, axis, n) => {
      steps[axis] = step;
      return step * field.shape[n];
    }, 1);
    const width = panel.body.clientWidth;
    let lines = size(a),
      across = size(b);
    const left = a ? 52 : 0;
    if (!a) {
      across = Math.min(across, Math.max(1, Math.floor(width / 110)));
      lines = Math.ceil(size(b) / across);
    }
    const w = Math.min(96, (width - left - 2 - GAP * (across - 1)) / across);
    const text = ALONG_TEXT.has(about.down) && ALONG_TEXT.has(about.across);
    const h = text ? w : Math.min(72, w);
    const row = h + GAP + (a ? 0 : 14);
    const g = this.wall.begin(width, 18 + lines * row);
    this.wall.node.hidden = false;
    const colours = ink(panel.app.root);
    this.boxes = [];
    g.textBaseline = "middle";
    g.font = font(11, 600);
    for (let i = 0; i < size(a); i++)
      for (let j = 0; j < size(b); j++) {
        const n = i * size(b) + j;
        const x = left + (a ? j : j % across) * (w + GAP),
          y = 18 + (a ? i : Math.floor(j / across)) * row;
        const picture = raster(
          (this.walls[n] ??= {}),
          field.values,
          size(about.down),
          size(about.across),
          (a ? i * steps[a] : 0) + j * steps[b],
          steps[about.down],
          steps[about.across],
          this.scale,
        );
        g.imageSmoothingEnabled = picture.width > w * this.wall.ratio;
        g.drawImage(picture, x, y, w, h);
        const open = (!a || about.at[a] === i) && about.at[b] === j;
        g.lineWidth = open ? 2.5 : 1;
        g.strokeStyle = open ? colours.accent : colours.line;
        g.strokeRect(x - 0.5, y - 0.5, w + 1, h + 1);
        g.fillStyle = open ? colours.accent : colours.text;
        g.textAlign = "left";
        const name = (axis, k) =>
          labelOf(reader, about, axis, k) === null
            ? `${w < 44 ? "" : `${axis} `}${axis === "layer" || axis === "head" ? k + 1 : k}`
            : short(labelOf(reader, about, axis, k), 10);
        if (!a) g.fillText(name(b, j), x, y - 8);
        else if (i === 0) g.fillText(name(b, j), x, 9);
        if (a && j === 0) {
          g.fillStyle = about.at[a] === i ? colours.accent : colours.text;
          g.fillText(
            `${a === "layer" ? "layer" : a.slice(0, 5)} ${a === "layer" || a === "head" ? i + 1 : i}`,
            0,
            y + h / 2,
          );
        }
        this.boxes.push({ x, y, w, h, at: a ? { [a]: i, [b]: j } : { [b]: j } });
      }
  }

  thumbnail(x, y) {
    return this.boxes?.find((box) => x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h);
  }

  lookAtWall(x, y) {
    const found = this.thumbnail(x, y);
    const reader = this.panel.reader();
    this.panel.read(
      found
        ? `${Object.entries(found.at)
            .map(([axis, i]) => place(reader, this.about, axis, i))
            .join(", ")}: click to open it below.`
        : "",
    );
  }

  open(x, y) {
    const found = this.thumbnail(x, y);
    if (found) pickAll(this.panel, found.at);
  }

  // ---- lines: along the axis across, one for each position of the axis down ----

  drawLines(reader, about) {
    const { panel } = this;
    const { rows, columns, values, rowStep, columnStep } = this.slice(about);
    const width = panel.body.clientWidth,
      left = 52,
      top = 10,
      high = 200;
    const g = this.surface.begin(width, top + high + 26);
    this.surface.node.hidden = false;
    const colours = ink(panel.app.root);
    const [, least, , largest] = this.numbers;
    const spec = reader.spec.fields[this.name];
    const low = Math.min(0, FIXED.has(spec.kind) ? this.scale.low : least),
      high1 = Math.max(0, FIXED.has(spec.kind) ? this.scale.high : largest) || 1;
    const step = (width - left - 8) / Math.max(1, columns);
    const x = (c) => left + (c + 0.5) * step,
      y = (v) => top + high * (1 - (v - low) / (high1 - low || 1));
    this.box = { left, top, wide: step * columns, high, rows, columns, y };
    g.font = font(11);
    g.textBaseline = "middle";
    g.textAlign = "right";
    for (const v of [low, (low + high1) / 2, high1]) {
      g.strokeStyle = colours.line;
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(left, y(v));
      g.lineTo(width - 6, y(v));
      g.stroke();
      g.fillStyle = colours.faint;
      g.fillText(digits(v), left - 5, y(v));
    }
    const now = rows > 1 ? this.chosen(reader, about, about.down) : 0;
    const column = this.chosen(reader, about, about.across);
    if (column >= 0 && column < columns) {
      g.globalAlpha = 0.2;
      g.fillStyle = colours.accent;
      g.fillRect(left + column * step, top, Math.max(1, step), high);
      g.globalAlpha = 1;
    }
    const order = [...Array(rows).keys()].filter((r) => r !== now);
    if (now >= 0 && now < rows) order.push(now);
    for (const r of order) {
      g.strokeStyle = r === now ? colours.accent : colours.faint;
      g.globalAlpha = r === now ? 1 : Math.max(0.12, Math.min(0.5, 8 / rows));
      g.lineWidth = r === now ? 2 : 1;
      g.beginPath();
      let on = false;
      for (let c = 0; c < columns; c++) {
        const v = values[r * rowStep + c * columnStep];
        if (!Number.isFinite(v)) {
          on = false;
          continue;
        }
        if (on) g.lineTo(x(c), y(v));
        else g.moveTo(x(c), y(v));
        on = true;
      }
      g.stroke();
      if (r === now && columns <= 120)
        for (let c = 0; c < columns; c++) {
          const v = values[r * rowStep + c * columnStep];
          if (Number.isFinite(v)) {
            g.fillStyle = colours.accent;
            g.beginPath();
            g.arc(x(c), y(v), 2.5, 0, 7);
            g.fill();
          }
        }
    }
    g.globalAlpha = 1;
    const names = this.names(reader, about, about.across, columns);
    g.textAlign = "center";
    this.spaced(columns, step, 10, column, (c) => {
      g.font = font(Math.max(10, Math.min(13, step)));
      g.fillStyle = c === column ? colours.accent : colours.text;
      g.fillText(this.fit(g, names[c], Math.max(9, step - 2)), x(c), top + high + 13);
    });
    this.shown = rows > 1 ? now : null;
  }

  // ---- bars: the largest numbers of one row, with a search for any other ----

  searchBox() {
    const { app } = this.panel;
    this.search = element("input", "un-search", {
      type: "search",
      maxLength: 60,
      autocomplete: "off",
      spellcheck: false,
      id: `un-search-${this.name}`,
    });
    this.search.placeholder = "any word";
    this.search.addEventListener("input", (e) => {
      if (!e.isComposing) app.choose(this.search.value.trim());
    });
    this.search.addEventListener("compositionend", () => app.choose(this.search.value.trim()));
    this.finder = element("div", "un-search-bar");
    this.finder.append(
      element("label", "un-search-label", { htmlFor: this.search.id, textContent: "Where is" }),
      this.search,
    );
    this.answer = element("p", "un-says", { role: "status" });
    this.panel.body.append(this.finder, this.answer);
  }

  // The rows of the list: [label, number], largest first.
  best(reader, about) {
    const ranked = about.ranked && reader.tops[this.name];
    if (ranked)
      return (ranked.rows[ranked.along ? this.row(reader, about) : 0]?.top ?? []).map(([label, v]) => [
        label,
        v ?? NaN,
      ]);
    const { columns } = this.slice(about);
    const r = this.row(reader, about);
    const change = answered(reader).reads === "change";
    const first = about.start[about.across] ?? 0;
    const all = Array.from({ length: columns }, (_, c) => [
      labelOf(reader, about, about.across, c + first) ?? `${about.across} ${c + first}`,
      this.value(about, r, c),
    ]);
    const size = (row) => (Number.isFinite(row[1]) ? (change ? Math.abs(row[1]) : row[1]) : -Infinity);
    return all.sort((p, q) => size(q) - size(p)).slice(0, MOST_BARS);
  }

  drawBars(reader, about, ranked) {
    const rows = this.best(reader, about);
    this.list.hidden = false;
    this.best_now = rows;
    const most = Math.max(...rows.map(([, v]) => Math.abs(v)).filter(Number.isFinite), 1e-30);
    while (this.rows.length > rows.length) this.rows.pop().root.remove();
    while (this.rows.length < rows.length) {
      const row = {
        root: element("li", "un-row"),
        label: element("span", "un-row-label"),
        bar: element("span", "un-row-bar"),
        fill: element("i", ""),
        value: element("span", "un-row-value"),
      };
      row.root.dataset.i = String(this.rows.length);
      row.bar.append(row.fill);
      row.root.append(row.label, row.bar, row.value);
      this.list.append(row.root);
      this.rows.push(row);
    }
    rows.forEach(([label, v], i) => {
      const row = this.rows[i];
      row.label.textContent = short(label, 18);
      row.label.title = visible(label);
      row.value.textContent = this.share ? percent(v) : brief(v);
      row.fill.style.width = `${Number.isFinite(v) ? ((100 * Math.abs(v)) / most).toFixed(2) : 0}%`;
      row.fill.style.background = v < 0 ? "var(--un-line-0)" : "var(--un-accent)";
    });
    const sum = rows.reduce((a, [, v]) => a + (v || 0), 0);
    const count = about.sizes[about.across];
    const where = about.down ? ` at ${place(reader, about, about.down, this.row(reader, about))}` : "";
    const left =
      rows.length < count
        ? `The ${rows.length} largest of ${count.toLocaleString("en")}${where}${this.share ? `; the others share ${percent(Math.max(0, 1 - sum))}` : ""}.`
        : `All ${count}${where}, largest first.`;
    if (this.left.textContent !== left) this.left.textContent = left;
    this.left.hidden = false;
    if (this.search) this.drawSearch(reader, about, ranked);
  }

  drawSearch(reader, about, ranked) {
    const word = this.panel.app.word();
    if (document.activeElement !== this.search && this.search.value !== word) this.search.value = word;
    const answer = !word
      ? "Type any word to see its number and its place among all."
      : ((ranked ? this.ranked(ranked, word, reader, about) : this.among(word, reader, about)) ?? "…");
    if (this.answer.textContent !== answer) this.answer.textContent = answer;
    this.drawFall(reader, ranked);
  }

  told(label, v, at, about) {
    return `“${visible(label)}”: place ${at.toLocaleString("en")} of ${about.sizes[about.across].toLocaleString("en")}, ${this.share ? `${percent(v)} (${exact(v)})` : exact(v)}.`;
  }

  // Where a word stands, as Python found it among many, or among the few that are here.
  ranked({ find, along }, word, reader, about) {
    if (find?.word !== word) return undefined;
    const row = find.rows[along ? this.row(reader, about) : 0];
    return row
      ? `${this.told(find.label, row[0], row[1], about)} ${find.says}`.trim()
      : `“${visible(word)}”: ${find.says}`;
  }

  among(word, reader, about) {
    const { columns } = this.slice(about);
    const r = this.row(reader, about);
    const at = [...Array(columns).keys()].find(
      (c) => labelOf(reader, about, about.across, c + (about.start[about.across] ?? 0)) === word,
    );
    if (at === undefined) return `“${visible(word)}”: there is no such word here.`;
    const v = this.value(about, r, at);
    let place = 1;
    for (let c = 0; c < columns; c++) if (this.value(about, r, c) > v) place += 1;
    return this.told(word, v, place, about);
  }

  // How all of them fall off, from the largest down, on two logarithmic axes.
  drawFall(reader, ranked) {
    const curve = ranked?.curve;
    const token = this.panel.selection.token(reader) + reader.offset;
    this.fall.node.hidden = !curve || (ranked.along && curve.token !== token);
    if (this.fall.node.hidden) return;
    const width = this.panel.body.clientWidth,
      left = 40,
      high = 80;
    const g = this.fall.begin(width, high + 34);
    const colours = ink(this.panel.app.root);
    const { ranks, p, needed } = curve;
    const far = Math.log10(Math.max(2, ranks[ranks.length - 1])),
      deep = Math.min(-2, Math.floor(Math.log10(Math.max(1e-12, Math.min(...p.filter((v) => v > 0))))));
    const x = (rank) => left + (Math.log10(rank) / far) * (width - left - 8),
      y = (v) => 6 + (Math.max(deep, Math.log10(Math.max(v, 1e-30))) / deep) * high;
    g.font = font(11);
    g.textBaseline = "middle";
    g.textAlign = "right";
    for (const e of [0, Math.round(deep / 2), deep]) {
      g.strokeStyle = colours.line;
      g.beginPath();
      g.moveTo(left, y(10 ** e));
      g.lineTo(width - 6, y(10 ** e));
      g.stroke();
      g.fillStyle = colours.faint;
      g.fillText(e ? `10${raised(e)}` : "1", left - 5, y(10 ** e));
    }
    g.strokeStyle = colours.accent;
    g.lineWidth = 2;
    g.beginPath();
    ranks.forEach((rank, i) => (i ? g.lineTo(x(rank), y(p[i])) : g.moveTo(x(rank), y(p[i]))));
    g.stroke();
    g.fillStyle = colours.faint;
    g.textAlign = "left";
    g.fillText(
      `place 1 to ${ranks[ranks.length - 1].toLocaleString("en")}: ${needed[0].toLocaleString("en")} hold half of it, ${needed[1].toLocaleString("en")} hold 90 %`,
      left,
      high + 22,
    );
  }

  bar(i) {
    const { about } = this;
    const [label, v] = this.best_now?.[i] ?? [];
    return label === undefined
      ? ""
      : `${this.name}, ${about.across} “${visible(String(label))}” = ${exact(v)}${this.share ? ` = ${percent(v)}` : ""}`;
  }

  // ---- the pointer ----

  find(px, py) {
    const b = this.box;
    if (!b || px < b.left || py < b.top || px >= b.left + b.wide || py >= b.top + b.high) return null;
    const c = Math.floor(((px - b.left) / b.wide) * b.columns);
    if (!b.y) return [Math.floor(((py - b.top) / b.high) * b.rows), c];
    let best = 0; // of lines the nearest one
    for (let r = 1; r < b.rows; r++)
      if (
        Math.abs(b.y(this.value(this.about, r, c)) - py) < Math.abs(b.y(this.value(this.about, best, c)) - py)
      )
        best = r;
    return [best, c];
  }

  reading(r, c) {
    const { about } = this;
    const reader = this.panel.reader();
    const first = (axis) => about.start[axis] ?? 0;
    const at = { ...about.at };
    if (about.down) at[about.down] = r + first(about.down);
    at[about.across] = c + first(about.across);
    return `${this.name}, ${this.panel.spec.axes.map((axis) => place(reader, about, axis, at[axis])).join(", ")} = ${exact(this.value(about, r, c))}`;
  }

  look(px, py) {
    const found = this.find(px, py);
    this.over = !!found;
    if (!found) {
      this.panel.selection.leave();
      return this.rest();
    }
    const reader = this.panel.reader();
    const { about } = this;
    const axis = [about.down, about.across].find((a) => a === "token" || a === "query");
    if (axis) {
      const t = axis === about.down ? found[0] : found[1];
      this.panel.selection.look({ token: t + reader.offset, reader: reader.spec.id, span: reader.spans[t] });
    }
    this.panel.read(this.reading(...found));
  }

  keep(px, py) {
    const found = this.find(px, py);
    if (!found) return;
    const { about, panel } = this;
    const reader = panel.reader();
    for (const [axis, i] of [
      [about.down, found[0]],
      [about.across, found[1]],
    ]) {
      if (!axis) continue;
      if (axis === "key") panel.selection.keep({ other: i + reader.offset }, panel.app);
      else pick(panel, axis, i + (about.start[axis] ?? 0));
    }
  }

  // The number at the place looked at.
  rest() {
    this.over = false;
    const { about } = this;
    if (!about) return;
    const reader = this.panel.reader();
    if (about.drawing === "bars") return this.panel.read(this.bar(0));
    if (about.drawing === "number")
      return this.panel.read(`${this.name} = ${exact(this.field?.values[0] ?? NaN)}`);
    const { rows, columns } = this.slice(about);
    const clamp = (n, most) => Math.max(0, Math.min(n, most - 1));
    let c = this.chosen(reader, about, about.across);
    const r = clamp(this.chosen(reader, about, about.down), rows);
    if (about.across === "key" && c < 0)
      for (let k = (c = 0); k < columns; k++) if (this.value(about, r, k) > this.value(about, r, c)) c = k;
    this.panel.read(rows && columns ? this.reading(r, clamp(c, columns)) : "");
  }

  table() {
    const { about } = this;
    const reader = this.panel.reader();
    if (!about) return { columns: [], rows: [] };
    if (about.drawing === "bars")
      return {
        columns: ["place", about.across, this.name],
        rows: this.best(reader, about).map(([label, v], i) => [i + 1, visible(String(label)), exact(v)]),
      };
    if (about.drawing === "number")
      return { columns: [this.name], rows: [[exact(this.field?.values[0] ?? NaN)]] };
    const { rows, columns } = this.slice(about);
    const down = about.down ? this.names(reader, about, about.down, rows) : [""],
      across = this.names(reader, about, about.across, columns);
    const found = [];
    for (let r = 0; r < rows && found.length < TABLED; r++)
      for (let c = 0; c < columns && found.length < TABLED; c++)
        found.push([...(about.down ? [down[r]] : []), across[c], exact(this.value(about, r, c))]);
    found.length = rows * columns; // the panel shows the first ones, and says how many there are
    return { columns: [...(about.down ? [about.down] : []), about.across, this.name], rows: found };
  }

  // For checks from outside: the bars, which stand in no field.
  drawn() {
    if (this.panel.root.hidden || this.about?.drawing !== "bars" || !this.best_now) return {};
    return {
      [`${this.name}#bars`]: {
        axes: [this.about.across],
        labels: [this.best_now.map(([label]) => String(label))],
        values: Float32Array.from(this.best_now.map(([, v]) => v)),
      },
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.stats.textContent} ${this.panel.readout.textContent}`;
  }
}
