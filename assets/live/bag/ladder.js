// The running sum: every bar begins where the one before it ended.  Right speaks for one class, left for the other.

import { digits, element, percent, probability, short } from "../dom.js";
import { named } from "./bayes.js";

const MOST = 60; // rows
const SCALES = {
  bits: [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384, 65536, 1e6],
  cosine: [0.05, 0.1, 0.2, 0.5, 1],
};
const plain = (x) => Number(x.toFixed(4)).toLocaleString("en");

export class Ladder {
  constructor(app) {
    this.app = app;
    this.key = element("p", "un-key");
    this.axis = element("div", "bag-axis");
    this.list = element("div", "bag-ladder", { role: "group" });
    this.readout = element("p", "un-readout");
    this.root = [this.key, this.axis, this.list, this.readout];
    const over = (e) => {
      const row = e.target.closest("[data-row]");
      if (row) this.tell(Number(row.dataset.row));
    };
    this.list.addEventListener("pointerover", over);
    this.list.addEventListener("focusin", over);
  }

  // The steps from the prior to the posterior.
  steps(reading, bag, { kind, a, b }) {
    const minus = (list) => list[a] - list[b];
    const steps = [];
    if (kind !== "tfidf") steps.push({ name: "prior", what: "prior", change: minus(reading.start) });
    for (const row of reading.rows)
      steps.push({
        name: this.app.tables.vocab[row.v],
        n: row.n,
        v: row.v,
        what: "word",
        change: minus(row.bits),
        never: [a, b].filter((c) => row.bits[c] === -Infinity),
      });
    if (kind === "bernoulli")
      steps.push({
        name: `${(this.app.tables.vocab.length - bag.known.size).toLocaleString("en")} absent`,
        what: "absent",
        change: minus(reading.rest),
        never: [a, b].filter((c) => reading.rest[c] === -Infinity),
      });
    if (steps.length > MOST) {
      const cut = steps.splice(MOST - 1, steps.length - MOST + (kind === "bernoulli" ? 0 : 1));
      steps.splice(MOST - 1, 0, {
        name: `${cut.length.toLocaleString("en")} more words`,
        what: "more",
        change: cut.reduce((s, x) => s + x.change, 0),
        never: [],
      });
    }
    let now = 0;
    for (const step of steps) {
      step.before = now;
      now += step.change;
      step.after = now;
    }
    return steps;
  }

  draw(reading, bag, state) {
    const { app } = this;
    const unit = state.kind === "tfidf" ? "cosine" : "bits";
    const steps = this.steps(reading, bag, state);
    this.now = { steps, state, unit };
    const ends = steps.map((s) => Math.abs(s.after)).filter(Number.isFinite);
    const most = Math.max(0, ...ends);
    const reach = SCALES[unit].find((s) => s >= most) ?? most;
    const [right, left] = [state.a, state.b].map((c) => named(app.tables.classes[c], 22));
    this.key.replaceChildren(
      ...[
        ["un-more", right, "right"],
        ["un-less", left, "left"],
      ].map(([colour, name, side]) => {
        const item = element("span", "un-key-item");
        item.append(element("i", colour), document.createTextNode(`${side}: evidence for ${name}`));
        return item;
      }),
    );
    this.axis.replaceChildren(
      ...[`−${reach}`, "0", `+${reach} ${unit}`].map((text) => element("span", "", { textContent: text })),
    );
    const rows = steps.map((step, i) => this.row(step, i, reach, unit));
    const end = steps.at(-1)?.after ?? 0;
    rows.push(
      this.row(
        {
          name: unit === "bits" ? "posterior" : "difference",
          what: "total",
          before: 0,
          after: end,
          change: end,
        },
        -1,
        reach,
        unit,
      ),
    );
    this.list.setAttribute("aria-label", `What each word adds for ${right} and against ${left}`);
    this.list.replaceChildren(this.header(unit), ...rows);
    this.tell(this.strongest(steps));
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

  strongest(steps) {
    const size = ({ change, what }) =>
      what !== "word" ? -1 : Number.isNaN(change) ? Infinity : Math.abs(change);
    return steps.reduce((best, step, i) => (size(step) > size(steps[best]) ? i : best), 0);
  }

  // One step in words: the counts behind it.
  tell(i) {
    const { steps, state, unit } = this.now;
    const step = steps[i];
    const { tables } = this.app;
    const { kind, k, a, b } = state;
    if (!step) this.readout.textContent = "Type a word to see its bar.";
    else if (step.what === "prior")
      this.readout.textContent = `Before any word: ${percent(this.app.prior[a])} against ${percent(this.app.prior[b])}, log2 of their ratio is ${digits(step.change)} bits.`;
    else if (step.what === "absent")
      this.readout.textContent =
        "Bernoulli uses every word of the vocabulary: absent words count too, each with 1 − P(w | class).";
    else if (step.what === "more") this.readout.textContent = "The sum over the words that do not fit here.";
    else if (unit === "cosine")
      this.readout.textContent = `“${short(step.name, 24)}”: idf ${digits(tables.idf[step.v])}. It adds ${digits(step.change)} to the difference of the two cosines.`;
    else {
      const said = [a, b].map((c) => {
        const [n, of] = tables.evidence(kind, c, step.v);
        const below = of + k * (kind === "bernoulli" ? 2 : tables.vocab.length);
        return `${named(tables.classes[c], 18)}: ${n} of ${of.toLocaleString("en")} ${kind === "bernoulli" ? "texts" : "words"}, smoothed (${n} + ${k}) / ${plain(below)} = ${probability(tables.p(kind, k, c, step.v))}`;
      });
      const times =
        step.n > 1
          ? kind === "bernoulli"
            ? ` It occurs ${step.n} times here and counts once.`
            : ` It occurs ${step.n} times here, so it counts ${step.n} times.`
          : "";
      const zero = step.never.length
        ? ` A factor of 0 makes the whole product of ${step.never.map((c) => named(tables.classes[c], 18)).join(" and of ")} 0, whatever the other words are.`
        : "";
      this.readout.textContent = `“${short(step.name, 24)}” in ${said.join("; in ")}.${times}${zero}`;
    }
  }
}
