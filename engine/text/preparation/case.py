"""Letter case: The and the become one word.

What      every capital letter becomes its small one; "fold" also makes ss of ß, for comparing
Source    The Unicode Standard, sec. 3.13 (default case conversion and folding)
Shapes    changes are runs of letters; a word whose length changes is one change
Differs   The notes count up to 2V words without this step.  A word is written small, Capitalized
          and in CAPITALS: that is 3V, and with capitals anywhere up to 2 to the power of its
          letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from engine.text.preparation.base import Edit, Preparation


def edit(text: str, choice: str) -> Iterator[Edit]:
    convert, why = (str.casefold, "folded") if choice == "fold" else (str.lower, "capital letter")
    for word in re.finditer(r"\S+", text):
        was, now = word[0], convert(word[0])
        if was == now:
            continue
        if len(was) != len(now):
            yield word.start(), word.end(), now, why
            continue
        for differs, run in groupby(range(len(was)), key=lambda i: was[i] != now[i]):
            places = list(run)
            if differs:
                first, last = places[0], places[-1] + 1
                yield word.start() + first, word.start() + last, now[first:last], why


PREPARATION = Preparation(
    "Letter case",
    (
        "Capital letters become lower case. “The” and “the” are then one word, but so are “US” and"
        " “us”."
    ),
    edit,
    {"lower": "lower case", "fold": "folded: ß becomes ss, too"},
)
