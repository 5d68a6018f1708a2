// The three families of Transformer as one diagram: choose a family and what it does without turns grey; click a part to read it.

import { element } from "../dom.js";
import { named } from "./cross.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDE = 196,
  LEFT = 12,
  RIGHT = 252,
  TALL = 34;
const FAMILIES = {
  both: {
    title: "Encoder-decoder",
    says: "Encoder and decoder, linked by cross-attention: one text in, another out. Translation, summaries. The 2017 model, T5, BART, and the one on this page.",
  },
  encoder: {
    title: "Encoder only",
    says: "No decoder: every word sees all others, and the answer is a label or a hidden word, not a text. BERT: classes of sentences, names in a text, search.",
  },
  decoder: {
    title: "Decoder only",
    says: "No encoder and so no cross-attention: a decoder layer loses one of its three parts. Prompt and output form one sequence. GPT, Llama.",
  },
};
// id: [side, top, height, label, stage]; stages are the four of the flow
/** @type {Record<string, [number, number, number, string, string]>} */
const BLOCKS = {
  e_words: [LEFT, 478, 26, "English", "Input"],
  e_embed: [LEFT, 428, TALL, "Embedding + positions", "Input"],
  e_self: [LEFT, 356, TALL, "Self-attention", "Encoder"],
  e_norm1: [LEFT, 330, 22, "Add & norm", "Encoder"],
  e_ff: [LEFT, 276, TALL, "Feed-forward", "Encoder"],
  e_norm2: [LEFT, 250, 22, "Add & norm", "Encoder"],
  e_head: [LEFT, 160, TALL, "Label or hidden word", "Answer"],
  d_words: [RIGHT, 478, 26, "French so far", "Decoder"],
  d_embed: [RIGHT, 428, TALL, "Embedding + positions", "Decoder"],
  d_self: [RIGHT, 368, TALL, "Masked self-attention", "Decoder"],
  d_norm1: [RIGHT, 342, 22, "Add & norm", "Decoder"],
  d_cross: [RIGHT, 294, TALL, "Cross-attention", "Decoder"],
  d_norm2: [RIGHT, 268, 22, "Add & norm", "Decoder"],
  d_ff: [RIGHT, 220, TALL, "Feed-forward", "Decoder"],
  d_norm3: [RIGHT, 194, 22, "Add & norm", "Decoder"],
  d_out: [RIGHT, 126, TALL, "Linear", "Decoder"],
  d_soft: [RIGHT, 76, TALL, "Softmax", "Decoder"],
  d_next: [RIGHT, 30, 26, "Next word", "Loop"],
};
const USES = {
  both: (id) => id !== "e_head",
  encoder: (id) => id.startsWith("e_"),
  decoder: (id) => id.startsWith("d_") && id !== "d_cross" && id !== "d_norm2",
};

export default class Families {
  links;

  constructor(panel) {
    this.readouts = false; // all words stand beside the diagram
    this.panel = panel;
    this.family = "both";
    this.chosen = "d_cross";
    const button = (textContent, onclick) =>
      element("button", "un-button", { type: "button", textContent, onclick });
    const bar = element("div", "un-order", { role: "group" });
    bar.setAttribute("aria-label", "Family");
    this.buttons = Object.entries(FAMILIES).map(([id, { title }]) => {
      const b = button(title, () => this.choose(id));
      b.dataset.family = id;
      return b;
    });
    this.back = button("‹ Back", () => this.walk(-1));
    this.step = button("Follow the flow ›", () => this.walk(1));
    bar.append(...this.buttons, this.back, this.step);
    this.svg = this.shape("svg", { viewBox: "0 0 460 512", class: "un-cell un-families", role: "group" });
    this.about = element("div", "un-about");
    const both = element("div", "un-two-wide");
    both.append(this.svg, this.about);
    panel.body.append(bar, both);
    this.build();
  }

