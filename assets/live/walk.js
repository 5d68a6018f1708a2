// Arrow keys on a picture: they walk over what the pointer would find there, Enter is a click, Escape lets go;
// with Shift they move along the text.  No picture has code for it: what stands where is asked of the handlers
// that the pointer has.

import { element } from "./dom.js";
import { pointerOf } from "./drawing/canvas.js";
import { rowsOf } from "./marks/pointer.js";

const WAYS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  Home: [1, 0],
  End: [-1, 0],
});
const MOST = 500; // points that are asked for a place to begin
const NOTHING = [undefined, null, false, -1]; // what a drawer has in `over`, where the pointer is over nothing
const COARSE = 6; // pixels between the points that are asked where nothing lies straight ahead

export class Walk {
  /** @typedef {{node: HTMLElement, panel: any, x: number, y: number}} Place a point of a picture, in its pixels */
  /** @type {Place & {row?: any, end?: {leave: () => void}, before?: string} | null} */
  at = null;

  /** @param {any} app */
  constructor(app) {
    this.app = app;
    this.mark = element("span", "un-walk");
    this.mark.setAttribute("aria-hidden", "true");
    app.root.addEventListener(
      "focusout",
      (/** @type {FocusEvent} */ e) => this.at?.node === e.target && this.away(),
    );
    app.root.addEventListener("pointermove", () => this.at && this.away(), true);
  }

  away() {
    this.end(this.at?.end ?? (this.at ? pointerOf(this.at.node) : undefined));
  }

  /** @param {{leave: () => void} | undefined} pointer */
  end(pointer) {
    this.at = null;
    this.mark.remove();
    pointer?.leave();
  }

  /** Whether the key was for the picture. @param {KeyboardEvent} e */
  key(e) {
    const rows = rowsOf(/** @type {EventTarget} */ (e.target));
    if (rows) return this.list(/** @type {HTMLElement} */ (e.target), rows, e);
    const node = /** @type {HTMLCanvasElement} */ (e.target);
    const pointer = pointerOf(node);
    if (!pointer || e.ctrlKey || e.metaKey || e.altKey) return;
    const panel = this.app.panels.find((/** @type {any} */ { root }) => root.contains(node));
    const way = WAYS[e.key];
    const acts = e.key === "Enter" || e.key === " ";
    if (e.key === "Escape") return this.end(pointer);
    if (!panel || (!way && !acts)) return;
    if (e.shiftKey) return this.end(pointer); // along the text, whatever the picture
    const scene = new Scene(node, pointer, panel);
    const here = this.at?.node === node ? this.at : null;
    const found = scene.quietly(() => this.step(scene, here, way, e));
    // nothing there, or drawn in a line that the key does not go along: it is the page's
    if (!found) return this.end(pointer);
    if (here && acts) pointer.keep(here.x, here.y);
    this.put({ node, panel, ...found }, scene);
    e.preventDefault();
  }

  // The rows of a list one after another: what the pointer does there is done, and the row is said.
  list(node, rows, e) {
    const panel = this.app.panels.find((/** @type {any} */ { root }) => root.contains(node));
    const found = [...node.querySelectorAll(rows)].filter((row) => row.checkVisibility());
    const by = /** @type {Record<string, number>} */ ({
      ArrowUp: -1,
      ArrowDown: 1,
      Home: -Infinity,
      End: Infinity,
    })[e.key];
    const end = { leave: () => node.dispatchEvent(new PointerEvent("pointerleave")) };
    const at = found.indexOf(this.at?.row);
    if (e.key === "Escape" || e.shiftKey) return this.end(end);
    if (e.key === "Enter" && at >= 0) found[at].click();
    else if (!found.length || by === undefined || e.ctrlKey || e.metaKey || e.altKey) return;
    const row = found[Math.max(0, Math.min(found.length - 1, at + (by ?? 0)))];
    this.at = { node, panel, row, end, before: panel.readout.textContent, x: 0, y: 0 };
    row.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
    this.app.restSoon();
    this.show(row, 0, row.offsetHeight / 2);
    e.preventDefault();
  }

  // What is said of a row: what the panel reads there, or the row itself.
  get row() {
    const { row, before, panel } = this.at ?? {};
    if (!row) return null;
    const { textContent } = panel.readout;
    if (textContent !== before && /\d/.test(textContent)) return textContent;
    return Array.from(row.children, (part) => part.textContent.trim())
      .filter(Boolean)
      .join(", ");
  }

