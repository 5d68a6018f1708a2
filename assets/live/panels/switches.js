// Every head, every attention part and every feed-forward part of a Transformer as a switch.  A click switches it off (or scales
// it) and back on; below, the list of all edits.

import { EditList } from "../parts/editlist.js";
import { element, small } from "../dom.js";
import { bar, select, slider } from "../parts/controls.js";
import { MOST, covers } from "../sums/edits.js";
import { Operating } from "../parts/operating.js";

const PLACES = [
  ["*", "at all tokens"],
  ["one", "at the chosen token"],
  ["on", "from the chosen token on"],
];
const PARTS = {
  reading: "head",
  "attention.output": "attention",
  "feed_forward.output": "feed-forward",
  "attention.norm": "norm of attention",
  "attention.skip": "residual connection around attention",
  "feed_forward.norm": "norm of feed-forward",
  "feed_forward.skip": "residual connection around feed-forward",
};
const FRAME = Object.keys(PARTS).slice(3);

export default class Switches extends Operating {
  constructor(panel) {
    super(panel);
    const { layers, heads } = panel.spec;
    this.says = element("span");
    const range = { min: 0, max: 2, step: 0.05, value: 0 };
    this.amount = slider(() => this.tell(), range, "Factor that a click applies");
    this.where = select(PLACES, () => {}, "At which tokens");
    const click = element("span", "un-search-label", { textContent: "A click" });
    this.grid = element("div", "un-switches");
    this.switches = [];
    for (let layer = layers - 1; layer >= 0; layer--) {
      this.grid.append(element("span", "un-switch-name", { textContent: `layer ${layer + 1}` }));
      const row = element("span", "un-switch-row");
      for (let head = 0; head < heads; head++)
        row.append(this.button("reading", layer, head, String(head + 1)));
      this.grid.append(
        row,
        this.button("attention.output", layer, "*", "all heads"),
        this.button("feed_forward.output", layer, "*", "feed-fwd"),
      );
    }
    const names = element("div", "un-switches un-switch-names");
    names.append(
      ...["", small("heads"), small("attention"), small("feed-forward")].map((textContent) =>
        element("span", "", { textContent }),
      ),
    );
    const frame = element("div", "un-switches un-switches-frame");
    const head = (textContent) => element("span", "un-switch-names", { textContent });
    frame.append(head(""), head("around attention"), head("around feed-forward"));
    for (const layer of ["*", ...Array.from({ length: layers }, (_, n) => layers - 1 - n)]) {
      const name = layer === "*" ? "all layers" : `layer ${Number(layer) + 1}`;
      frame.append(element("span", "un-switch-name", { textContent: name }));
      for (const field of FRAME)
        frame.append(
          this.button(field, layer, "*", field.endsWith("norm") ? small("norm") : small("residual")),
        );
    }
    this.list = new EditList(this);
    panel.body.append(
      bar(click, this.says, this.amount, this.where),
      names,
      this.grid,
      frame,
      ...this.list.nodes,
    );
    this.tell();
  }

  tell() {
    const x = Number(this.amount.value);
    this.says.textContent = x === 0 ? "switches a part off" : `takes a part times ${x}`;
  }

  button(field, layer, unit, textContent) {
    const node = element("button", "un-switch", {
      type: "button",
      textContent,
      onclick: () => this.toggle(field, layer, unit),
    });
    node.setAttribute(
      "aria-label",
      `${unit === "*" ? PARTS[field] : `head ${unit + 1}`}, ${layer === "*" ? "all layers" : `layer ${layer + 1}`}`,
    );
    this.switches.push({ node, field, layer, unit });
    return node;
  }

  same(edit, field, layer, unit) {
    return edit.field === field && edit.layer === String(layer) && edit.unit === String(unit);
  }

  toggle(field, layer, unit) {
    const { edits, selection } = this;
    const left = edits.filter((e) => !this.same(e, field, layer, unit));
    const reader = this.panel.reader();
    const token = selection.keptToken(reader) + reader.offset;
    const tokens = { "*": "*", one: String(token), on: `${token}-` }[this.where.value];
    if (unit !== "*") selection.kept = { ...selection.kept, layer, head: unit };
    if (left.length < edits.length) return this.change(left);
    if (edits.length < MOST)
      this.change([
        ...edits,
        { field, layer: String(layer), unit: String(unit), tokens, how: "scale", value: this.amount.value },
      ]);
  }

  draw() {
    const { panel, edits, selection } = this;
    this.follow();
    const open = [selection.get("layer"), selection.get("head")];
    for (const { node, field, layer, unit } of this.switches) {
      const mine = edits.filter(
        (e) =>
          e.field === field &&
          (layer === "*" ? e.layer === "*" : covers(e.layer, layer)) &&
          (e.unit === "*" || e.unit === String(unit)),
      );
      const on = mine.length > 0;
      const factor = ({ how, value = "1" }) => (how === "scale" ? Number(value) : how === "set" ? 0 : 1);
      const x = mine.reduce((product, edit) => product * factor(edit), 1);
      node.setAttribute("aria-pressed", String(on));
      node.classList.toggle("un-off", on && x === 0);
      node.classList.toggle("un-scaled", on && x !== 0);
      node.classList.toggle("un-open", unit !== "*" && open[0] === layer && open[1] === unit);
      const where = mine.some((e) => e.tokens !== "*") ? " at some tokens" : "";
      node.title = on
        ? `${x === 0 ? "Off" : `Times ${x}`}${where}: click to put it back`
        : "Unchanged: click to change it";
    }
    panel.say(panel.spec.title, `${panel.spec.says} Model: ${panel.reader("plain").spec.title}.`);
    this.list.draw();
    panel.read(
      edits.length
        ? `${edits.length === 1 ? "1 edit is" : `${edits.length} edits are`} made. In the other pictures grey is original, colour is edited.`
        : "No edits.",
    );
  }

  table() {
    return {
      columns: ["edit"],
      rows: this.edits.map((e) => [
        Object.values(e)
          .filter((v) => v !== undefined)
          .join(":"),
      ]),
    };
  }
  alt() {
    return `${this.panel.title.textContent}. ${this.edits.length} edits.`;
  }
}
