// The menu: pages by era, of which the one with the open page is unfolded; what was folded by hand stays so.

import { element, isDark } from "../dom.js";
import { Fields } from "./fields.js";
import { arrive, follow } from "./go.js";
import { keepChoices } from "./history.js";
import { Search } from "./search.js";

const FOLDS = "unrolled.menu"; // {era: whether it is open}, for this tab

/** @typedef {{href: string, title: string, subtitle: string, question: string}} Entry */

export function mount({ data, parentElement, setTriggerValue }) {
  keepChoices();
  const menu = (parentElement.unrolledMenu ??= new Menu(parentElement));
  menu.retheme = () => setTriggerValue("theme", isDark(menu.root));
  menu.receive(data, (address) => setTriggerValue("open", address));
  return () => {
    if (!parentElement.isConnected) menu.destroy();
  };
}

class Menu {
  told;
  data;
  retheme = () => {}; // has the page drawn again
  dark; // as the page was last drawn, or asked to be
  address; // as it was when charts were last looked at

  constructor(parent) {
    this.root = parent.appendChild(element("div", "un-menu"));
    this.search = new Search((address) => this.send(address));
    this.pages = element("nav", "un-menu-pages");
    this.pages.setAttribute("aria-label", "Pages");
    this.root.append(this.search.root, this.pages);
    this.search.covers = this.pages;
    this.fields = new Fields();
    this.timer = setInterval(() => (this.theme(), this.readdress()), 400);
  }

  destroy() {
    this.search.destroy();
    this.fields.destroy();
    clearInterval(this.timer);
  }

  /** Settled charts bear the colours that the server drew them in, so a change has them drawn again. */
  theme() {
    const dark = isDark(this.root);
    this.root.classList.toggle("un-dark", dark);
    if (!this.data || dark === this.dark) return;
    this.dark = dark;
    this.retheme();
  }

  /** Vega names the colours of a legend by the whole address, and they are gone when that has changed. */
  readdress() {
    if (location.href === this.address) return;
    this.address = location.href;
    for (const drawn of document.querySelectorAll('.vega-embed [fill^="url(http"]'))
      drawn.setAttribute("fill", (drawn.getAttribute("fill") ?? "").replace(/^url\([^#]*/, "url("));
  }

  /** @param {{here: string, language: string, dark: boolean, top: Entry[], eras: {title: string, lessons: Entry[]}[]}} data @param {(address: string) => void} send */
  receive(data, send) {
    this.send = send;
    document.documentElement.lang = data.language;
    if (new URL(data.here, location.href).pathname === location.pathname) arrive();
    const told = JSON.stringify(data);
    if (told === this.told) return;
    Object.assign(this, { told, data, dark: data.dark });
    this.theme();
    this.pages.replaceChildren(this.list(data.top), ...data.eras.map((era) => this.era(era)));
    const here = this.pages.querySelector("[aria-current]");
    requestAnimationFrame(() => here && reveal(here));
  }

  era({ title, lessons }) {
    const fold = element("details", "un-menu-era");
    const name = element("summary", "", { textContent: title });
    fold.open = lessons.some(({ href }) => href === this.data.here) || !!kept()[title];
    name.onclick = () => keep(title, !fold.open);
    fold.append(name, this.list(lessons));
    return fold;
  }

  /** @param {Entry[]} entries */
  list(entries) {
    const list = element("ul");
    for (const { href, title, subtitle, question } of entries) {
      const link = element("a", "", { href, textContent: title, title: question });
      if (href === this.data.here) link.setAttribute("aria-current", "page");
      if (subtitle) {
        link.setAttribute("aria-label", title);
        link.append(element("small", "", { textContent: subtitle }));
      }
      link.onclick = (event) => follow(event, href, this.send);
      list.appendChild(element("li")).append(link);
    }
    return list;
  }
}

/** @returns {Record<string, boolean>} */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(FOLDS)) ?? {};
  } catch {
    return {}; // nothing may be stored here, or somebody else wrote it
  }
}

/** @param {string} era @param {boolean} open */
function keep(era, open) {
  try {
    sessionStorage.setItem(FOLDS, JSON.stringify({ ...kept(), [era]: open }));
  } catch {
    // nothing may be stored here
  }
}

/** Scrolls the menu, and nothing else, until the element is in sight. @param {Element} node */
function reveal(node) {
  const box = node.closest('[data-testid="stSidebarContent"]');
  if (!box) return;
  const [inner, outer] = [node.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    box.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
}
