// What the pictures of a training share: the text after so many merges, and tokens as a reader sees them.

import { visible } from "../dom.js";

/** @import { Panel } from "../panel.js" */

/** Byte-level vocabularies write each byte as a letter that can be printed; back to the bytes. @param {number} b */
const plain = (b) => (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255);
const BYTE = new Map();
let spare = 256;
for (let b = 0; b < 256; b++) BYTE.set(String.fromCharCode(plain(b) ? b : spare++), b);
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * A token as it is shown: blanks visible, a byte that is no character alone as <E2>.
 * @param {string} kind @param {string} piece
 */
export function said(kind, piece) {
  if (kind !== "bytes") return visible(piece);
  const bytes = Uint8Array.from(piece, (c) => BYTE.get(c));
  try {
    return visible(utf8.decode(bytes));
  } catch {
    return Array.from(bytes, (b) =>
      b > 32 && b < 127 ? String.fromCharCode(b) : `<${b.toString(16).toUpperCase().padStart(2, "0")}>`,
    ).join("");
  }
}

/** @param {string} kind @param {string} a @param {string} b */
const join = (kind, a, b) => a + (kind === "wordpiece" && b.startsWith("##") ? b.slice(2) : b);

/** The merge up to which the text on the screen has gone. @param {Panel} panel */
export function stepOf(panel) {
  const { steps } = panel.reader().said;
  return Math.max(0, Math.min(steps?.length ?? 0, panel.selection.get("stop") ?? 0));
}

/**
 * The text after `step` merges: [{piece, first, last}], places among the symbols.
 * @param {import("../wire.js").Reader} reader @param {number} step
 */
export function tokensAt(reader, step) {
  const { gone, kind } = reader.said;
  /** @type {{piece: string, first: number, last: number}[]} */
  const out = [];
  reader.labels.forEach((label, i) => {
    const together = i > 0 && gone[i - 1] > 0 && gone[i - 1] <= step;
    if (!together) out.push({ piece: label, first: i, last: i });
    else {
      const token = out[out.length - 1];
      token.piece = join(kind, token.piece, label);
      token.last = i;
    }
  });
  return out;
}

/** Per token the number of the merge that first made it. @param {any[]} steps @returns {Map<string, number>} */
export const madeBy = (steps) =>
  new Map([...steps].map((s, i) => /** @type {const} */ ([s[2], i + 1])).reverse());

/** One colour a merge, eight in turn; first symbols are grey. @param {any} merge */
export const tint = (merge) =>
  merge ? `color-mix(in srgb, var(--un-line-${(merge - 1) % 8}) 30%, transparent)` : "var(--un-soft)";

/**
 * The token that is looked at: under the pointer, clicked, else the one of the last merge, else the longest.
 * @param {Panel} panel @param {number} step
 */
export function lookedAt(panel, step) {
  const reader = panel.reader();
  const tokens = tokensAt(reader, step);
  const { selection } = panel;
  if (!tokens.length) return null;
  if (selection.get("token") !== undefined) {
    const at = selection.token(reader);
    return tokens.find((t) => t.first <= at && at <= t.last) ?? tokens[0];
  }
  const last = reader.said.steps[step - 1]?.[2];
  return (
    tokens.find((t) => t.piece === last) ??
    tokens.reduce((best, t) => (t.piece.length > best.piece.length ? t : best))
  );
}
