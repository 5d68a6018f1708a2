"""Retrieval: which passages of a text go into the prompt of a question, and what is written with them.

What      tf (ln((1 + N) / (1 + df)) + 1) of each word of N passages, cosine with the question; the best
          stand before it
Source    Salton, Wong & Yang, A Vector Space Model for Automatic Indexing, 1975; Lewis et al.,
          Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks, 2020
Differs   Passages are ranked by words, as search engines do, and not by learned vectors.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from engine.analysis import decode
from engine.models.base import Model

WORD = re.compile(r"\w+")
END = re.compile(r"\n|<\|")  # of the line, or a mark of a conversation
TEXT = "Question: {}\nAnswer:"
WRITTEN = 16  # tokens of an answer


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """Some passages, with the weight of each word, and of each passage those of its own."""

    passages: Sequence[str]
    weight: Mapping[str, float]
    rows: Sequence[Mapping[str, float]]

    @classmethod
    def of(cls, passages: Sequence[str]) -> Self:
        counted = [Counter(WORD.findall(text.lower())) for text in passages]
        found_in = Counter(word for words in counted for word in words)
        weight = {w: math.log((1 + len(passages)) / (1 + n)) + 1 for w, n in found_in.items()}
        return cls(passages, weight, [{w: n * weight[w] for w, n in of.items()} for of in counted])

    def rank(self, question: str) -> np.ndarray:
        """The cosine of each passage with the question; 0 where they have no word in common."""
        counted = Counter(WORD.findall(question.lower()))
        asked = {w: n * self.weight[w] for w, n in counted.items() if w in self.weight}
        return np.array([_cosine(row, asked) for row in self.rows])


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    product = sum(n * one.get(w, 0.0) for w, n in other.items())
    return product / (math.hypot(*one.values()) * math.hypot(*other.values())) if product else 0.0


def prompt(passages: Sequence[str], question: str) -> str:
    asked = TEXT.format(question)
    return "\n".join([*passages, "", asked]) if passages else asked


def answer(model: Model[Any], text: str) -> Iterator[str]:
    """What it writes behind a prompt, piece by piece: always the likeliest token, to the end of the line."""
    for piece in decode.sample(model, text, steps=WRITTEN, temperature=0.0):
        before, *after = END.split(piece, maxsplit=1)
        yield before
        if after:
            return
