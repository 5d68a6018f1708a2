"""White space: a token is whatever stands between blanks, as corpora that were cut beforehand
expect.

What      split at white space; the line end is </s>; a <unk> that stands in the text is a word like
          any other, [unk]
Source    Heafield, KenLM: Faster and Smaller Language Model Queries, 2011 (its input format)
Shapes    as in words.py
Differs   as in words.py
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import final

from engine.text.segmentation import Rule
from engine.text.tokenizers.words import UNKNOWN, Words

WRITTEN = "[unk]"


class _Blanks(Rule):
    def findall(self, text: str) -> list[str]:
        return text.split()


@final
class Whitespace(Words):
    id = "whitespace"
    title, short, rank = "White space", "white space", 30
    says = "whatever stands between blanks is a token; the commonest are known"
    rule = _Blanks(r"\n|[^\s]+", re.compile(r"\n|[^\s]+"))

    def __init__(self, words: Iterable[str], lowercase: bool = False) -> None:
        super().__init__(words, lowercase)
        if WRITTEN in self._id:
            self._id[UNKNOWN] = self._id[WRITTEN]

    @classmethod
    def _chosen(cls, counts: Counter[str], size: int) -> list[str]:
        if UNKNOWN in counts:
            counts[WRITTEN] += counts.pop(UNKNOWN)
        return super()._chosen(counts, size)


TOKENIZER = Whitespace
