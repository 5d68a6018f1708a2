// The loop of a recurrent network over the text: folded, one box with an arrow to itself; unfolded, a box for each token.
// The three matrices stand once below, and a small picture of one on every arrow where it is used.
// Only what is in sight is drawn: the picture stands still in a scrolled strip as long as the text.

import { Columns, COLUMN, HIGH, LEFT, TOP, ALL } from "../parts/columns.js";
import { Scale, Surface, font, ink, legend, raster } from "../drawing/canvas.js";
import { digits, element, percent, visible } from "../dom.js";
import { MATRICES, chosenLayer, chosenUnit, squash, weights } from "../sums/weights.js";

const LARGE = 140,
  GAP = 34,
  WIDEST = 430;
const MOVE_MS = 320;

export default class Unroll {
  stateStore;
  lowerStore;
  inputStore;
  shownOf;

  constructor(panel) {
    this.panel = panel;
    this.folded = 0; // 0 unfolded, 1 folded, between them while it moves
    const bar = element("div", "un-order");
    this.fold = element("button", "un-button", { type: "button" });
    this.fold.onclick = () => this.move();
    bar.append(this.fold);
    if (panel.reader().spec.weights.layers > 1) bar.append(this.layers());
    this.scroller = element("div", "un-strip");
    this.strip = element("div", "");
    this.scroller.append(this.strip);
    this.surface = new Surface(this.strip);
    this.canvas = this.surface.node;
    const shared = element("div", "un-shared");
    const large = element("div", "");
    this.below = new Surface(large);
    this.below.node.setAttribute("role", "img");
    shared.append(large, this.names());
    panel.body.append(bar, this.scroller, shared);
    this.scroller.addEventListener("scroll", () => this.paint());
    this.surface.onPointer(
      (x, y) => this.point(this.hits, x, y),
      (x, y) => this.click(x, y),
      () => this.leave(),
    );
    this.below.onPointer(
      (x, y) => this.point(this.squares, x, y),
      () => {},
      () => this.leave(),
    );
  }

  // The matrices by name: pointing at one lights it up everywhere, a click keeps it so.
  names() {
    const list = element("ul", "un-list");
    this.pins = Object.entries(MATRICES).map(([key, { name }]) => {
      const pin = element("button", "un-button", { type: "button", textContent: name });
      pin.dataset.matrix = key;
      pin.onclick = () => {
        this.pinned = this.pinned === key ? null : key;
        this.draw();
      };
      const row = element("li", "un-shared-row");
      row.onpointerenter = () => {
        this.over = { matrix: key };
        this.draw();
      };
      row.onpointerleave = () => this.leave();
      const says = element("span", "un-says");
      row.append(pin, says);
      list.append(row);
      return { key, pin, says };
    });
    return list;
  }

  layers() {
    const { panel } = this;
    this.list = element("select", "un-select");
    this.list.setAttribute("aria-label", "Layer");
    for (let n = 0; n < panel.reader().spec.weights.layers; n++)
      this.list.append(element("option", "", { value: n, textContent: `layer ${n + 1}` }));
    this.list.onchange = () => panel.selection.keep({ layer: Number(this.list.value) }, panel.app);
    return this.list;
  }

  // Columns slide together or apart; at once for who wants no motion.
  move() {
    const [from, to] = [this.folded, this.folded < 0.5 ? 1 : 0];
    const start = performance.now();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = () => {
      const share = still ? 1 : Math.min(1, (performance.now() - start) / MOVE_MS);
      this.folded = from + (to - from) * share;
      this.shown = null;
      this.draw();
      if (share < 1) requestAnimationFrame(step);
    };
    step();
  }

  get lit() {
    return this.over?.matrix ?? this.pinned;
  }

  point(hits, x, y) {
    const hit = hits && under(hits, x, y);
    const cell = hit?.rows && {
      row: Math.floor(((y - hit.y) / hit.h) * hit.rows),
      column: Math.floor(((x - hit.x) / hit.w) * hit.columns),
    };
    const over = hit?.matrix ? { matrix: hit.matrix, ...cell } : null;
    const changed = JSON.stringify(over) !== JSON.stringify(this.over ?? null);
    this.over = over;
    if (hit?.token !== undefined) this.panel.selection.look(this.placeOf(hit.token, y));
    if (changed) this.draw();
  }

