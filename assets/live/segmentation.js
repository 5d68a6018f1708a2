// Words and characters of all scripts, by Unicode's own rules: a twin of engine/text/segmentation.py, where the rules and what differs
// from the standard are told. A browser knows no Word_Break property, so its classes are put together from those that it knows.

/** @type {RegExp} */
let word; // made when it is first needed: it takes a tenth of a second

function makeWord() {
  const MARK = String.raw`\p{Grapheme_Extend}\p{Mc}\p{Emoji_Modifier}\u200d`;
  const NUMBER_SIGN = String.raw`\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}`;
  const E = String.raw`[${MARK}[\p{Cf}--[${NUMBER_SIGN}\u200b]]]`;
  // Thai, Lao, Khmer, Burmese and their kin, which write no blanks
  const UNSPACED = String.raw`\p{Script=Thai}\p{Script=Laoo}\p{Script=Khmr}\p{Script=Mymr}\p{Script=Tale}\p{Script=Talu}\p{Script=Lana}\p{Script=Tavt}\p{Script=Ahom}`;
  const KATAKANA = String.raw`\p{Script=Kana}\u3031-\u3035\u309b\u309c\u30a0\u30fc\uff70`;
  const OTHERS = String.raw`\p{Ideographic}\p{Script=Hira}${KATAKANA}[[${UNSPACED}]--\p{N}]`;
  // letters by their use and not by their class: tone letters, Armenian signs inside words, geresh
  const MORE = String.raw`\xb8\u02c2-\u02c5\u02d2-\u02d7\u02de\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u055a-\u055c\u055e\u058a\u05f3\ua708-\ua716\ua720\ua721\ua789\ua78a\uab5b`;
  const LETTER = String.raw`[[\p{Alphabetic}\p{Nd}\p{No}${MORE}${NUMBER_SIGN}\u066b]--[${OTHERS}${MARK}]]`;
  const HEBREW = String.raw`[\p{Script=Hebr}&&\p{Lo}]`;
  const KEYCAP = String.raw`[0-9#*]\uFE0F?\u20E3`;
  const RUN = `(?:(?!${KEYCAP})${LETTER}${E}*)+`;
  const ALPHABETIC = String.raw`[${LETTER}--\p{N}]`;
  const JOINED = `${RUN}(?:(?:['\u2019]${E}*|(?<=${ALPHABETIC}${E}*)\xb7${E}*(?=${ALPHABETIC})|(?<=${HEBREW}${E}*)["\u05f4]${E}*(?=${HEBREW}))${RUN})*(?:(?<=${HEBREW}${E}*)'${E}*)?`;
  const OTHER = `[[\\p{L}\\p{N}]--[${LETTER}${KATAKANA}]]`;
  return new RegExp(
    `(?:${JOINED}|(?:[${KATAKANA}]${E}*)+)(?:(?<=\u200d)\\p{Extended_Pictographic}${E}*)*|(?<other>(?:${OTHER}${E}*)+)`,
    "gv",
  );
}

/** @type {Intl.Segmenter} */
let segmenter; // likewise

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

/** The words of a text, without signs. @param {string} text @returns {string[]} */
export function words(text) {
  const found = [];
  for (const { 0: run, groups } of text.matchAll((word ??= makeWord()))) {
    if (groups.other === undefined) found.push(run);
    else
      for (const cluster of clusters(run)) {
        if (/^\p{M}/u.test(cluster) && found.length) found[found.length - 1] += cluster;
        else found.push(cluster);
      }
  }
  return found;
}
