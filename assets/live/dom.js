// Small pieces for building the page.  Text from a person goes in by textContent only.

import { clusters } from "./segmentation.js";

/**
 * A node with its class and properties.
 * @param {string} tag @param {string} [className] @param {Record<string, any>} [properties] @returns {any}
 */
export function element(tag, className = "", properties = {}) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  for (const [key, value] of Object.entries(properties)) {
    if (key === "role") node.setAttribute("role", value);
    else node[/** @type {"id"} */ (key)] = value;
  }
  return node;
}

/**
 * A node and its parts, one after another: {root, name: part}.
 * @template {string} K
 * @param {HTMLElement} root @param {Record<K, string>} of classes by name; with "tag.class" another node than a span
 * @returns {Record<K | "root", any>}
 */
export function parts(root, of) {
  const made = /** @type {Record<K | "root", any>} */ ({ root });
  for (const [name, said] of /** @type {[K, string][]} */ (Object.entries(of))) {
    const [className, tag = "span"] = said.split(".").reverse();
    made[name] = root.appendChild(element(tag, className));
  }
  return made;
}

/** Words in front of a control, which belong to it. @param {string} words @param {HTMLElement} control @returns {HTMLLabelElement} */
export function labelled(words, control, className = "un-both") {
  const label = element("label", className, { textContent: `${words} ` });
  label.append(control);
  return label;
}

/**
 * "1 word", "3 words", in what a model counts its text in.
 * @param {number} n @param {{unit: string, one: string}} spec of the reader
 */
export const counted = (n, { unit, one }) => `${n.toLocaleString("en")} ${n === 1 ? one : unit}`;

/**
 * A label of one small word, which may be a token elsewhere: in another language it is looked up here, among
 * those of engine/language/words.py.
 * @param {string} word
 */
export const small = (word) => word;

/** Writes a text, where another one stands. @param {Element} node @param {string} text */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * As many rows as there are things to show; a row that is there stays.
 * @template {{root: HTMLElement}} R @param {R[]} rows @param {number} count @param {(i: number) => R} make
 */
export function fit(rows, count, make) {
  while (rows.length > count) rows.pop().root.remove();
  while (rows.length < count) rows.push(make(rows.length));
}

/**
 * The children of `list`, one for each item; a child whose item is the same as before stays.
 * @param {any} list @param {any[]} items @param {(item: any, i: number) => HTMLElement} make
 */
export function follow(list, items, make) {
  const shown = (list.shown ??= []);
  items.forEach((item, i) => {
    const key = JSON.stringify(item);
    if (shown[i] === key) return;
    const node = make(item, i);
    if (i < shown.length) list.children[i].replaceWith(node);
    else list.append(node);
    shown[i] = key;
  });
  while (shown.length > items.length) {
    list.lastChild.remove();
    shown.pop();
  }
}

/**
 * A table: its head, and a row of nodes or words for each thing listed.
 * @param {(string | Node)[]} columns @param {(string | Node)[][]} rows
 */
export function table(columns, rows) {
  const node = element("table");
  const line = (/** @type {(string | Node)[]} */ cells, /** @type {string} */ tag, more = {}) => {
    const row = element("tr");
    for (const cell of cells)
      row.append(cell instanceof Node ? cell : element(tag, "", { textContent: cell, ...more }));
    return row;
  };
  node.append(line(columns, "th", { scope: "col" }), ...rows.map((cells) => line(cells, "td")));
  return node;
}

/** @param {string} text */
export const codePoints = (text) => Array.from(text);

/**
 * Space, line end and control characters made visible; what joins two characters outside ASCII stays, or family emoji and
 * Persian words would fall apart. @param {string} label
 */
export function visible(label) {
  return label.replace(
    /[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028-\u202e\ufeff]/g,
    (/** @type {string} */ c, /** @type {number} */ at) => {
      const joins = c === "\u200c" || c === "\u200d";
      if (joins && label[at - 1] > "\x7f" && label[at + 1] > "\x7f") return c;
      if (c === " ") return "·";
      if (c === "\n") return "⏎";
      if (c === "\t") return "⇥";
      return `U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    },
  );
}

/** @param {string} label */
export function short(label, most = 14) {
  const text = visible(label);
  if (text.length <= most) return text;
  const signs = clusters(text);
  return signs.length > most ? signs.slice(0, most - 1).join("") + "…" : text;
}

/** @type {Record<string, string>} */
const NAMES = { " ": "space", "\n": "new line", "<unk>": "unknown", "</s>": "end of the text" };

/** The same in words, where it is nothing that one could read. @param {string} label */
export const named = (label, most = 14) => NAMES[label] ?? short(label, most);

const THREE = { maximumSignificantDigits: 3 };

/** Three significant digits; a number that is not finite is shown as a sign. @param {any} value */
export function digits(value) {
  if (Number.isNaN(value)) return "n/a";
  if (value === Infinity) return "∞";
  if (value === -Infinity) return "−∞";
  if (value !== 0 && Math.abs(value) < 0.001) {
    const [number, power] = value.toExponential(1).split("e");
    return `${number.replace("-", "−")} × 10${raised(power)}`;
  }
  return value
    .toLocaleString("en", {
      ...THREE,
      useGrouping: false,
      minimumSignificantDigits: Math.abs(value) < 1000 && value !== 0 ? 3 : 1,
    })
    .replace("-", "−");
}

/** A whole number written as an exponent. @param {any} n */
export const raised = (n) => String(n).replace(/[-\d]/g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)]));

/** Ten to the power of `power` with three significant digits, however small. @param {number} power */
export function powerOfTen(power) {
  if (power > -3 && power < 6) return digits(10 ** power);
  let exponent = Math.floor(power);
  let mantissa = (10 ** (power - exponent)).toFixed(2);
  if (mantissa === "10.00") {
    mantissa = "1.00";
    exponent += 1;
  }
  return `${mantissa} × 10${raised(exponent)}`;
}

/** A sentence begins so. @param {string} text */
export const capital = (text) => text.replace(/^./u, (c) => c.toUpperCase());

/** A probability as a number, three significant digits. @param {number} p */
export const probability = (p) => (p > 0 ? powerOfTen(Math.log10(p)) : "0");

/** @param {number} p */
export function percent(p) {
  if (!Number.isFinite(p)) return digits(p);
  const x = 100 * p;
  if (x > 0 && x < 0.001) return "<0.001 %";
  return `${x >= 99.95 ? x.toFixed(1) : x.toPrecision(3).replace(/e.*/, "")} %`;
}

/**
 * The page is dark when its background is: asked of the painted colour, so that any theme works.
 * @param {HTMLElement} node
 */
export function isDark(node) {
  const probe = getComputedStyle(document.querySelector(".stApp") ?? document.body).backgroundColor;
  const [r, g, b] = (probe.match(/[\d.]+/g) ?? [255, 255, 255]).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b < 128;
}

/**
 * The colour of n-gram order m among n: from weak to strong over the whole ramp of sixteen.
 * @param {number} m @param {any} n
 */
export const orderColour = (m, n) => `--un-order-${n < 2 ? 15 : Math.round((15 * m) / (n - 1))}`;
