// A panel as one stand-alone SVG: what its canvases draw, and the words, boxes and diagrams around them, as they stand on
// the screen.  Tools are left out, settings and scrolled parts are whole.

import { record } from "./canvas.js";
import { element } from "../dom.js";
import { drawn } from "./svg/page.js";
import { axisName } from "../parts/axisnames.js";

/** @import { Panel } from "../panel.js" */

const MOST_TEXT = 400; // characters of the text in the line below a picture; the file's description has all

/** @param {Panel} panel */
export function snapshot(panel) {
  const { root } = panel;
  const stamp = element("p", "un-stamp", { textContent: origin(panel) });
  /** @type {(() => void)[]} */
  const undo = [];
  root.append(stamp);
  root.classList.add("un-saved");
  const recorded = record(() => panel.view.draw());
  try {
    const opened = unfold(root, undo);
    return drawn(root, recorded, opened);
  } finally {
    for (const back of undo.reverse()) back();
    recorded.end();
    root.classList.remove("un-saved");
    stamp.remove();
    panel.view.draw(); // where the pointer finds things is again as it was
  }
}

/** Whose numbers these are, and where in the model and the text they stand. @param {any} panel */
function origin({ app, spec, selection }) {
  const readers =
    spec.reader && !spec.every
      ? [app.readers.get(spec.reader) ?? app.readers.values().next().value]
      : [...app.readers.values()];
  const named = [...new Set(readers.map((r) => `${r.spec.title} (${r.spec.run})`))].join(", ");
  const place = (spec.at ?? []).map((/** @type {string} */ axis) => {
    if (axis === "token") return `after “${readers[0].labels[selection.token(readers[0])] ?? ""}”`;
    const at = selection.get(axis) ?? 0;
    return axis === "layer" || axis === "head" ? `${axisName(axis)} ${at + 1}` : `${axisName(axis)} ${at}`;
  });
  const edits = readers.map((r) => r.said?.edits).find(Boolean);
  if (edits) place.push(`edited: ${edits}`);
  const points = Array.from(app.text ?? "");
  const text =
    points.length > MOST_TEXT
      ? `${points.slice(0, MOST_TEXT).join("")}… (${points.length.toLocaleString("en")} characters)`
      : points.join("");
  return `${[`Model: ${named}`, ...place].join(", ")}, text: “${text}”`;
}

/** Scrolled parts are shown whole. @param {HTMLElement} root @param {(() => void)[]} undo what puts them back */
function unfold(root, undo) {
  const opened = new Set();
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("*"))) {
    const { overflowX, overflowY } = getComputedStyle(node);
    if (!/auto|scroll/.test(overflowX + overflowY)) continue;
    const {
      scrollLeft,
      scrollTop,
      style: { overflow, maxHeight },
    } = node;
    undo.push(() => {
      Object.assign(node.style, { overflow, maxHeight });
      Object.assign(node, { scrollLeft, scrollTop });
    });
    Object.assign(node.style, { overflow: "visible", maxHeight: "none" });
    opened.add(node);
  }
  return opened;
}
