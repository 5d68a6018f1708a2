// Training step by step: the text after so many merges, the pairs that stand in it now, and the one that is merged next.

import { element, digits, follow } from "../dom.js";
import { lookedAt, madeBy, said, stepOf, tint, tokensAt } from "../sums/merging.js";

const PLAY_MS = 900;

export default class Merges {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    const how = element("div", "un-order"),
      move = element("div", "un-order");
    this.kind = this.select(
      how,
      "How",
      panel.spec.kinds.map(([value, title]) => [value, title]),
    );
    this.ties = this.select(
      how,
      "Tie rule",
      Object.entries(panel.spec.rules).map(([value, [title]]) => [value, title]),
    );
    this.about = element("p", "un-says");
    const button = (textContent, title, act) => {
      const node = element("button", "un-button", { type: "button", textContent, title, onclick: act });
      move.append(node);
      return node;
    };
    this.first = button("« Start", "Before the first merge", () => this.go(0));
    this.before = button("‹ Back", "Previous merge", () => this.go(this.step - 1));
    this.play = button("Play", "A merge a second", () => this.toggle());
    this.next = button("Next ›", "Next merge", () => this.go(this.step + 1));
    this.last = button("End »", "After the last merge", () => this.go(this.steps.length));
    this.slider = element("input", "un-slider un-wide-slider", {
      type: "range",
      min: 0,
      step: 1,
      id: "un-merge",
    });
    this.slider.setAttribute("aria-label", "Merges done");
    this.slider.oninput = () => {
      this.stop();
      this.put(Number(this.slider.value));
    };
    this.place = element("span", "un-search-label");
    move.append(this.slider, this.place);
    this.done = element("p", "un-merge-said");
    this.text = element("div", "un-merged");
    this.head = element("h4", "un-merge-head");
    this.list = element("ol", "un-list un-merge-pairs");
    this.tie = element("p", "un-says");
    panel.body.append(how, this.about, move, this.done, this.text, this.head, this.list, this.tie);
    const at = (e) => {
      const node = e.target.closest("[data-i]");
      const reader = panel.reader();
      return node ? { token: Number(node.dataset.i), reader: reader.spec.id } : {};
    };
    this.text.addEventListener("pointerover", (e) => panel.selection.look(at(e)));
    this.text.addEventListener("pointerleave", () => panel.selection.leave());
    this.text.addEventListener("click", (e) => {
      const place = at(e);
      if (place.token !== undefined) panel.selection.keep(place, panel.app);
    });
  }

  get steps() {
    return this.panel.reader().said.steps ?? [];
  }
  get step() {
    return stepOf(this.panel);
  }
  get rules() {
    return this.panel.selection.get("rules") ?? "chars_letters";
  }
  ask() {
    return { rules: this.rules };
  }
  destroy() {
    this.stop();
  }

  select(parent, title, options) {
    const label = element("label", "un-both", { textContent: `${title} ` }),
      node = element("select", "un-select");
    for (const [value, textContent] of options) node.append(element("option", "", { value, textContent }));
    node.onchange = () => {
      this.panel.selection.keep(
        { rules: `${this.kind.value}_${this.ties.value}`, token: undefined },
        this.panel.app,
      );
      this.panel.app.again();
    };
    label.append(node);
    parent.append(label);
    return node;
  }

  put(step) {
    const { selection, app } = this.panel;
    selection.kept.stop = Math.max(0, Math.min(this.steps.length, step));
    selection.soon();
    app.restSoon();
  }

  go(step) {
    this.stop();
    this.put(step);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
  }

  toggle() {
    if (this.timer) return this.stop();
    this.put(this.step >= this.steps.length ? 0 : this.step + 1);
    this.play.textContent = "Stop";
    this.timer = setInterval(() => {
      if (this.step >= this.steps.length) this.stop();
      else this.put(this.step + 1);
    }, PLAY_MS);
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader();
    const { kind, sizes, lengths } = reader.said;
    if (!sizes) return;
    const { steps, step } = this;
    const chosen = this.rules.split("_"); // what is chosen may be ahead of what is drawn
    [this.kind, this.ties].forEach((node, i) => {
      if (node.value !== chosen[i]) node.value = chosen[i];
    });
    this.ties.disabled = kind === "wordpiece";
    put(this.about, panel.spec.kinds.find(([id]) => id === kind)[2]);
    this.slider.max = steps.length;
    if (Number(this.slider.value) !== step) this.slider.value = step;
    this.first.disabled = this.before.disabled = step === 0;
    this.next.disabled = this.last.disabled = step === steps.length;
    this.play.disabled = !steps.length;
    put(this.place, `${step} of ${steps.length} merges`);
    this.slider.setAttribute("aria-valuetext", this.place.textContent);
    const show = (piece) => said(kind, piece);
    const counted = `${sizes[step].toLocaleString("en")} in the vocabulary, ${lengths[step].toLocaleString("en")} in the text`;
    const [a, b, made, count] = steps[step - 1] ?? [];
    put(
      this.done,
      !reader.labels.length
        ? "Type a few words to learn pieces from."
        : step
          ? `Merge ${step}: ${show(a)} + ${show(b)} became ${show(made)}, ${times(count)}. Tokens: ${counted}.`
          : `Before the first merge, every symbol is a token. Tokens: ${counted}.`,
    );
    const numbers = madeBy(steps),
      here = lookedAt(panel, step);
    const kept = panel.selection.get("token") !== undefined;
    follow(
      this.text,
      tokensAt(reader, step).map((t) => [
        show(t.piece),
        numbers.get(t.piece) ?? 0,
        t.piece === made,
        t.first,
        kept && t.first === here.first,
      ]),
      (item) => token(item),
    );
    this.pairs(reader, steps[step], show);
  }

  pairs(reader, next, show) {
    const { kind, after, steps, ties } = reader.said;
    const score = kind === "wordpiece";
    const rows = next ? next[5] : after;
    put(
      this.head,
      next
        ? `Best pairs now: ${show(next[0])} + ${show(next[1])} is merged next`
        : rows.length
          ? "Best pairs now"
          : "",
    );
    const most = Math.max(...rows.map((r) => (score ? r[3] : r[2])), 1e-9);
    follow(
      this.list,
      rows.map((r, i) => [
        `${show(r[0])} + ${show(r[1])}`,
        (score ? r[3] : r[2]) / most,
        score ? `${digits(r[3])} (${times(r[2])})` : times(r[2]),
        next && i === 0,
      ]),
      row,
    );
    const rule =
      kind === "bytes" && ties === "letters"
        ? "the pair that comes first by the characters that represent the bytes"
        : this.panel.spec.rules[score ? "letters" : ties][1];
    if (!reader.labels.length) return put(this.tie, "");
    if (!next)
      return put(
        this.tie,
        steps.length >= 160
          ? "This page stops after 160 merges."
          : steps.length
            ? "No pair occurs twice any more, so training stops."
            : "No pair occurs twice, so there is nothing to merge yet. Repeat a word.",
      );
    const others = next[4] === 1 ? "Another pair is" : `${next[4]} other pairs are`;
    return put(
      this.tie,
      `${next[4] ? `${others} just as ${score ? "good" : "frequent"}. Taken is ${rule}.` : "No other pair is as good."}${score ? " The bar is the score, count(ab) / (count(a) × count(b))." : ""}`,
    );
  }

  table() {
    const { kind, sizes, lengths } = this.panel.reader().said;
    return {
      columns: [
        "merge",
        "first",
        "second",
        "new token",
        "times",
        "others as good",
        "vocabulary",
        "tokens in the text",
      ],
      rows: this.steps.map(([a, b, piece, count, tied], i) => [
        i + 1,
        said(kind, a),
        said(kind, b),
        said(kind, piece),
        count,
        tied,
        sizes[i + 1],
        lengths[i + 1],
      ]),
    };
  }

  drawn() {
    const rows = this.steps[this.step]?.[5] ?? this.panel.reader().said.after ?? [];
    return rows.length
      ? {
          "pair.count": {
            axes: ["next"],
            labels: [rows.map(([a, b]) => `${a} ${b}`)],
            values: Float32Array.from(rows, (r) => r[2]),
          },
        }
      : {};
  }

  alt() {
    return `${this.done.textContent} ${this.head.textContent}. ${this.tie.textContent}`;
  }
}

const times = (n) => `${n.toLocaleString("en")} ${n === 1 ? "time" : "times"}`;

function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function token([label, merge, fresh, first, here]) {
  const node = element("button", `un-token${fresh ? " un-fresh" : ""}${here ? " un-here" : ""}`, {
    type: "button",
    textContent: label,
    title: merge ? `made by merge ${merge}` : "a first symbol",
  });
  node.dataset.i = String(first);
  node.style.background = tint(merge);
  return node;
}

function row([label, share, value, next]) {
  const node = element("li", `un-row${next ? " un-right" : ""}`),
    bar = element("span", "un-row-bar"),
    fill = element("i", "");
  fill.style.width = `${100 * share}%`;
  fill.style.background = next ? "var(--un-accent)" : "var(--un-faint)";
  bar.append(fill);
  node.append(
    element("span", "un-row-label", { textContent: label, title: label }),
    bar,
    element("span", "un-row-value", { textContent: value }),
  );
  return node;
}
