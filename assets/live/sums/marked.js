// Which word of a text is marked, and what a classifier says of it.

/**
 * The marked word up to token `last`: its place, and its kind where that is known; null where none is marked.
 * @param {string[]} labels @param {string} mark @param {Record<string, string>} kinds of words @param {number} last
 */
export function marked(labels, mark, kinds, last) {
  const at = labels.indexOf(mark) + 1;
  if (at < 1 || at > last) return null;
  return { at, kind: kinds[labels[at].toLowerCase()] ?? "" };
}

/**
 * The likeliest label behind a token. @param {import("../wire.js").Reader} reader @param {number} token
 * @returns {{label: string, p: number}}
 */
export function said(reader, token) {
  const names = reader.spec.labels.label;
  const of = names.map((_, label) => reader.value("label", { token, label }));
  const best = of.indexOf(Math.max(...of));
  return { label: names[best] ?? "", p: of[best] ?? NaN };
}
