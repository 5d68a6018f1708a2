// The probability of a text as a product: a factor a word, and in bits a sum.

import { counted, digits, powerOfTen, raised, short } from "../dom.js";

export const TEN = Math.log10(2); // powers of ten a bit
export const NEVER = 1e8; // bits: a probability of 0 comes as 1e9

/** 2^-bits, however small. @param {number} bits */
export const power = (bits) => powerOfTen(-bits * TEN);

/** Per word its bits, and the bits of the product before and with it.  A factor of 0 is kept out of the sum and said. */
export function product(reader) {
  let bits = 0;
  const never = [];
  const factors = reader.bits.slice(1).map((own, i) => {
    const before = bits;
    if (own < NEVER) bits += own;
    else never.push(i + 1);
    return { bits: own, before, after: bits };
  });
  return { reader, factors, bits, never };
}

/** The probability of the whole text in words. @param {ReturnType<typeof product>} of */
export function sayProduct({ reader, factors, bits, never }) {
  const n = factors.length;
  if (never.length) {
    const named = never.slice(0, 4).map((t) => `“${short(reader.labels[t], 14)}”`);
    return `P = 0: ${never.length} of ${n} factors ${never.length > 1 ? "are" : "is"} 0 (${named.join(", ")}). The product of the others is ${power(bits)}, ${digits(bits)} bits.`;
  }
  if (!n) return "Type a word to see its factor.";
  const part = reader.offset > 0 || reader.offset + reader.labels.length < reader.total;
  const words = counted(n, reader.spec);
  const strange = [...reader.unknown].filter((t) => t > 0 && t <= n).length;
  const unknown = strange
    ? ` Grey: ${strange} unknown ${strange > 1 ? "words, read" : "word, read"} as <unk>, which is likelier than any of them.`
    : "";
  return `P(${part ? "the part shown" : "sentence"}) = ${power(bits)} = 2^−${bits.toFixed(1)}: ${digits(bits)} bits for ${words}, ${digits(bits / n)} bits each, perplexity ${digits(2 ** (bits / n))}.${unknown}`;
}

/** Powers of ten down to the `deepest`, at most six of them, with their heights. @param {(power: number) => number} y */
export function powers(deepest, y) {
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((n) => deepest / n <= 5) ?? 1000;
  return Array.from({ length: Math.floor(deepest / every) + 1 }, (_, i) => [
    y(i * every),
    i ? `10${raised(-i * every)}` : "1",
  ]);
}
