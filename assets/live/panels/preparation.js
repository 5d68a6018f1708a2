// A pipeline of text preparation: one row a step, ordered by hand, with each change marked where it happened.

import { element, follow } from "../dom.js";
import { bar, button, select } from "../parts/controls.js";
import { StepRow, marked, piece, typedRow } from "./preparation/row.js";

export default class Preparation {
  now;
  marked;

  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.kinds = new Map(panel.spec.kinds.map((kind) => [kind.id, kind]));
    this.presets = panel.spec.presets.map(([title, steps]) => ({
      node: button(title, () => this.put(steps)),
      steps,
    }));
    const kinds = panel.spec.kinds.map(({ id, title }) => [id, title]);
    const more = select([["", "Add a step…"], ...kinds], (id) => this.add(id, more), "Add a step at the end");
    const begin = element("span", "un-search-label", { textContent: "Begin with" });
    this.list = element("ol", "un-list un-prep");
    this.list.addEventListener("pointerover", (e) => this.look(e));
    this.list.addEventListener("pointerleave", () => panel.selection.leave());
    panel.body.append(bar(begin, ...this.presets.map(({ node }) => node), more), this.list);
    this.rows = [];
  }

  get written() {
    return this.panel.selection.get("steps") ?? this.panel.spec.steps;
  }
  get steps() {
    return this.written === "none" ? [] : this.written.split("-");
  }
  get said() {
    return this.panel.reader().said;
  }

  ask() {
    return { steps: this.written };
  }

  add(id, list) {
    const kind = this.kinds.get(id);
    if (kind) this.put([...this.steps, [id, kind.choices[0]?.[0]].filter(Boolean).join(".")].join("-"));
    list.value = "";
  }

  put(steps) {
    const { selection, app } = this.panel;
    selection.keep({ steps: steps || "none" }, app);
    app.again();
  }

  look({ target }) {
    const node = target.closest("[data-t]");
    const reader = this.panel.reader();
    if (!node) return this.panel.selection.leave();
    const token = Number(node.dataset.t);
    this.panel.selection.look({ token, reader: reader.spec.id, span: reader.spans[token] });
  }

  // Step i, whose control `name` keeps the focus, is moved to another place.
  move(i, to, name) {
    const steps = this.steps;
    [steps[i], steps[to]] = [steps[to], steps[i]];
    this.focus = [to, name];
    this.put(steps.join("-"));
  }

  // Step i becomes another one, or none; the control `name` of step `at` keeps the focus.
  change(i, part, name, at = i) {
    this.focus = [at, name];
    const steps = this.steps.map((step, k) => (k === i ? part : step));
    this.put(steps.filter(Boolean).join("-"));
  }

  build(rows) {
    const shape = JSON.stringify(rows.map(({ id, choice, on }) => [id, choice, on]));
    if (shape === this.shape) return;
    this.shape = shape;
    this.rows = [typedRow(), ...rows.map((row, i) => new StepRow(this, row, i, rows.length))];
    const held = this.list.contains(document.activeElement); // whoever types by now keeps the box
    this.list.replaceChildren(...this.rows.map(({ root }) => root));
    const [place, name] = (held && this.focus) || [];
    const buttons = this.rows[place + 1]?.buttons;
    if (buttons) (buttons[name]?.disabled ? buttons.on : buttons[name])?.focus();
    this.focus = null;
  }

  draw() {
    const { rows, typed } = this.said;
    if (!rows) return;
    this.build(rows);
    const written = this.said.steps;
    for (const { node, steps } of this.presets) node.setAttribute("aria-pressed", String(steps === written));
    follow(this.rows[0].text, typed, piece);
    rows.forEach((row, i) => this.rows[i + 1].draw(row));
    const reader = this.panel.reader();
    const now = this.panel.selection.get("token") === undefined ? -1 : this.panel.selection.token(reader);
    if (now === this.now && this.marked === this.said) return;
    for (const node of this.list.querySelectorAll(".un-here")) node.classList.remove("un-here");
    if (now >= 0)
      for (const node of this.list.querySelectorAll(`[data-t="${now}"]`)) node.classList.add("un-here");
    [this.now, this.marked] = [now, this.said];
  }

  drawn() {
    const rows = (this.said.rows ?? []).filter((row) => row.on);
    return rows.length
      ? {
          changes: {
            axes: ["step"],
            labels: [rows.map(({ id }) => id)],
            values: Float32Array.from(rows, (row) => row.count),
          },
        }
      : {};
  }

  table() {
    const rows = (this.said.rows ?? []).filter((row) => row.on);
    return {
      columns: ["step", "how", "changes", "text after this step"],
      rows: rows.map((row) => [
        this.kinds.get(row.id).title,
        row.choice,
        row.count,
        row.parts ? marked(row.parts.map((p) => p[0]).join("")).replaceAll("⏎\n", "⏎") : "unchanged",
      ]),
    };
  }

  alt() {
    return `Step by step. ${(this.said.rows ?? []).map((row) => `${this.kinds.get(row.id).title}: ${row.on ? `${row.count} changes` : "off"}`).join(", ")}.`;
  }
}
