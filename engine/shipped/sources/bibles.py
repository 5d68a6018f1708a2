"""Short sentences of the Bible in English and in Spanish: of 62 of its books; four are kept back
whole.

What      English, a tab, Spanish.  Verses of one number belong together; where both have as many
          sentences, as their signs . ; : ? ! tell, each sentence is a pair, else the whole verse is
Source    World English Bible (2015); Reina-Valera (1909), both as eBible.org publishes them
Differs   Footnotes, titles and the glossary are left out, curly quotation marks made straight; the
          words á, é, ó, ú, fué, fuí, dió and vió are written as they are today, and the capitals of
          a chapter's first word as small letters.  The Spanish has no quotation marks, so the
          English loses its double ones; where an English sentence ends in a sign, or begins in a
          capital, the Spanish one does too.  Left out are pairs in which a side has more than ten
          words, or is more than 2.5 times as long as the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from engine.shipped.sources.base import Files, Source, content, lines_of
from engine.shipped.sources.novels import STRAIGHT, replaced

KEPT_BACK = ("Ruth", "Jonah", "Philippians", "James")
REFERENCE = re.compile(r"(.+) \d+:[1-9]\d*")
SENTENCE = re.compile(r"[^.;:?!]+(?:[.;:?!]+[')]*|$)")
TODAY = re.compile(r"\b(?:[ÁáÉéÓóÚú]|[Ff]u[ée]|[Ff]uí|[DdVv]ió)\b")
PLAIN = str.maketrans("ÁáÉéÓóÚúí", "AaEeOoUui")
LONGER, WORDS = 2.5, 10
FILES: Mapping[str, tuple[str, ...]] = {
    "English": ("web.imp", "web.imp.xz", "engWEB2015eb.imp"),
    "Spanish": ("rv1909.imp", "rv1909.imp.xz", "spaRV1909eb.imp"),
}


def verses(text: str) -> dict[str, str]:
    """Text of each verse by its reference, such as Genesis 1:1, from what `mod2imp` of the SWORD
    project writes: $$$ and a reference on a line, then the verse with its marks."""
    found: dict[str, str] = {}
    for part in text.split("$$$")[1:]:
        reference, _, marked = part.partition("\n")
        verse = re.sub(r"<note\b.*?</note>|<title\b.*?</title>", " ", marked, flags=re.DOTALL)
        verse = replaced(re.sub(r"<[^>]+>", "", verse), STRAIGHT)
        verse = re.sub(r" (?=[,.;:?!])", "", re.sub(r"\s+", " ", verse)).strip()
        if verse and REFERENCE.fullmatch(reference):
            found[reference] = verse
    return found


def spanish(verse: str) -> str:
    """In the spelling of today."""
    verse = TODAY.sub(lambda word: word.group().translate(PLAIN), verse)
    return re.sub(r"^\W*[^\W\d_]{2,}", lambda word: _small(word.group()), verse)


def _small(word: str) -> str:
    letters = word.lstrip("¡¿\"'(")
    return word[: len(word) - len(letters)] + letters.capitalize() if word.isupper() else word


def pairs(files: Files) -> Iterator[tuple[str, str, str]]:
    """Book, English and Spanish.  ValueError where there are none."""
    english, other = (verses(lines_of(content(files[name]))) for name in FILES)
    both = [reference for reference in english if reference in other]
    if not both:
        raise ValueError(
            f"{files['English']} and {files['Spanish']} have no verse in common; write both with"
            " mod2imp"
        )
    for reference in both:
        book = reference.rpartition(" ")[0]
        sides = english[reference].replace('"', ""), spanish(other[reference].replace('"', ""))
        cut = [[part.strip() for part in SENTENCE.findall(side)] for side in sides]
        whole = len(cut[0]) != len(cut[1]) or not all(map(_alike, *cut))
        for a, b in [sides] if whole else zip(*cut, strict=True):
            if _alike(a, b) and max(len(a.split()), len(b.split())) <= WORDS:
                yield book, a, _fitted(a, b)


def _fitted(a: str, b: str) -> str:
    """The Spanish, with the first letter and the last sign of the English."""
    letters = b.lstrip("¡¿'(")
    if a[:1].isupper():
        b = b[: len(b) - len(letters)] + letters[:1].upper() + letters[1:]
    if b[-1] in ".;:,":
        b = b[:-1] + (a[-1] if a[-1] in ".;:," else ".")
    return b


def _alike(a: str, b: str) -> bool:
    return len(a) <= LONGER * len(b) and len(b) <= LONGER * len(a)


def _lines(kept_back: bool, files: Files) -> str:
    return "".join(f"{a}\t{b}\n" for book, a, b in pairs(files) if (book in KEPT_BACK) == kept_back)


SOURCE = Source(
    "The Bible in English and Spanish (World English Bible, Reina-Valera 1909)",
    "public domain",
    "https://ebible.org/details.php?id=spaRV1909",
    partial(_lines, False),
    FILES,
    {"four unseen books": partial(_lines, True)},
)
