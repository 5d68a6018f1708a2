"""The words of a typed text, counted by the rules of the panel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.text.tokenizers.words import END
from engine.vectors import cooccurrence, ppmi

SIDES: dict[str, cooccurrence.Sides] = {"b": "both", "l": "left", "r": "right"}


@dataclass(frozen=True, slots=True)
class Rules:
    """How is counted, as the panel writes it: "4.f.b.count.100.1" (see assets/live/sums/nearby.js)."""

    window: int = 4
    weighting: cooccurrence.Weighting = "flat"
    sides: cooccurrence.Sides = "both"
    step: str = "count"
    alpha: float = 1.0
    shift: float = 1.0

    @classmethod
    def read(cls, text: object) -> Rules:
        found = re.fullmatch(
            r"(\d{1,3})\.([fd])\.([blr])\.(count|log|ppmi|cosine)\.(\d{1,3})\.(\d{1,3})", str(text)
        )
        if not found:
            return cls()
        window, weight, sides, step, alpha, shift = found.groups()
        between = min(100, max(1, int(alpha))) / 100
        return cls(
            min(20, max(1, int(window))),
            "flat" if weight == "f" else "distance",
            SIDES[sides],
            step,
            between,
            min(50, max(1, int(shift))),
        )


def sound(text: str) -> str:
    """Half of an emoji has no bytes and can't be sent to a browser: a question mark stands for
    it."""
    return text.encode("utf-8", "replace").decode()


@dataclass(frozen=True)
class Typed:
    """The words of a text without repetition, in the order in which they appear, and its places."""

    words: tuple[str, ...]
    word_M: np.ndarray
    line_M: np.ndarray

    @classmethod
    def of(cls, labels: Sequence[str], spans: Sequence[tuple[int, int]]) -> Typed:
        ends = np.cumsum([label == END for label in labels])
        places = enumerate(zip(labels, spans, strict=True))
        kept = [t for t, (label, (_, stop)) in places if stop and label != END]
        said = [sound(labels[t]).lower() for t in kept]
        words = tuple(dict.fromkeys(said))
        row = {word: i for i, word in enumerate(words)}
        word_M = np.array([row[w] for w in said], np.int64)
        return cls(words, word_M, ends[np.array(kept, int)])

    def counts(self, rules: Rules) -> Any:
        return cooccurrence.count(
            self.word_M, self.line_M, len(self.words), rules.window, rules.sides, rules.weighting
        )


def table(typed: Typed, rules: Rules) -> np.ndarray:
    """The numbers of the chosen step, float32; NaN where there is none."""
    count_VV = typed.counts(rules)
    match rules.step:
        case "ppmi":
            return np.asarray(ppmi.ppmi(count_VV, rules.shift, rules.alpha).toarray(), np.float32)
        case "log":
            dense_VV = count_VV.toarray()
            nothing_VV = np.full_like(dense_VV, np.nan)
            return np.asarray(np.log(dense_VV, out=nothing_VV, where=dense_VV > 0), np.float32)
        case "cosine":
            return cosines(count_VV.toarray())
    return np.asarray(count_VV.toarray(), np.float32)


def cosines(table_VD: np.ndarray) -> np.ndarray:
    """(V, V) float32; NaN for a row of zeros."""
    length_V1 = np.linalg.norm(table_VD, axis=1, keepdims=True)
    nothing_VD = np.full(table_VD.shape, np.nan)
    unit_VD = np.divide(table_VD, length_V1, out=nothing_VD, where=length_V1 > 0)
    return np.asarray(np.clip(unit_VD @ unit_VD.T, -1, 1), np.float32)
