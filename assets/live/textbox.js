// The text box with what stands around it: its label, a text file, the examples of the page, and a line of advice.
// It is one line high and grows with the text, and stays on top while one reads below.

import { element, put } from "./dom.js";
import { readText } from "./open.js";
import { button, folds } from "./parts/controls.js";

/** @import { Layout } from "./types.js" */

export class TextBox {
  /** @type {string | undefined} */
  offered; // the examples that are shown

  /** @param {any} app @param {Layout} layout @param {string} text */
  constructor(app, layout, text) {
    this.app = app;
    this.most = layout.most_characters;
    this.node = element("textarea", "un-text", {
      rows: 1,
      spellcheck: false,
      autocomplete: "off",
      id: "un-text",
      placeholder: layout.placeholder,
      maxLength: this.most,
      value: text,
    });
    this.node.setAttribute("aria-label", layout.prompt);
    const label = element("label", "un-label", { htmlFor: "un-text", textContent: layout.prompt });
    const clear = () => {
      app.setText("");
      this.node.focus();
    };
    const accept = "text/*,.txt,.md,.csv,.tex,.srt,.log";
    const chooser = element("input", "", { type: "file", hidden: true, accept });
    chooser.setAttribute("aria-label", "A text file for the text box");
    chooser.onchange = () => this.open(chooser);
    const open = button("Open file", () => chooser.click(), {
      title: "Puts the text of a file into the box",
    });
    const does = element("span", "un-does");
    does.append(open, chooser, button("Clear", clear, { title: "Clear the text box" }));
    const field = element("div", "un-field");
    field.append(this.node, label);
    this.tries = element("div", "un-save-list un-tries");
    this.menu = element("details", "un-save un-examples");
    this.menu.append(element("summary", "un-button", { textContent: "Examples" }), this.tries);
    folds(this.menu);
    this.head = element("div", "un-head");
    this.head.append(field, this.menu, does);
    this.tip = element("p", "un-tip");
    this.grow();
    this.listen();
  }

  /** Where the style sheet cannot let the box grow with its text. */
  grow() {
    if (CSS.supports("field-sizing", "content")) return;
    this.node.style.height = "0";
    this.node.style.height = `${this.node.scrollHeight + 4}px`;
  }

  listen() {
    const { app, node } = this;
    node.addEventListener("input", () => this.grow());
    node.addEventListener("input", (/** @type {InputEvent} */ e) => {
      if (!e.isComposing) app.changed(); // else an input method is still at work: wait for its word
    });
    node.addEventListener("compositionend", () => app.changed());
    node.addEventListener("paste", (/** @type {ClipboardEvent} */ e) =>
      this.pasted(e.clipboardData?.getData("text").length ?? 0),
    );
  }

  /** The examples of the page, or of the model that is shown, where it has its own. @param {Layout} layout */
  offer({ tries, steps }) {
    const { start } = this.app.minute;
    const offered = JSON.stringify([tries, steps]);
    if (offered === this.offered && this.tries.children.length) return;
    this.offered = offered;
    const buttons = tries.map((example) => {
      const { label, text, look } = example;
      const b = element("button", "un-try", { type: "button", textContent: label || text, title: look });
      b.onclick = () => {
        this.menu.open = false;
        this.app.selection.release();
        this.app.take(example);
      };
      return b;
    });
    if (steps?.length) buttons.unshift(start);
    this.tries.replaceChildren(...buttons);
    this.menu.hidden = !buttons.length;
    put(this.tip, "");
  }

  /** The box takes no more than its most; what it leaves out is said. @param {number} length */
  pasted(length) {
    const { value, selectionStart, selectionEnd, maxLength } = this.node;
    const room = maxLength - value.length + (selectionEnd - selectionStart);
    const [fits, all, most] = [room, length, maxLength].map((n) => n.toLocaleString("en"));
    const cut = `Only the first ${fits} of ${all} pasted characters fit: a text here can have at most ${most}.`;
    put(this.tip, length > room ? cut : "");
  }

  /** @param {HTMLInputElement} chooser */
  async open(chooser) {
    const [file] = chooser.files;
    if (!file) return;
    const { text, says } = await readText(file, this.most);
    chooser.value = ""; // the same file can be chosen again
    put(this.tip, says);
    if (text === undefined) return;
    this.app.selection.release();
    this.app.setText(text);
  }
}
