"""Contextual: one vector for every place where a word stands, from the states of any model.

What      a model that reads onwards: the state at the word's last token, which has read all of it;
          a model that reads both ways: the mean of the states of the word's tokens
Source    Peters et al., Deep Contextualized Word Representations, 2018 (states as word vectors);
          Ethayarajh, How Contextual are Contextualized Word Representations?, 2019 (likeness of one
          word to itself)
Shapes    O = occurrences of words, T = tokens, D = dimensions of the states
Differs   Any field with axes (layer, token, unit) or (token, unit/dim) will do: hidden, cell,
          residual, vector ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.trace import FieldSpec
from engine.text.segmentation import WORDS
from engine.vectors.base import Vectors

if TYPE_CHECKING:
    from engine.models.base import Model


@dataclass(frozen=True, eq=False)
class Occurrences:
    """
    words   O words as they are written
    lines   (O,) in which line each stands
    values  (O, D) float32
    """

    words: tuple[str, ...]
    lines: np.ndarray
    values: np.ndarray

    def of(self, word: str) -> np.ndarray:
        """Which occurrences (positions) are of this word, whatever its letters' case."""
        return np.array([i for i, w in enumerate(self.words) if w.lower() == word.lower()], int)

    def space(self) -> Vectors:
        """One vector a word after all: the mean over its occurrences, commonest word first."""
        rows: dict[str, list[int]] = {}
        for i, word in enumerate(self.words):
            rows.setdefault(word.lower(), []).append(i)
        words = sorted(rows, key=lambda w: -len(rows[w]))
        width = self.values.shape[1]
        means = np.array([self.values[rows[w]].mean(0) for w in words], np.float32).reshape(
            len(words), width
        )
        return Vectors(tuple(words), means, np.array([len(rows[w]) for w in words]))


def states_of(model: Model[Any]) -> list[FieldSpec]:
    """The fields of a model that hold a state for each token."""
    return [
        s
        for s in model.spec()
        if isinstance(s, FieldSpec)
        and s.axes in (("layer", "token", "unit"), ("token", "unit"), ("token", "dim"))
    ]


def read(model: Model[Any], lines: Sequence[str], field: str, layer: int = -1) -> Occurrences:
    """Every word of every line, each line read alone.  KeyError when the model has no such
    field."""
    words: list[str] = []
    at: list[int] = []
    values: list[np.ndarray] = []
    width = 0
    spec = model.promise(field)
    for n, line in enumerate(lines):
        if not line.strip():
            continue
        found = model.trace(line, fields={field})
        states = found.field(field).values
        state_TD = states[layer] if states.ndim == 3 else states
        width = state_TD.shape[1]
        for start, stop in WORDS.spans(line):
            tokens = [t for t, (a, b) in enumerate(found.spans) if a < stop and b > start and b > a]
            if tokens:
                words.append(line[start:stop])
                at.append(n)
                values.append(
                    state_TD[tokens[-1]] if spec and spec.causal else state_TD[tokens].mean(0)
                )
    return Occurrences(
        tuple(words), np.array(at, int), np.array(values, np.float32).reshape(len(words), width)
    )
