// What somebody chooses on a page is a step in the history, so that Back undoes it.  Streamlit writes the value of a
// widget that is bound to the address over the address of before, with a new, empty state, and reads it after Back.

let chosen = false; // whether somebody did something since the last step back

/** Once for a window. */
export function keepChoices() {
  if (Object.hasOwn(history, "replaceState")) return;
  addEventListener("popstate", () => (chosen = false), true);
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => (chosen = true), true);
  history.replaceState = (state, title, url) => {
    const to = new URL(url ?? "", location.href);
    const widget = state && state !== history.state && !Object.keys(state).length;
    const step = chosen && widget && to.pathname === location.pathname && to.search !== location.search;
    History.prototype[step ? "pushState" : "replaceState"].call(history, state, title, url);
  };
}