  // The mark, where one is.
  show(node, x, y) {
    const { parentElement } = node;
    if (getComputedStyle(parentElement).position === "static") parentElement.style.position = "relative";
    if (parentElement.matches("ol, ul, tbody, tr"))
      (parentElement.closest("div") ?? parentElement).append(this.mark);
    else node.after(this.mark);
    const [to, from] = [node, this.mark.offsetParent ?? parentElement].map((one) =>
      one.getBoundingClientRect(),
    );
    this.mark.style.left = `${to.left - from.left + (this.mark.offsetParent?.scrollLeft ?? 0) + x}px`;
    this.mark.style.top = `${to.top - from.top + (this.mark.offsetParent?.scrollTop ?? 0) + y}px`;
    this.mark.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // Where the key leads.
  step(scene, here, way, { key }) {
    if (!here) {
      const start = scene.start(this.app);
      if (!start?.known || !way) return start;
      here = start;
    }
    if (!way) return here;
    if (key === "Home" || key === "End") return scene.edge(here, way);
    const back = /** @type {[number, number]} */ (way.map((d) => -d));
    return scene.next(here, way) ?? (scene.next(here, back) ? here : null);
  }

  // What is there is looked at; where it is a token, the page keeps it, as with every arrow key.
  put({ node, panel, x, y }, scene) {
    const { selection } = this.app;
    const what = scene.anew(x, y);
    const { token, reader, span } = selection.hovered;
    if (token !== undefined && token !== selection.kept.token) {
      selection.keep({ token, reader, span }, this.app);
      // the picture moves along
      if (scene.anew(x, y) !== what) ({ x, y } = scene.quietly(() => scene.start(this.app)) ?? { x, y });
      scene.anew(x, y);
    }
    panel.draw();
    this.app.restSoon();
    this.at = { node, panel, x, y };
    this.show(node, x, y);
  }
}

// One picture and what is found in it at a point, by what its panel does when the pointer is there.
class Scene {
  /** @param {HTMLCanvasElement} node @param {import("./drawing/canvas.js").Handlers} pointer @param {any} panel */
  constructor(node, { look, leave }, panel) {
    this.look = look;
    this.leave = leave;
    this.panel = panel;
    this.width = node.clientWidth;
    this.height = node.clientHeight;
    this.quietly(leave);
  }

  /** Nothing is drawn while the picture is searched. @template T @param {() => T} search @returns {T} */
  quietly(search) {
    const drawn = [this.panel, this.panel.view];
    for (const one of drawn) one.draw = () => {};
    try {
      return search();
    } finally {
      for (const one of drawn) delete one.draw;
    }
  }

  /** @returns {string | null} what is at a point, as the drawer calls it; null where nothing is */
  of(x, y) {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return null;
    this.look(x, y);
    const { selection, view } = this.panel;
    const hovered = Object.values(selection.hovered).some((value) => value !== undefined);
    return hovered || !NOTHING.includes(view.over) ? JSON.stringify([selection.hovered, view.over]) : null;
  }

  // The same, whatever the drawer believes the pointer to be over: a choice may have let go of it.
  anew(x, y) {
    this.quietly(this.leave);
    return this.of(x, y);
  }

  // The middle of what is at a point, along one way or across it.
  middle(x, y, [dx, dy]) {
    const sign = this.of(x, y);
    let [back, on] = [0, 0];
    while (this.of(x - dx * (back + 1), y - dy * (back + 1)) === sign) back += 1;
    while (this.of(x + dx * (on + 1), y + dy * (on + 1)) === sign) on += 1;
    const by = Math.floor((on - back) / 2);
    return { x: x + dx * by, y: y + dy * by };
  }

  centre(x, y) {
    const there = this.middle(x, y, [1, 0]);
    return this.middle(there.x, there.y, [0, 1]);
  }

  // The first thing straight ahead; else the nearest one in that direction that does not lie beside this one too.
  next({ x, y }, [dx, dy]) {
    const now = this.of(x, y);
    for (let i = 1; ; i++) {
      const [px, py] = [x + dx * i, y + dy * i];
      if (px < 0 || py < 0 || px >= this.width || py >= this.height) break;
      const sign = this.of(px, py);
      if (sign && sign !== now) return this.middle(px, py, [dx, dy]);
    }
    let best = null;
    for (let py = COARSE / 2; py < this.height; py += COARSE)
      for (let px = COARSE / 2; px < this.width; px += COARSE) {
        const ahead = (px - x) * dx + (py - y) * dy;
        const aside = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
        if (ahead <= 0 || aside > 2 * ahead) continue;
        const far = ahead + 2 * aside;
        if (best && far >= best.far) continue;
        const sign = this.of(px, py);
        if (!sign || sign === now || this.of(dx ? x : px, dy ? y : py) === sign) continue;
        best = { far, x: px, y: py };
      }
    return best && this.centre(best.x, best.y);
  }

  // The first thing in the row, or the last.
  edge({ x, y }, [dx]) {
    for (let px = dx > 0 ? 0 : this.width - 1; px !== x; px += dx)
      if (this.of(px, y)) return this.middle(px, y, [1, 0]);
    return { x, y };
  }

  // Where what the page shows already is in the picture; else the first thing from its corner.
  start(app) {
    const { selection } = this.panel;
    const shown = selection.settled(app);
    /** @type {{x: number, y: number, known: number} | null} */
    let best = null;
    const ask = (/** @type {number} */ x, /** @type {number} */ y) => {
      if (!this.of(x, y)) return;
      const known = Object.entries(selection.hovered).filter(
        ([name, value]) => name !== "span" && name !== "reader" && shown[name] === value,
      ).length;
      if (!best || known > best.known) best = { x, y, known };
    };
    const step = Math.max(COARSE, Math.ceil(Math.sqrt((this.width * this.height) / MOST)));
    for (let y = step / 2; y < this.height; y += step)
      for (let x = step / 2; x < this.width; x += step) ask(x, y);
    if (best) for (let { y } = best, x = 0; x < this.width; x += 1) ask(x, y); // what is narrow, too
    if (best) for (let { x } = best, y = 0; y < this.height; y += 1) ask(x, y);
    return best && { ...this.centre(best.x, best.y), known: best.known };
  }
}
