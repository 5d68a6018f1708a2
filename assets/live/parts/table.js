// The table twin of a picture: on the page, and as CSV.

import { element } from "../dom.js";

const MOST_ROWS = 200;

const cell = (/** @type {any} */ value) => {
  const said = String(value);
  return /[",\n\r]/.test(said) ? `"${said.replaceAll('"', '""')}"` : said;
};

/** @param {{columns: string[], rows: any[][]}} table */
export const csv = ({ columns, rows }) =>
  [columns, ...rows].map((row) => `${row.map(cell).join(",")}\n`).join("");

/** @param {HTMLElement} node what it stands in @param {{columns: string[], rows: any[][]}} table */
export function fillTable(node, { columns, rows }) {
  const shown = rows.slice(0, MOST_ROWS);
  const table = element("table", "");
  const head = element("tr", "");
  for (const c of columns) head.append(element("th", "", { textContent: c, scope: "col" }));
  table.append(head);
  for (const row of shown) {
    const tr = element("tr", "");
    for (const cell of row) tr.append(element("td", "", { textContent: String(cell) }));
    table.append(tr);
  }
  const note =
    rows.length > shown.length
      ? `${shown.length} of ${rows.length.toLocaleString("en")} rows are shown; Save, CSV has them all.`
      : `${rows.length} rows.`;
  node.replaceChildren(element("p", "un-says", { textContent: note }), table);
}
