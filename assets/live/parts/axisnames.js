// What the axes of a field are called in the language of the page.

import { small } from "../dom.js";

/** @type {Record<string, string>} */
const NAMES = {
  layer: small("layer"),
  head: small("head"),
  token: small("token"),
  unit: small("unit"),
  row: small("row"),
  column: small("column"),
  step: small("step"),
  order: small("order"),
  place: small("place"),
};

/** @param {string} axis */
export const axisName = (axis) => NAMES[axis] ?? axis;
