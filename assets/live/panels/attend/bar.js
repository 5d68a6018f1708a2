// Which head is opened, and what is done with its scores: the controls over the chain of matrices.

import { labelled } from "../../dom.js";
import { bar, button, select } from "../../parts/controls.js";
import { choices, written } from "../../sums/onehead.js";

const HIDES = "Hide what comes later, or let every token see all";

export class HeadBar {
  /** @param {import("../../panel.js").Panel} panel */
  constructor({ app, body, selection }, { layers, heads, dim }) {
    const numbers = (name, count) => {
      const options = Array.from({ length: count }, (_, n) => [String(n), String(n + 1)]);
      return select(options, (value) => selection.keep({ [name]: Number(value) }, app));
    };
    const turn = (name) => () => {
      const now = choices(selection);
      selection.keep({ with: written({ ...now, [name]: !now[name] }) }, app);
    };
    const along = (by) => () => selection.keep({ by }, app);
    this.layer = numbers("layer", layers);
    this.head = numbers("head", heads);
    this.scale = button(`÷ √${dim}`, turn("scale"), {
      title: "Divide every score by the square root of the head's width, or not",
    });
    this.mask = button("mask", turn("mask"), { title: HIDES });
    this.row = button("softmax over rows", along(undefined), {
      title: "The weights of each row add up to 1",
    });
    this.column = button("over columns", along("column"), {
      title: "The weights of each column add up to 1",
    });
    body.append(
      bar(
        labelled("layer", this.layer, ""),
        labelled("head", this.head, ""),
        this.scale,
        this.mask,
        this.row,
        this.column,
      ),
    );
  }

  draw([layer, head], { choice, biased, T }) {
    this.layer.value = String(layer);
    this.head.value = String(head);
    for (const [node, on] of [
      [this.scale, choice.scale],
      [this.mask, choice.mask],
      [this.row, !choice.column],
      [this.column, choice.column],
    ])
      node.setAttribute("aria-pressed", String(on));
    if (!T) return;
    this.mask.disabled = biased;
    this.mask.title = biased
      ? "This model adds a position bias, which it does not give for masked tokens"
      : HIDES;
  }
}
