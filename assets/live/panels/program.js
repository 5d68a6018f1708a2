// The head as a program: each line makes one step of the chain, with the shape and the numbers that it makes of this text.
// The line of the opened cell is marked; a click on a line opens its step.

import { digits, element, fit, parts, put, visible } from "../dom.js";
import { SQUARES, cell, normed, oneHead } from "../sums/onehead.js";

const MOST = 4; // numbers of a row that are written out

/** A line of the program, as engine/analysis/qkv/program.py has it. @typedef {{code: string, step: string, needs: string, column: string}} Line */

/** @typedef {Record<"root" | "code" | "made", any> & {line?: Line}} Row */

export default class Program {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    /** @type {Row[]} */
    this.rows = [];
    this.list = element("ol", "un-program");
    panel.body.append(this.list);
  }

  now() {
    const reader = this.panel.reader();
    const n = oneHead(reader, this.panel.selection);
    return { reader, n, at: n.T ? cell(reader, this.panel.selection, n) : null };
  }

  /** As the switches over the chain have it. @returns {Line[]} */
  lines({ choice }) {
    /** @type {Line[]} */
    const all = this.panel.spec.lines;
    return all
      .filter(({ needs }) => !needs || choice[needs])
      .map((line) => (choice.column && line.column ? { ...line, code: line.column } : line));
  }

  /** What a line makes: how many columns, and the row of the token that looks. @param {string} step */
  made(step, { reader, n, at }) {
    if (step === "normed") return Array.from(normed(reader, n, at.i));
    const wide = SQUARES.includes(step) ? n.T : n.d;
    return Array.from(n[step].subarray(at.i * wide, (at.i + 1) * wide));
  }

  draw() {
    const { panel } = this;
    const here = this.now();
    const token = here.at ? `“${visible(here.reader.labels[here.at.i])}”` : "";
    panel.say(
      "The same as a program",
      here.at
        ? `Plain PyTorch. Beside each line the shape of what it makes of this text, and the row of ${token}. Click a line to see its step.`
        : "Type something to see what each line makes of it.",
    );
    const lines = this.lines(here.n);
    fit(this.rows, lines.length, () => this.row());
    this.rows.forEach((row, k) => {
      row.line = lines[k];
      put(row.code, lines[k].code);
      put(row.made, here.at ? this.written(lines[k].step, here) : "");
      const opened = here.at?.stage === lines[k].step;
      row.code.setAttribute("aria-current", opened ? "step" : "false");
    });
  }

  written(step, here) {
    const row = this.made(step, here);
    const more = row.length > MOST ? ", …" : "";
    return `${here.n.T} × ${row.length}: [${row.slice(0, MOST).map(digits).join(", ")}${more}]`;
  }

  row() {
    const root = element("li", "");
    /** @type {Row} */
    const row = parts(root, { code: "button.un-formula", made: "un-says" });
    row.code.addEventListener("click", () => {
      const step = row.line.step === "normed" ? "input" : row.line.step;
      this.panel.selection.keep({ field: step }, this.panel.app);
    });
    this.list.append(root);
    return row;
  }

  table() {
    const here = this.now();
    const rows = this.lines(here.n).map(({ code, step }) =>
      here.at
        ? [code, `${here.n.T} × ${this.made(step, here).length}`, this.made(step, here).map(digits).join(" ")]
        : [code, "", ""],
    );
    return { columns: ["line", "shape", "row of the token"], rows };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.rows.map(({ code, made }) => `${code.textContent}: ${made.textContent}`).join("; ")}`;
  }
}
