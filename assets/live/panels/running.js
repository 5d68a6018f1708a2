// The running sum: every bar begins where the one before it ended.  Right speaks for one class, left for the other.

import { digits, element } from "../dom.js";
import { Bag } from "../parts/bag.js";
import { named, words } from "../sums/bayes.js";
import { running, sayStep, strongest } from "../sums/running.js";
import { BagBar } from "./running/bar.js";
import { heads, stepRow } from "./running/row.js";

const MOST = 60; // rows
const SCALES = {
  bits: [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536, 1e6],
  cosine: [0.05, 0.1, 0.2, 0.5, 1],
};
const SAYS = {
  multinomial:
    "Multinomial naive Bayes: a word counts as often as it stands here; absent words do not count.",
  bernoulli:
    "Bernoulli naive Bayes: a word is present or absent, however often; every absent word counts too.",
  tfidf:
    "TF-IDF and nearest centroid: rare words weigh more; the sum is a cosine, not bits. Smoothing and prior are not used.",
};

export default class Running {
  constructor(panel) {
    this.panel = panel;
    this.bag = Bag.of(panel);
    this.bar = new BagBar(this.bag);
    this.key = element("p", "un-key");
    this.axis = element("div", "bag-axis");
    this.list = element("div", "bag-ladder", { role: "group" });
    panel.body.append(...this.bar.root, this.key, this.axis, this.list);
    const over = (e) => {
      const row = e.target.closest("[data-row]");
      if (row) this.tell(Number(row.dataset.row));
    };
    this.list.addEventListener("pointerover", over);
    this.list.addEventListener("focusin", over);
  }

  draw() {
    const now = this.bag.read();
    const { tables, state } = now;
    if (now === this.now) return this.follow();
    this.now = now;
    this.bar.draw(now);
    const cosine = state.kind === "tfidf";
    const unit = cosine ? "cosine" : "bits";
    const steps = (this.steps = running(now, MOST));
    const [right, left] = [state.a, state.b].map((c) => named(tables.classes[c], 22));
    const so = tables.classes.length > 2 ? `the share of ${right} among these two` : `P(${right})`;
    this.panel.say(
      `How the words add up: ${right} against ${left}, ${cosine ? "parts of the cosine" : "in bits"}`,
      `${SAYS[state.kind]}${cosine ? "" : ` Last column: ${so} so far.`}`,
    );
    const ends = steps.map((s) => Math.abs(s.after)).filter(Number.isFinite);
    const most = Math.max(0, ...ends);
    const reach = SCALES[unit].find((s) => s >= most) ?? most;
    const side = (colour, name, where) => {
      const item = element("span", "un-key-item");
      item.append(element("i", colour), document.createTextNode(`${where}: evidence for ${name}`));
      return item;
    };
    this.key.replaceChildren(side("un-more", right, "right"), side("un-less", left, "left"));
    this.axis.replaceChildren(
      ...[`−${reach}`, "0", `+${reach} ${unit}`].map((text) => element("span", "", { textContent: text })),
    );
    const rows = steps.map((step, i) => stepRow(step, i, reach, unit));
    const end = steps.at(-1)?.after ?? 0;
    const total = {
      name: cosine ? "difference" : "posterior",
      what: "total",
      before: 0,
      after: end,
      change: end,
    };
    rows.push(stepRow(total, -1, reach, unit));
    this.list.setAttribute("aria-label", `What each word adds for ${right} and against ${left}`);
    this.list.replaceChildren(heads(unit), ...rows);
    this.tell(strongest(steps));
  }

  // The word that is chosen above, or walked to.
  follow() {
    const { selection } = this.panel;
    const reader = this.panel.reader();
    if (selection.get("token") === undefined) return;
    const [word] = words(reader.labels[selection.token(reader)] ?? "");
    const at = this.steps.findIndex(({ name }) => name === word);
    if (at >= 0) this.tell(at);
  }

  // One step in words: the counts behind it.
  tell(i) {
    this.panel.read(sayStep(this.steps[i], this.now));
  }

  drawn() {
    if (!this.now) return {};
    const { reading, tables } = this.now;
    const over = (axis, labels, values) => {
      return { axes: [axis], labels: [labels], values: Float32Array.from(values) };
    };
    const [names, changes] = ["name", "change"].map((of) => this.steps.map((step) => step[of]));
    const fields = {
      steps: over("step", names, changes),
      joint: over("label", tables.classes, reading.joint),
    };
    if (reading.posterior) fields.posterior = over("label", tables.classes, reading.posterior);
    return fields;
  }

  table() {
    return {
      columns: ["step", "times", "change", "running sum"],
      rows: (this.steps ?? []).map((s) => [s.name, s.n ?? "", digits(s.change), digits(s.after)]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.says.textContent} ${this.panel.readout.textContent}`;
  }
}
