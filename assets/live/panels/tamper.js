// Change numbers while the model runs: any field that something follows from, at any place along its axes, and what then
// changes of what the model expects.  Edits stand in the address; engine/analysis/surgery.py reads them.

import { element, percent, short, visible, put } from "../dom.js";
import { bar, button } from "../parts/controls.js";
import { answered } from "../parts/inspected.js";
import { Moved } from "../parts/moved.js";
import { History } from "../sums/edits.js";
import { words } from "../sums/fieldedits.js";
import { Form } from "./tamper/form.js";
import { List } from "./tamper/list.js";

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
    this.words = (edit) => words(edit, panel.spec.sites);
    this.list = new List(this.words, {
      choose: (n) => this.choose(n),
      remove: (n) => this.remove(n),
    });
    this.head = element("h4", "un-change-head");
    this.moves = new Moved();
    this.says = element("p", "un-says");
    this.body = element("div", "");
    this.body.append(...this.form.lines, bar(this.add, this.undo, this.redo, this.none));
    panel.body.append(this.body, this.problems, this.list.root, this.head, this.moves.root, this.says);
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
    this.list.draw(this.edits, this.chosen);
    this.drawMoves(reader, edited);
  }

  choose(n) {
    this.chosen = this.chosen === n ? null : n;
    if (this.chosen !== null) this.form.fill(this.edits[n]);
    this.panel.draw();
  }

  remove(n) {
    this.chosen = null;
    this.change(this.edits.toSpliced(n, 1), true);
  }

  drawMoves(reader, edited) {
    const { tells } = this.panel.spec;
    const t = this.panel.selection.token(reader);
    const rows = edited ? (reader.moves[t] ?? []) : [];
    const at = `${tells} at “${short(reader.labels[t] ?? "", 18)}”: as it is → edited`;
    put(this.head, rows.length ? at : "");
    this.moves.draw(rows);
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
    const edits = this.edits.map(this.words).join("; ");
    return `${this.panel.title.textContent}. ${edits || "No edits."} ${this.head.textContent}`;
  }
}
