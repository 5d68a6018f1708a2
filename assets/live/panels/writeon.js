// A translation written word by word: each click asks for the likeliest next word and puts it into the text box.

import { digits, element, percent, put, short, visible } from "../dom.js";
import { bar, button } from "../parts/controls.js";

const PAUSE_MS = 300, // between two words
  LONGEST = 60;

export default class WriteOn {
  timer = 0; // while it writes by itself

  constructor(panel) {
    this.panel = panel;
    const stopped = (act) => () => {
      this.stop();
      act();
    };
    this.next = button(
      "Next word",
      stopped(() => this.write()),
      { title: "Write the likeliest next word" },
    );
    this.on = button("", () => (this.timer ? this.stop() : this.step()), {
      className: "un-button un-play",
      title: "Until the sentence ends",
    });
    this.again = button(
      "Start again",
      stopped(() => this.put("")),
      { title: "Keep the source, empty the target" },
    );
    this.list = element("div", "un-steps");
    panel.body.append(bar(this.next, this.on, this.again), this.list);
    this.typed = (/** @type {Event} */ e) => e.target === panel.app.box && this.stop(); // who types writes alone
    panel.app.root.addEventListener("input", this.typed);
    this.name();
  }

  destroy() {
    this.stop();
    this.panel.app.root.removeEventListener("input", this.typed);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.name();
  }

  name() {
    put(this.on, this.timer ? "Stop" : "Write on");
  }

  // The text box up to the border between source and target, and the target.
  parts() {
    const { value } = this.panel.app.box;
    const border = / *(?:\t|\n|=>) */.exec(value);
    return border
      ? [value.slice(0, border.index + border[0].length), value.slice(border.index + border[0].length)]
      : [`${value}\n`, ""];
  }

  put(target) {
    this.panel.app.setText(this.parts()[0] + target);
  }

  get choice() {
    const reader = this.panel.reader();
    return reader.top[reader.labels.length - 1]?.[0];
  }
  get over() {
    const { spec, labels } = this.panel.reader();
    const coming = this.choice?.[0] ?? spec.end;
    return (
      coming === spec.end || coming === "<unk>" || labels.length > LONGEST || this.ended(labels, spec.end)
    );
  }

  // The mark that a target ends with may be the one that it begins with.
  ended(labels, end) {
    return labels.length > 1 && labels.at(-1) === end;
  }

  write() {
    if (this.over || this.panel.app.box.value !== this.panel.app.text) return; // a reply is still on its way
    const [, target] = this.parts();
    const { join } = this.panel.reader().spec;
    this.put(
      target +
        (target && !/\s$/.test(target) ? join : "") +
        (target ? this.choice[0] : this.choice[0].trimStart()),
    );
  }

  step() {
    const { app } = this.panel;
    if (this.over && app.box.value === app.text) return this.stop();
    this.timer = setTimeout(() => this.step(), PAUSE_MS);
    this.name();
    this.write();
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader(),
      { choice } = this;
    panel.say(panel.spec.title, panel.spec.says);
    const now = panel.selection.token(reader),
      last = reader.labels.length - 1;
    const chip = (label, p, className, t) => {
      const node = element("button", `un-step ${className}${t === now ? " un-chosen" : ""}`, {
        type: "button",
      });
      const said = element("b", "", { textContent: short(label, 20) });
      node.append(said, element("span", "", { textContent: percent(p) }));
      node.onclick = () => panel.selection.keep(reader.place(t), panel.app);
      return node;
    };
    const chips = reader.labels.slice(1).map((label, t) => {
      const other = reader.top[t]?.[0]?.[0] !== label;
      return chip(label, 2 ** -reader.bits[t + 1], other ? "un-other" : "", t);
    });
    const coming = choice && (choice[0] === reader.spec.end ? "end" : `${choice[0]}?`);
    if (choice) chips.push(chip(coming, choice[1], "un-coming", last));
    this.list.replaceChildren(...chips);
    this.next.disabled = this.over;
    this.on.disabled = this.over && !this.timer;
    this.again.disabled = !this.parts()[1];
    panel.read(`${this.strange(reader)}${this.says(reader, choice)}`);
  }

  // What of the source it can't read.
  strange({ source, spec }) {
    if (!source) return "";
    const words = [...new Set(source.unknown.map((i) => source.labels[i]))];
    const named = words.slice(0, 5).map((w) => `“${short(w, 24)}”`);
    const unknown = words.length
      ? `Not in the vocabulary, so read as unknown: ${named.join(", ")}${words.length > 5 ? " and others" : ""}. `
      : "";
    const all = source.labels.length < spec.context;
    return all ? unknown : `${unknown}Only the first ${spec.context - 1} tokens of the source are read. `;
  }

  says(reader, choice) {
    if (!choice) return "";
    const bits = reader.bits.slice(1).reduce((sum, b) => sum + b, 0);
    if (choice[0] === reader.spec.end || this.ended(reader.labels, reader.spec.end))
      return `The likeliest next token is the end mark: the translation is complete. All ${reader.labels.length - 1} words together: P = ${digits(2 ** -bits)}.`;
    if (choice[0] === "<unk>")
      return "The likeliest next token stands for a word outside the vocabulary, so it cannot be written.";
    if (reader.labels.length > LONGEST) return `It stops here, at the limit of ${LONGEST} words.`;
    return `Step ${reader.labels.length}: the decoder has read ${reader.labels
      .map((l) => `“${short(l, 16)}”`)
      .slice(-8)
      .join(" ")} and gives “${visible(choice[0])}” ${percent(choice[1])}.`;
  }

  table() {
    const { labels, top } = this.panel.reader();
    const words = labels.map((label) => visible(label));
    return {
      columns: ["step", "has read", "likeliest", "probability", "in the text"],
      rows: words.map((_, t) => {
        const [label = "", p = NaN] = top[t]?.[0] ?? [];
        return [t + 1, words.slice(0, t + 1).join(" "), visible(label), percent(p), words[t + 1] ?? ""];
      }),
    };
  }
}
