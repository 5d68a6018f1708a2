// The list of all edits with undo, redo and a way to take each one back; and what could not be made of a link.

import { element } from "../dom.js";
import { words } from "../sums/edits.js";

/** @import { Edit } from "../types.js" */

export class EditList {
  view;
  choose;
  can;

  // choose(n): an edit of the list was chosen; can(edit): whether it can be.  `first`: buttons before undo.
  /** @param {any} view @param {{choose?: (n: number) => void, can?: (edit: Edit) => boolean, first?: Node[]}} options */
  constructor(view, { choose = null, can = () => true, first = [] } = {}) {
    Object.assign(this, { view, choose, can });
    const button = (textContent, title, onclick) =>
      element("button", "un-button", { type: "button", textContent, title, onclick });
    this.undo = button("Undo", "Ctrl+Z", () => view.undo());
    this.redo = button("Redo", "Ctrl+Shift+Z", () => view.redo());
    this.none = button("Remove all", "No edits", () => view.removeAll());
    this.bar = element("div", "un-order");
    this.bar.append(...first, this.undo, this.redo, this.none);
    this.list = element("ul", "un-list un-edits");
    this.list.setAttribute("aria-label", "Edits");
    this.problems = element("p", "un-says", { role: "status" });
    this.nodes = [this.bar, this.list, this.problems];
  }

  draw() {
    const { view } = this;
    const reader = view.panel.reader();
    const edits = view.edits;
    this.undo.disabled = !view.history.past.length;
    this.redo.disabled = !view.history.future.length;
    this.none.disabled = !edits.length;
    const problems = (reader.said.problems ?? []).join(" ");
    if (this.problems.textContent !== problems) this.problems.textContent = problems;
    const written = JSON.stringify([edits, view.chosen, reader.labels]);
    if (written === this.written) return;
    this.written = written;
    const had = this.list.contains(document.activeElement)
      ? /** @type {HTMLElement} */ (document.activeElement).dataset
      : null;
    this.list.replaceChildren(...edits.map((edit, n) => this.row(edit, n, reader)));
    if (!edits.length)
      this.list.append(
        element("li", "un-says", { textContent: "No edits: both runs are the same, number for number." }),
      );
    if (had) (this.list.querySelector(`[data-n="${had.n}"][data-act="${had.act}"]`) ?? this.undo).focus();
  }

  row(edit, n, reader) {
    const { view } = this;
    const item = element("li", "un-edit");
    const said = words(edit, reader);
    if (this.choose) {
      const choose = element("button", "un-button", {
        type: "button",
        textContent: said,
        title: "Change this edit with the controls above",
        onclick: () => {
          this.written = null;
          this.choose(n);
        },
      });
      choose.setAttribute("aria-pressed", String(view.chosen === n));
      choose.disabled = !this.can(edit);
      Object.assign(choose.dataset, { n, act: "choose" });
      item.append(choose);
    } else item.append(element("span", "", { textContent: said }));
    const remove = element("button", "un-button", {
      type: "button",
      textContent: "Remove",
      onclick: () => {
        view.chosen = null;
        view.change(view.edits.filter((_, i) => i !== n));
      },
    });
    remove.setAttribute("aria-label", `Remove: ${said}`);
    Object.assign(remove.dataset, { n, act: "remove" });
    item.append(remove);
    return item;
  }
}
