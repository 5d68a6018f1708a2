// The pictures of the first page: all as high as there is room for on one screen, each with a link to its lesson.

import { element } from "../dom.js";

const LEAST = 172,
  MOST = 300,
  BESIDES = 556, // what stands over, under and between two of them
  WIDE = 1348, // of the page: from there on the ribbon above has larger letters and rows,
  TALLER = 32; // and is higher by this

/** Pixels for one picture of two, one over the other. @param {any} app */
export function high(app) {
  const besides = BESIDES + (app.root.clientWidth >= WIDE ? TALLER : 0);
  return Math.max(LEAST, Math.min(MOST, Math.round((innerHeight - besides) / 2)));
}

/**
 * A link to a lesson, which takes the text along; a plain click stays in this session.
 * @param {any} app @param {{page: string, title: string}} lesson
 */
export function lessonLink(app, { page, title }) {
  const link = element("a", "un-lesson", { textContent: `${title} ›`, title: `Open the lesson ${title}` });
  const aim = () => {
    link.href = `${page}?${new URLSearchParams({ text: app.text ?? "" })}`;
  };
  aim();
  for (const name of ["pointerenter", "focus", "pointerdown"]) link.addEventListener(name, aim);
  link.onclick = (/** @type {MouseEvent} */ event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    app.trigger("open", page);
  };
  return link;
}