  click(x, y) {
    const hit = under(this.hits ?? [], x, y);
    if (hit?.matrix) this.pinned = this.pinned === hit.matrix ? null : hit.matrix;
    if (hit?.token !== undefined) this.panel.selection.keep(this.placeOf(hit.token, y), this.panel.app);
    else this.draw();
  }

  // The token of a column, and the unit where its state is pointed at.
  placeOf(token, y) {
    const reader = this.panel.reader();
    const place = reader.place(token);
    return y >= TOP && y < TOP + HIGH
      ? { ...place, unit: Math.floor(((y - TOP) / HIGH) * reader.spec.weights.units) }
      : place;
  }

  leave() {
    this.over = null;
    this.panel.selection.leave();
    this.draw();
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    if (!reader.labels.length) return this.nothing();
    const layer = chosenLayer(reader, selection);
    const count = reader.labels.length;
    const now = selection.token(reader);
    if (this.list) this.list.value = String(layer);
    const { hy, layers } = weights(reader);
    const { units, width } = reader.spec.weights;
    this.scales = {
      weight: new Scale(reader.spec.weights.scale, app.dark),
      state: new Scale(reader.spec.fields.hidden.scale, app.dark),
      input: new Scale(reader.spec.fields.input.scale, app.dark),
    };
    const matrices = { xh: layers[layer].xh, hh: layers[layer].hh, hy };
    const hidden = reader.fields.get("hidden").values;
    const column = (store, n) =>
      raster(store, hidden, units, count, n * count * units, 1, units, this.scales.state);
    this.what = {
      reader,
      layer,
      count,
      now,
      unit: chosenUnit(reader, selection),
      colours: ink(app.root),
      matrices,
      pictures: Object.fromEntries(
        Object.entries(matrices).map(([key, m]) => [
          key,
          raster(
            (this[`store_${key}`] ??= {}),
            m.values,
            m.rows,
            m.columns,
            0,
            m.columns,
            1,
            this.scales.weight,
          ),
        ]),
      ),
      states: column((this.stateStore ??= {}), layer),
      inputs: layer
        ? column((this.lowerStore ??= {}), layer - 1)
        : raster(
            (this.inputStore ??= {}),
            reader.fields.get("input").values,
            width,
            count,
            0,
            1,
            width,
            this.scales.input,
          ),
    };
    this.scroller.hidden = false;
    const view = this.scroller.clientWidth;
    this.strip.style.width = `${this.folded === 1 ? view : Math.max(view, LEFT + count * COLUMN + 6)}px`;
    if (now !== this.shown || count !== this.shownOf) this.bring(now);
    [this.shown, this.shownOf] = [now, count];
    this.paint();
    this.drawLarge();
    this.say();
  }

  nothing() {
    this.what = null;
    this.scroller.hidden = true;
    this.panel.say("The loop, unfolded", "Type something: each token gets a box.");
    this.panel.read("");
  }

  // The chosen column comes into sight; one that the pointer is on is in sight already.
  bring(t) {
    if (this.panel.selection.hovered.token !== undefined && this.scroller.matches(":hover")) return;
    const x = LEFT + t * COLUMN;
    const { scrollLeft, clientWidth } = this.scroller;
    if (x - COLUMN < scrollLeft || x + 2 * COLUMN > scrollLeft + clientWidth)
      this.scroller.scrollLeft = x - clientWidth / 2;
  }

  paint() {
    if (!this.what) return;
    const whole = this.surface.recording; // a file has no part out of sight
    const view = whole ? this.strip.clientWidth : this.scroller.clientWidth;
    const columns = new Columns(
      this.surface.begin(view, ALL),
      this.what,
      this.lit,
      this.folded,
      whole ? 0 : this.scroller.scrollLeft,
    );
    columns.paint(view);
    this.hits = [...columns.tiles, ...columns.columns];
  }

