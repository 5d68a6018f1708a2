// The factor of one word in the product of a text, with what the model has forgotten struck out.

import { digits, element, visible } from "../../dom.js";
import { NEVER, power } from "../../sums/chain.js";

const FORGOTTEN = 12; // words named before the window

// Writes it into `node`; returns what the model looks at, in words.
export function writeFactor(node, { reader, factors }, now, window) {
  const f = factors[now - 1];
  if (!f) {
    const given = factors.length ? "The start mark is given, so it has no factor." : "";
    node.replaceChildren(document.createTextNode(given));
    return "";
  }
  const from = Math.max(0, now - window);
  const more = reader.offset > 0;
  const pieces = [document.createTextNode(`P(${visible(reader.labels[now])} | `)];
  if (from || more) {
    const cut = reader.labels.slice(0, from).slice(-FORGOTTEN);
    const textContent = (from > cut.length || more ? "… " : "") + cut.map(visible).join(" ");
    const title = "forgotten: the model does not look this far back";
    pieces.push(element("s", "un-forgotten", { textContent, title }), document.createTextNode(" "));
  }
  const seen = reader.labels.slice(from, now).map(visible).join(" ");
  const p = f.bits < NEVER ? `${power(f.bits)} = 2^−${f.bits.toFixed(2)}` : "0";
  pieces.push(element("b", "", { textContent: seen }));
  pieces.push(document.createTextNode(`) = ${p}${reader.unknown.has(now) ? ", as an unknown word" : ""}`));
  node.replaceChildren(...pieces);
  const back = `${window} ${window === 1 ? "word" : "words"}`;
  const cut =
    from || more
      ? `The model looks back only ${back}; the words struck out do not count (the Markov assumption).`
      : `Nothing is forgotten yet: the model looks back ${back}.`;
  return `${cut} The product up to “${visible(reader.labels[now])}” is ${power(f.after)}, ${digits(f.after)} bits.`;
}
