// What the opened head does: its weight on tokens in each relation beside the baseline, and the tags that it has.

import { element, percent } from "../dom.js";
import { chosen, name, relation } from "../sums/heads.js";

export default class HeadTags {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.list = element("ul", "un-list un-head-tags");
    panel.body.append(this.list);
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const found = reader.said.tags;
    const [layer, head] = chosen(reader, panel.selection);
    const state = `${layer}.${head}.${!!found}`;
    if (state === this.state) return; // nothing to do for a key
    this.state = state;
    if (!found || head >= reader.spec.heads) {
      this.rows = [];
      this.list.replaceChildren();
      return panel.say(
        "What the opened head does",
        found
          ? "Tags are measured for single heads; this picture is several of them together."
          : "Measuring, once for this run…",
      );
    }
    const [least, times, clear] = found.rule;
    this.rows = found.relations.map((_, r) => ({
      ...relation(found, layer, head, r),
      given: found.given[layer][head].includes(r),
    }));
    const tags = this.rows.filter((row) => row.given);
    const says = `Bar: the mean attention weight of a token on its partners, on ${found.of}. Line: the same head on the same tokens, shuffled. A tag needs ${100 * least} %, ${times} times the line, and z (the difference over its standard error) of ${clear}.`;
    panel.say(
      `Layer ${layer + 1}, ${name(reader, head)}: ${tags.length ? tags.map((t) => t.label).join(", ") : "no clear role"}`,
      says,
    );
    this.list.replaceChildren(...this.rows.map((row) => this.row(row)));
  }

  row({ label, says, score, baseline, z, given, passages }) {
    const root = element("li", "un-head-tag");
    const bar = element("span", "un-row-bar");
    const fill = element("i", "");
    fill.style.width = `${(100 * score).toFixed(1)}%`;
    fill.style.background = given ? "var(--un-accent)" : "var(--un-faint)";
    const line = element("b", "");
    line.style.left = `${(100 * baseline).toFixed(1)}%`;
    bar.append(fill, line);
    root.append(
      element("span", given ? "un-head-given" : "", { textContent: label, title: says }),
      bar,
      element("span", "un-row-value", { textContent: passages ? percent(score) : "n/a" }),
    );
    root.append(
      element("span", "un-part-says", {
        textContent: passages
          ? `${says}; shuffled ${percent(baseline)}, z = ${z.toFixed(1).replace("-", "−")}`
          : `${says}; no passage to measure it on`,
      }),
    );
    return root;
  }

  table() {
    return {
      columns: ["relation", "says", "score", "baseline", "z", "passages", "tag"],
      rows: (this.rows ?? []).map((r) => [
        r.id,
        r.says,
        percent(r.score),
        percent(r.baseline),
        r.z.toFixed(1),
        r.passages,
        r.given ? "yes" : "",
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent}`;
  }
}
