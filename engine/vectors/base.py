"""Vectors: words with their vectors, whoever made them, and the words nearest to any vector.

What      cos(a, b) = a . b / (|a| |b|);  nearest(v) = the words with the largest cosine, all
          compared
Source    Salton, Wong & Yang, A Vector Space Model for Automatic Indexing, 1975
Shapes    V = words, D = dimensions, Q = vectors asked about, K = neighbours
Differs   Exact: every word is compared, no index guesses.  Equal cosines: the earlier (commoner)
          word first.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from engine.language.message import refusal


@dataclass(frozen=True, eq=False)
class Vectors:
    """
    words   V different words, commonest first where that is known
    values  (V, D) float32, as trained
    counts  (V,) how often each stood in the training text; None where nobody knows
    """

    words: tuple[str, ...]
    values: np.ndarray
    counts: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or len(self.values) != len(self.words):
            raise refusal(
                "{n} words need a table with as many rows, not one of shape {self.values.shape}",
                n=len(self.words),
            )

    def __len__(self) -> int:
        return len(self.words)

    @property
    def unit(self) -> np.ndarray:
        """(V, D) float32, each row of length 1; a row of zeros stays zeros.  Read-only."""
        unit_VD: np.ndarray = self._unit_DV.numpy().T
        unit_VD.setflags(write=False)
        return unit_VD

    @cached_property
    def _row(self) -> dict[str, int]:
        return {word: i for i, word in reversed(list(enumerate(self.words)))}

    def row(self, word: str) -> int | None:
        """Where a word stands: as it is written, else in small letters; None where it has no
        vector."""
        return self._row.get(word, self._row.get(word.lower()))

    def cosines(self, vector_QD: np.ndarray) -> np.ndarray:
        """Cosine of each vector with each word: (Q, V) float32; 0 for a vector of zeros."""
        query_QD = np.array(vector_QD, np.float32, ndmin=2)
        length_Q1 = np.linalg.norm(query_QD, axis=1, keepdims=True)
        query_QD /= np.where(length_Q1 > 0, length_Q1, 1).astype(np.float32)
        found: np.ndarray = (torch.from_numpy(query_QD) @ self._unit_DV).numpy()
        return found

    @cached_property
    def _unit_DV(self) -> torch.Tensor:
        # dimension by dimension: faster than word by word
        length_V = np.linalg.norm(self.values, axis=1)
        unit_DV = np.array(self.values.T, np.float32, order="C")
        unit_DV /= np.where(length_V > 0, length_V, 1).astype(np.float32)
        return torch.from_numpy(unit_DV)

    def nearest(
        self, vector_D: np.ndarray, most: int = 10, without: Collection[str] = ()
    ) -> list[tuple[str, float]]:
        """At most `most` words with their cosine, nearest first; `without` names words that are
        left out."""
        cosine_V = self.cosines(vector_D)[0]
        cosine_V[[row for word in without if (row := self.row(word)) is not None]] = -np.inf
        top_K = top(cosine_V, most)
        return [(self.words[i], float(cosine_V[i])) for i in top_K if np.isfinite(cosine_V[i])]


def top(score_V: np.ndarray, most: int) -> np.ndarray:
    """Positions (K,) of the largest scores, largest first, equal ones in their order; K = most, or
    V when there are fewer."""
    most = max(0, min(most, len(score_V)))
    if most == 0:
        return np.zeros(0, np.int64)
    edge = torch.from_numpy(np.ascontiguousarray(score_V)).topk(most).values[-1].item()
    held = np.flatnonzero(score_V >= edge)
    found: np.ndarray = held[np.lexsort((held, -score_V[held]))][:most]
    return found
