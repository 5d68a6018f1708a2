// The bag of words page: type a review, move the smoothing, and every number follows without asking the server.
//
// Python sends the tables of counts once for each choice of texts; after a moment of rest it is told what is on the
// screen, for the settled tables below.

import { element, isDark, percent, short } from "../dom.js";
import { Tables, named } from "./bayes.js";
import { Judge } from "./judge.js";
import { Ladder } from "./ladder.js";
import { beside, rule } from "./rule.js";

const REST_MS = 400;
const AT_ONCE = 400_000; // numbers looked up while a slider moves: about 10 ms
const K = [0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 100];
const KINDS = { multinomial: "Multinomial", bernoulli: "Bernoulli", tfidf: "TF-IDF" };
const SAYS = {
  multinomial:
    "Multinomial naive Bayes: a word counts as often as it stands here; absent words do not count.",
  bernoulli:
    "Bernoulli naive Bayes: a word is present or absent, however often; every absent word counts too.",
  tfidf:
    "TF-IDF and nearest centroid: rare words weigh more; the sum is a cosine, not bits. Smoothing and prior are not used.",
};
const NAMES = ["review", "bayes", "smoothing", "prior", "class", "against"];

export function mount(component) {
  const { parentElement } = component;
  const app = (parentElement.bagApp ??= new App(parentElement));
  app.receive(component);
  return () => app.destroy();
}

class App {
  hash;
  texts;
  tables;
  news;
  held;
  ladder;
  judge;
  forA;
  forB;

  constructor(parent) {
    this.root = element("div", "un bag");
    parent.append(this.root);
    this.themeTimer = setInterval(() => this.colour(), 400);
  }

  destroy() {
    clearInterval(this.themeTimer);
    clearTimeout(this.restTimer);
    clearTimeout(this.judgeTimer);
  }

  receive({ data, setTriggerValue }) {
    this.trigger = setTriggerValue;
    const news = JSON.parse(new TextDecoder().decode(data));
    if (news.hash === this.hash) return;
    const before = this.hash && this.texts === news.texts ? this.state : null; // the same texts, weighed otherwise
    Object.assign(this, {
      hash: news.hash,
      texts: news.texts,
      news,
      tables: new Tables(news.tables),
      held: news.held,
    });
    this.state = before ?? this.first(news);
    if (!before && this.tables.classes.length > 2 && news.initial.class === undefined) this.likeliest();
    this.shuffled = null;
    this.build();
    this.draw(true);
  }

  // What the address or the last visit chose, as far as it makes sense here.
  first({ initial, example, tables: { classes } }) {
    const last = classes.length - 1;
    const place = (name, other) => {
      const c = Number(initial[name]);
      return Number.isInteger(c) && initial[name] !== undefined && c >= 0 && c <= last ? c : other;
    };
    const [a, b] = [place("class", last), place("against", 0)];
    const k = Number(initial.smoothing ?? 1),
      share = Number(initial.prior);
    return {
      text: initial.review ?? example,
      kind: initial.bayes in KINDS ? initial.bayes : "multinomial",
      k: K.includes(k) ? k : 1,
      share: share > 0 && share < 1 ? share : null,
      a,
      b: a === b ? (a + 1) % classes.length : b,
    };
  }

  // Compare the two classes that fit the text best.
  likeliest() {
    const { tables, state } = this;
    const { joint } = tables.read(
      state.kind,
      state.k,
      tables.priors(state.a, state.share),
      tables.bag(state.text).known,
    );
    [state.a, state.b] = [...joint.keys()].sort((x, y) => joint[y] - joint[x]);
    state.share = null; // it was the prior of another class
  }

