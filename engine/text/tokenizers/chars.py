"""Characters: every Unicode code point is one token.

What      id = place of the character in the sorted list of the commonest ones of the training text
Source    Karpathy, The Unreasonable Effectiveness of Recurrent Neural Networks, 2015 (character
          models)
Shapes    V = vocabulary: the line end (0), the unknown character (1), then characters
Differs   Code points, not grapheme clusters: an accent typed apart is a token of its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Self, final

import numpy as np

from engine.text.tokenizers.base import Tokenizer, Tokens

LINE_END, UNKNOWN = "\n", "<unk>"


@final
class Chars(Tokenizer):
    id = "chars"
    title, short, rank = "Characters", "characters", 10
    says = "every character is a token; the 1,000 commonest are known"
    unknown = 1
    boundary = 0

    def __init__(self, characters: Iterable[str]) -> None:
        self.vocab = (LINE_END, UNKNOWN, *characters)
        self._id = {c: i for i, c in enumerate(self.vocab) if i != 1}

    @classmethod
    def fit(cls, lines: Iterable[str], size: int) -> Self:
        counts: Counter[str] = Counter()
        for line in lines:
            counts.update(line)
        counts.pop(LINE_END, None)
        common = sorted(counts, key=lambda c: (-counts[c], c))[: max(1, size - 2)]
        return cls(sorted(common))

    def encode(self, text: str) -> Tokens:
        ids = np.array([self._id.get(c, 1) for c in text], np.int64)
        spans = tuple((i, i + 1) for i in range(len(text)))
        return Tokens(ids, tuple(text), spans, tuple(np.flatnonzero(ids == 1).tolist()))

    def decode(self, ids: Iterable[int]) -> str:
        return "".join("\N{REPLACEMENT CHARACTER}" if i == 1 else self.vocab[i] for i in ids)

    def ids(self, lines: Iterable[str]) -> list[np.ndarray]:
        return [np.array([self._id.get(c, 1) for c in line], np.int64) for line in lines]

    def state(self) -> bytes:
        return json.dumps(self.vocab[2:]).encode()

    @classmethod
    def from_state(cls, state: bytes) -> Self:
        return cls(json.loads(state))


TOKENIZER = Chars
