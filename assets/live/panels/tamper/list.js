// The edits as a list: each can be chosen, and taken back.

import { element } from "../../dom.js";
import { button } from "../../parts/controls.js";

export class List {
  /** @param {(edit: string) => string} words @param {{choose: (n: number) => void, remove: (n: number) => void}} on */
  constructor(words, { choose, remove }) {
    this.words = words;
    this.choose = choose;
    this.remove = remove;
    this.root = element("ul", "un-list un-edits");
    this.root.setAttribute("aria-label", "Edits");
  }

  /** @param {string[]} edits @param {number | null} chosen */
  draw(edits, chosen) {
    const key = JSON.stringify([edits, chosen]);
    if (key === this.key) return;
    this.key = key;
    this.root.replaceChildren(...edits.map((edit, n) => this.row(this.words(edit), n, n === chosen)));
  }

  row(said, n, on) {
    const item = element("li", "un-edit");
    const title = "Change this edit with the controls";
    const choose = button(said, () => this.choose(n), { title });
    choose.setAttribute("aria-pressed", String(on));
    const remove = button("Remove", () => this.remove(n));
    remove.setAttribute("aria-label", `Remove: ${said}`);
    item.append(choose, remove);
    return item;
  }
}