  build() {
    const { root, news, state } = this;
    const { classes } = this.tables;
    root.replaceChildren();
    const label = element("label", "un-label", { htmlFor: "bag-text", textContent: news.prompt });
    this.box = element("textarea", "un-text", {
      rows: 2,
      id: "bag-text",
      spellcheck: false,
      maxLength: 100000,
      placeholder: "Type here",
      value: state.text,
    });
    this.box.addEventListener("input", (e) => {
      if (!e.isComposing) this.typed(this.box.value);
    });
    this.box.addEventListener("compositionend", () => this.typed(this.box.value));
    const button = (text, act, title = "") => {
      const b = element("button", "un-button", { type: "button", textContent: text, title });
      b.onclick = act;
      return b;
    };
    const does = element("span", "un-does");
    does.append(
      button("Shuffle the words", () => this.shuffle(), "Puts the words into another order"),
      button("Clear", () => {
        this.setText("");
        this.box.focus();
      }),
    );
    if (this.held.texts.length)
      does.prepend(
        button(
          "A held-out text",
          () => this.setText(this.held.texts[Math.floor(Math.random() * this.held.texts.length)]),
          "Shows one of the texts that were held out",
        ),
      );
    const head = element("div", "un-head");
    head.append(label, does);
    const tries = element("div", "un-tries");
    for (const one of news.tries) {
      const b = element("button", "un-try", {
        type: "button",
        textContent: one.label ?? one.text,
        title: one.look,
      });
      b.onclick = () => {
        this.box.value = one.text;
        this.shuffled = null;
        this.set({ ...one.set, text: one.text });
        this.tip.textContent = one.look;
      };
      tries.append(b);
    }
    if (news.tries.length) tries.prepend(element("span", "un-try-label", { textContent: "Try" }));
    this.status = element("p", "un-status", { role: "status" });
    this.tip = element("p", "un-tip");
    this.says = element("p", "un-says");
    const body = (title, says, id) => {
      const panel = element("section", "un-panel");
      panel.dataset.panel = id;
      const inner = element("div", "un-body");
      const heading = element("h3", "un-title", { textContent: title });
      panel.append(heading);
      if (says) panel.append(element("p", "un-says", { textContent: says }));
      panel.append(inner);
      return { panel, inner, heading };
    };
    [this.ladder, this.judge] = [new Ladder(this), new Judge(this)];
    this.ladderPanel = body("", "", "ladder");
    this.ladderPanel.inner.append(this.says, ...this.ladder.root);
    this.besidePanel = body("Three classifiers on the same words", "", "beside");
    this.rulePanel = body("Bayes' rule with these numbers", "", "rule");
    const counted = this.tables.texts.toLocaleString("en");
    this.judgePanel = body(
      "Does it work on held-out texts?",
      this.held.true.length
        ? `Counted: ${counted} texts. Held out and only read: ${this.held.true.length.toLocaleString("en")}. The sliders above move these numbers too.`
        : "",
      "judge",
    );
    this.judgePanel.inner.append(...this.judge.root);
    const columns = element("div", "un-columns");
    columns.style.setProperty("--un-columns", "minmax(0, 7fr) minmax(0, 5fr)");
    const [left, right] = [element("div", "un-column"), element("div", "un-column")];
    left.append(this.ladderPanel.panel);
    right.append(this.besidePanel.panel, this.rulePanel.panel);
    columns.append(left, right);
    const grid = element("div", "un-grid");
    grid.append(columns);
    (classes.length > 6 ? grid : left).append(this.judgePanel.panel); // a large table takes the whole width
    root.append(head, this.box, this.status, tries, this.tip, this.controls(classes), grid);
    this.setControls();
    root.dataset.unrolled = "bag";
    Object.defineProperty(root, "unrolled", { configurable: true, get: () => this.drawn() });
  }

