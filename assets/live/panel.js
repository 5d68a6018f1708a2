// One panel: title, picture, legend, numbers under the pointer, table twin, save menu.

import { element } from "./dom.js";
import { pointerOf } from "./drawing/canvas.js";
import { snapshot } from "./drawing/snapshot.js";
import { lessonLink } from "./parts/card.js";
import { folds } from "./parts/controls.js";
import { fillTable } from "./parts/table.js";

const kinds = new Map(); // drawers by the names of their files in panels/, or "grammar/over"; a page loads those that it shows

/** @param {string[]} names */
export const loaded = (names) => names.every((/** @type {string} */ name) => kinds.has(name));

/** @param {string[]} names */
export async function load(names) {
  await Promise.all(
    names.map(async (/** @type {string} */ name) =>
      kinds.set(name, (await import(`./${name.includes("/") ? "" : "panels/"}${name}.js`)).default),
    ),
  );
}

const PICTURES = [
  ["png", "PNG picture"],
  ["svg", "SVG drawing"],
  ["pdf", "PDF page"],
  ["html", "HTML page"],
];
const TABLE = [["csv", "CSV, the table"]]; // as it is on the screen
const NUMBERS = [
  ["csv", "CSV, the numbers"],
  ["parquet", "Parquet, the numbers"],
  ["npz", "NPZ, the whole trace"],
  ["py", "Python script"],
];
const REACHED = 'button, input, select, summary, [tabindex="0"]'; // by Tab
const NUMBER = /\d/;
const MOST_BYTES = 20_000_000; // of a picture

export class Panel {
  seen = true; // on the screen, or nearly

  /** @param {any} app @param {any} spec */
  constructor(app, spec) {
    this.app = app;
    this.spec = spec;
    this.root = element(
      "section",
      `un-panel un-is-${spec.kind.split("/").at(-1)}${spec.words ? " un-words" : ""}`,
    );
    this.root.dataset.panel = spec.id;
    this.title = element("h3", "un-title");
    this.says = element("p", "un-says");
    this.body = element("div", "un-body");
    this.readout = element("p", "un-readout");
    this.view = new (kinds.get(spec.kind))(this);
    this.view.alt ??= () => `${this.title.textContent}. ${this.readout.textContent}`;
    const head = element("div", "un-panel-head");
    head.append(this.title);
    head.append(this.tools());
    this.status = element("p", "un-save-status", { role: "status" });
    this.root.append(head, this.status);
    if (spec.lesson) this.root.append(this.says, this.body);
    else {
      this.root.append(this.body);
      if (this.view.readouts !== false) this.root.append(this.readout);
      this.root.append(this.says); // below: the picture comes first
    }
    this.say(spec.title, spec.says);
  }

  get selection() {
    return this.app.selection;
  }
  reader(id = this.spec.reader) {
    return this.app.readers.get(id) ?? this.app.readers.values().next().value;
  }

  tools() {
    const bar = element("div", "un-tools");
    if (this.spec.lesson) bar.append(lessonLink(this.app, this.spec.lesson));
    this.tableButton = element("button", "un-button", { type: "button", textContent: "Table" });
    this.tableButton.setAttribute("aria-pressed", "false");
    this.tableButton.onclick = () => {
      this.table = this.table ? null : element("div", "un-table", { tabIndex: 0 });
      this.tableButton.setAttribute("aria-pressed", String(!!this.table));
      for (const old of this.root.querySelectorAll(".un-table")) old.remove();
      if (this.table) this.root.append(this.table);
      this.fillTable();
      this.table?.scrollIntoView({ block: "nearest" });
    };
    bar.append(this.tableButton);
    this.menu = element("details", "un-save");
    const list = element("div", "un-save-list");
    for (const [format, label] of [...PICTURES, ...(this.spec.numbers ? NUMBERS : TABLE)]) {
      const b = element("button", "un-button", { type: "button", textContent: label });
      b.dataset.format = format;
      b.onclick = () => {
        this.status.textContent = "Making the file…";
        this.app.save(this, format);
      };
      list.append(b);
    }
    this.menu.append(element("summary", "un-button", { textContent: "Save" }), list);
    folds(this.menu);
    bar.append(this.menu);
    return bar;
  }

  destroy() {
    this.view.destroy?.();
  }

  /**
   * What Python needs for a file besides what it knows: the picture as it is here, or the table.
   * @param {string} format
   */
  file(format) {
    if (PICTURES.some(([name]) => name === format)) {
      const svg = snapshot(this);
      if (svg.length > MOST_BYTES)
        throw new RangeError(
          `This picture would have ${Math.round(svg.length / 1e6)} megabytes; ${MOST_BYTES / 1e6} is the most. Draw fewer numbers, or save the numbers.`,
        );
      return { svg, title: this.title.textContent, says: this.view.alt?.() ?? this.says.textContent };
    }
    return this.spec.numbers ? {} : { table: this.listed() };
  }

  /** @param {any} file */
  saved(file) {
    if (file.panel !== this.spec.id) return;
    this.status.textContent = file.problem ?? `Saved ${file.name}`;
    this.menu.open = false;
  }

  /** @param {string} title */
  say(title, says = "") {
    if (this.title.textContent !== title) this.title.textContent = title;
    if (this.says.textContent !== says) this.says.textContent = says;
    this.says.hidden = !says;
  }

  /** @param {string} text */
  read(text) {
    if (this.readout.textContent !== text) this.readout.textContent = text;
  }

  draw() {
    this.view.draw();
    if (this.table) this.fillTable();
  }

  // The words of a picture, and a place for the focus, from where arrow keys move: the picture itself, or what a list
  // is made of; a list without buttons is one such place.
  describe() {
    const words = this.view.alt?.();
    const target = this.view.canvas ?? this.body;
    if (words && target.getAttribute("aria-label") !== words) {
      target.setAttribute("role", this.view.canvas ? "img" : "group");
      target.setAttribute("aria-label", words);
      if (pointerOf(target))
        target.setAttribute(
          "aria-description",
          "Arrow keys walk over the picture, Enter is a click, Escape lets go; with Shift they move along the text.",
        );
    }
    if (!this.body.querySelector(REACHED)) this.body.tabIndex = 0;
    else this.body.removeAttribute("tabindex");
  }

  // What is said after a key: what the drawer says of its own; else the numbers under the pointer, and where there are none,
  // the words of the picture.  null: it is on its way.
  spoken() {
    const own = this.view.spoken?.();
    if (own !== undefined) return own;
    const words = this.view.alt?.() ?? "";
    const { textContent } = this.readout;
    return NUMBER.test(textContent) ? textContent : words;
  }

  fillTable() {
    if (!this.table) return;
    fillTable(this.table, this.listed());
  }

  /** The table of the view; of no text there is nothing to list. */
  listed() {
    const reader = this.reader();
    return reader && !reader.labels.length ? { columns: [], rows: [] } : this.view.table();
  }
}
