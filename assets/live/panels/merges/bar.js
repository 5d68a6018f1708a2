// How pairs are chosen, and how many merges are done: to step through them, or to let them run.

import { element, labelled, put } from "../../dom.js";
import { Player, bar, button, select, slider } from "../../parts/controls.js";
import { stepOf } from "../../sums/merging.js";

const PLAY_MS = 900;

export class MergeBar {
  constructor(panel) {
    this.panel = panel;
    const { kinds, rules } = panel.spec;
    const choose = () => this.choose();
    const titles = Object.entries(rules).map(([value, [title]]) => [value, title]);
    this.kind = select(kinds, choose);
    this.ties = select(titles, choose);
    this.about = element("p", "un-says");
    this.first = button("« Start", () => this.go(0), { title: "Before the first merge" });
    this.before = button("‹ Back", () => this.go(stepOf(panel) - 1), { title: "Previous merge" });
    const begin = () => (this.fresh = true);
    this.player = new Player("A merge a second", PLAY_MS, () => this.goOn(), { begin });
    this.next = button("Next ›", () => this.go(stepOf(panel) + 1), { title: "Next merge" });
    this.last = button("End »", () => this.go(this.all), { title: "After the last merge" });
    const range = { min: 0, step: 1, id: "un-merge" };
    this.slider = slider((step) => this.go(step), range, "Merges done", true);
    this.place = element("span", "un-search-label");
    const { first, before, player, next, last } = this;
    this.nodes = [
      bar(labelled("How", this.kind), labelled("Tie rule", this.ties)),
      this.about,
      bar(first, before, player.node, next, last, this.slider, this.place),
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
    selection.keep({ rules: `${this.kind.value}_${this.ties.value}`, token: undefined }, app);
    app.again();
  }

  put(step) {
    const { selection, app } = this.panel;
    selection.kept.stop = Math.max(0, Math.min(this.all, step));
    selection.soon();
    app.restSoon();
  }

  go(step) {
    this.stop();
    this.put(step);
  }

  stop() {
    this.player.stop();
  }

  // One merge more, from the last back to the start where it has just begun to play; false when all are done.
  goOn() {
    const step = stepOf(this.panel);
    const done = step >= this.all;
    if (done && !this.fresh) return false;
    this.put(done ? 0 : step + 1);
    this.fresh = false;
    return true;
  }

  draw(kind, step) {
    const chosen = this.rules.split("_"); // what is chosen may be ahead of what is drawn
    [this.kind, this.ties].forEach((node, i) => {
      if (node.value !== chosen[i]) node.value = chosen[i];
    });
    this.ties.disabled = kind === "wordpiece";
    put(this.about, this.panel.spec.kinds.find(([id]) => id === kind)[2]);
    const { all } = this;
    this.slider.max = String(all);
    if (Number(this.slider.value) !== step) this.slider.value = String(step);
    this.first.disabled = this.before.disabled = step === 0;
    this.next.disabled = this.last.disabled = step === all;
    this.player.node.disabled = !all;
    put(this.place, `${step} of ${all} merges`);
    this.slider.setAttribute("aria-valuetext", this.place.textContent);
  }
}
