// Of many places those that weigh most at the token that is kept are drawn, in their order; a button shows all.

import { put } from "../dom.js";
import { bar, button } from "../parts/controls.js";

/** The places that are drawn, each {axis: number}. @typedef {Record<string, number>} Place */

/**
 * The `most` places of the largest weight, those of which `sure` holds first, in the order in which they came.
 * @template T @param {T[]} places @param {number} most @param {(place: T) => number} weight @param {(place: T, i: number) => boolean} sure
 * @returns {T[]}
 */
export function weightiest(places, most, weight, sure = () => false) {
  const heavy = places.map((place, i) => (sure(place, i) ? Infinity : weight(place) || 0));
  return Array.from(places.keys())
    .sort((one, other) => heavy[other] - heavy[one] || one - other)
    .slice(0, most)
    .sort((one, other) => one - other)
    .map((i) => places[i]);
}

export class Fold {
  all = false;

  /** @param {import("./picture.js").Picture} picture @param {{weight: string, most: number, above: number, ends?: boolean}} spec */
  constructor(picture, spec) {
    this.picture = picture;
    this.spec = spec;
    this.button = button("", () => {
      this.all = !this.all;
      picture.draw();
    });
    this.node = bar(this.button);
    this.node.hidden = true;
  }

  /** Of these places those that are drawn. @template {Place} T @param {T[]} places @returns {T[]} */
  drawn(places) {
    const { spec, picture, all, node } = this;
    const { source, panel } = picture;
    const { most, weight, ends } = spec;
    const many = places.length > spec.above;
    const folded = many && !all;
    Object.assign(source.extras, { folded: Number(folded), drawn: most, places: places.length });
    if (node.hidden === many) node.hidden = !many;
    if (many) {
      put(this.button, all ? `Show only ${most} of ${places.length}` : `Show all ${places.length}`);
      this.button.setAttribute("aria-expanded", String(all));
    }
    if (!folded) return places;
    const at = { ...source.at, token: panel.selection.keptToken(source.reader) };
    const kept = (/** @type {string} */ axis) => panel.selection.keptPlace(source.kept(axis));
    const open = (/** @type {Place} */ place) =>
      Object.keys(place).every((axis) => kept(axis) === place[axis]);
    const last = places.length - 1;
    return weightiest(
      places,
      most,
      (place) => source.number(weight, { ...at, ...place }),
      (place, i) => open(place) || Boolean(ends && (i === 0 || i === last)),
    );
  }
}
