// The search on top of the menu: "/" or Ctrl+K, words, arrows, Enter.  The server finds and ranks; the last answer counts.

import { element } from "../dom.js";
import { follow, go } from "./go.js";

const LONGEST = 100; // characters of a query
const FIELDS = "input, textarea, select, [contenteditable='true'], [role='textbox']";

export class Search {
  found = [];
  active = -1;
  /** @type {HTMLElement} what the results stand in place of */
  covers = null;

  /** @param {(address: string) => void} send */
  constructor(send) {
    this.send = send;
    this.root = element("div", "un-menu-search", { role: "search" });
    this.box = element("input", "un-menu-box", {
      type: "search",
      placeholder: "Search",
      maxLength: LONGEST,
      autocomplete: "off",
      spellcheck: false,
      role: "combobox",
    });
    this.key = element("kbd", "", { textContent: "/", title: "Press / or Ctrl+K to search" });
    this.says = element("p", "un-menu-says", { role: "status" });
    this.list = element("div", "un-menu-found", { role: "listbox", id: "un-menu-found" });
    this.list.setAttribute("aria-label", "Found");
    for (const [name, value] of Object.entries({
      "aria-label": "Find a page or topic",
      "aria-controls": this.list.id,
      "aria-autocomplete": "list",
      "aria-expanded": "false",
      "aria-keyshortcuts": "/ Control+K",
    }))
      this.box.setAttribute(name, value);
    this.root.append(this.box, this.key, this.says, this.list);
    this.box.oninput = () => this.ask();
    this.box.onkeydown = (event) => this.press(event);
    this.hear = (event) => this.begin(event);
    addEventListener("keydown", this.hear);
    this.show(null);
  }

  destroy() {
    removeEventListener("keydown", this.hear);
    this.asked?.abort();
  }

  /** "/" or Ctrl+K, wherever one is, unless a "/" is being typed. @param {KeyboardEvent} event */
  begin(event) {
    const chord = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
    const target = event.target instanceof Element ? event.target : null;
    const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !target?.closest(FIELDS);
    if (!chord && !slash) return;
    event.preventDefault();
    if (document.activeElement !== this.box)
      this.before = /** @type {HTMLElement} */ (document.activeElement);
    const sidebar = this.root.closest('[data-testid="stSidebar"]');
    if (
      sidebar?.getAttribute("aria-expanded") === "false" ||
      sidebar?.getAttribute("data-collapsed") === "true"
    )
      /** @type {HTMLElement} */ (document.querySelector('[data-testid="stExpandSidebarButton"]'))?.click();
    this.box.focus({ preventScroll: true });
    this.box.select();
    const menu = this.root.closest('[data-testid="stSidebarContent"]');
    if (menu) menu.scrollTop = 0;
  }

  async ask() {
    this.asked?.abort();
    const query = this.box.value.trim();
    this.waiting = false;
    if (!query) {
      this.asked = null;
      return this.show(null);
    }
    const asked = (this.asked = new AbortController());
    this.list.setAttribute("aria-busy", "true"); // what is listed answers an earlier query
    try {
      const reply = await fetch(
        `course/find?q=${encodeURIComponent(query)}&lang=${document.documentElement.lang}`,
        { signal: asked.signal },
      );
      if (!reply.ok) throw new Error(reply.statusText);
      const told = await reply.json();
      if (this.asked !== asked) return;
      this.asked = null;
      this.show(told);
      if (this.waiting && this.found.length) this.open();
    } catch {
      if (this.asked === asked) this.fail();
    }
    return undefined;
  }

  fail() {
    this.asked = null;
    this.show(null);
    this.says.textContent = "The server does not answer.";
  }

  /** @param {{found: {href: string, title: string, page: string, says: string}[], count: number} | null} told */
  show(told) {
    this.found = told?.found ?? [];
    this.list.removeAttribute("aria-busy");
    this.list.replaceChildren(...this.found.map((place, n) => this.option(place, n)));
    this.list.hidden = !told;
    if (this.covers) this.covers.hidden = !!told;
    this.key.hidden = !!told;
    this.box.setAttribute("aria-expanded", String(this.found.length > 0));
    this.says.textContent = told ? counted(this.found.length, told.count) : "";
    this.choose(this.found.length ? 0 : -1);
  }

  option({ href, title, page, says }, n) {
    const link = element("a", "", {
      href,
      title: says,
      role: "option",
      id: `un-menu-found-${n}`,
      tabIndex: -1,
    });
    link.append(title);
    if (page) link.append(element("small", "", { textContent: page }));
    link.onclick = (event) => follow(event, href, (to) => this.leave(to));
    return link;
  }

  /** @param {number} n */
  choose(n) {
    this.active = n;
    [...this.list.children].forEach((node, i) => node.setAttribute("aria-selected", String(i === n)));
    if (n < 0) return this.box.removeAttribute("aria-activedescendant");
    this.box.setAttribute("aria-activedescendant", this.list.children[n].id);
    return this.list.children[n].scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const many = this.found.length;
    if (event.isComposing) return;
    if (event.key === "Escape") this.escape();
    else if (event.key === "ArrowDown" && many) this.choose((this.active + 1) % many);
    else if (event.key === "ArrowUp" && many) this.choose((this.active + many - 1) % many);
    else if (event.key === "Enter" && this.asked) this.waiting = true;
    else if (event.key === "Enter" && many) this.open();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  open() {
    go(this.found[this.active].href, (to) => this.leave(to));
  }

  escape() {
    this.clear();
    this.box.blur();
    if (this.before?.isConnected) this.before.focus({ preventScroll: true });
  }

  clear() {
    this.asked?.abort();
    this.asked = null;
    this.box.value = "";
    this.show(null);
  }

  /** @param {string} address */
  leave(address) {
    this.clear();
    this.box.blur();
    this.send(address);
  }
}

/** @param {number} shown @param {number} count */
function counted(shown, count) {
  if (!count) return "No page or topic has a similar name.";
  if (count > shown) return `The best ${shown} of ${count}`;
  return count === 1 ? "1 place" : `${count} places`;
}
