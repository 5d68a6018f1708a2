"""Unicode form: the same letter can be written in several ways; afterwards in one.

What      NFC composes (e + ´ = é), NFD takes apart, NFKC also replaces look-alikes (ﬁ = fi, ² = 2);
          "accents" takes the marks of Latin, Greek and Cyrillic letters away
Source    Unicode Standard Annex #15, Unicode Normalization Forms
Shapes    a change is one letter with its marks
Differs   Letters without a decomposition (ø, ł, ß) keep their stroke when accents are taken away.
          The marks of other scripts stay, for they are vowels and not accents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise
from unicodedata import normalize

from engine.text.preparation.base import Edit, Preparation
from engine.text.segmentation import clusters

LONG = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
WHY = {
    "NFC": "composed",
    "NFD": "decomposed",
    "NFKC": "composed, look-alike replaced",
    "accents": "accent removed",
}


def convert(text: str, form: str) -> str:
    if form != "accents":
        return normalize(form, text)  # type: ignore[arg-type]
    import regex

    accented = r"([\p{Latin}\p{Greek}\p{Cyrillic}])\p{Mn}+"
    return normalize("NFC", regex.sub(accented, r"\1", normalize("NFD", text)))


def edit(text: str, choice: str) -> Iterator[Edit]:
    if text.isascii():
        return
    for part in LONG.finditer(text):
        spans = list(pairwise(accumulate(map(len, clusters(part[0])), initial=0)))
        made = [convert(part[0][a:b], choice) for a, b in spans]
        # scripts whose letters join without marks, such as Hangul
        if "".join(made) != convert(part[0], choice):
            spans, made = [(0, len(part[0]))], [convert(part[0], choice)]
        for (a, b), now in zip(spans, made, strict=True):
            if now != part[0][a:b]:
                yield part.start() + a, part.start() + b, now, WHY[choice]


PREPARATION = Preparation(
    "Unicode form",
    "One way to write each letter: é can be one character or two that look the same, and a"
    " computer treats them as different words.",
    edit,
    {
        "NFC": "NFC: composed",
        "NFD": "NFD: decomposed",
        "NFKC": "NFKC: look-alikes too",
        "accents": "without accents",
    },
)
