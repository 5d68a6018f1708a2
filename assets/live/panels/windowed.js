// A net over a window: the words of the text and which of them it sees, their vectors side by side, the hidden layer
// made of them, and the words that come next.

import { Surface, ink } from "../drawing/canvas.js";
import { digits, percent, visible } from "../dom.js";
import { boxAt } from "../marks/pointer.js";
import { HIGH, Layers, shares } from "./windowed/layers.js";
import { sentence } from "./windowed/sentence.js";

export default class Windowed {
  constructor(panel) {
    this.panel = panel;
    this.stores = [];
    this.over = null; // the place of the window that is pointed at
    /** @type {any[]} */
    this.words = [];
    /** @type {any[]} */
    this.blocks = [];
    this.surface = new Surface(panel.body);
    this.canvas = this.surface.node;
    this.surface.onPointer(
      (x, y) => this.point(x, y),
      (x, y) => this.click(x, y),
      () => this.point(-1, -1),
    );
  }

  point(x, y) {
    const { panel } = this;
    const word = boxAt(this.words, x, y);
    panel.selection.look(word ? panel.reader().place(word.token) : {});
    const over = boxAt(this.blocks, x, y)?.i ?? null;
    if (over === this.over) return;
    this.over = over;
    this.draw();
  }

  click(x, y) {
    const word = boxAt(this.words, x, y);
    if (word) this.panel.selection.keep(this.panel.reader().place(word.token), this.panel.app);
  }

  // The places of the window that ends with the token looked at; of one before the text `inside` is false.
  get what() {
    const { panel } = this;
    const reader = panel.reader();
    const now = panel.selection.token(reader);
    const { sees } = reader.spec;
    const parts = shares(reader, now);
    const places = parts.map((share, i) => {
      const token = now - (sees - 1 - i);
      const inside = token + reader.offset >= 0;
      return { i, token, inside, share, label: inside ? called(reader, token) : "" };
    });
    const top = reader.top[now] ?? [];
    return { reader, now, sees, places, top: top.slice(0, panel.spec.most) };
  }

  draw() {
    const { panel, what } = this;
    const { app } = panel;
    const { reader, now } = what;
    const width = panel.body.clientWidth;
    const g = this.surface.begin(width, reader.labels.length ? HIGH : 40);
    this.words = this.blocks = [];
    if (!reader.labels.length) {
      panel.say(panel.spec.title, panel.spec.says);
      return panel.read("Type something.");
    }
    panel.say(`What the net sees at “${called(reader, now)}”`, panel.spec.says);
    const colours = ink(app.root);
    const still = panel.selection.keptToken(reader);
    this.words = sentence(g, what, { width, still, colours, name: (t) => called(reader, t) });
    const layers = new Layers(g, what, {
      width,
      colours,
      dark: app.dark,
      over: this.over,
      stores: this.stores,
    });
    this.blocks = layers.draw(this.words);
    panel.read(this.said(what, now));
  }

  said({ reader, sees, places, top }, now) {
    const place = places[this.over];
    const { spec } = reader;
    if (place?.inside)
      return `“${place.label}” in place ${place.i + 1} of ${sees}: its ${spec.width} numbers add a vector of length ${digits(reader.value("push", { token: now, step: place.i }))} to the sums of the ${spec.units} units, ${percent(place.share)} of all lengths together.`;
    if (place) return "Before the text there is nothing: zeros stand in this place.";
    const seen = places
      .filter((p) => p.inside)
      .map((p) => p.label)
      .join(" ");
    const before = Math.max(0, now + reader.offset + 1 - sees);
    const [next, p] = top[0] ?? ["", 0];
    const sight =
      before === 0
        ? `The net sees “${seen}”: all that was typed so far.`
        : before === 1
          ? `The net sees “${seen}”; 1 token before that is out of its sight.`
          : `The net sees “${seen}”; ${before} tokens before that are out of its sight.`;
    return [sight, `Likeliest next: “${visible(next)}”, ${percent(p)}.`].join(" ");
  }

  table() {
    const { reader, now, places, top } = this.what;
    if (!reader.labels.length) return { columns: ["what", "which", "number"], rows: [] };
    const added = (i) => digits(reader.value("push", { token: now, step: i }));
    return {
      columns: ["what", "which", "number"],
      rows: [
        ...places.map((p) => [`place ${p.i + 1}: length of what it adds`, p.label, added(p.i)]),
        ...top.map(([label, p]) => ["probability of the next word", visible(label), percent(p)]),
      ],
    };
  }
}

/** @param {import("../wire.js").Reader} reader @param {number} t */
function called(reader, t) {
  if (t < 0) return "…";
  return reader.spans[t][1] === 0 ? "start" : visible(reader.labels[t]);
}
