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

from engine.text.preparation.base import Edit, Preparation


def edit(text: str, choice: str) -> Iterator[Edit]:
    if choice == "collapse":
        for run in re.finditer(r"([^\w\s])\1+", text):
            if category(run[1]).startswith("P"):
                yield run.start(), run.end(), run[1], f"{len(run[0])} in a row"
        return
    for run in re.finditer(r"(?:[^\w\s]|_)+", text):
        for sign, group in groupby(
            range(*run.span()), key=lambda i: category(text[i]).startswith("P")
        ):
            if sign:
                places = list(group)
                yield places[0], places[-1] + 1, "", "punctuation"


PREPARATION = Preparation(
    "Punctuation",
    "Punctuation marks are removed, or repeated ones become one. “!!!” and “?” carry tone,"
    " which sentiment analysis needs.",
    edit,
    {"strip": "remove", "collapse": "!!! becomes !"},
)
