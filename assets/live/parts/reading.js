// One number of a field in words.

import { digits, visible } from "../dom.js";

/**
 * Its symbol, where it stands, its value; of a weight, how much is read from where.
 * @param {any} reader @param {string} name @param {Record<string, any>} at a position for each axis
 * @param {{y?: string, causal?: boolean}} spec of the panel: the axis down, and whether a token can look ahead
 */
export function reading(reader, name, at, { y, causal }) {
  const { symbol, says } = reader.spec.fields[name];
  const word = (t) => `“${visible(reader.labels[t] ?? "")}”`;
  const value = reader.value(name, at);
  const where = `layer ${at.layer + 1}${at.head === undefined ? "" : `, head ${at.head + 1}`}`;
  if (reader.spec.of && y === "query")
    return `${where}: ${word(at.query)} takes ${value > 0 ? "+" : ""}${digits(100 * value)} points of its reading from ${word(at.key)}`;
  const takes = `${where}: ${word(at.query)} takes ${digits(100 * value)} % of its reading from`;
  if (at.source !== undefined) return `${takes} “${visible(reader.source?.labels[at.source] ?? "")}”`;
  if (y !== "query")
    return `${symbol}[unit ${at.unit}] = ${digits(value)} at ${word(at.token)}, ${where}. ${says}`;
  return at.key > at.query && causal !== false
    ? `${where}: ${word(at.query)} can't look ahead at ${word(at.key)}`
    : `${takes} ${word(at.key)}`;
}
