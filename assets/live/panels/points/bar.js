// The bar of a map of points: what it is coloured by, a word to find, a lasso, closer and farther, how the map was made, and
// the words inside the lasso.

import { download } from "../../parts/download.js";
import { csv } from "../../parts/table.js";
import { element, visible } from "../../dom.js";
import { bar, button, select } from "../../parts/controls.js";
import { Player } from "../../parts/player.js";

const LISTED = 80;

const named = (text, title, act) => {
  const node = button(text, act, { title });
  node.setAttribute("aria-label", text.length > 2 ? `${text}: ${title}` : title);
  return node;
};

export class PointBar {
  constructor(map, spec) {
    this.map = map;
    this.spec = spec;
    this.lasso = named("Lasso", "Draw around words with the pointer to list them", () => {
      map.camera.lassoing = !map.camera.lassoing;
      map.draw();
    });
    this.root = bar(
      this.colour(),
      this.find(),
      this.lasso,
      named("+", "Closer", () => map.camera.zoomBy(1.6)),
      named("−", "Farther", () => map.camera.zoomBy(1 / 1.6)),
      named("All", "The whole map", () => map.camera.whole()),
    );
    this.list = element("div", "un-point-list");
    this.above = spec.frames ? [this.frames(spec.frames)] : [];
  }

  colour() {
    const { spec, map } = this;
    const measures = Object.entries(spec.colours).map(([value, { label }]) => [value, label]);
    this.by = select([...measures, ["none", "nothing"]], (by) =>
      map.panel.selection.keep({ by }, map.panel.app),
    );
    const label = element("label", "un-search-label", { textContent: "Colour by " });
    label.append(this.by);
    return label;
  }

  find() {
    const form = element("form", "un-both");
    const search = element("input", "un-search", {
      type: "search",
      placeholder: "Find a word",
      autocomplete: "off",
      spellcheck: false,
      maxLength: 60,
    });
    search.setAttribute("aria-label", "Find a word on the map");
    form.append(search, element("button", "un-button", { type: "submit", textContent: "Find" }));
    form.onsubmit = (e) => {
      e.preventDefault();
      this.map.fly(search.value.trim());
    };
    return form;
  }

  // The steps of the optimisation; the last is the finished map.
  frames({ steps }) {
    this.player = new Player(this.map.panel, {
      title: "Watch how the map was made",
      label: "Step of the optimisation",
      count: () => steps.length + 1,
      says: (at) => this.told(at),
      numbered: false,
      move: () => {},
    });
    return this.player.node;
  }

  get playing() {
    return !!this.player?.playing;
  }

  // The step whose points are shown; null: the finished map.
  get step() {
    const { player } = this;
    return !player || player.step === player.last ? null : player.step;
  }

  told(at) {
    const { early, frames } = this.spec;
    const { steps } = frames;
    return at >= steps.length
      ? `finished, ${steps.at(-1)} steps`
      : `step ${steps[at]} of ${steps.at(-1)}${steps[at] < early ? ", early exaggeration: attraction times 12" : ""}`;
  }

  // The words inside the lasso.
  choose(chosen) {
    const { map, spec } = this;
    const count = (n) => n.toLocaleString("en");
    if (!chosen.length) return this.list.replaceChildren();
    const total = `${count(chosen.length)} word${chosen.length === 1 ? "" : "s"} inside`;
    const words = chosen.slice(0, LISTED).map((i) => visible(spec.words[i]));
    const more = chosen.length - words.length;
    this.list.replaceChildren(
      bar(
        element("span", "un-total", { textContent: total }),
        named("Download them", "As a table, CSV", () => this.download()),
        named("Let go", "Clear this selection", () => map.choose()),
      ),
      element("p", "un-sees", {
        textContent: `${words.join(", ")}${more > 0 ? `, and ${count(more)} more; Table and the download have them all` : ""}`,
      }),
    );
  }

  download() {
    const table = this.map.table(false);
    download(csv(table), "text/csv", `words-${table.rows.length}.csv`);
  }

  follow(by, lassoing) {
    if (this.by.value !== by) this.by.value = by;
    this.lasso.setAttribute("aria-pressed", String(lassoing));
  }
}
