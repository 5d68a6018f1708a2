// Teacher forcing beside free running: what a decoder reads and writes at each step when it is handed the right words,
// when it reads its own, and when a coin decides.

import { digits, element, percent, short, visible } from "../dom.js";
import { bar, button, slider } from "../parts/controls.js";
import { scoredBy } from "../sums/scored.js";

export default class Forcing {
  constructor(panel) {
    this.panel = panel;
    this.share = 50; // of right words, in percent
    this.seed = 0; // of the coins
    const label = "Share of right words that are handed out";
    const range = { min: 0, max: 100, step: 5, value: this.share };
    const said = element("span", "un-search-label");
    const wish = () => {
      said.textContent = `the coin hands out ${this.share} % right words`;
      panel.app.again();
    };
    const amount = slider(
      (value) => {
        this.share = value;
        wish();
      },
      range,
      label,
    );
    const toss = button("Toss again", () => {
      this.seed++;
      wish();
    });
    said.textContent = `the coin hands out ${this.share} % right words`;
    panel.body.append(bar(amount, said, toss));
    this.strip = element("div", "un-strip", { tabIndex: 0, role: "group" }); // it scrolls by keyboard, too
    this.strip.setAttribute("aria-label", panel.spec.title);
    this.node = element("table", "un-lanes");
    this.strip.append(this.node);
    panel.body.append(this.strip);
  }

  // For the message to Python: the translator that shall write by itself.
  ask() {
    this.asked = scoredBy(this.panel);
    return { free: this.asked, mixed: { share: this.share, seed: this.seed } };
  }

  now() {
    const by = scoredBy(this.panel);
    const reader = this.panel.reader(by);
    const { free, mixed } = reader.said;
    const same = (a, b) => a?.length === b?.length && a.every((x, i) => x === b[i]);
    const fits = free && same(free.of, reader.source?.labels) && same(free.after, reader.labels);
    const mixes = mixed && same(mixed.of, reader.source?.labels) && same(mixed.after, reader.labels);
    return { by, reader, free: fits ? free : null, mixed: mixes ? mixed : null };
  }

  // Per step: the right word, and what is read, what is written and what the right word gets, forced and free.
  steps() {
    const { reader, free, mixed } = this.now();
    const { labels } = reader;
    const right = labels.slice(1);
    const count = Math.max(labels.length, free?.writes.length ?? 0, mixed?.writes.length ?? 0);
    return Array.from({ length: count }, (_, t) => {
      const best = reader.top[t]?.[0];
      return {
        right: right[t] ?? "",
        forced: {
          reads: labels[t] ?? "",
          writes: best?.[0] ?? "",
          p: best?.[1] ?? NaN,
          right: right[t] === undefined ? NaN : 2 ** -reader.bits[t + 1],
        },
        mixed: mixed && {
          reads: mixed.reads[t] ?? "",
          own: mixed.own[t] ?? false,
          writes: mixed.writes[t] ?? "",
          right: mixed.right[t] ?? NaN,
        },
        free: free && {
          reads: t ? (free.writes[t - 1] ?? "") : labels[0],
          writes: free.writes[t] ?? "",
          p: free.p[t] ?? NaN,
          right: free.right[t] ?? NaN,
        },
      };
    });
  }

  draw() {
    const { panel } = this;
    const { by, reader, free } = this.now();
    if (!free && reader.source && this.asked !== by) {
      this.asked = by;
      panel.app.again();
    }
    panel.say(panel.spec.title, panel.spec.says);
    if (!reader.labels.length) {
      this.node.replaceChildren();
      return panel.read("Type an English sentence.");
    }
    const steps = this.steps();
    const first = steps.findIndex((s) => s.free && s.right !== "" && s.free.writes !== s.right);
    const never = (/** @type {any} */ step, /** @type {number} */ t) => !step && t < 0;
    const row = (/** @type {string} */ name, /** @type {any} */ of, marked = never, className = "") => {
      const line = element("tr", className);
      line.append(
        element("th", "", { textContent: name, scope: "row" }),
        ...steps.map((step, t) =>
          element("td", marked(step, t) ? "un-chosen" : "", { textContent: of(step) }),
        ),
      );
      return line;
    };
    const p = (x) => (Number.isNaN(x) ? "" : percent(x));
    this.node.replaceChildren(
      row("right word", (s) => short(s.right, 16), undefined, "un-target"),
      row("forced: reads", (s) => short(s.forced.reads, 16)),
      row(
        "writes",
        (s) => short(s.forced.writes, 16),
        (s) => s.right !== "" && s.forced.writes !== s.right,
      ),
      row("right word gets", (s) => p(s.forced.right)),
      row(
        "mixed: reads",
        (s) => short(s.mixed?.reads ?? "", 16),
        (s, t) => t > 0 && s.mixed?.own,
      ),
      row(
        "writes",
        (s) => short(s.mixed?.writes ?? "", 16),
        (s) => s.mixed && s.right !== "" && s.mixed.writes !== s.right,
      ),
      row("right word gets", (s) => p(s.mixed?.right ?? NaN)),
      row(
        "free: reads",
        (s) => short(s.free?.reads ?? "", 16),
        (s, t) => first >= 0 && t > first && s.free?.reads !== s.forced.reads,
      ),
      row(
        "writes",
        (s) => short(s.free?.writes ?? "", 16),
        (s) => s.free && s.right !== "" && s.free.writes !== s.right,
      ),
      row("right word gets", (s) => p(s.free?.right ?? NaN)),
    );
    panel.read(this.words(steps, first));
  }

  words(steps, first) {
    if (!steps[0]?.free) return "";
    const typed = steps.some((s) => s.right !== "");
    const loss = (name) => {
      const found = steps.map((s) => s[name]?.right).filter((x) => x > 0);
      return found.reduce((sum, x) => sum - Math.log(x), 0) / Math.max(1, found.length);
    };
    if (first < 0)
      return typed
        ? `Free, it writes what you typed, word for word, so that it reads the right words and both parts are the same. Mean loss ${digits(loss("forced"))} nats. Type another French word to part them.`
        : "You typed no French yet: there is no right word to hand out.";
    return `At step ${first + 1} it writes “${visible(steps[first].free.writes)}”, where you typed “${visible(steps[first].right)}”. From there on it reads other words than in training. Mean loss of your words: forced ${digits(loss("forced"))} nats, mixed ${digits(loss("mixed"))}, behind its own words ${digits(loss("free"))}.`;
  }

  table() {
    const steps = this.panel.reader().labels.length ? this.steps() : [];
    return {
      columns: [
        "right word",
        "forced reads",
        "forced writes",
        "right word gets, forced",
        "mixed reads",
        "mixed writes",
        "right word gets, mixed",
        "free reads",
        "free writes",
        "right word gets, free",
      ],
      rows: steps.map((s) => [
        visible(s.right),
        visible(s.forced.reads),
        visible(s.forced.writes),
        percent(s.forced.right),
        visible(s.mixed?.reads ?? ""),
        visible(s.mixed?.writes ?? ""),
        percent(s.mixed?.right ?? NaN),
        visible(s.free?.reads ?? ""),
        visible(s.free?.writes ?? ""),
        percent(s.free?.right ?? NaN),
      ]),
    };
  }
}
