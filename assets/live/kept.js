// A text that is too long for the address stays with the tab: after a reload it is there again.

export const LINKED = 2000; // characters of a text that the address holds
const KEY = "unrolled.text";

/** @param {string | null} text null where the address holds it */
export function keepText(text) {
  try {
    if (text === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    // a browser that keeps nothing: the text is in the box as long as the page is open
  }
}

/** What was kept, unless the address brings a text. @returns {string | null} */
export function keptText() {
  if (new URL(location.href).searchParams.has("text")) return null;
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}
