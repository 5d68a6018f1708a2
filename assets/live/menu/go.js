// A link that is followed within this session: the page changes, the text that was typed comes along.

import { bring } from "../place.js";

const LONGEST_MS = 20_000;
const NARROW = 768; // pixels; below, the menu lies over the page

let timer = 0;

/**
 * @param {MouseEvent | KeyboardEvent} event with a key of its own held, or another button, it is left to the browser
 * @param {string} address seen from any page: "lstm?panel=gates", "." for the home page
 * @param {(address: string) => void} send tells the server
 */
export function follow(event, address, send) {
  const { button } = /** @type {MouseEvent} */ (event);
  if (button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(address, send);
}

/** @param {string} address @param {(address: string) => void} send */
export function go(address, send) {
  const here = new URL(location.href);
  const to = new URL(address, here);
  const panel = to.searchParams.get("panel");
  if (to.pathname === here.pathname && [...to.searchParams].length > (panel ? 1 : 0)) {
    // what a page of its own chooses is read when it is opened
    const text = here.searchParams.get("text");
    if (text !== null) to.searchParams.set("text", text);
    location.assign(to);
    return;
  }
  close();
  if (to.pathname === here.pathname) {
    if (!panel) return;
    here.searchParams.set("panel", panel); // whatever else is chosen here stays
    if (here.href === location.href) bring(panel);
    [to.search, address] = [here.search, `${address.split("?")[0]}${here.search}`];
  }
  if (to.href !== location.href) enter(to);
  send(address);
}

/**
 * One step in the history.  On its way to another page Streamlit writes the address twice, first that of the page that
 * is left; until the page is there, only what is true of it counts, and makes no new step.
 * @param {URL} to
 */
function enter(to) {
  arrive();
  history.pushState({}, "", to);
  history.pushState = (state, title, url) => {
    if (new URL(url ?? "", location.href).pathname === to.pathname) history.replaceState(state, title, url);
  };
  timer = setTimeout(arrive, LONGEST_MS);
}

/** The page is there, or takes too long: whoever writes the address does so as ever. */
export function arrive() {
  clearTimeout(timer);
  delete history.pushState;
}

/** Where the menu lies over the page, it goes. */
function close() {
  if (innerWidth > NARROW) return;
  /** @type {HTMLElement} */ (
    document.querySelector('[data-testid="stSidebarCollapseButton"] button')
  )?.click();
}
