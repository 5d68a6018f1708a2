// How a head finds its slots at one token, a row for each step: where it looked before, the cosine of its key with each slot,
// what resembles the key, both mixed by a gate, moved along the ring, sharpened.

import { Scale, Surface, font, ink, legend } from "../drawing/canvas.js";
import { digits, percent, small, visible } from "../dom.js";
import { cellAt, grid } from "../marks/grid.js";
import { strip } from "../marks/strip.js";
import { bar, button } from "../parts/controls.js";

const [TOP, TALL, GAP, NAMES, LEGEND, NARROW] = [22, 24, 20, 96, 34, 480];

export default class Address {
  constructor(panel) {
    this.panel = panel;
    this.heads = panel.spec.heads.map((name) => {
      const node = button(name === "write" ? "Write head" : "Read head", () =>
        panel.selection.keep({ by: name }, panel.app),
      );
      node.dataset.head = name;
      return node;
    });
    panel.body.append(bar(...this.heads));
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.stores = [];
    this.surface.onPointer(
      (x, y) => this.look(x, y),
      () => {},
      () => this.look(-1, -1),
    );
  }

  get head() {
    const { spec, selection } = this.panel;
    const chosen = selection.get("by");
    return spec.heads.includes(chosen) ? chosen : spec.heads[0];
  }

  // The rows at a token: their names, their numbers (N), and what was done to get there.
  rows(reader, t) {
    const { head } = this;
    const field = (name) => reader.fields.get(`${head}.${name}`);
    const N = field("address").shape[1];
    const at = (name, t) => field(name).values.subarray(t * N, (t + 1) * N);
    const one = (name) => digits(reader.value(`${head}.${name}`, { token: t, unit: 0 }));
    const first = Float32Array.from({ length: N }, (_, n) => (n ? 0 : 1)); // both heads begin on slot 0
    const before = t ? at("address", t - 1) : reader.offset ? null : first;
    const [back, stay, on] = [0, 1, 2].map((order) =>
      percent(reader.value(`${head}.shift`, { token: t, order })),
    );
    return [
      {
        name: small("before"),
        values: before ?? new Float32Array(N).fill(NaN),
        does: "the address at the token before",
      },
      {
        name: small("cosine"),
        values: this.cosines(reader, t),
        does: "of its key with what stands in each slot",
        signed: true,
      },
      {
        name: small("content"),
        values: at("content", t),
        does: `softmax of the cosines, at key strength ${one("strength")}`,
      },
      {
        name: small("mixed"),
        values: at("mixed", t),
        does: `content counts ${percent(reader.value(`${head}.gate`, { token: t, unit: 0 }))}, the address before it the rest`,
      },
      { name: small("moved"), values: at("moved", t), does: `one on ${on}, stay ${stay}, one back ${back}` },
      {
        name: small("sharpened"),
        values: at("address", t),
        does: `to the power ${one("sharp")}: the address`,
      },
    ];
  }

  // Of the key with each slot (N): what is written looks at the memory before this token, what is read after it.
  cosines(reader, t) {
    const key = reader.fields.get(`${this.head}.key`);
    const memory = reader.fields.get("memory");
    const [, N, D] = memory.shape;
    const when = this.head === "write" ? t - 1 : t;
    if (when < 0 && reader.offset) return new Float32Array(N).fill(NaN); // not known here
    const slot = (n, d) => (when < 0 ? this.panel.spec.start : memory.values[(when * N + n) * D + d]);
    return Float32Array.from({ length: N }, (_, n) => {
      let [both, own, other] = [0, 0, 0];
      for (let d = 0; d < D; d++) {
        const [k, m] = [key.values[t * D + d], slot(n, d)];
        both += k * m;
        own += k * k;
        other += m * m;
      }
      return both / Math.max(1e-6, Math.sqrt(own * other));
    });
  }

  draw() {
    const { panel, head } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    for (const node of this.heads) node.setAttribute("aria-pressed", String(node.dataset.head === head));
    this.box = null;
    if (!reader.labels.length) {
      this.surface.begin(1, 1);
      panel.say(panel.spec.title, "");
      return panel.read("");
    }
    const t = selection.token(reader);
    const rows = (this.found = this.rows(reader, t));
    const N = rows[0].values.length;
    const width = panel.body.clientWidth;
    const each = TALL + GAP;
    const narrow = width < NARROW;
    const g = this.surface.begin(width, TOP + rows.length * each + (narrow ? 2 : 1) * LEGEND);
    const colours = ink(app.root);
    const scale = new Scale(reader.spec.fields[`${head}.address`].scale, app.dark);
    const signs = new Scale(reader.spec.fields.memory.scale, app.dark);
    const box = { x: NAMES, w: width - NAMES - 2, h: TALL, rows: 1, columns: N };
    this.box = { ...box, y: TOP, h: rows.length * each, rows: rows.length };
    strip(
      g,
      Array.from({ length: N }, (_, n) => (n % 2 ? "" : `${n}`)),
      { left: NAMES, step: box.w / N, y: TOP - 11, now: this.over ?? -1, colours },
    );
    rows.forEach(({ name, values, does, signed }, i) => {
      const y = TOP + i * each;
      grid(g, (this.stores[i] ??= {}), { ...box, y }, { values }, signed ? signs : scale, colours);
      g.textBaseline = "middle";
      g.textAlign = "right";
      g.font = font(13, i === rows.length - 1 ? 700 : 400);
      g.fillStyle = colours.text;
      g.fillText(name, NAMES - 8, y + TALL / 2, NAMES - 10);
      g.textAlign = "left";
      g.font = font(11);
      g.fillStyle = colours.faint;
      g.fillText(does, NAMES, y + TALL + 9, box.w);
    });
    const foot = TOP + rows.length * each + 6;
    const half = Math.min(110, box.w / 4);
    legend(g, NAMES, foot, half, scale, "weight of a slot", colours);
    const [x, y] = narrow ? [NAMES, foot + LEGEND] : [NAMES + box.w / 2, foot];
    legend(g, x, y, half, signs, small("cosine"), colours);
    const at = visible(reader.labels[t]);
    panel.say(
      head === "write"
        ? `How the write head finds its slots at “${at}”`
        : `How the read head finds its slots at “${at}”`,
      "",
    );
    this.tell();
  }

  look(x, y) {
    this.over = cellAt(this.box, x, y)?.[1];
    this.draw();
  }

  tell() {
    const last = this.found.at(-1).values;
    const n = this.over ?? last.indexOf(Math.max(...last));
    const said = this.found.map(
      ({ name, values, signed }) =>
        `${name} ${Number.isNaN(values[n]) ? "?" : (signed ? digits : percent)(values[n])}`,
    );
    this.panel.read(`Slot ${n}: ${said.join(", ")}.`);
  }

  table() {
    const found = this.panel.reader().labels.length ? (this.found ?? []) : [];
    return {
      columns: [small("slot"), ...found.map(({ name }) => name)],
      rows: Array.from({ length: found[0]?.values.length ?? 0 }, (_, n) => [
        n,
        ...found.map(({ values }) => digits(values[n])),
      ]),
    };
  }
}
