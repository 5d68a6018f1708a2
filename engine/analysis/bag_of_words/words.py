"""Words of a bag: letters and digits in small letters; an apostrophe inside a word belongs to it.

What      "Don't panic, it's 1979!" -> don't panic it's 1979
Source    the word pattern of scikit-learn's CountVectorizer, widened: one-letter words and
          apostrophes stay
Differs   Text that is written without spaces (Chinese, Thai) is one long word here.
          assets/live/sums/bayes.js has the same pattern, so the browser and Python see the same words.
"""

from __future__ import annotations

import regex

_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:'[\p{L}\p{N}\p{M}]+)*")


def words(text: str) -> list[str]:
    """The words in the order of the text."""
    found: list[str] = _WORD.findall(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").lower())
    return found


def places(text: str) -> list[tuple[int, int]]:
    """Where the words of a text stand in it."""
    plain = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return [match.span() for match in _WORD.finditer(plain)]
