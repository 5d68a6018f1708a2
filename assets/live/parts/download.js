// A file made in the browser, for the reader to keep.

import { element } from "../dom.js";

/** @param {BlobPart} content @param {string} type @param {string} name */
export function download(content, type, name) {
  const link = element("a", "", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
