"""Snowball: Porter's second stemmer, and stemmers for other languages in the same style.

What      endings that lie in the regions R1 and R2 of a word are cut, language by language
Source    Porter, Snowball: A Language for Stemming Algorithms, 2001, as in
          nltk.stem.SnowballStemmer
Shapes    a change is the end of a word
Differs   The notes give conditional -> condition and easily -> easi: it says condit and easili.
          argus stays argus here; only the first Porter stemmer makes argu of it.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from engine.text.preparation.base import Preparation, each_word
from engine.text.preparation.porter import LONGEST
from engine.text.preparation.stemmers import stemmers

LANGUAGES = {
    name.lower(): name
    for name in (
        "English",
        "Arabic",
        "Danish",
        "Dutch",
        "Finnish",
        "French",
        "German",
        "Hungarian",
        "Italian",
        "Norwegian",
        "Portuguese",
        "Romanian",
        "Russian",
        "Spanish",
        "Swedish",
    )
}


@cache
def _stemmer(language: str) -> Any:
    return stemmers().SnowballStemmer(language)


@lru_cache(65536)
def stem(word: str, language: str = "english") -> str:
    return str(_stemmer(language).stem(word)) if len(word) <= LONGEST else word


PREPARATION = Preparation(
    "Snowball stems",
    "Porter's second stemmer, with rules for fifteen languages. With the wrong language it"
    " cuts off the wrong endings.",
    each_word(stem, lambda was, now, _: f"{was} → {now}"),
    LANGUAGES,
    trim=True,
)