  controls(classes) {
    const bar = element("div", "bag-controls");
    this.kinds = element("div", "bag-kinds", { role: "group" });
    this.kinds.setAttribute("aria-label", "How the words are read");
    for (const [kind, name] of Object.entries(KINDS)) {
      const b = element("button", "un-button", { type: "button", textContent: name });
      b.dataset.kind = kind;
      b.onclick = () => this.set({ kind });
      this.kinds.append(b);
    }
    const slider = (name, max, act) => {
      const row = element("label", "bag-slider");
      const [said, input] = [
        element("span", ""),
        element("input", "un-slider", { type: "range", min: 0, max, step: 1 }),
      ];
      input.setAttribute("aria-label", name);
      input.addEventListener("input", () => act(Number(input.value)));
      row.append(said, input);
      return { row, said, input };
    };
    this.k = slider("Smoothing k", K.length - 1, (i) => this.set({ k: K[i] }));
    this.share = slider("Prior", 99, (i) => this.set({ share: Math.max(1, i) / 100 }));
    this.back = element("button", "un-button", { type: "button", textContent: "Prior as counted" });
    this.back.onclick = () => this.set({ share: null });
    bar.append(this.kinds, this.k.row, this.share.row, this.back);
    if (classes.length > 2) {
      const select = (name, key) => {
        const made = element("select", "un-select", {});
        made.setAttribute("aria-label", name);
        classes.forEach((c, i) =>
          made.append(element("option", "", { value: i, textContent: named(c, 24) })),
        );
        made.onchange = () => {
          const other = key === "a" ? "b" : "a",
            c = Number(made.value);
          this.set(c === this.state[other] ? { [key]: c, [other]: this.state[key] } : { [key]: c });
        };
        return made;
      };
      const row = element("span", "bag-pair");
      [this.forA, this.forB] = [select("For this class", "a"), select("Against this class", "b")];
      const likely = element("button", "un-button", { type: "button", textContent: "The two likeliest" });
      likely.onclick = () => {
        this.likeliest();
        this.set({});
      };
      row.append(this.forA, element("span", "", { textContent: "against" }), this.forB, likely);
      bar.append(row);
    } else [this.forA, this.forB] = [null, null];
    return bar;
  }

  setControls() {
    const { state } = this;
    this.prior = this.tables.priors(state.a, state.share);
    for (const b of this.kinds.children)
      b.setAttribute("aria-pressed", String(b.dataset.kind === state.kind));
    this.k.input.value = K.indexOf(state.k);
    this.k.input.setAttribute("aria-valuetext", String(state.k));
    this.k.said.textContent = `Smoothing k = ${state.k}`;
    this.share.input.value = Math.round(100 * this.prior[state.a]);
    this.share.said.textContent = `Prior of ${named(this.tables.classes[state.a], 18)} = ${percent(this.prior[state.a])}`;
    this.back.hidden = state.share === null || state.kind === "tfidf";
    for (const { input } of [this.k, this.share]) input.disabled = state.kind === "tfidf";
    if (this.forA) [this.forA.value, this.forB.value] = [state.a, state.b];
  }

  set(change) {
    Object.assign(this.state, change);
    this.setControls();
    this.draw(true);
  }

  setText(text) {
    this.box.value = text;
    this.typed(text);
  }

  typed(text) {
    this.state.text = text;
    this.tip.textContent = "";
    this.shuffled = null;
    this.draw(false);
  }

  shuffle() {
    const list = this.state.text.split(/\s+/).filter(Boolean);
    for (let i = list.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [list[i], list[j]] = [list[j], list[i]];
    }
    const text = list.join(" ");
    this.box.value = this.state.text = text;
    this.shuffled = true;
    this.draw(false);
    const { reading, state } = this;
    const said = reading.posterior ? `is still ${percent(reading.posterior[state.a])}` : "is unchanged";
    this.tip.textContent =
      state.kind === "tfidf"
        ? "Another order, the same cosines: a bag has no order."
        : `Another order, and P(${named(this.tables.classes[state.a], 18)}) ${said}: a bag has no order. “Not good, but cheap” and “good, but not cheap” are the same to it.`;
  }

