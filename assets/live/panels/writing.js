// How the text would go on, as it is and edited, with the same random numbers; asked for in a moment of rest.

import { element } from "../dom.js";
import { clusters } from "../segmentation.js";
import { bar, button, select } from "../parts/controls.js";

const BEFORE = 24; // characters of the text shown before what is written

export default class Writing {
  constructor(panel) {
    this.panel = panel;
    this.readouts = false;
    const ways = [
      ["1", "drawn at random"],
      ["0", "always the likeliest"],
    ];
    this.how = select(ways, (seed) => this.keep(Number(seed)), "How the next token is chosen");
    this.again = button("Other random numbers", () => this.keep(this.seed + 1));
    const says = element("span", "un-search-label", { textContent: "Next token" });
    panel.body.append(bar(says, this.how, this.again));
    this.lines = ["plain", "edited"].map((id) => {
      const line = {
        id,
        root: element("div", "un-written"),
        title: element("h4", "", { textContent: id === "plain" ? "Original" : "Edited" }),
        text: element("p", ""),
      };
      line.root.append(line.title, line.text);
      panel.body.append(line.root);
      return line;
    });
  }

  get seed() {
    return this.panel.selection.get("seed") ?? 1;
  }

  keep(seed) {
    this.panel.selection.keep({ seed }, this.panel.app);
  }

  // Drawn in a moment of rest, when nothing is on its way.
  rest() {
    const { app, selection } = this.panel;
    const wanted = JSON.stringify([app.text, selection.kept.edits ?? "", this.seed]);
    if (wanted === this.wanted || app.sent) return;
    if (performance.now() < app.savingUntil) return app.restSoon(); // one wish at a time
    this.wanted = wanted;
    this.asking = this.seed;
    app.again();
  }

  ask() {
    const seed = this.asking;
    this.asking = undefined;
    return seed === undefined ? {} : { write: seed };
  }

  draw() {
    const { panel } = this;
    const { app, selection } = panel;
    const { seed } = this;
    this.how.value = seed ? "1" : "0";
    this.again.disabled = !seed;
    const { writing } = panel.reader().said;
    panel.say(
      panel.spec.title,
      `${seed ? "Each token is drawn by one random number, the same for both." : "Each token is the likeliest one."} Edits that reach the end of the text also apply to the new tokens. Model: ${panel.reader("plain").spec.title}.`,
    );
    const stale = !writing || this.wanted !== JSON.stringify([app.text, selection.kept.edits ?? "", seed]);
    const [was, is] = this.lines.map(({ id }) => clusters(writing?.[id] ?? ""));
    let same = 0;
    while (same < was.length && was[same] === is[same]) same++;
    const end = app.points.slice(-BEFORE).join("");
    for (const { id, root, text } of this.lines) {
      root.classList.toggle("un-old", stale);
      const points = id === "plain" ? was : is;
      const shown = JSON.stringify([end, points, same]);
      if (shown === text.dataset.shown || stale) continue;
      text.dataset.shown = shown;
      const parts = [
        element("span", "un-forgotten", { textContent: end }),
        element("span", "", { textContent: points.slice(0, same).join("") }),
      ];
      if (same < points.length)
        parts.push(
          element(id === "plain" ? "span" : "mark", "", { textContent: points.slice(same).join("") }),
        );
      text.replaceChildren(...parts);
    }
    this.told =
      was.length === same && is.length === same
        ? "Both continue in the same way."
        : `They differ from character ${same + 1} on.`;
  }

  table() {
    const { writing } = this.panel.reader().said;
    const rows = Object.entries({ original: writing?.plain, edited: writing?.edited });
    return { columns: ["run", "text"], rows: writing ? rows : [] };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.lines.map(({ title, text }) => `${title.textContent}: ${text.textContent}`).join(" ")} ${this.told}`;
  }
}
