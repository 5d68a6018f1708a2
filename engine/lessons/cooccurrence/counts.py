"""The words of a typed text, and how often they stand near each other.

What      X_ij = sum over the places of word i of the places of word j in its window, in the same line,
          each counting 1 or 1 / distance; steps from there: ln X, positive pointwise mutual
          information, the cosine of two rows
Shapes    V = different words, M = words of the text
Differs   Counted in a plain array: a typed text is short, and it is counted with every key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.text.tokenizers.words import END


def mend(text: str) -> str:
    """Half of an emoji has no bytes and can't be sent to a browser: a question mark stands for
    it."""
    return text.encode("utf-8", "replace").decode()


@dataclass(frozen=True)
class Typed:
    """The words of a text without repetition, in the order in which they appear, and its places;
    at_M: the token of each, first_V: of each word the first."""

    words: tuple[str, ...]
    word_M: np.ndarray
    line_M: np.ndarray
    at_M: np.ndarray
    first_V: np.ndarray

    @classmethod
    def of(cls, labels: Sequence[str], spans: Sequence[tuple[int, int]]) -> Typed:
        ends = np.cumsum([label == END for label in labels])
        places = enumerate(zip(labels, spans, strict=True))
        kept = [t for t, (label, (_, stop)) in places if stop and label != END]
        said = [mend(labels[t]).lower() for t in kept]
        words = tuple(dict.fromkeys(said))
        row = {word: i for i, word in enumerate(words)}
        first = {word: t for t, word in reversed([*zip(kept, said, strict=True)])}
        word_M, at_M = np.array([row[w] for w in said], np.int64), np.array(kept, int)
        return cls(words, word_M, ends[at_M], at_M, np.array([first[w] for w in words], int))

    def count(self, window: int, sides: str = "both", flat: bool = True) -> np.ndarray:
        """(V, V)"""
        v, (word_M, line_M) = len(self.words), (self.word_M, self.line_M)
        right_VV = np.zeros((v, v))
        for d in range(1, window + 1):
            same = line_M[:-d] == line_M[d:]
            pairs = word_M[:-d][same] * v + word_M[d:][same]
            counted = np.bincount(pairs, minlength=v * v).reshape(v, v)
            right_VV += counted if flat else counted / d
        return {"right": right_VV, "left": right_VV.T, "both": right_VV + right_VV.T}[sides]


def apply_step(count_VV: np.ndarray, step: str) -> np.ndarray:
    """The numbers of a step; NaN where there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if step == "log":
            return np.where(count_VV > 0, np.log(count_VV), np.nan)
        if step == "ppmi":
            chance_VV = np.outer(count_VV.sum(1), count_VV.sum(0)) / count_VV.sum()
            return np.where(count_VV > 0, np.maximum(0, np.log(count_VV / chance_VV)), 0)
    return cosines(count_VV) if step == "cosine" else count_VV


def cosines(table_VD: np.ndarray) -> np.ndarray:
    """(V, V) float32; NaN for a row of zeros."""
    length_V1 = np.linalg.norm(table_VD, axis=1, keepdims=True)
    nothing_VD = np.full(table_VD.shape, np.nan)
    unit_VD = np.divide(table_VD, length_V1, out=nothing_VD, where=length_V1 > 0)
    return np.asarray(np.clip(unit_VD @ unit_VD.T, -1, 1), np.float32)
