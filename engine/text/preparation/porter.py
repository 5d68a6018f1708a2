"""Porter's stemmer: English endings cut by rules in five phases.

What      1 plurals, -ed, -ing; 2 and 3 long suffixes become short ones; 4 suffixes go; 5 a last e
          and a double l go
Source    Porter, An Algorithm for Suffix Stripping, 1980, as in nltk.stem.PorterStemmer
Shapes    a change is the end of a word
Differs   nltk's version adds a few rules to Porter's (its mode NLTK_EXTENSIONS) and makes letters
          small.
          The notes give caring -> car: Porter says care; Lancaster's stemmer says car.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from engine.text.preparation.base import Preparation, each_word
from engine.text.preparation.stemmers import stemmers

PHASES = (
    "1a plurals",
    "1b -ed, -ing",
    "1c y becomes i",
    "2 long suffixes",
    "3 suffixes",
    "4 suffixes go",
    "5a last e",
    "5b double l",
)
LONGEST = 60  # letters; what is longer is no word


@cache
def _stemmer() -> Any:
    return stemmers().PorterStemmer()


@lru_cache(65536)
def stem(word: str, _: str = "") -> str:
    return str(_stemmer().stem(word)) if len(word) <= LONGEST else word


def trace(word: str) -> list[tuple[str, str]]:
    """(phase, the word after it) for every phase that changes it; a word in the table of exceptions
    has one phase."""
    stemmer, now = _stemmer(), word.lower()
    if len(word) > LONGEST:
        return []
    if now in stemmer.pool:
        return [("in the table of exceptions", stem(word))] if stem(word) != now else []
    if len(now) <= 2:  # too short to stem
        return []
    found = []
    for phase in PHASES:
        after = getattr(stemmer, f"_step{phase.split()[0]}")(now)
        if after != now:
            found.append((phase, after))
        now = after
    return found


PREPARATION = Preparation(
    "Porter stems",
    "Cuts off English endings by rules. The stem need not be a word: “studies” becomes “studi”.",
    each_word(stem, lambda was, now, _: f"{was} → {now}"),
    trim=True,
)
