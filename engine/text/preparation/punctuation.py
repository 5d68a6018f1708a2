"""Punctuation: taken away, or runs of the same sign made one.

What      "strip" deletes every character of Unicode category P; "collapse" makes "!" of "!!!"
Source    The Unicode Standard, general categories
Shapes    a change is one run of signs
Differs   Stripped before contractions are written out, I'm becomes Im, which no table knows: the
          notes' own example does that.
          $, + and < are symbols, not punctuation, in Unicode.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from unicodedata import category

from engine.language.message import _
from engine.text.preparation.base import Edit, Preparation
from engine.text.segmentation import clusters

KEYCAP = "\N{COMBINING ENCLOSING KEYCAP}"  # with it a sign is an emoji


def edit(text: str, choice: str) -> Iterator[Edit]:
    if choice == "collapse":
        for run in re.finditer(r"([^\w\s])\1+", text):
            if category(run[1]).startswith("P"):
                yield run.start(), run.end(), run[1], _("{run} in a row", run=len(run[0]))
        return
    stop = 0
    for sign, group in groupby(clusters(text), key=_punctuation):
        start, stop = stop, stop + sum(map(len, group))
        if sign:
            yield start, stop, "", "punctuation"


def _punctuation(character: str) -> bool:
    return category(character[0])[0] == "P" and character[-1] != KEYCAP


PREPARATION = Preparation(
    "Punctuation",
    "Punctuation marks are removed, or repeated ones become one. “!!!” and “?” carry tone,"
    " which sentiment analysis needs.",
    edit,
    {"strip": "remove", "collapse": "!!! becomes !"},
)
