// A translation written word by word: each click puts the likeliest next word into the text box.

import { digits, percent, short, put, visible } from "../dom.js";
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
    panel.body.append(bar(this.next, this.on, this.again));
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

  // The mark that a target ends with may be the one that it begins with.
  get ended() {
    const { labels, spec } = this.panel.reader();
    return this.choice?.[0] === spec.end || (labels.length > 1 && labels.at(-1) === spec.end);
  }

  get over() {
    return (
      !this.choice || this.ended || this.choice[0] === "<unk>" || this.panel.reader().labels.length > LONGEST
    );
  }

  write() {
    if (this.over || this.panel.app.box.value !== this.panel.app.text) return; // a reply is still on its way
    const [, target] = this.parts();
    const space = target && !/\s$/.test(target) ? this.panel.reader().spec.join : "";
    this.put(target + space + (target ? this.choice[0] : this.choice[0].trimStart()));
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
    this.next.disabled = this.over;
    this.on.disabled = this.over && !this.timer;
    this.again.disabled = !this.parts()[1];
    panel.say(panel.spec.title, panel.spec.says);
    panel.read(this.choice ? this.says(panel.reader()) : "");
  }

  says({ labels, bits, source, spec }) {
    const [word, p] = this.choice;
    const whole = !source || source.labels.length < spec.context;
    const cut = whole ? "" : `Only the first ${spec.context - 1} tokens of the source are read. `;
    if (this.ended) {
      const all = bits.slice(1).reduce((sum, b) => sum + b, 0);
      return `${cut}The likeliest next token is the end mark: the translation is complete. All ${labels.length - 1} words together: P = ${digits(2 ** -all)}.`;
    }
    if (word === "<unk>")
      return `${cut}The likeliest next token stands for a word outside the vocabulary, so it cannot be written.`;
    if (labels.length > LONGEST) return `${cut}It stops here, at the limit of ${LONGEST} words.`;
    const read = labels.slice(-8).map((label) => `“${short(label, 16)}”`);
    return `${cut}Step ${labels.length}: the decoder has read ${read.join(" ")} and gives “${visible(word)}” ${percent(p)}.`;
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
