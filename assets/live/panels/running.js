// The running sum: every bar begins where the one before it ended.  Right speaks for one class, left for the other.

import { digits, element, percent, short } from "../dom.js";
import { Bag } from "../parts/bag.js";
import { bar, button } from "../parts/controls.js";
import { named } from "../sums/bayes.js";
import { running, sayStep, shuffled, strongest } from "../sums/running.js";
import { BagBar } from "./running/bar.js";

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
    const { held } = this.bag;
    const random = () => panel.app.setText(held.texts[Math.floor(Math.random() * held.texts.length)]);
    panel.body.append(
      bar(
        ...(held.texts.length
          ? [button("A held-out text", random, { title: "Shows one of the texts that were held out" })]
          : []),
        button("Shuffle the words", () => this.shuffle(), { title: "Puts the words into another order" }),
      ),
      this.bar.root,
      this.key,
      this.axis,
      this.list,
    );
    const over = (e) => {
      const row = e.target.closest("[data-row]");
      if (row) this.tell(Number(row.dataset.row));
    };
    this.list.addEventListener("pointerover", over);
    this.list.addEventListener("focusin", over);
  }

  // Another order, the same bag.
  shuffle() {
    const { app } = this.panel;
    const { reading, state, tables } = this.bag.read();
    app.setText(shuffled(app.text.split(/\s+/).filter(Boolean)).join(" "));
    const said = reading.posterior ? `is still ${percent(reading.posterior[state.a])}` : "is unchanged";
    app.tip.textContent =
      state.kind === "tfidf"
        ? "Another order, the same cosines: a bag has no order."
        : `Another order, and P(${named(tables.classes[state.a], 18)}) ${said}: a bag has no order. “Not good, but cheap” and “good, but not cheap” are the same to it.`;
  }

  draw() {
    const now = this.bag.read();
    const { tables, state } = now;
    if (now === this.now) return;
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
    const rows = steps.map((step, i) => this.row(step, i, reach, unit));
    const end = steps.at(-1)?.after ?? 0;
    const total = {
      name: cosine ? "difference" : "posterior",
      what: "total",
      before: 0,
      after: end,
      change: end,
    };
    rows.push(this.row(total, -1, reach, unit));
    this.list.setAttribute("aria-label", `What each word adds for ${right} and against ${left}`);
    this.list.replaceChildren(this.header(unit), ...rows);
    this.tell(strongest(steps));
  }

  header(unit) {
    const row = element("div", "bag-step bag-names");
    for (const name of ["word", "running sum", unit, unit === "bits" ? "so far" : ""])
      row.append(element("span", "", { textContent: name }));
    return row;
  }

  row(step, i, reach, unit) {
    const row = element("div", `bag-step bag-${step.what}`, { tabIndex: i < 0 ? -1 : 0 });
    if (i >= 0) row.dataset.row = i;
    if (step.never?.length) row.classList.add("bag-zero");
    const name = element("span", "bag-word", {
      textContent: step.what === "word" ? short(step.name, 24) : step.name,
    });
    if (step.n > 1) name.append(element("b", "", { textContent: ` ×${step.n}` }));
    const track = element("span", "bag-track");
    const place = (x) => (Number.isNaN(x) ? 50 : 50 + 50 * Math.max(-1, Math.min(1, x / reach)));
    const [from, to] = [place(step.before), place(step.after)];
    const bar = element("i", step.change >= 0 ? "un-more" : "un-less");
    if (Number.isNaN(step.change) || Number.isNaN(step.after)) bar.className = "bag-none";
    bar.style.left = `${Math.min(from, to)}%`;
    bar.style.width = `max(2px, ${Math.abs(to - from)}%)`;
    track.append(bar);
    const said = Number.isNaN(step.change) ? "0 / 0" : `${step.change > 0 ? "+" : ""}${digits(step.change)}`;
    const so =
      unit !== "bits" ? "" : Number.isNaN(step.after) ? "0 / 0" : percent(1 / (1 + 2 ** -step.after));
    row.append(
      name,
      track,
      element("span", "bag-number", { textContent: said }),
      element("span", "bag-number", { textContent: so }),
    );
    return row;
  }

  // One step in words: the counts behind it.
  tell(i) {
    this.panel.read(sayStep(this.steps[i], this.now));
  }

  drawn() {
    if (!this.now) return {};
    const { reading, tables } = this.now;
    const field = (axis, labels, values) => ({
      axes: [axis],
      labels: [labels],
      values: Float32Array.from(values),
    });
    const names = this.steps.map((s) => s.name);
    return {
      steps: field(
        "step",
        names,
        this.steps.map((s) => s.change),
      ),
      joint: field("label", tables.classes, reading.joint),
      ...(reading.posterior && { posterior: field("label", tables.classes, reading.posterior) }),
    };
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
