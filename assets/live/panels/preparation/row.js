// One step of a preparation: its controls, the text behind it with each change marked, and what it warns of.

import { element, follow, put } from "../../dom.js";
import { button, select } from "../../parts/controls.js";

const MARKS = { " ": "·", "\t": "→", "\n": "⏎\n", "\r": "␍" };
export const marked = (text) => text.replace(/[ \t\n\r]/g, (c) => MARKS[c]);
const plain = (text) => text.replace(/[\t\n\r]/g, (c) => MARKS[c]);

// The text as it was typed, before all steps.
export function typedRow() {
  const root = element("li", "un-prep-row"),
    text = element("p", "un-prep-text"),
    head = element("div", "un-prep-head");
  head.append(element("span", "un-prep-title", { textContent: "Typed" }));
  root.append(head, text);
  return { root, text, buttons: {} };
}

export class StepRow {
  buttons = {};

  // list: has `kinds`, `move` and `change`
  constructor(list, { id, choice, on }, i, count) {
    const kind = list.kinds.get(id);
    const name = [id, choice].filter(Boolean).join(".");
    this.kind = kind;
    this.root = element("li", `un-prep-row${on ? "" : " un-prep-off"}`);
    const head = element("div", "un-prep-head"),
      tools = element("div", "un-prep-tools"),
      side = element("div", "un-prep-side");
    const tool = (key, text, title, act, disabled = false) => {
      const node = (this.buttons[key] = button(text, act, { title, disabled }));
      node.setAttribute("aria-label", `${title}: ${kind.title}`);
      tools.append(node);
    };
    tool("on", on ? "On" : "Off", on ? "Switch off" : "Switch on", () =>
      list.change(i, on ? `${name}.off` : name, "on"),
    );
    this.buttons.on.setAttribute("aria-pressed", String(on));
    tool("up", "↑", "Move up", () => list.move(i, i - 1, "up"), i === 0);
    tool("down", "↓", "Move down", () => list.move(i, i + 1, "down"), i === count - 1);
    tool("gone", "✕", "Remove", () => list.change(i, "", "gone", Math.max(0, i - 1)));
    head.append(
      element("span", "un-prep-title", { textContent: `${i + 1}  ${kind.title}`, title: kind.says }),
    );
    if (kind.choices.length) {
      const how = (value) => list.change(i, `${id}.${value}${on ? "" : ".off"}`, "choice");
      this.buttons.choice = select(kind.choices, how, `${kind.title}: how`);
      this.buttons.choice.value = choice;
      head.append(this.buttons.choice);
    }
    head.append(tools);
    this.text = element("p", "un-prep-text");
    this.note = element("p", "un-prep-note");
    this.warned = element("div", "un-prep-warned");
    side.append(this.text, this.note, this.warned);
    this.root.append(head, side);
  }

  draw({ on, count, parts, warned }) {
    const some = count === 1 ? "1 change" : `${count} changes`;
    const changes = count ? some : "Nothing to change.";
    put(this.note, on ? changes : "Switched off.");
    this.text.hidden = !parts;
    if (parts) follow(this.text, parts, piece);
    put(this.warned, warned.join("\n"));
    this.warned.hidden = !warned.length;
  }
}

// One piece of a row: as it is, struck out, put in, or left alone for a reason.
export function piece([now, was, why, t]) {
  const made = (tag, name, textContent) => element(tag, name, { textContent, title: why });
  const root = element("span", "");
  if (t >= 0) root.dataset.t = String(t);
  if (was === null) root.textContent = plain(now);
  else if (was === now) root.append(made("span", "un-prep-kept", now));
  else if (was.toLowerCase() === now) root.append(made("ins", "", now));
  else {
    if (was)
      root.append(made("del", /^\s+$/.test(was) ? "un-prep-gap" : "", marked(was).replaceAll("⏎\n", "⏎")));
    if (now) root.append(made("ins", "", marked(now)));
  }
  return root;
}
