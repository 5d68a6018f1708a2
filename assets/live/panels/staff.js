// A melody on a staff: over each note what the model expected there, under it gates and memory of one unit, behind the
// last one what comes next.  A click on the keys below writes a note; the tune is heard, written on by the model, saved.

import { Scale, Surface, font, ink } from "../drawing/canvas.js";
import { digits, labelled, named, percent, put, visible } from "../dom.js";
import { boxAt } from "../marks/pointer.js";
import { bar, button, choice, select, slider } from "../parts/controls.js";
import { download } from "../parts/download.js";
import { clef, drawNote } from "./staff/notation.js";
import { Sound, midi } from "./staff/sound.js";

const [HALF, ABOVE, SYSTEM, ROW, LEFT, NEXT, KEYS] = [5, 34, 150, 8, 56, 40, 58]; // pixels
const BARS = 8; // that the model writes in one go
const LEAST = 0.02; // probability that is drawn
const LENGTHS = Object.entries({ "1/16": "/2", "1/8": "", "1/4": "2", "3/8": "3", "1/2": "4" });
const END = "</s>";
const NOTE = ["pitch", "step", "sign", "eighths"];

export default class Staff {
  sound = new Sound();
  lit = -1; // the note that sounds
  over = null; // the key that the pointer is over
  length = "";
  writing = 0;
  boxes = [];

  constructor(panel) {
    this.panel = panel;
    const { app, selection, body } = panel;
    const keep = (name) => (value) => selection.keep({ [name]: value }, app);
    this.play = button("", () => (this.sound.playing ? this.hush() : this.hear()));
    this.on = button("", () => (this.writing ? this.finish() : this.writeOn(BARS)));
    this.tempo = slider(keep("times"), { min: 40, max: 260, step: 5 });
    this.heat = slider(keep("rate"), { min: 10, max: 200, step: 5 });
    this.says = [this.tempo, this.heat].map((node) => labelled("", node));
    this.unit = choice("Unit", panel.spec.units, this.get("unit"), keep("unit"));
    const length = select(
      LENGTHS.map(([name, written]) => [written, name]),
      (written) => (this.length = written),
    );
    length.value = "";
    const put = (/** @type {BlobPart} */ made, type, name) => download(made, type, name);
    body.append(
      bar(
        ...[this.play, this.says[0], this.on, this.says[1]],
        button("Another seed", () => keep("seed")(this.get("seed") + 1)),
        button("MIDI", () => put(midi(this.notes, this.get("times")), "audio/midi", "melody.mid")),
        button("ABC", () => put(this.abc(), "text/vnd.abc", "melody.abc")),
      ),
      bar(
        labelled("Length of a key", length),
        button("Bar line", () => this.add("|")),
        button("Take back", () => app.setText(app.box.value.replace(/\s*\S+\s*$/, ""))),
        this.unit,
      ),
    );
    this.surface = new Surface(body);
    this.canvas = this.surface.node;
    const at = (act) => (x, y) => act(boxAt(this.boxes, x, y) ?? {});
    this.surface.onPointer(
      at(({ t, label }) => {
        this.over = label ?? null;
        selection.look(t === undefined ? {} : panel.reader().place(t));
        if (label) panel.read(`${label}${this.length}`);
      }),
      at(({ t, label, pitch }) => {
        if (t !== undefined) selection.keep(panel.reader().place(t), app);
        if (label) this.add(label + this.length);
        if (label)
          this.sound.play(
            [{ pitch, eighths: 2, rest: false, t }],
            0.15,
            () => {},
            () => this.name(),
          );
      }),
      () => {
        this.over = null;
        selection.leave();
      },
    );
    this.name();
  }

  destroy() {
    this.sound.stop();
    clearTimeout(this.writing);
  }

  get(name) {
    return this.panel.selection.get(name) ?? 0;
  }

  name() {
    put(this.play, this.sound.playing ? "Stop" : "Play");
    put(this.on, this.writing ? "Pause" : "Go on");
  }

  // --- written, heard, saved

  add(label) {
    const { app } = this.panel;
    app.setText(`${app.box.value.replace(/(\S) *$/, "$1 ")}${label}`);
  }

