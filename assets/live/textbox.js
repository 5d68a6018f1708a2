// The text box with what stands around it: its label, a text file, the examples of the page, and a line of advice.

import { element, put } from "./dom.js";
import { readText } from "./open.js";
import { button } from "./parts/controls.js";

/** @import { Layout } from "./types.js" */

export class TextBox {
  /** @type {string | undefined} */
  offered; // the examples that are shown

  /** @param {any} app @param {Layout} layout @param {string} text */
  constructor(app, layout, text) {
    this.app = app;
    this.most = layout.most_characters;
    this.node = element("textarea", "un-text", {
      rows: 2,
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
    const open = button("Open a text file", () => chooser.click(), { title: "Puts its text into the box" });
    const does = element("span", "un-does");
    does.append(open, chooser, button("Clear", clear, { title: "Clear the text box" }));
    this.head = element("div", "un-head");
    this.head.append(label, does);
    this.tries = element("div", "un-tries");
    this.tip = element("p", "un-tip");
    this.listen();
  }

  listen() {
    const { app, node } = this;
    node.addEventListener("input", (/** @type {InputEvent} */ e) => {
      if (!e.isComposing) app.changed(); // else an input method is still at work: wait for its word
    });
    node.addEventListener("compositionend", () => app.changed());
    node.addEventListener("paste", (/** @type {ClipboardEvent} */ e) =>
      this.pasted(e.clipboardData?.getData("text").length ?? 0),
    );
  }

  /** The examples of the page, or of the model that is shown, where it has its own. @param {Layout["tries"]} tries */
  offer(tries) {
    const offered = JSON.stringify(tries);
    if (offered === this.offered && this.tries.children.length) return;
    this.offered = offered;
    const buttons = tries.map((example) => {
      const { label, text, look } = example;
      const b = element("button", "un-try", { type: "button", textContent: label || text, title: look });
      b.onclick = () => {
        this.app.selection.release();
        this.app.take(example);
      };
      return b;
    });
    this.tries.replaceChildren(element("span", "un-try-label", { textContent: "Try" }), ...buttons);
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
