// In which order the heads stand, whether special tokens are drawn, and what there is to know about the pictures.

import { element, put, small } from "../../dom.js";
import { bar, button, select } from "../../parts/controls.js";
import { SORTS, hasMarks, hides, pooled } from "../../sums/heads.js";

const UNMARKED =
  "Special tokens, such as start marks, are hidden: their rows and columns are dropped, and each row is renormalised to 100 %.";

export class WallBar {
  constructor({ selection, app, body }) {
    const keep = (place) => selection.keep(place, app);
    const sorts = [
      ["", small("layer")],
      ...Object.entries(SORTS).map(([id, said]) => [id, id === "tag" ? small("tag") : said]),
    ];
    this.sort = select(sorts, (value) => keep({ order: value || undefined }), "Sort the heads by");
    this.sort.title = "Sort the heads by";
    this.turn = button("Smallest first", () => keep({ up: selection.get("up") ? undefined : 1 }));
    this.marks = button("Hide special tokens", () =>
      keep({ with: hides(selection) ? undefined : "no_marks" }),
    );
    const name = element("span", "un-search-label", { textContent: "Heads by" });
    this.note = element("p", "un-says");
    body.append(bar(name, this.sort, this.turn, this.marks), this.note);
  }

  draw(reader, selection) {
    const sort = selection.get("order") in SORTS ? selection.get("order") : "";
    this.sort.value = sort;
    this.turn.hidden = !sort || sort === "tag";
    this.turn.setAttribute("aria-pressed", String(!!selection.get("up")));
    this.marks.hidden = !hasMarks(reader);
    this.marks.setAttribute("aria-pressed", String(hides(selection)));
    const { cell, tags, untagged } = reader.said;
    const notes = [
      hides(selection) && hasMarks(reader) && UNMARKED,
      pooled(reader) &&
        `${reader.labels.length} tokens: one pixel of a small picture is the largest weight of ${cell} × ${cell} tokens; the opened head is whole.`,
      sort && "Under a picture: layer.head, and what it is sorted by.",
      !tags && untagged && "The roles of this model's heads could not be measured.",
      !tags && !untagged && "Measuring the roles of the heads…",
    ];
    put(this.note, notes.filter(Boolean).join(" "));
    this.note.hidden = !this.note.textContent;
  }
}
