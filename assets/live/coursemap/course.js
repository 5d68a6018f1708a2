// The course: a picture of how the lessons hang together, and below it a course of one's own.

import { element, isDark } from "../dom.js";
import { follow } from "../menu/go.js";
import { Picture } from "./picture.js";
import { Syllabus } from "./syllabus.js";

/** @import { Lesson } from "./eras.js" */

export function mount({ data, parentElement, setTriggerValue }) {
  const course = (parentElement.unrolledCourse ??= new Course(parentElement, data.lessons));
  course.send = (/** @type {string} */ address) => setTriggerValue("open", address);
  return () => {
    if (!parentElement.isConnected) clearInterval(course.themeTimer);
  };
}

class Course {
  send;

  /** @param {HTMLElement} parent @param {Lesson[]} lessons in the order of the course */
  constructor(parent, lessons) {
    this.root = parent.appendChild(element("div", "un un-map un-course"));
    const open = (/** @type {MouseEvent} */ event, /** @type {string} */ href) =>
      follow(event, href, (address) => this.send(address));
    const picture = new Picture(lessons, open);
    const syllabus = new Syllabus(lessons, open, (chosen) => picture.mark(chosen));
    this.root.append(picture.root, syllabus.root);
    this.theme();
    this.themeTimer = setInterval(() => this.theme(), 400);
  }

  theme() {
    this.root.classList.toggle("un-dark", isDark(this.root));
  }
}
