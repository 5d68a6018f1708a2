// The three families of Transformer as one diagram: choose a family and what it does without turns grey; click a part to read it.

import { element } from "../dom.js";
import { bar, button } from "../parts/controls.js";
import { FAMILIES, named, tell } from "../parts/families.js";
import { BLOCKS, FRAMES, LADDERS, LEFT, RIGHT, USES, WIDE } from "./families/plan.js";
import { node } from "../parts/pipes.js";

export default class Families {
  constructor(panel) {
    this.readouts = false; // all words stand beside the diagram
    this.panel = panel;
    this.family = "both";
    this.chosen = "d_cross";
    this.buttons = Object.entries(FAMILIES).map(([id, { title }]) => {
      const made = button(title, () => this.choose(id));
      made.dataset.family = id;
      return made;
    });
    const tools = bar(
      ...this.buttons,
      button("‹ Back", () => this.walk(-1)),
      button("Follow the flow ›", () => this.walk(1)),
    );
    tools.setAttribute("role", "group");
    tools.setAttribute("aria-label", "Family");
    const both = element("div", "un-two-wide");
    this.svg = node(both, "svg", { viewBox: "0 0 460 512", class: "un-cell un-families", role: "group" });
    this.about = element("div", "un-about");
    both.append(this.about);
    panel.body.append(tools, both);
    this.build();
  }

  build() {
    const { svg, panel } = this;
    const { layers, first } = panel.spec;
    this.links = [];
    const line = (d, id, dashed = false) =>
      this.links.push({ id, node: node(svg, "path", { d, class: `un-link${dashed ? " un-dashed" : ""}` }) });
    this.frames = FRAMES.map(([x, y, height, id]) => {
      const group = node(svg, "g");
      node(group, "rect", { x: x - 7, y, width: WIDE + 14, height, rx: 8, class: "un-frame" });
      node(group, "text", { x: x + WIDE + 4, y: y - 5, class: "un-count" }, `× ${layers} layers`);
      return { group, id };
    });
    for (const ids of LADDERS)
      ids.slice(1).forEach((id, i) => {
        const [x, y, h] = BLOCKS[id];
        line(`M${x + WIDE / 2} ${BLOCKS[ids[i]][1]}V${y + h}`, [id, ids[i]]);
      });
    line(`M${LEFT + WIDE / 2} 250V224H${(LEFT + WIDE + RIGHT) / 2}V311H${RIGHT}`, ["e_norm2", "d_cross"]);
    line(`M${LEFT + WIDE / 2} 250V194`, ["e_norm2", "e_head"]);
    line(`M${RIGHT + WIDE / 2} 342V254`, ["d_norm1", "d_ff", "decoder"]);
    line(`M${RIGHT + WIDE} 43H455V491H${RIGHT + WIDE}`, ["d_next", "d_words"], true);
    this.nodes = Object.entries(BLOCKS).map(([id, [x, y, height, label]]) => {
      const block = node(svg, "g", { class: "un-block", role: "button", tabindex: 0 });
      const said = id.includes("_norm") && first ? "Norm before, then add" : named(label, panel.spec);
      node(block, "rect", { x, y, width: WIDE, height, rx: 5 });
      node(block, "text", { x: x + WIDE / 2, y: y + height / 2 + 4.5 }, said);
      block.addEventListener("click", () => this.choose(this.family, id));
      block.addEventListener("keydown", (e) => {
        if (e.key !== "Enter" && e.key !== " ") return;
        e.preventDefault();
        this.choose(this.family, id);
      });
      return { id, node: block };
    });
  }

  choose(family, id = this.chosen) {
    this.family = family;
    this.chosen = USES[family](id) || id !== this.chosen ? id : family === "encoder" ? "e_self" : "d_self";
    this.panel.draw();
  }

  walk(step) {
    const ids = Object.keys(BLOCKS).filter(USES[this.family]);
    this.choose(this.family, ids[(ids.indexOf(this.chosen) + step + ids.length) % ids.length]);
  }

  draw() {
    const { panel } = this;
    const uses = USES[this.family];
    for (const b of this.buttons) b.setAttribute("aria-pressed", String(b.dataset.family === this.family));
    for (const { id, node } of this.nodes) {
      node.style.display = id === "e_head" && this.family !== "encoder" ? "none" : "";
      node.setAttribute(
        "class",
        `un-block${uses(id) ? "" : " un-unused"}${id === this.chosen ? " un-chosen" : ""}`,
      );
    }
    for (const { id, node } of this.links) {
      const on = id[2] ? this.family === id[2] : id.every(uses);
      node.classList.toggle("un-unused", !on);
      node.style.display = (id[2] && !on) || (id.includes("e_head") && !on) ? "none" : "";
    }
    for (const { id, group } of this.frames) group.setAttribute("class", uses(id) ? "" : "un-unused");
    panel.say(panel.spec.title, panel.spec.says);
    const { title, says, numbers } = tell(this.chosen, panel.spec, panel.reader());
    const stage = BLOCKS[this.chosen][4];
    this.about.replaceChildren(
      element("p", "un-says", { textContent: FAMILIES[this.family].says }),
      element("h4", "", { textContent: named(title, panel.spec) }),
      element("p", "", { textContent: named(says, panel.spec) }),
      element("p", "un-formula", { textContent: numbers }),
      element("p", "un-says", {
        textContent: uses(this.chosen)
          ? `Stage of the flow: ${stage.toLowerCase()}.`
          : "This family does without it.",
      }),
    );
  }

  table() {
    const { attention, feed_forward: ff, norm } = this.panel.spec;
    const rows = [
      ["self-attention", attention, attention],
      ["cross-attention", 0, attention],
      ["feed-forward", ff, ff],
      ["norms", 2 * norm, 3 * norm],
    ];
    const sum = (i) => rows.reduce((all, row) => all + row[i], 0);
    return {
      columns: ["part of a layer", "encoder", "decoder"],
      rows: [...rows, ["together", sum(1), sum(2)]].map((row) => row.map((v) => v.toLocaleString("en"))),
    };
  }

  alt() {
    return `${FAMILIES[this.family].title}. ${this.about.textContent}`;
  }
}
