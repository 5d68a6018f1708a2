// A course of one's own: chosen lessons, in the order of the course, as one link and one hand-out.

import { element } from "../dom.js";
import { button } from "../parts/controls.js";
import { byEra } from "./eras.js";

/** @import { Lesson } from "./eras.js" */

const NAME = "lessons"; // in the address

export class Syllabus {
  /** @param {Lesson[]} lessons @param {(event: MouseEvent, href: string) => void} open @param {(chosen: Set<string>) => void} changed */
  constructor(lessons, open, changed) {
    this.lessons = lessons;
    this.open = open;
    this.changed = changed;
    const known = new Set(lessons.map(({ href }) => href));
    const asked = new URLSearchParams(location.search).get(NAME) ?? "";
    /** @type {Set<string>} */
    this.chosen = new Set(asked.split(",").filter((id) => known.has(id)));
    this.root = element("div", "un-syllabus");
    this.course = element("section", "un-panel", { hidden: true });
    this.course.setAttribute("aria-label", "Chosen lessons");
    this.fold = element("details", "un-syllabus-fold");
    this.fold.append(
      element("summary", "", {
        textContent: "Plan a course: choose lessons, share one link, print a hand-out",
      }),
      this.boxes(),
    );
    this.root.append(this.course, this.fold);
    this.show();
  }

  boxes() {
    const grid = element("div", "un-syllabus-eras");
    for (const [era, of] of byEra(this.lessons)) {
      const group = element("fieldset");
      group.append(element("legend", "", { textContent: era }));
      for (const { href, title, minutes } of of) {
        const row = element("label");
        const box = element("input", "", {
          type: "checkbox",
          name: "lessons",
          value: href,
          checked: this.chosen.has(href),
        });
        box.onchange = () => this.choose(href, box.checked);
        row.append(box, title, element("small", "", { textContent: `${minutes} min` }));
        group.append(row);
      }
      grid.append(group);
    }
    return grid;
  }

  /** @param {string} id @param {boolean} on */
  choose(id, on) {
    if (on) this.chosen.add(id);
    else this.chosen.delete(id);
    const url = new URL(location.href);
    if (this.chosen.size) url.searchParams.set(NAME, this.ids.join(","));
    else url.searchParams.delete(NAME);
    // a comma may stand in an address as it is
    history.replaceState(history.state, "", url.href.replaceAll("%2C", ","));
    this.show();
  }

  get list() {
    return this.lessons.filter(({ href }) => this.chosen.has(href));
  }
  get ids() {
    return this.list.map(({ href }) => href);
  }

  show() {
    this.changed(this.chosen);
    const { list } = this;
    this.course.hidden = !list.length;
    if (!list.length) return;
    const minutes = list.reduce((sum, lesson) => sum + lesson.minutes, 0);
    const head = element("h3", "un-title", {
      textContent: `This course: ${list.length === 1 ? "1 lesson" : `${list.length} lessons`}, about ${spoken(minutes)}`,
    });
    const rows = element("ol", "un-syllabus-list");
    for (const { href, title, minutes: of, question } of list) {
      const link = element("a", "un-map-name", { href, textContent: title });
      link.onclick = (/** @type {MouseEvent} */ event) => this.open(event, href);
      const row = element("li");
      row.append(
        link,
        element("span", "un-map-page", { textContent: `${of} min` }),
        element("p", "", { textContent: question }),
      );
      rows.append(row);
    }
    const print = element("a", "un-button", {
      href: `course/handout?${NAME}=${this.ids.join(",")}&lang=${document.documentElement.lang}`,
      target: "_blank",
      rel: "noopener",
      textContent: "Open the hand-out",
      title: "A page to print: questions, and the answers at its end",
    });
    const copied = element("span", "un-says", { role: "status" });
    const copy = button("Copy the link", () => this.copy(copied), { title: "It opens this course" });
    const bar = element("p", "un-syllabus-bar");
    bar.append(copy, print, copied);
    this.course.replaceChildren(head, rows, ...this.missing(), bar);
  }

  /** What the chosen lessons build on, and nobody chose. */
  missing() {
    const needed = new Set(this.list.flatMap(({ before }) => before).filter((id) => !this.chosen.has(id)));
    const titles = this.lessons.filter(({ href }) => needed.has(href)).map(({ title }) => title);
    if (!titles.length) return [];
    const words = `These lessons build on others that are not chosen: ${titles.join(", ")}.`;
    return [element("p", "un-says", { textContent: words })];
  }

  /** @param {HTMLElement} says */
  async copy(says) {
    const link = new URL(location.pathname, location.origin);
    link.search = `?${NAME}=${this.ids.join(",")}`;
    try {
      await navigator.clipboard.writeText(link.href);
      says.textContent = "Copied.";
    } catch {
      says.textContent = link.href; // to be copied by hand
    }
  }
}

/** @param {number} minutes */
function spoken(minutes) {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours && `${hours} h`, rest && `${rest} min`].filter(Boolean).join(" ");
}