  // The three matrices, once.
  drawLarge() {
    const { colours, matrices, pictures } = this.what;
    const share = (n) => Math.min(1, Math.max(0.3, n / matrices.hh.rows));
    const width = Math.min(WIDEST, this.panel.body.clientWidth);
    const side = Math.min(
      LARGE,
      (width - 2 * GAP - 4) / Object.values(matrices).reduce((sum, m) => sum + share(m.columns), 0),
    );
    const g = this.below.begin(width, side + 60);
    this.squares = [];
    let x = 2;
    for (const [key, { rows, columns }] of Object.entries(matrices)) {
      const [w, h] = [share(columns) * side, share(rows) * side];
      const bright = this.lit === key;
      g.globalAlpha = this.lit && !bright ? 0.35 : 1;
      g.imageSmoothingEnabled = false;
      g.drawImage(pictures[key], x, 20, w, h);
      g.strokeStyle = bright ? colours.accent : colours.line;
      g.lineWidth = bright ? 2.5 : 1;
      g.strokeRect(x - 1, 19, w + 2, h + 2);
      g.fillStyle = bright ? colours.accent : colours.text;
      g.font = font(13, 600);
      g.textAlign = "left";
      g.textBaseline = "middle";
      g.fillText(MATRICES[key].name, x, 9);
      g.globalAlpha = 1;
      this.squares.push({ x, y: 20, w, h, matrix: key, rows, columns });
      x += w + GAP;
    }
    const half = Math.min(120, width / 2 - 66);
    legend(g, 2, side + 32, half, this.scales.weight, "weight", colours);
    legend(g, width / 2 + 2, side + 32, half, this.scales.state, "state", colours);
  }

  say() {
    const { panel, lit } = this;
    const { count, reader, now, layer, matrices } = this.what;
    const folded = this.folded > 0.5;
    const deep = reader.spec.weights.layers > 1 ? `, layer ${layer + 1}` : "";
    const tokens = `${count} ${count === 1 ? "token" : "tokens"}`;
    const top = layer === reader.spec.weights.layers - 1;
    const below = `Below: the token and ${layer ? `the state of layer ${layer} under it` : "its vector"}.`;
    const above = `Above: the likeliest next token${top ? "" : ", computed by the layers above"}.`;
    panel.say(
      folded ? `The loop over ${tokens}, folded${deep}` : `The loop, unfolded over ${tokens}${deep}`,
      `${below} In the box: the state, one strip per unit. ${above} ${panel.spec.says}`,
    );
    this.fold.textContent = folded ? "Unfold" : "Fold";
    const times = reader.total;
    const sizes = Object.entries(matrices)
      .map(([key, { rows, columns }]) => `${MATRICES[key].name} ${rows} × ${columns}`)
      .join(", ");
    this.below.node.setAttribute("aria-label", `The three matrices as heat maps: ${sizes}.`);
    for (const { key, pin, says } of this.pins) {
      const { rows, columns } = matrices[key];
      pin.setAttribute("aria-pressed", String(this.pinned === key));
      const into = key === "xh" && layer ? "from the layer below into the state" : MATRICES[key].says;
      says.textContent = `${into}: ${rows} × ${columns} = ${(rows * columns).toLocaleString("en")} numbers, used ${times.toLocaleString("en")} ${times === 1 ? "time" : "times"}`;
    }
    const { row, column } = /** @type {{row?: number, column?: number}} */ (this.over ?? {});
    const m = matrices[lit];
    if (row < m?.rows && column < m?.columns)
      return panel.read(
        `${MATRICES[lit].name}, row ${row}, column ${column}: ${digits(m.values[row * m.columns + column])}, the same at every step.`,
      );
    const [guess] = reader.top[now] ?? [];
    panel.read(
      `Step ${now + reader.offset + 1}, “${visible(reader.labels[now])}”: h_t = ${squash(reader).said("W_hh h_t−1 + W_xh x_t + b")}${guess ? `; likeliest next: “${visible(guess[0])}”, ${percent(guess[1])}` : ""}. Left and right keys change the step, up and down the unit.`,
    );
  }

  table() {
    if (!this.what) return { columns: ["step", "token"], rows: [] };
    const { reader, layer, unit } = this.what;
    const rows = reader.labels.map((label, token) => [
      token + reader.offset + 1,
      visible(label),
      visible(reader.top[token]?.[0]?.[0] ?? ""),
      percent(reader.top[token]?.[0]?.[1] ?? NaN),
      digits(reader.value("hidden", { layer, token, unit })),
    ]);
    return { columns: ["step", "token", "likeliest next", "probability", `h_t of unit ${unit}`], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}

const under = (hits, x, y) => hits.find((h) => x >= h.x && x < h.x + h.w && y >= h.y && y < h.y + h.h);
