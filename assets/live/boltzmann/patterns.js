// What a Boltzmann machine may learn: ready patterns, those that Python sends, and those that are drawn.

/** @typedef {{rows: Float64Array[], held: Float64Array[], across: number, names?: string[]}} Patterns `across`: cells of a row */

export const [SIDE, MOST] = [4, 40];
const CELLS = SIDE * SIDE;
const LETTERS = [
  "1111 0110 0110 0110",
  "1000 1000 1000 1111",
  "1111 1001 1001 1111",
  "1001 0110 0110 1001",
  "1001 1111 1111 1001",
];

/** @param {string} bits @returns {Float64Array} */
const read = (bits) => Float64Array.from(bits.replaceAll(" ", ""), Number);

/** Each set of full rows, and each set of full columns: 30 patterns. */
function bars() {
  const found = new Map();
  for (let which = 0; which < 2 ** SIDE; which++)
    for (const across of [true, false]) {
      const row = Float64Array.from({ length: CELLS }, (_, k) => {
        const line = across ? Math.floor(k / SIDE) : k % SIDE;
        return (which >> line) & 1;
      });
      found.set(row.join(""), row);
    }
  return [...found.values()];
}

/** Patterns of one's own as a link holds them: four letters each. @param {string[]} own */
export const written = (own) => own.map((bits) => parseInt(bits, 2).toString(16).padStart(4, "0")).join("");

/** The same back; what is none is left out. @param {string} text @returns {string[]} */
export const understood = (text) =>
  (text.match(/[0-9a-f]{4}/g) ?? [])
    .map((four) => parseInt(four, 16).toString(2).padStart(CELLS, "0"))
    .slice(0, MOST);

/** Patterns as Python sends them. @param {{rows: string[], held: string[], across: number, names?: string[]}} sent */
const sentOf = ({ rows, held, across, names }) => ({
  rows: rows.map(read),
  held: held.map(read),
  across,
  names,
});

/** @param {string} name @param {string[]} own @param {Record<string, any>} sent by Python, by name @returns {Patterns} */
export function patternsOf(name, own, sent) {
  if (sent[name]) return sentOf(sent[name]);
  const ready = { bars, letters: () => LETTERS.map(read), own: () => own.map(read) };
  return { rows: ready[name]?.() ?? [], held: [], across: SIDE };
}
