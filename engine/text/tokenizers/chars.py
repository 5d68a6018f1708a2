"""Characters: what a reader sees as one character is one token, an accent typed apart and all parts
of an emoji with it.

What      id = place of the character in the sorted list of the commonest ones of the training text
Source    Karpathy, The Unreasonable Effectiveness of Recurrent Neural Networks, 2015 (character
          models); where characters end: engine/text/segmentation.py
Shapes    V = vocabulary: the line end (0), the unknown character (1), then characters
Differs   Grapheme clusters, not code points.  A vocabulary of code points that join to clusters,
          which was learned earlier, still cuts into code points.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import accumulate, pairwise
from typing import Any, Self, final

import numpy as np

from engine.text.segmentation import clusters
from engine.text.tokenizers.base import Tokenizer, Tokens

LINE_END, UNKNOWN, CHARACTERS = "\n", "<unk>", "characters"


@final
class Chars(Tokenizer):
    id = "chars"
    title, short, rank = "Characters", "characters", 10
    says = "every character is a token; the 1,000 commonest are known"
    unknown = 1
    boundary = 0

    def __init__(self, characters: Iterable[str], code_points: bool = False) -> None:
        self.vocab = (LINE_END, UNKNOWN, *characters)
        self._cut: Callable[[str], list[str]] = list if code_points else clusters
        self._id = {c: i for i, c in enumerate(self.vocab) if i != 1}

    @classmethod
    def fit(cls, lines: Iterable[str], size: int) -> Self:
        counts: Counter[str] = Counter()
        for line in lines:
            counts.update(clusters(line))
        counts.pop(LINE_END, None)
        common = sorted(counts, key=lambda c: (-counts[c], c))[: max(1, size - 2)]
        return cls(sorted(common))

    def encode(self, text: str) -> Tokens:
        characters = self._cut(text)
        ids = np.array([self._id.get(c, 1) for c in characters], np.int64)
        spans = tuple(pairwise(accumulate(map(len, characters), initial=0)))
        return Tokens(ids, tuple(characters), spans, tuple(np.flatnonzero(ids == 1).tolist()))

    def decode(self, ids: Iterable[int]) -> str:
        return "".join("\N{REPLACEMENT CHARACTER}" if i == 1 else self.vocab[i] for i in ids)

    def ids(self, lines: Iterable[str]) -> list[np.ndarray]:
        return [np.array([self._id.get(c, 1) for c in self._cut(line)], np.int64) for line in lines]

    def state(self) -> bytes:
        characters = self.vocab[2:]
        return json.dumps(characters if self._cut is list else {CHARACTERS: characters}).encode()

    @classmethod
    def from_state(cls, state: bytes) -> Self:
        found = json.loads(state)
        if isinstance(found, dict):
            return cls(found[CHARACTERS])
        return cls(found, any(map(_joining().match, found)))


@cache
def _joining() -> Any:
    """Code points that are no character alone."""
    import regex

    return regex.compile(
        r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\p{GCB=Prepend}\p{GCB=L}\p{GCB=V}\p{GCB=T}"
        r"\p{GCB=Regional_Indicator}]"
    )


TOKENIZER = Chars
