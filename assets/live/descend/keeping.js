// Table and Save of a board: its picture as SVG or PNG, its numbers as CSV.  All of it is made here, in the browser.

import { element } from "../dom.js";
import { record } from "../drawing/canvas.js";
import { drawn } from "../drawing/svg/page.js";
import { tag } from "../drawing/svg/markup.js";
import { button, folds } from "../parts/controls.js";
import { download } from "../parts/download.js";
import { csv, fillTable } from "../parts/table.js";

/** @import { Board } from "./board.js" */

const FORMATS = { png: "PNG picture", svg: "SVG drawing", csv: "CSV, the table" };
const FINER = 2; // pixels of a PNG for one on the screen
const MARGIN = 12; // around a picture, in pixels
const SIGNIFICANT = 6; // digits of a number in the table that is shown; a file has all

/** @param {string} text as it stands in SVG */
const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
/** @param {any} cell */
const written = (cell) => (typeof cell === "number" ? Number(cell.toPrecision(SIGNIFICANT)) : cell);

export class Keeping {
  /** @type {HTMLElement | null} */
  table = null;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    const { root } = board;
    this.shows = button("Table", () => this.turn());
    this.shows.setAttribute("aria-pressed", "false");
    this.menu = element("details", "un-save");
    const list = element("div", "un-save-list");
    for (const [format, label] of Object.entries(FORMATS)) {
      const made = button(label, () => this.save(format));
      made.dataset.format = format;
      list.append(made);
    }
    this.menu.append(element("summary", "un-button", { textContent: "Save" }), list);
    folds(this.menu);
    const tools = element("div", "un-tools ds-tools");
    tools.append(this.shows, this.menu);
    const row = board.buttons ?? root.firstElementChild;
    if (row?.classList.contains("un-order")) row.append(tools);
    else root.append(tools);
  }

  turn() {
    this.table?.remove();
    this.table = this.table ? null : this.board.root.appendChild(element("div", "un-table", { tabIndex: 0 }));
    this.shows.setAttribute("aria-pressed", String(!!this.table));
    this.fill();
    this.table?.scrollIntoView({ block: "nearest" });
  }

  // What the table says is what the board shows.
  fill() {
    if (!this.table) return;
    const { columns, rows } = this.board.table();
    fillTable(this.table, { columns, rows: rows.map((row) => row.map(written)) });
  }

  /** @param {string} format */
  async save(format) {
    this.menu.open = false;
    const { root } = this.board;
    const name = `${location.pathname.split("/").pop() || "board"}-${root.dataset.board}.${format}`;
    if (format === "csv") return download(csv(this.board.table()), "text/csv", name);
    const svg = this.picture();
    if (format === "svg") return download(svg, "image/svg+xml", name);
    return download(await pixels(svg), "image/png", name);
  }

  /** The board as one stand-alone SVG. */
  picture() {
    const { board } = this;
    const { root } = board;
    root.classList.add("un-saved");
    const recorded = record(() => board.refresh());
    try {
      const words = [
        tag("title", {}, escaped(root.getAttribute("aria-label") ?? "")),
        tag("desc", {}, escaped(board.says.textContent)),
      ];
      return drawn(root, recorded, new Set(), MARGIN).replace(
        /^<svg[^>]*>/,
        (start) => start + words.join(""),
      );
    } finally {
      recorded.end();
      root.classList.remove("un-saved");
      board.refresh();
    }
  }
}

/** @param {string} svg @returns {Promise<Blob>} the same as PNG */
async function pixels(svg) {
  const href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = href;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(FINER * image.naturalWidth);
    canvas.height = Math.ceil(FINER * image.naturalHeight);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(href);
  }
}
