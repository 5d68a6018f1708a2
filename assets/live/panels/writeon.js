// A translation written word by word: each click asks for the likeliest next word and puts it into the text box.

import { digits, element, percent, short, visible } from "../dom.js";

const PLAY_MS = 700,
  LONGEST = 60;

export default class WriteOn {
  constructor(panel) {
    this.panel = panel;
    const button = (textContent, title, onclick) =>
      element("button", "un-button", { type: "button", textContent, title, onclick });
    this.next = button("Next word", "Write the likeliest next word", () => {
      this.stop();
      this.write();
    });
    this.play = button("Play", "Write on until the sentence ends", () =>
      this.timer ? this.stop() : this.start(),
    );
    this.again = button("Start again", "Keep the source, empty the target", () => {
      this.stop();
      this.put("");
    });
    const bar = element("div", "un-order");
    bar.append(this.next, this.play, this.again);
    this.list = element("div", "un-steps");
    panel.body.append(bar, this.list);
  }

  destroy() {
    this.stop();
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
    const reader = this.panel.reader(),
      { choice } = this;
    return (
      !choice ||
      choice[0] === reader.spec.end ||
      choice[0] === "<unk>" ||
      reader.labels.length > LONGEST ||
      reader.labels.at(-1) === reader.spec.end
    );
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

  start() {
    this.play.textContent = "Stop";
    const tick = () => {
      if (this.over && this.panel.app.box.value === this.panel.app.text) return this.stop();
      this.write();
      this.timer = setTimeout(tick, PLAY_MS);
    };
    this.timer = 1;
    tick();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
  }

  draw() {
    const { panel } = this;
    const reader = panel.reader(),
      { choice } = this;
    panel.say(panel.spec.title, panel.spec.says);
    const now = panel.selection.token(reader);
    const chip = (label, p, className, t) => {
      const node = element("button", `un-step ${className}`, { type: "button" });
      node.append(
        element("b", "", { textContent: short(label, 20) }),
        element("span", "", { textContent: percent(p) }),
      );
      if (t !== undefined) node.onclick = () => panel.selection.keep(reader.place(t), panel.app);
      return node;
    };
    const chips = reader.labels.slice(1).map((label, i) => {
      const surprise = 2 ** -reader.bits[i + 1];
      return chip(
        label,
        surprise,
        `${reader.top[i]?.[0]?.[0] === label ? "" : "un-other"}${i === now ? " un-chosen" : ""}`,
        i,
      );
    });
    if (choice)
      chips.push(
        chip(
          choice[0] === reader.spec.end ? "end" : `${choice[0]}?`,
          choice[1],
          `un-coming${now === reader.labels.length - 1 ? " un-chosen" : ""}`,
          reader.labels.length - 1,
        ),
      );
    this.list.replaceChildren(...chips);
    this.next.disabled = this.over;
    this.play.disabled = this.over && !this.timer;
    this.again.disabled = !this.parts()[1];
    panel.read(`${this.strange(reader)}${this.says(reader, choice)}`);
  }

  // What of the source it can't read.
  strange({ source, spec }) {
    if (!source) return "";
    const words = [...new Set(source.unknown.map((i) => source.labels[i]))];
    const unknown = words.length
      ? `Not in the vocabulary, so read as unknown: ${words
          .slice(0, 5)
          .map((w) => `“${short(w, 24)}”`)
          .join(", ")}${words.length > 5 ? " and others" : ""}. `
      : "";
    return source.labels.length < spec.context
      ? unknown
      : `${unknown}Only the first ${spec.context - 1} tokens of the source are read. `;
  }

  says(reader, choice) {
    if (!choice) return "";
    const bits = reader.bits.slice(1).reduce((sum, b) => sum + b, 0);
    if (choice[0] === reader.spec.end || reader.labels.at(-1) === reader.spec.end)
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
    const reader = this.panel.reader();
    return {
      columns: ["step", "has read", "likeliest", "probability", "in the text"],
      rows: reader.labels.map((label, t) => [
        t + 1,
        reader.labels
          .slice(0, t + 1)
          .map(visible)
          .join(" "),
        visible(reader.top[t]?.[0]?.[0] ?? ""),
        percent(reader.top[t]?.[0]?.[1] ?? NaN),
        visible(reader.labels[t + 1] ?? ""),
      ]),
    };
  }

  alt() {
    return `${this.panel.title.textContent}. ${this.panel.readout.textContent}`;
  }
}