  shape(tag, attributes, parent, text) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    parent?.append(node);
    return node;
  }

  build() {
    const { svg } = this;
    const { layers, first } = this.panel.spec;
    const line = (d, id, dashed) => {
      const node = this.shape("path", { d, class: `un-link${dashed ? " un-dashed" : ""}` }, svg);
      (this.links ??= []).push({ node, id });
    };
    this.frames = /** @type {[number, number, number, string][]} */ ([
      [LEFT, 244, 152, "e_self"],
      [RIGHT, 188, 220, "d_self"],
    ]).map(([x, y, h, id]) => {
      const group = this.shape("g", {}, svg);
      this.shape("rect", { x: x - 7, y, width: WIDE + 14, height: h, rx: 8, class: "un-frame" }, group);
      this.shape("text", { x: x + WIDE + 4, y: y - 5, class: "un-count" }, group, `× ${layers} layers`);
      return { group, id };
    });
    const ladder = (ids) =>
      ids.slice(1).forEach((id, i) => {
        const [x, y, h] = BLOCKS[id],
          below = BLOCKS[ids[i]];
        line(`M${x + WIDE / 2} ${below[1]}V${y + h}`, [id, ids[i]]);
      });
    ladder(["e_words", "e_embed", "e_self", "e_norm1", "e_ff", "e_norm2"]);
    ladder(["d_words", "d_embed", "d_self", "d_norm1"]);
    ladder(["d_norm1", "d_cross", "d_norm2", "d_ff"]);
    ladder(["d_ff", "d_norm3", "d_out", "d_soft", "d_next"]);
    line(`M${LEFT + WIDE / 2} 250V224H${(LEFT + WIDE + RIGHT) / 2}V311H${RIGHT}`, ["e_norm2", "d_cross"]);
    line(`M${LEFT + WIDE / 2} 250V194`, ["e_norm2", "e_head"]);
    line(`M${RIGHT + WIDE / 2} 342V254`, ["d_norm1", "d_ff", "decoder"]);
    line(`M${RIGHT + WIDE} 43H455V491H${RIGHT + WIDE}`, ["d_next", "d_words"], true);
    this.nodes = Object.entries(BLOCKS).map(([id, [x, y, h, label]]) => {
      const node = this.shape("g", { class: "un-block", role: "button", tabindex: 0 }, svg);
      this.shape("rect", { x, y, width: WIDE, height: h, rx: 5 }, node);
      this.shape(
        "text",
        { x: x + WIDE / 2, y: y + h / 2 + 4.5 },
        node,
        label === "Add & norm" && first ? "Norm before, then add" : named(label, this.panel.spec),
      );
      node.addEventListener("click", () => this.choose(this.family, id));
      node.addEventListener("keydown", (e) => {
        if (e.key === "Enter" || e.key === " ") {
          e.preventDefault();
          this.choose(this.family, id);
        }
      });
      return { id, node };
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
    const reader = panel.reader(),
      uses = USES[this.family];
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
    const { title, says, numbers } = this.tell(reader);
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

  // The part that is chosen: what it does, and its numbers in the shown model with the typed text.
  tell(reader) {
    const {
      width: d,
      vocabulary: v,
      attention,
      feed_forward: ff,
      norm,
      inner,
      tied,
      layers,
      position,
    } = this.panel.spec;
    const s = reader.source?.labels.length ?? 0,
      t = reader.labels.length,
      n = (x) => x.toLocaleString("en");
    const english = this.chosen.startsWith("e_"),
      rows = english ? s : t;
    const each = `${n(rows)} × ${d} in, ${n(rows)} × ${d} out`;
    const cost = (count) => `${n(count)} parameters in a layer, ${n(count * layers)} in ${layers}`;
    switch (this.chosen.slice(2)) {
      case "words":
        return english
          ? { title: "English", says: "The whole sentence at once, and an end mark.", numbers: `${s} tokens` }
          : {
              title: "French so far",
              says: "A start mark, then the words written so far: the target moved one place to the right.",
              numbers: `${t} tokens`,
            };
      case "embed":
        return {
          title: "Embedding + positions",
          says: `Each token is looked up in one table, the same for both texts${tied ? " and for the output" : ""}; its position is encoded by: ${position}.`,
          numbers: `table ${n(v)} × ${d} = ${n(v * d)} parameters\n${rows} × ${d}`,
        };
      case "self":
        return english
          ? {
              title: "Self-attention",
              says: "Queries, keys and values all come from the English. No mask: the first word sees the last.",
              numbers: `${each}\n${cost(attention)}`,
            }
          : {
              title: "Masked self-attention",
              says: "Queries, keys and values all come from the French. The mask hides the words not yet written.",
              numbers: `${each}\n${cost(attention)}`,
            };
      case "cross":
        return {
          title: "Cross-attention",
          says: "Queries come from the French, keys and values from the top of the encoder. It is the only way from one text to the other.",
          numbers: `weights ${t} × ${s} for each head\n${each}\n${cost(attention)}`,
        };
      case "ff":
        return {
          title: "Feed-forward",
          says: "The same small network for every token by itself.",
          numbers: `${d} → ${n(inner)} → ${d}\n${cost(ff)}`,
        };
      case "out":
        return {
          title: "Linear",
          says: tied
            ? "The vector is compared with the embedding of every word, from the same table as the input (weight tying)."
            : "One number for every word, from a table of its own.",
          numbers: tied
            ? `${t} × ${d} by ${d} × ${n(v)}\nno parameters of its own; alone it would have ${n(v * d)}`
            : `${n(v * d)} parameters`,
        };
      case "soft":
        return {
          title: "Softmax",
          says: "The numbers become probabilities of the next word.",
          numbers: `${t} × ${n(v)}, each row sums to 1`,
        };
      case "next":
        return {
          title: "Next word, and round again",
          says: "A word is chosen and joins the French; the decoder runs again until it chooses the end mark. The encoder runs once.",
          numbers: `likeliest now: ${reader.top[t - 1]?.[0]?.[0] ?? ""}`,
        };
      case "head":
        return {
          title: "Label or hidden word",
          says: "An encoder alone gets a small head for its task: one label for the text, one for each word, or the word behind a mask.",
          numbers: "not in the shown model",
        };
      default:
        return {
          title: this.panel.spec.first ? "Norm before the part, then add" : "Add & norm",
          says: this.panel.spec.first
            ? "The stream is normalised before each block; the block's output is added to the stream."
            : "The block's output is added to its input, then each token is normalised: x = LayerNorm(x + block(x)).",
          numbers: `${each}\n${cost(norm)}`,
        };
    }
  }

  table() {
    const { attention, feed_forward: ff, norm } = this.panel.spec;
    const rows = [
      ["self-attention", attention, attention],
      ["cross-attention", 0, attention],
      ["feed-forward", ff, ff],
      ["norms", 2 * norm, 3 * norm],
    ];
    return {
      columns: ["part of a layer", "encoder", "decoder"],
      rows: [
        ...rows,
        ["together", rows.reduce((sum, r) => sum + r[1], 0), rows.reduce((sum, r) => sum + r[2], 0)],
      ].map(([name, a, b]) => [name, a.toLocaleString("en"), b.toLocaleString("en")]),
    };
  }

  alt() {
    return `${FAMILIES[this.family].title}. ${this.about.textContent}`;
  }
}