  draw(judged) {
    const { tables, state } = this;
    const bag = tables.bag(state.text);
    const readings = Object.entries(KINDS).map(([id, title]) => ({
      id,
      title: id === "tfidf" ? `${title}, cosine` : `${title} naive Bayes`,
      reading: tables.read(id, state.k, this.prior, bag.known),
    }));
    this.reading = readings.find(({ id }) => id === state.kind).reading;
    const [a, b] = [state.a, state.b].map((c) => named(tables.classes[c], 22));
    this.ladderPanel.heading.textContent = `How the words add up: ${a} against ${b}, ${state.kind === "tfidf" ? "parts of the cosine" : "in bits"}`;
    const so = tables.classes.length > 2 ? `the share of ${a} among these two` : `P(${a})`;
    this.says.textContent = `${SAYS[state.kind]}${state.kind === "tfidf" ? "" : ` Last column: ${so} so far.`}`;
    this.ladder.draw(this.reading, bag, state);
    beside(this.besidePanel.inner, tables, readings, state);
    rule(this.rulePanel, tables, this.reading, bag, state);
    if (judged) this.judgeSoon();
    this.say(bag);
    this.bag = bag;
    const length = Array.from(state.text).length;
    requestAnimationFrame(() => {
      this.root.dataset.painted = String(length);
    });
    clearTimeout(this.restTimer);
    this.restTimer = setTimeout(() => this.rest(), REST_MS);
    this.colour();
  }

  // At once, unless that would hold up the slider: then when it rests.
  judgeSoon() {
    clearTimeout(this.judgeTimer);
    const work = this.tables.classes.length * this.held.bags.reduce((n, bag) => n + bag.length, 0);
    if (work < AT_ONCE) this.judge.draw(this.state, this.prior);
    else this.judgeTimer = setTimeout(() => this.judge.draw(this.state, this.prior), REST_MS);
  }

  say(bag) {
    const parts = [
      `${bag.all.length.toLocaleString("en")} word${bag.all.length === 1 ? "" : "s"}, ${(bag.known.size + bag.skipped.length).toLocaleString("en")} different`,
    ];
    if (bag.skipped.length)
      parts.push(
        `not among the ${this.tables.vocab.length.toLocaleString("en")} counted words, so skipped: ${bag.skipped
          .slice(0, 8)
          .map((w) => `“${short(w, 16)}”`)
          .join(
            ", ",
          )}${bag.skipped.length > 8 ? ` and ${(bag.skipped.length - 8).toLocaleString("en")} more` : ""}`,
      );
    this.status.textContent = bag.all.length ? parts.join(" · ") : "No words yet: only the prior is left.";
  }

  rest() {
    const { state } = this;
    const url = new URL(location.href);
    const short = Array.from(state.text).length <= 2000;
    const values = {
      review: short ? state.text : undefined,
      bayes: state.kind,
      smoothing: state.k,
      prior: state.share ?? undefined,
      class: state.a,
      against: state.b,
    };
    for (const name of NAMES) {
      if (values[name] === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, values[name]);
    }
    if (url.href !== location.href) history.replaceState(history.state, "", url);
    const settled = JSON.stringify(state);
    if (settled === this.settled) return;
    this.settled = settled;
    this.trigger("settle", { ...state, texts: this.texts });
  }

  colour() {
    const dark = isDark(this.root);
    if (dark === this.dark || !this.news) return;
    this.dark = dark;
    this.root.classList.toggle("un-dark", dark);
    for (const [name, colours] of Object.entries(this.news.colours[dark ? "dark" : "light"]))
      colours.forEach((c, i) => this.root.style.setProperty(`--un-${name}-${i}`, c));
  }

  // What is on the screen, for checks from outside.
  drawn() {
    const { reading, ladder, state } = this;
    const { steps } = ladder.now;
    const field = (axes, labels, values) => ({ axes, labels, values: Float32Array.from(values) });
    const fields = {
      steps: field(
        ["step"],
        [steps.map((s) => s.name)],
        steps.map((s) => s.change),
      ),
      joint: field(["label"], [this.tables.classes], reading.joint),
    };
    if (reading.posterior) fields.posterior = field(["label"], [this.tables.classes], reading.posterior);
    if (this.judge.said) fields.accuracy = field(["step"], [["accuracy"]], [this.judge.accuracy]);
    return { text: state.text, fields };
  }
}
