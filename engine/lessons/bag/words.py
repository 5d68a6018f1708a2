"""Words of a bag: letters and digits in small letters; an apostrophe inside a word belongs to it.

What      "Don't panic, it's 1979!" -> don't panic it's 1979
Source    engine/text/segmentation.py; one-letter words stay, which scikit-learn's CountVectorizer leaves
          out
Differs   Curly apostrophes count as straight ones.
"""

from __future__ import annotations

from engine.text.segmentation import WORDS


def words(text: str) -> list[str]:
    """The words in the order of the text."""
    return WORDS.findall(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").lower())


def places(text: str) -> list[tuple[int, int]]:
    """Where the words of a text stand in it."""
    return WORDS.spans(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
