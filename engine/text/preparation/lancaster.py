"""Lancaster: one table of rules, applied again and again until none fits.

What      the last letters of the word choose a rule; it cuts or replaces, then stops or goes on
Source    Paice, Another Stemmer, 1990, as in nltk.stem.LancasterStemmer
Shapes    a change is the end of a word
Differs   nothing: it cuts more than the others, and makes car of caring.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from engine.text.preparation.base import Preparation, each_word
from engine.text.preparation.porter import LONGEST
from engine.text.preparation.stemmers import stemmers


@cache
def _stemmer() -> Any:
    return stemmers().LancasterStemmer()


@lru_cache(65536)
def stem(word: str, _: str = "") -> str:
    return str(_stemmer().stem(word)) if len(word) <= LONGEST else word


PREPARATION = Preparation(
    "Lancaster stems",
    "Cuts for as long as a rule applies. Unrelated words can become the same: “caring” and “car”.",
    each_word(stem, lambda was, now, _: f"{was} → {now}"),
    trim=True,
)
