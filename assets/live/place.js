// Brings the place that the address names (?panel=ID) onto the screen, once it is there.

const WAIT_MS = 60_000; // models may have to be opened first
const LOOK_MS = 150;
const GONE_MS = 6_000; // of a picture of before, the part that was chosen for it has to do
const SETTLED_MS = 8_000; // for so long nothing above it has moved it any more
const MARKED_MS = 2_500;
const FOLD = `[data-testid="stExpander"] details`;
export const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"]; // whoever does one of these leads from then on

export function mount({ data, parentElement }) {
  const path = data && pathOf(location.pathname, data.page);
  if (path && path !== location.pathname)
    history.replaceState(history.state, "", path + location.search + location.hash);
  if (!data?.panel || parentElement.unrolledPlace === data.panel) return undefined;
  parentElement.unrolledPlace = data.panel;
  return bring(data.panel);
}

/**
 * The address of a page.  After a link of the course map Streamlit shows the page and, once in a while, leaves the name
 * of the map in the address.
 * @param {string} path of the address @param {string} [page] the id of the lesson that is shown
 */
export const pathOf = (path, page) => (page ? path.replace(/[^/]*$/, page) : path);

/**
 * Scrolls to the element and keeps it there while what stands above it is still being drawn.  Returns what stops it.
 * @param {string} id
 */
export function bring(id) {
  const began = performance.now();
  let [found, top, still] = [null, NaN, 0];
  const look = () => {
    if (found && !found.isConnected) found = null;
    const gone = id.split(".").length > 2 && performance.now() - began > GONE_MS;
    if (!found && (found = find(id) ?? (gone ? document.querySelector('[class*="st-key-part-"]') : null)))
      [top, still] = [NaN, performance.now()];
    if (!found) return performance.now() - began > WAIT_MS && stop();
    if (Number.isNaN(top)) show(found);
    else found.scrollIntoView({ block: "start" }); // the page may have grown below it, too
    lengthen(found);
    const now = Math.round(found.getBoundingClientRect().top);
    if (now !== top) [top, still] = [now, performance.now()];
    return performance.now() - still > SETTLED_MS && stop();
  };
  const timer = setInterval(look, LOOK_MS);
  const stop = () => {
    clearInterval(timer);
    for (const name of MOVES) removeEventListener(name, stop, true);
  };
  for (const name of MOVES) addEventListener(name, stop, { capture: true, passive: true });
  look();
  return stop;
}

/** A live panel, a heading, a settled figure, or any keyed part of the page. @param {string} id @returns {HTMLElement | null} */
export function find(id) {
  const key = `st-key-${id.replace(/[^a-zA-Z0-9_-]/g, "-")}`;
  return (
    document.querySelector(`[data-panel="${CSS.escape(id)}"]`) ??
    document.getElementById(id) ??
    document.querySelector(`.${CSS.escape(`${key}-tabs`)}`) ??
    document.querySelector(`.${CSS.escape(key)}`)
  );
}

/** Opens the part of the page that holds it. @param {any} element */
export function unfold(element) {
  const fold = element.closest(FOLD) ?? (element.dataset.panel ? null : element.querySelector(FOLD)); // a panel's own fold is its Save menu
  if (fold && !fold.open) fold.querySelector("summary").click();
}

/** Room below the last part of a page, so that it can stand at the top, too. @param {Element} element */
function lengthen(element) {
  const main = element.closest('[data-testid="stMain"]');
  const block = /** @type {HTMLElement | null | undefined} */ (main?.querySelector(".stMainBlockContainer"));
  const short = element.getBoundingClientRect().top - parseFloat(getComputedStyle(element).scrollMarginTop);
  if (!main || !block || short < 2 || main.scrollTop + main.clientHeight < main.scrollHeight - 2) return;
  block.style.paddingBottom = `${parseFloat(getComputedStyle(block).paddingBottom) + short}px`;
  element.scrollIntoView({ block: "start" });
}

/** @param {any} element */
function show(element) {
  unfold(element);
  element.style.scrollMarginTop = "4.5rem"; // clear of the bar at the top of the page
  element.classList.add("un-arrived");
  setTimeout(() => element.classList.remove("un-arrived"), MARKED_MS);
  element.scrollIntoView({ block: "start" });
  if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.focus({ preventScroll: true }); // the next Tab goes on from here
}
