// How pairs are chosen, and how many merges are done: to step through them, or to let them run.

import { element, labelled, put } from "../../dom.js";
import { bar, select } from "../../parts/controls.js";
import { Player } from "../../parts/player.js";
import { said, stepOf } from "../../sums/merging.js";

export class MergeBar {
  constructor(panel) {
    this.panel = panel;
    const { kinds, rules } = panel.spec;
    const choose = () => this.choose();
    const titles = Object.entries(rules).map(([value, [title]]) => [value, title]);
    this.kind = select(kinds, choose);
    this.ties = select(titles, choose);
    this.about = element("p", "un-says");
    this.player = new Player(panel, {
      title: "Watch the merges, one after another",
      label: "Merges done",
      count: () => this.all + 1,
      where: () => stepOf(panel),
      place: (stop) => ({ stop }),
      says: (step) => this.told(step),
      numbered: false,
    });
    this.player.slider.id = "un-merge";
    this.nodes = [
      bar(labelled("How", this.kind), labelled("Tie rule", this.ties)),
      this.about,
      this.player.node,
    ];
  }

  get rules() {
    return this.panel.selection.get("rules") ?? "chars_letters";
  }
  get all() {
    return this.panel.reader().said.steps?.length ?? 0;
  }

  choose() {
    const { selection, app } = this.panel;
    this.player.stop();
    selection.keep({ rules: `${this.kind.value}_${this.ties.value}`, token: undefined }, app);
    app.again();
  }

  // How many merges are done, and the token that the last of them made.
  told(step) {
    const { kind, steps } = this.panel.reader().said;
    const [, , made, count] = steps[step - 1] ?? [];
    return `${step} of ${this.all} merges${made ? `; the last made “${said(kind, made)}”, ${count} times` : ""}`;
  }

  draw(kind) {
    const chosen = this.rules.split("_"); // what is chosen may be ahead of what is drawn
    [this.kind, this.ties].forEach((node, i) => {
      if (node.value !== chosen[i]) node.value = chosen[i];
    });
    this.ties.disabled = kind === "wordpiece";
    put(this.about, this.panel.spec.kinds.find(([id]) => id === kind)[2]);
    this.player.draw();
  }
}
