// What the first minute stands on where a page is one of forms: what a step chooses is set by the page's script, which
// draws everything anew; its parts are panels, headings, figures and keyed containers.

import { element, isDark } from "../dom.js";
import { ADDRESS, Minute } from "../minute.js";
import { MOVES, find, unfold } from "../place.js";

/** @import { Step } from "../types.js" */

const UNDO = -1; // what was chosen before the first step is set again
const END = -2;

export function mount({ data, parentElement, setTriggerValue }) {
  const page = (parentElement.unrolledMinute ??= new FormPage(parentElement, data));
  page.send = (/** @type {number} */ at) => setTriggerValue("step", { at, sent: ++page.sent });
  page.hear(data);
  return () => {
    if (!parentElement.isConnected) page.leave();
  };
}

class FormPage {
  follows = true;
  send = (/** @type {number} */ _at) => {};
  sent = 0;

  /** @param {HTMLElement} parent @param {{page: string, steps: Step[]}} data */
  constructor(parent, { page, steps }) {
    this.name = page;
    this.root = parent.appendChild(element("div", "un un-bar"));
    this.minute = new Minute(this);
    this.minute.steps = steps;
    this.root.append(this.minute.root);
    this.main = parent.closest('[data-testid="stMain"]') ?? document.body;
    this.watch = new MutationObserver((records) => this.changed(records));
    this.watch.observe(this.main, { childList: true, subtree: true });
    this.moves = () => {
      this.minute.due = false;
    };
    for (const name of MOVES) addEventListener(name, this.moves, { capture: true, passive: true });
  }

  /** The step that the script has set, where none was asked for since. @param {{at: number, sent: number}} data */
  hear({ at, sent }) {
    this.root.classList.toggle("un-dark", isDark(this.root));
    // Streamlit may mount once more what is about to go: then the step has left the address
    if (!new URL(location.href).searchParams.has(ADDRESS)) return;
    if (sent >= this.sent && at !== this.minute.at) this.minute.show(at, true);
  }

  /** The script has drawn something anew. @param {MutationRecord[]} records */
  changed(records) {
    const { minute } = this;
    if (minute.at < 0 || records.every(({ target }) => this.root.contains(target))) return;
    minute.mark();
    minute.drawn();
  }

  /** @param {string[]} ids */
  parts(ids) {
    return [...new Set(ids)].flatMap((id) => {
      const root = find(id);
      return root ? [{ id, root }] : [];
    });
  }

  top() {
    return this.root;
  }

  now() {}

  restore() {
    this.send(UNDO);
  }

  /** @param {number} at */
  set(at) {
    this.send(at);
  }

  ready() {
    const { panel } = this.minute;
    if (panel) unfold(panel);
    return !!panel;
  }

  fit() {}

  begin() {}

  end() {
    this.send(END);
  }

  /** The script knows what a link holds. */
  told() {
    return true;
  }

  leave() {
    this.watch.disconnect();
    for (const name of MOVES) removeEventListener(name, this.moves, true);
    this.minute.destroy();
  }
}
