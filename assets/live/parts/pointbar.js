// What stands over and under a map of points: colours, search, lasso, the way there step by step, and the list of chosen words.

import { digits, element, visible } from "../dom.js";

const LISTED = 80;

export class PointBar {
  constructor(map, spec) {
    this.map = map;
    this.spec = spec;
    this.root = element("div", "un-order");
    this.colour(spec);
    this.find();
    this.lasso = this.button("Lasso", "Draw around words with the pointer to list them", () => {
      map.lassoing = !map.lassoing;
      map.draw();
    });
    for (const [text, title, act] of [
      ["+", "Closer", () => map.zoomBy(1.6)],
      ["−", "Farther", () => map.zoomBy(1 / 1.6)],
      ["All", "The whole map", () => map.whole()],
    ])
      this.button(text, title, act);
    if (spec.frames) this.player(spec.frames);
    this.list = element("div", "un-point-list");
  }

  button(textContent, title, act, into = this.root) {
    const node = element("button", "un-button", { type: "button", textContent, title });
    node.setAttribute("aria-label", textContent.length > 2 ? `${textContent}: ${title}` : title);
    node.onclick = act;
    into.append(node);
    return node;
  }

  colour(spec) {
    const label = element("label", "un-search-label", { textContent: "Colour by " });
    this.by = element("select", "un-select");
    for (const [value, { name }] of Object.entries(spec.colours))
      this.by.append(element("option", "", { value, textContent: name }));
    if (spec.group) this.by.append(element("option", "", { value: "group", textContent: "group" }));
    this.by.append(element("option", "", { value: "none", textContent: "nothing" }));
    this.by.onchange = () => this.map.panel.selection.keep({ by: this.by.value }, this.map.panel.app);
    label.append(this.by);
    this.root.append(label);
  }

  find() {
    const form = element("form", "un-both");
    this.search = element("input", "un-search", {
      type: "search",
      placeholder: "Find a word",
      autocomplete: "off",
      spellcheck: false,
      maxLength: 60,
    });
    this.search.setAttribute("aria-label", "Find a word on the map");
    const go = element("button", "un-button", { type: "submit", textContent: "Find" });
    form.append(this.search, go);
    form.onsubmit = (e) => {
      e.preventDefault();
      this.map.fly(this.search.value.trim());
    };
    this.root.append(form);
  }

  player(frames) {
    this.frames = element("div", "un-order");
    this.play = this.button(
      "Play",
      "Watch how the map was made",
      () => (this.timer ? this.stop() : this.start()),
      this.frames,
    );
    this.slider = element("input", "un-slider un-wide-slider", {
      type: "range",
      min: 0,
      max: frames.steps.length,
      value: frames.steps.length,
    });
    this.slider.setAttribute("aria-label", "Step of the optimisation");
    this.slider.oninput = () => {
      this.stop();
      this.to(Number(this.slider.value));
    };
    this.step = element("span", "un-says");
    this.frames.append(this.slider, this.step);
    this.to(frames.steps.length, true);
  }

  start() {
    this.play.textContent = "Pause";
    if (Number(this.slider.value) >= this.spec.frames.steps.length) this.slider.value = 0;
    const next = () => {
      const at = Number(this.slider.value) + 1;
      this.slider.value = at;
      this.to(at);
      this.timer = at < this.spec.frames.steps.length ? setTimeout(() => requestAnimationFrame(next), 66) : 0;
      if (!this.timer) this.stop();
    };
    this.timer = setTimeout(() => requestAnimationFrame(next), 66);
    this.to(Number(this.slider.value));
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.play) this.play.textContent = "Play";
  }

  // The last place of the slider is the finished map.
  to(at, silent) {
    const { steps } = this.spec.frames;
    const last = at >= steps.length;
    this.map.cloud.at(last ? null : at);
    this.step.textContent = last
      ? `finished, ${steps.at(-1)} steps`
      : `step ${steps[at]} of ${steps.at(-1)}${steps[at] < this.spec.early ? ", early exaggeration: attraction times 12" : ""}`;
    if (!silent) {
      this.map.stale = true;
      this.map.draw();
    }
  }

  // The words inside the lasso.
  choose(chosen) {
    const { map } = this;
    this.list.replaceChildren();
    if (!chosen.length) return;
    const head = element("div", "un-order");
    head.append(
      element("span", "un-total", {
        textContent: `${chosen.length.toLocaleString("en")} word${chosen.length === 1 ? "" : "s"} inside`,
      }),
    );
    this.button("Download them", "As a table, CSV", () => this.download(), head);
    this.button(
      "Let go",
      "Clear this selection",
      () => {
        map.chosen = [];
        this.choose([]);
        map.draw();
      },
      head,
    );
    const words = chosen
      .slice(0, LISTED)
      .map((i) => visible(this.spec.words[i]))
      .join(", ");
    this.list.append(
      head,
      element("p", "un-sees", {
        textContent:
          words +
          (chosen.length > LISTED
            ? `, and ${(chosen.length - LISTED).toLocaleString("en")} more; Table and the download have them all`
            : ""),
      }),
    );
  }

  download() {
    const { columns, rows } = this.map.table(false);
    const cell = (value) =>
      /[",\n\r]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
    const text = [columns, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
    const link = element("a", "", {
      href: URL.createObjectURL(new Blob([text], { type: "text/csv" })),
      download: `words-${rows.length}.csv`,
    });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  follow(by, lassoing) {
    if (this.by.value !== by) this.by.value = by;
    this.lasso.setAttribute("aria-pressed", String(lassoing));
  }

  describe(i) {
    const { spec, map } = this;
    const said = {
      kept: (v) => `${v} of its ${spec.k} true neighbours kept`,
      frequency: (v) => `${Math.round(10 ** v).toLocaleString("en")} occurrences`,
    };
    const parts = Object.entries(map.values)
      .filter(([, values]) => Number.isFinite(values[i]))
      .map(([name, values]) => said[name]?.(values[i]) ?? `${spec.colours[name].name} ${digits(values[i])}`);
    if (map.group) parts.push(`group ${map.group[i] + 1}`);
    return parts.join(", ").replace(/^./, (c) => c.toUpperCase());
  }
}
