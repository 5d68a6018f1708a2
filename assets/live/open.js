// A text file from this computer, read in the browser: its text and what was done to it, or one sentence why not.

import { first } from "./segmentation.js";

/** @type {[string, number[]][]} */
const BOMS = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];
const BINARY = [
  ["a zip archive or an office document", [0x50, 0x4b, 3, 4]],
  ["a gzip archive", [0x1f, 0x8b]],
  ["a PDF", [0x25, 0x50, 0x44, 0x46]],
  ["a rich text document", [0x7b, 0x5c, 0x72, 0x74, 0x66]],
  ["an office document", [0xd0, 0xcf, 0x11, 0xe0]],
  ["a picture", [0x89, 0x50, 0x4e, 0x47]],
  ["a picture", [0xff, 0xd8, 0xff]],
  ["a picture", [0x47, 0x49, 0x46, 0x38]],
];
/** @param {any} bytes @param {any} sign */
const begins = (bytes, sign) => sign.every((b, i) => bytes[i] === b);
/** @param {number} n */
const count = (n) => n.toLocaleString("en");

/** {text, says}; no text where there is none to read. @param {any} file @param {number} most */
export async function readText(file, most) {
  const name = `“${first(file.name, 60)}”`;
  if (!file.size) return { says: `${name} is empty; there is nothing to read.` };
  let bytes;
  try {
    bytes = new Uint8Array(await file.slice(0, 4 * most + 4).arrayBuffer()); // a character has four bytes at most
  } catch {
    return { says: `${name} cannot be read: the browser has no permission, or the file is gone.` };
  }
  const kind = BINARY.find(([, sign]) => begins(bytes, sign));
  if (kind) return { says: `${name} is ${kind[0]}; save it as plain text first.` };
  const notes = [];
  const decoded = decode(bytes, notes).replace(/\r\n?/g, "\n");
  const text = decoded.replace(/[\0-\x08\x0b-\x1f\x7f]/g, "");
  const removed = decoded.length - text.length;
  if (removed * 10 > decoded.length)
    return { says: `${name} is not a text file: too many of its characters are control codes.` };
  if (!text.trim()) return { says: `${name} contains only white space.` };
  if (removed) notes.push(`${count(removed)} control character${removed > 1 ? "s" : ""} removed`);
  const points = Array.from(text.slice(0, most)); // a text box counts in halves of an emoji
  if (/[\ud800-\udbff]$/.test(points.at(-1))) points.pop();
  if (text.length > most || file.size > bytes.length)
    notes.unshift(`the first ${count(points.length)} characters; a text here has ${count(most)} at most`);
  return {
    text: points.join(""),
    says: `${name}: ${notes.length ? notes.join("; ") : `${count(points.length)} characters`}.`,
  };
}

/** @param {any} bytes @param {any} notes */
function decode(bytes, notes) {
  const marked = BOMS.find(([, sign]) => begins(bytes, sign));
  const encoding = marked?.[0] ?? wide(bytes);
  if (encoding && encoding !== "utf-8") notes.push(`decoded as ${encoding}`);
  if (encoding) return new TextDecoder(encoding).decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true }); // the last character may be cut
  } catch {
    notes.push("not UTF-8: decoded as windows-1252");
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** UTF-16 without a mark: in Latin text every other byte is 0. @param {any} bytes */
function wide(bytes) {
  const sample = bytes.subarray(0, 4096 & ~1);
  const zeros = [0, 0];
  sample.forEach((b, i) => {
    if (b === 0) zeros[i % 2] += 1;
  });
  const [even, odd] = zeros.map((n) => n / Math.max(1, sample.length / 2));
  if (odd > 0.4 && even < 0.1) return "utf-16le";
  return even > 0.4 && odd < 0.1 ? "utf-16be" : null;
}
