// Change numbers while the model runs: any field that something follows from, at any place along its axes, and what then
// changes of what the model expects.  Edits stand in the address; engine/analysis/surgery.py reads them.

import { element, percent, short, visible, put } from "../dom.js";
import { BarList } from "../marks/bars.js";
import { bar, button } from "../parts/controls.js";
import { answered } from "../parts/inspected.js";
import { History } from "../sums/edits.js";
import { words } from "../sums/fieldedits.js";
import { Form } from "./tamper/form.js";

export default class Tamper {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.history = new History();
    this.chosen = null; // number of the edit that the controls change
    this.form = new Form(panel, (done) => this.live(done));
    this.add = button("Add this edit", () => this.put(), { title: "Add the edit set by the controls" });
    this.undo = button("Undo", () => this.step("undo"), { title: "Undo the last change" });
    this.redo = button("Redo", () => this.step("redo"), { title: "Redo the change" });
    this.none = button("Remove all", () => this.change([], true), { title: "No edits" });
    this.problems = element("p", "un-says", { role: "status" });
    this.list = element("ul", "un-list un-edits");
    this.list.setAttribute("aria-label", "Edits");
    this.head = element("h4", "un-change-head");
    const moves = element("ol", "un-list");
    this.moves = new BarList(moves, { row: "un-row un-move", bar: "un-move-bars" });
    this.says = element("p", "un-says");
    this.body = element("div", "");
    this.body.append(...this.form.lines, bar(this.add, this.undo, this.redo, this.none));
    panel.body.append(this.body, this.problems, this.list, this.head, moves, this.says);
  }

  get edits() {
    return (this.panel.selection.kept.edits ?? "").split(",").filter(Boolean);
  }

  put() {
    const { draft } = this.form;
    const { edits } = this;
    if (!draft || edits.length >= this.panel.spec.most) return;
    this.chosen = edits.length;
    this.change([...edits, draft], true);
  }

  // The chosen edit follows the controls.
  live(done) {
    const { draft } = this.form;
    this.add.disabled = !draft;
    if (!draft || this.chosen === null) return;
    const { edits } = this;
    if (edits[this.chosen] === undefined || edits[this.chosen] === draft) return;
    edits[this.chosen] = draft;
    this.change(edits, done);
  }

  change(edits, done) {
    this.before ??= this.panel.selection.kept.edits ?? "";
    if (done) {
      this.history.did(this.before);
      this.before = undefined;
    }
    if (!edits.length) this.chosen = null;
    this.become(edits.join(","));
  }

  step(way) {
    const found = this.history[way](this.panel.selection.kept.edits ?? "");
    if (found === undefined) return;
    this.chosen = null;
    this.become(found);
  }

  become(text) {
    const { selection, app } = this.panel;
    selection.keep({ edits: text || undefined }, app);
    app.again();
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    panel.root.style.order = "1000"; // below every picture
    const { sites, tells } = panel.spec;
    const names = Object.keys(sites);
    this.body.hidden = !names.length;
    if (!names.length) return put(this.says, "No number that this model shows can be edited.");
    const { shows, edited } = answered(reader);
    const first = shows.find((name) => sites[name] && name !== tells) ?? names[0];
    const free = this.chosen === null && !this.body.contains(document.activeElement);
    this.form.follow(this.form.touched || this.edits.length ? null : first, free);
    this.add.disabled = !this.form.draft || this.edits.length >= panel.spec.most;
    this.undo.disabled = !this.history.past.length;
    this.redo.disabled = !this.history.future.length;
    this.none.disabled = !this.edits.length;
    put(this.problems, (reader.said.problems ?? []).join(" "));
    this.drawList();
    this.drawMoves(reader, edited);
  }

  drawList() {
    const { edits } = this;
    const key = JSON.stringify([edits, this.chosen]);
    if (key === this.listed) return;
    this.listed = key;
    this.list.replaceChildren(...edits.map((edit, n) => this.row(edit, n)));
  }

  row(edit, n) {
    const item = element("li", "un-edit");
    const said = words(edit, this.panel.spec.sites);
    const choose = () => {
      this.chosen = this.chosen === n ? null : n;
      if (this.chosen !== null) this.form.fill(edit);
      this.panel.draw();
    };
    const remove = () => {
      this.chosen = null;
      this.change(this.edits.toSpliced(n, 1), true);
    };
    const [opens, removes] = [
      button(said, choose, { title: "Change this edit with the controls" }),
      button("Remove", remove),
    ];
    opens.setAttribute("aria-pressed", String(this.chosen === n));
    removes.setAttribute("aria-label", `Remove: ${said}`);
    item.append(opens, removes);
    return item;
  }

  drawMoves(reader, edited) {
    const { tells } = this.panel.spec;
    const t = this.panel.selection.token(reader);
    const rows = edited ? (reader.moves[t] ?? []) : [];
    const at = `${tells} at “${short(reader.labels[t] ?? "", 18)}”: as it is → edited`;
    put(this.head, rows.length ? at : "");
    const most = Math.max(...rows.flatMap(([, p, q]) => [p, q]), 1e-9);
    this.moves.draw(
      rows.map(([label, p, q]) => ({
        label: short(label, 18),
        value: `${percent(p)} → ${percent(q)}`,
        parts: [
          { share: p / most, className: "un-before" },
          { share: q / most, className: "un-after" },
        ],
      })),
    );
    put(this.says, this.sentence(rows));
  }

  sentence(rows) {
    if (!this.edits.length)
      return "No edits: the pictures show the run as it is. Layers and heads are counted from 0 in these fields, as in the code.";
    if (!this.panel.spec.tells) return "The pictures show the effect; this model gives no probabilities.";
    if (!rows.length) return "";
    return rows.every(([, p, q]) => p === q)
      ? "What the model expects here does not change."
      : "Largest changes first. Grey: original; colour: edited.";
  }

  table() {
    const reader = this.panel.reader();
    const rows = reader.moves[this.panel.selection.token(reader)] ?? [];
    return {
      columns: ["expected", "as it is", "edited"],
      rows: rows.map(([label, p, q]) => [visible(label), percent(p), percent(q)]),
    };
  }

  alt() {
    const edits = this.edits.map((edit) => words(edit, this.panel.spec.sites)).join("; ");
    return `${this.panel.title.textContent}. ${edits || "No edits."} ${this.head.textContent}`;
  }
}
