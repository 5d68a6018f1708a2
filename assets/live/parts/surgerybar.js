// The controls of Surgery: one edit put together or changed, the list of all, undo and redo.

import { element } from "../dom.js";
import { MOST, OPERATIONS } from "../sums/edits.js";
import { button } from "./controls.js";
import { EditList } from "./editlist.js";
import { SurgeryForm } from "./surgeryform.js";

export class SurgeryBar {
  constructor(view) {
    this.view = view;
    this.root = element("div", "un-surgery");
    this.form = new SurgeryForm(view.panel);
    this.add = button("Add this edit", () => this.put(), { title: "Add the edit set by the controls" });
    const can = (edit) =>
      view.panel.reader().spec.fields[edit.field] && edit.how in OPERATIONS && !edit.layer.includes("-"); // what the controls can say
    this.list = new EditList(view, { choose: (n) => this.choose(n), can, first: [this.add] });
    this.root.append(...this.form.lines, ...this.list.nodes);
    view.panel.body.append(this.root);
    this.root.addEventListener("input", (e) => this.changed(e.target, false));
    this.root.addEventListener("change", (e) => this.changed(e.target, true));
  }

  changed(node, done) {
    const { view, form } = this;
    form.changed(node, done);
    const { draft } = form;
    this.add.disabled = !draft;
    if (!draft) return;
    if (view.chosen === null) {
      if (done && form.places(node)) view.selection.keep(form.place, view.app);
      return;
    }
    const edits = view.edits;
    edits[view.chosen] = draft;
    view.change(edits, done);
  }

  put() {
    const { view } = this;
    const { draft } = this.form;
    if (!draft || view.edits.length >= MOST) return;
    view.chosen = view.edits.length;
    view.change([...view.edits, draft]);
  }

  choose(n) {
    const { view } = this;
    view.chosen = view.chosen === n ? null : n;
    const { field, layer, unit } = view.edits[n];
    const place = { field };
    if (/^\d+$/.test(layer)) place.layer = Number(layer);
    if (unit !== "*") place.unit = Number(unit.split("-")[0]);
    view.selection.keep(place, view.app);
  }

  draw() {
    const { view, form } = this;
    const reader = view.panel.reader();
    const edits = view.edits;
    if (view.chosen !== null && !edits[view.chosen]) view.chosen = null;
    const layers = reader.fields.values().next().value?.shape[0] ?? 0;
    if (!layers) return;
    form.offer(layers);
    const chosen = edits[view.chosen];
    const place = {
      ...view.place(),
      field: view.field,
      token: view.selection.keptToken(reader) + reader.offset,
    };
    const follows = JSON.stringify([chosen ?? place, view.chosen]);
    const busy =
      this.root.contains(document.activeElement) && document.activeElement.matches("input, select");
    if (follows !== this.follows && (!busy || !chosen)) {
      this.follows = follows;
      form.fill(chosen ?? this.fresh(place));
    }
    this.add.disabled = edits.length >= MOST || !form.draft;
    this.list.draw();
  }

  // The edit that the controls show before anything is chosen: where the page looks, with what they say already.
  fresh({ field, layer, unit, token }) {
    const { how, value } = this.form.amount;
    const at = { field, layer: String(layer), unit: String(unit), tokens: `${token}-` };
    return { ...at, how: how.value, value: value.value || "0" };
  }
}
