// Characters of all scripts, by Unicode's own rules, as engine/text/segmentation.py has them.

/** @type {Intl.Segmenter} */
let segmenter; // made when it is first needed: it takes a tenth of a second

/** The characters that a reader sees; joined they are the text. @param {string} text */
export function clusters(text) {
  // without anything that could join to another
  if (/^[\0-\u02ff\u1e00-\u1fff\u2010-\u2029]*$/.test(text)) return Array.from(text);
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment).flatMap((c) =>
    c === "\r\n" ? ["\r", "\n"] : [c],
  );
}

/** Its first characters, none of them cut. @param {string} text @param {number} most */
export const first = (text, most) => (text.length <= most ? text : clusters(text).slice(0, most).join(""));