  writeOn(bars) {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      const { app } = this.panel;
      if (app.box.value !== app.text || app.sent) return this.writeOn(bars); // a reply is on its way
      const label = this.draw_one();
      this.panel.status.textContent = label === END ? "The net ends the tune here." : "";
      if (label === END) return this.finish();
      this.add(label);
      if (label !== "|" || bars > 1) return this.writeOn(bars - Number(label === "|"));
      this.finish();
    }, 25);
    this.name();
  }

  finish() {
    clearTimeout(this.writing);
    this.writing = 0;
    this.name();
  }

  // By chance, the same for the same seed, place and temperature.
  draw_one() {
    const reader = this.panel.reader();
    if (!reader.labels.length) return "M:6/8";
    const { values, shape } = reader.fields.get("probability");
    const vocab = reader.spec.labels.next;
    const weight = Array.from(values.slice(-shape[1]), (p, v) =>
      vocab[v] === "<unk>" ? 0 : p ** (100 / this.get("rate")),
    );
    let left = chance(this.get("seed"), shape[0]) * weight.reduce((a, b) => a + b);
    return vocab[weight.findIndex((w) => (left -= w) < 0)] ?? END;
  }

  note(t) {
    const reader = this.panel.reader();
    const [pitch, step, sign, eighths] = NOTE.map((name) => reader.value(name, { token: t }));
    return { t, pitch, step, sign, eighths, rest: !pitch };
  }

  get notes() {
    return this.panel.reader().labels.flatMap((_, t) => (this.note(t).eighths > 0 ? [this.note(t)] : []));
  }

  // From the note that is chosen on.
  hear() {
    const { selection } = this.panel;
    const from = selection.kept.token === undefined ? 0 : selection.token(this.panel.reader());
    const light = (t) => {
      this.lit = t;
      this.draw();
    };
    const some = this.notes.filter(({ t }) => t >= from);
    this.sound.play(some, 30 / this.get("times"), light, () => this.hush());
    this.name();
  }

  hush() {
    this.sound.stop();
    this.lit = -1;
    this.name();
    this.draw();
  }

  abc() {
    const { labels } = this.panel.reader();
    const metre = labels.find((label) => label.startsWith("M:")) ?? "M:4/4";
    const body = labels
      .filter((label) => label !== metre)
      .join(" ")
      .replaceAll(END, "\n")
      .trim();
    return `X:1\nT:Melody\n${metre}\nL:1/8\nQ:1/4=${this.get("times")}\nK:C\n${body} |]\n`;
  }

  // --- drawn

  // Where each token stands, and what comes behind them.
  place(width) {
    const { labels } = this.panel.reader();
    let [x, system] = [LEFT, 0];
    return [...labels, ""].map((label, t) => {
      const { eighths, sign } = this.note(t);
      const long = eighths > 0 ? 24 + 5 * Math.min(3, eighths) + (sign ? 8 : 0) : 14;
      const w = t === labels.length ? NEXT : Math.max(long, label.startsWith("M:") ? 26 : 0);
      if (x + w > width) [x, system] = [LEFT, system + 1];
      x += w;
      return { t, label, x: x - w, w, y: system * SYSTEM, h: SYSTEM };
    });
  }

  draw() {
    const { panel } = this;
    const { app, selection, body } = panel;
    const reader = panel.reader();
    const width = Math.max(240, body.clientWidth);
    const colours = ink(app.root);
    this.says[0].firstChild.textContent = `Tempo ${this.get("times")} `;
    this.says[1].firstChild.textContent = `Temperature ${(this.get("rate") / 100).toFixed(2)} `;
    [this.tempo, this.heat, this.unit.lastChild].forEach(
      (node, n) => (node.value = this.get(["times", "rate", "unit"][n])),
    );
    const columns = this.place(width);
    const high = columns.at(-1).y + SYSTEM;
    const g = this.surface.begin(width, high + KEYS + 4);
    for (let top = 0; top < high; top += SYSTEM) this.lines(g, top, width, colours);
    const now = selection.token(reader);
    const scales = panel.spec.rows.map((name) => new Scale(reader.spec.fields[name].scale, app.dark));
    for (const { t, label, x, w, y: top } of columns) {
      const y = (step) => top + ABOVE + HALF * (10 - step);
      const colour = t === this.lit ? colours.accent : colours.text;
      if (t === now || t === this.lit)
        wash(g, 0.1, colours.accent, () => g.fillRect(x, top + 2, w, SYSTEM - 8));
      this.ghosts(g, t - 1, x + w / 2, y, colours);
      if (t === reader.labels.length) {
        const bar = reader.top.at(-1)?.find((one) => one[0] === "|")?.[1] ?? 0;
        wash(g, bar, colours.accent, () => g.fillRect(x + w / 2 - 1, y(10), 3, y(2) - y(10)));
        continue;
      }
      this.token(g, t, label, x + w / 2, y, colour);
      panel.spec.rows.forEach((name, n) => {
        g.fillStyle = scales[n].css(reader.value(name, { layer: 0, token: t, unit: this.get("unit") }));
        g.fillRect(x, top + SYSTEM - 8 + ROW * (n - 4), w - 0.5, ROW - 1);
      });
    }
    this.boxes = columns.slice(0, -1).map(({ t, x, y, w, h }) => ({ t, x, y, w, h }));
    this.keys(g, high, Math.min(34, (width - 2) / 14), colours);
    const top = reader.top.at(-1) ?? [];
    const best = top[0] ? `: ${named(top[0][0])} ${percent(top[0][1])}` : "";
    panel.say(`The melody, and what comes next${best}`, panel.spec.says);
    if (this.over === null) panel.read(now < 0 ? "" : this.sentence(reader, now));
  }

  lines(g, top, width, colours) {
    for (let line = 0; line < 5; line++) {
      const y = top + ABOVE + 2 * HALF * line - 0.5;
      wash(g, 0.45, colours.faint, () => g.fillRect(0, y, width, 1));
    }
    clef(g, 18, top + ABOVE + HALF * 6, 2 * HALF, colours.text);
    g.fillStyle = colours.faint;
    g.font = font(9.5);
    g.textAlign = "left";
    g.textBaseline = "middle";
    [..."ifoc"].forEach((name, n) => g.fillText(name, LEFT - 10, top + SYSTEM - 8 + ROW * (n - 3.5)));
    g.font = font(12);
  }

  // What the state after token t expects, as dots whose area is the probability of a pitch.
  ghosts(g, t, x, y, colours) {
    const { steps } = this.panel.spec;
    const p_P =
      this.panel
        .reader()
        .fields.get("expected")
        ?.values.subarray(t * steps.length) ?? [];
    steps.forEach((step, pitch) => {
      const p = t < 0 ? 0 : p_P[pitch];
      if (!(p >= LEAST)) return;
      g.beginPath();
      g.arc(x, y(step), 12 * Math.sqrt(p), 0, 2 * Math.PI);
      wash(g, 0.45, colours.accent, () => g.fill());
    });
  }

  token(g, t, label, x, y, colour) {
    const note = this.note(t);
    if (note.eighths > 0) return drawNote(g, note, x, y, colour);
    const metre = label.startsWith("M:") && label.slice(2).split("/");
    g.fillStyle = colour;
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.font = font(metre ? 19 : 12, metre ? 700 : 400);
    if (metre) metre.forEach((number, n) => g.fillText(number, x, y(8 - 4 * n)));
    else if (label === "|") g.fillRect(x, y(10), 1.2, y(2) - y(10));
    else if (label !== END) g.fillText(`${visible(label)}?`, x, y(12));
    else if (t) g.fillRect(x - 2, y(10), 4, y(2) - y(10));
    g.font = font(12);
  }

  // White keys, then the black ones over them, the darker the likelier.
  keys(g, y, wide, colours) {
    const { reader, spec } = { reader: this.panel.reader(), spec: this.panel.spec };
    let white = 0;
    const made = spec.keys.map(([label, pitch]) => {
      const black = /^[\^_]/.test(label);
      const [w, h] = black ? [wide * 0.6, KEYS * 0.6] : [wide, KEYS];
      return { label, pitch, black, x: 1 + (black ? white * wide - w / 2 : white++ * wide), y, w, h };
    });
    made.sort((a, b) => Number(a.black) - Number(b.black));
    for (const { label, pitch, black, x, w, h } of made) {
      const p = reader.value("expected", { token: reader.labels.length - 1, high: pitch - spec.lowest }) || 0;
      g.fillStyle = black ? "#333" : "#fff";
      g.fillRect(x, y, w, h);
      wash(g, Math.min(0.9, 1.4 * Math.sqrt(p)), colours.accent, () => g.fillRect(x, y, w, h));
      g.strokeStyle = "#777";
      g.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
      g.fillStyle = "#222";
      g.textAlign = "center";
      if (!black) g.fillText(label, x + w / 2, y + h - 9);
    }
    this.boxes = [...made.reverse(), ...this.boxes];
  }

  // --- said

  likely(t, most) {
    const top = (this.panel.reader().top[t] ?? []).slice(0, most);
    return top.map(([label, p]) => `${named(label)} ${percent(p)}`).join(", ");
  }

  numbers(t) {
    const reader = this.panel.reader();
    const at = { layer: 0, token: t, unit: this.get("unit") };
    return this.panel.spec.rows.map((name) => digits(reader.value(name, at)));
  }

  sentence({ labels, bits }, t) {
    const [i, f, o, c] = this.numbers(t);
    const before = bits[t] > 0 ? `“${named(labels[t])}” cost ${digits(bits[t])} bits. ` : "";
    return `${before}Expected next: ${this.likely(t, 4)}. Unit ${this.get("unit")}: i ${i}, f ${f}, o ${o}, c ${c}.`;
  }

  table() {
    const { labels, bits } = this.panel.reader();
    const rows = labels.map((label, t) => [
      named(label),
      digits(bits[t]),
      this.likely(t, 3),
      ...this.numbers(t),
    ]);
    return { columns: ["note", "bits", "expected next", "input", "forget", "output", "memory"], rows };
  }
}

/** @param {any} g @param {number} alpha @param {string} colour @param {() => void} fill */
function wash(g, alpha, colour, fill) {
  [g.globalAlpha, g.fillStyle] = [alpha, colour];
  fill();
  g.globalAlpha = 1;
}

/** A number from 0 to 1, by seed and place alone (mulberry32). @param {number} seed @param {number} at */
function chance(seed, at) {
  let a = (Math.imul(seed + 1, 0x9e3779b9) ^ Math.imul(at + 1, 0x85ebca6b)) + 0x6d2b79f5;
  a = Math.imul(a ^ (a >>> 15), a | 1);
  a ^= a + Math.imul(a ^ (a >>> 7), a | 61);
  return ((a ^ (a >>> 14)) >>> 0) / 4294967296;
}
