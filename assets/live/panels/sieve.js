// The next token before and after the rules: what is kept, what is struck out, and how much of the mass went with it.

import { decoded, readRules } from "../sums/decode.js";
import { element, percent, probability, short, visible } from "../dom.js";
import { RuleBar } from "./sieve/bar.js";

const KEPT = 9,
  STRUCK = 6; // rows of each kind at most; the others are counted in a row of their own

export default class Sieve {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    this.bar = new RuleBar(panel);
    this.mass = element("div", "un-mass", { role: "img" });
    this.key = element("p", "un-key");
    this.list = element("ol", "un-list un-sieve");
    panel.body.append(this.bar.root, this.mass, this.key, this.list);
    const at = (e) => {
      const row = e.target.closest("[data-id]");
      return row ? { choice: Number(row.dataset.id) } : {};
    };
    this.list.addEventListener("pointerover", (e) => panel.selection.look(at(e)));
    this.list.addEventListener("pointerleave", () => panel.selection.leave());
    this.list.addEventListener("click", (e) => panel.selection.keep(at(e), panel.app));
  }

  // The token of the text behind which is looked; another one than the last is asked for.
  ask() {
    return { after: this.panel.selection.kept.token ?? null };
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const reader = panel.reader();
    const wanted = selection.keptToken(reader) + reader.offset;
    if (reader.said.after !== wanted && reader.labels.length && this.wanted !== `${app.text} ${wanted}`) {
      this.wanted = `${app.text} ${wanted}`;
      app.again();
    }
    const found = decoded(reader, this.bar.text);
    this.bar.draw(found);
    const t = (reader.said.after ?? 0) - reader.offset;
    const where = reader.spans[t]?.[1]
      ? `after “${short(reader.labels[t] ?? "", 18)}”`
      : "at the start of the text";
    if (!found) return this.nothing(reader, where);
    this.found = found;
    panel.say(`${panel.spec.title}, ${where}`, this.says(reader, found));
    this.drawMass(found);
    this.rows = rows(found);
    const labels = reader.spec.labels.next;
    const most = Math.max(
      ...this.rows.map((r) => (r.id === undefined ? 0 : Math.max(found.before[r.id], found.after[r.id]))),
      1e-9,
    );
    while (this.list.childElementCount > this.rows.length) this.list.lastChild.remove();
    while (this.list.childElementCount < this.rows.length) this.list.append(newRow());
    this.rows.forEach((row, i) => {
      const { node, label, before, after, value } = this.list.children[i].parts;
      const gap = row.id === undefined;
      const [was, is] = gap ? [0, 0] : [found.before[row.id], found.after[row.id]];
      const struck = !gap && !(is > 0);
      node.className = `un-row${gap ? " un-gap" : ""}${struck ? " un-struck" : ""}${row.id === selection.get("choice") ? " un-chosen" : ""}`;
      if (gap) delete node.dataset.id;
      else node.dataset.id = String(row.id);
      const name = gap ? row.says : visible(labels[row.id]);
      if (label.textContent !== name) {
        label.textContent = name;
        label.title = name;
      }
      before.style.width = `${(100 * was) / most}%`;
      after.style.width = `${(100 * is) / most}%`;
      const said = gap
        ? ""
        : struck
          ? `${percent(was)} → cut by ${found.by[row.id] ?? "temperature"}`
          : Math.abs(was - is) < 1e-9
            ? percent(is)
            : `${percent(was)} → ${percent(is)}`;
      if (value.textContent !== said) value.textContent = said;
    });
  }

  nothing(reader, where) {
    this.found = null;
    this.said = "";
    this.panel.say(
      `${this.panel.spec.title}, ${where}`,
      reader.labels.length
        ? "Nothing can follow here: the model gives every token probability 0."
        : "This model cannot start from an empty text: type a first word.",
    );
    this.list.replaceChildren();
    this.mass.replaceChildren();
    this.key.replaceChildren();
  }

  says(reader, found) {
    const all = reader.spec.vocabulary;
    const rules = readRules(this.bar.text);
    const tail = found.cuts.length
      ? `The rules leave ${found.kept.toLocaleString("en")} of ${all.toLocaleString("en")} tokens and cut ${percent(1 - found.left)} of the probability mass; the rest is renormalised to 100 %.`
      : `All ${all.toLocaleString("en")} tokens can be drawn.`;
    return `${rules.t === 0 ? "Temperature 0: the likeliest token is always taken." : tail} Light bars: the model's distribution; strong bars: the distribution sampled from. Model: ${reader.spec.title}.`;
  }

  // 100 % as one bar: what is kept, and what each rule cut.
  drawMass(found) {
    const parts = [
      { title: "kept", mass: found.left, colour: "var(--un-accent)" },
      ...found.cuts.map((c, i) => ({
        ...c,
        title: `cut by ${c.title}`,
        colour: `var(--un-reader-${[1, 3, 4, 6][i]})`,
      })),
    ];
    const said = parts.map((p) => `${p.title} ${percent(p.mass)}`).join(", ");
    if (this.said === said) return;
    this.said = said;
    this.mass.setAttribute("aria-label", `Shares of the mass after the temperature: ${said}`);
    this.mass.replaceChildren(
      ...parts.map((p) => {
        const node = element("i", "", { title: `${p.title}: ${percent(p.mass)}` });
        node.style.cssText = `width:${100 * p.mass}%;background:${p.colour}`;
        return node;
      }),
    );
    this.key.replaceChildren(
      ...parts.map((p) => {
        const item = element("span", "un-key-item"),
          dot = element("i", "");
        dot.style.background = p.colour;
        item.append(dot, document.createTextNode(`${p.title} ${percent(p.mass)}`));
        return item;
      }),
    );
  }

  drawn() {
    const { found } = this;
    if (!found) return {};
    const vocabulary = this.panel.reader().spec.labels.next;
    const over = (values) => ({ axes: ["next"], labels: [vocabulary], values: Float32Array.from(values) });
    return {
      "drawn.before": over(found.before),
      "drawn.after": over(found.after),
      "drawn.cut": {
        axes: ["method"],
        labels: [found.cuts.map((c) => c.title)],
        values: Float32Array.from(found.cuts, (c) => c.mass),
      },
    };
  }

  table() {
    const { found } = this;
    const labels = this.panel.reader().spec.labels.next;
    const shown = found ? Array.from(found.order.subarray(0, 200)) : [];
    return {
      columns: ["rank", "next", "the model says", "drawn with", "cut by"],
      rows: shown.map((id, i) => [
        i + 1,
        visible(labels[id]),
        probability(found.before[id]),
        probability(found.after[id]),
        found.after[id] > 0 ? "" : (found.by[id] ?? "temperature"),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.said ?? ""}`;
  }
}

function newRow() {
  const node = element("li", "un-row");
  const parts = {
    node,
    label: element("span", "un-row-label"),
    bar: element("span", "un-row-bar un-two"),
    before: element("i", "un-light"),
    after: element("i", "un-strong"),
    value: element("span", "un-row-value"),
  };
  parts.bar.append(parts.before, parts.after);
  node.append(parts.label, parts.bar, parts.value);
  node.parts = parts;
  return node;
}

// The first of those kept and of those cut in the order of the logits, with a line for each stretch left out.
function rows({ order, after, warm }) {
  const out = [];
  let kept = 0,
    struck = 0,
    skipped = [0, 0, 0, 0]; // tokens kept, their mass, tokens cut, their mass
  const flush = () => {
    const [n, mass, m, lost] = skipped;
    if (n + m)
      out.push({
        says: [
          n && `${n.toLocaleString("en")} more kept: ${percent(mass)}`,
          m && `${m.toLocaleString("en")} more cut: ${percent(lost)}`,
        ]
          .filter(Boolean)
          .join("; "),
      });
    skipped = [0, 0, 0, 0];
  };
  for (const id of order) {
    const is = after[id] > 0;
    if (is ? kept++ < KEPT : struck++ < STRUCK) {
      flush();
      out.push({ id });
      continue;
    }
    const at = is ? 0 : 2;
    skipped[at]++;
    skipped[at + 1] += is ? after[id] : warm[id];
  }
  flush();
  return out;
}
