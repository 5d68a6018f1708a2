// Streamlit's own text fields, on every page: half of an emoji, which would close their socket, becomes the sign for a
// character that is none; and of a paste that is longer than a field takes, which they drop without a word, the beginning stays.

import { element } from "../dom.js";

const NATIVE = '[data-testid="stTextInput"], [data-testid="stTextArea"]';

export class Fields {
  busy = false;

  constructor() {
    this.says = element("p", "un-menu-field", { role: "status", hidden: true });
    document.body.append(this.says);
    this.hear = (event) => this.input(event);
    addEventListener("input", this.hear, true); // before Streamlit hears it
  }

  destroy() {
    removeEventListener("input", this.hear, true);
    this.says.remove();
  }

  /** @param {Event} event */
  input(event) {
    const field = /** @type {HTMLInputElement} */ (event.target);
    if (this.busy || !(field instanceof HTMLElement) || !field.matches("input, textarea")) return;
    if (!field.closest(NATIVE)) return;
    this.says.hidden = true;
    const whole = wellFormed(field.value);
    if (whole !== field.value) write(field, whole);
    setTimeout(() => this.check(field, whole)); // when Streamlit has taken it, or not
  }

  /** Whether the field took `wanted`; else as much of its beginning as it takes. @param {HTMLInputElement} field @param {string} wanted */
  check(field, wanted) {
    if (!field.isConnected || field.value.length >= wanted.length) return;
    const before = field.value;
    let [least, most] = [0, wanted.length - 1];
    this.busy = true;
    while (least < most) {
      const middle = (least + most + 1) >> 1;
      if (takes(field, wellFormed(wanted.slice(0, middle)))) least = middle;
      else most = middle - 1;
    }
    const taken = wellFormed(wanted.slice(0, least)).replace(/\uFFFD$/, "");
    takes(field, taken.length ? taken : before);
    this.busy = false;
    const n = (count) => count.toLocaleString("en");
    this.say(
      field,
      `This field takes ${n(least)} characters, and the text has ${n(wanted.length)}: only its beginning was kept.`,
    );
  }

  say(field, words) {
    const { left, bottom } = field.getBoundingClientRect();
    this.says.textContent = words;
    this.says.hidden = false;
    Object.assign(this.says.style, {
      left: `${left + scrollX}px`,
      top: `${Math.min(bottom + 4, innerHeight - 60)}px`,
    });
  }
}

/** @param {string} text */
function wellFormed(text) {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
}

/** As if it had been typed, so that Streamlit hears of it. @param {HTMLInputElement} field @param {string} text */
function takes(field, text) {
  write(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
  return field.value === text;
}

/** Past React, which otherwise believes that nothing changed. @param {HTMLInputElement} field @param {string} text */
function write(field, text) {
  const kind = field.tagName === "INPUT" ? HTMLInputElement : HTMLTextAreaElement;
  Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(field, text);
}
