// What the pointer does on a picture.

/** @import { Kept } from "../types.js" */

/**
 * Pointing looks at what is under the pointer, a click keeps it.
 * @param {{panel: any, surface: import("../drawing/canvas.js").Surface}} view
 * @param {(x: number, y: number) => Kept | null | undefined} find what is there, for the selection of the
 *   page
 * @param {() => void} left is called when the pointer goes
 */
export function pointing({ panel, surface }, find, left = () => {}) {
  const { selection } = panel;
  surface.onPointer(
    (/** @type {number} */ x, /** @type {number} */ y) => selection.look(find(x, y) ?? {}),
    (/** @type {number} */ x, /** @type {number} */ y) => {
      const place = find(x, y);
      if (place) selection.keep(place, panel.app);
    },
    () => {
      selection.leave();
      left();
    },
  );
}

/**
 * The pointer walks over tokens that stand side by side from `left`, `view.step` apart.
 * @param {{panel: any, surface: import("../drawing/canvas.js").Surface, step?: number}} view @param {number}
 *   left @param {number} first
 */
export function along(view, left, first = 0) {
  pointing(view, (x) => {
    const reader = view.panel.reader();
    const last = reader.labels.length - 1;
    return last < first
      ? null
      : reader.place(Math.max(first, Math.min(last, first + Math.floor((x - left) / view.step))));
  });
}

/** @type {WeakMap<EventTarget, string>} lists with nodes that the pointer reads, and which those are */
const lists = new WeakMap();
/** @param {EventTarget} node */
export const rowsOf = (node) => lists.get(node);

/** A list whose nodes are read by keyboard as by the pointer. @param {HTMLElement} list @param {string} nodes as a selector */
export function walked(list, nodes) {
  list.tabIndex = 0;
  lists.set(list, nodes);
}

/**
 * The same for the nodes of a list.
 * @param {any} panel @param {HTMLElement} list @param {string} name of their data: `data-name` is the number of each
 * @param {(i: number) => Kept} find @param {boolean} strict between the nodes nothing is looked at; else what was before
 */
export function listPointing({ selection, app }, list, name, find, strict = false) {
  const at = (/** @type {Event} */ event) => {
    const node = /** @type {HTMLElement} */ (event.target).closest(`[data-${name}]`);
    return node && find(Number(/** @type {HTMLElement} */ (node).dataset[name]));
  };
  list.addEventListener("pointerover", (e) => {
    const place = at(e);
    if (place || strict) selection.look(place ?? {});
  });
  list.addEventListener("pointerleave", () => selection.leave());
  list.addEventListener("click", (e) => {
    const place = at(e);
    if (place) selection.keep(place, app);
  });
}

/**
 * The box that holds a point.
 * @template {import("../types.js").Box} T @param {T[] | undefined} boxes @param {number} x @param {number} y
 *   @returns {T | undefined}
 */
export const boxAt = (boxes, x, y) =>
  boxes?.find((box) => x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h);
