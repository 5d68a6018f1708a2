"""Mistakes: what a classifier took for what on labelled texts, and how sure it was.

What      said = the class with the largest probability, confidence = that probability; mistakes in order of confidence
Source    Guo et al., On Calibration of Modern Neural Networks, 2017, sec. 2 (confidence beside accuracy)
Shapes    D = texts, C = classes; p_DC a row for each text, nan where it had no answer
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.models.abilities import Labels


@dataclass(frozen=True, eq=False)
class Judged:
    classes: tuple[str, ...]
    true_D: np.ndarray
    p_DC: np.ndarray

    @property
    def answered_D(self) -> np.ndarray:
        return np.asarray(np.isfinite(self.p_DC).all(1))

    @property
    def said_D(self) -> np.ndarray:
        """-1 where there was no answer."""
        best_D = np.nan_to_num(self.p_DC, nan=-1).argmax(1)
        return np.where(self.answered_D, best_D, -1)

    @property
    def confidence_D(self) -> np.ndarray:
        return np.asarray(self.p_DC.max(1))

    @property
    def right_D(self) -> np.ndarray:
        return self.said_D == self.true_D

    @property
    def confusion(self) -> np.ndarray:
        """(C, C): a row for what is true, a column for what was said; texts without an answer are in none."""
        found = np.zeros((len(self.classes), len(self.classes)), np.int64)
        np.add.at(found, (self.true_D[self.answered_D], self.said_D[self.answered_D]), 1)
        return found

    def sure(self, right: bool) -> float:
        """Mean confidence of the right answers, or of the wrong ones; nan without any."""
        some = self.answered_D & (self.right_D == right)
        return float(self.confidence_D[some].mean()) if some.any() else float("nan")

    def worst(self) -> list[int]:
        """The texts with a wrong answer, the surest first."""
        wrong = np.flatnonzero(self.answered_D & ~self.right_D)
        return wrong[np.argsort(-self.confidence_D[wrong], kind="stable")].tolist()


def judge(model: Labels[Any], labels: Sequence[str], texts: Sequence[str]) -> Judged:
    """A model's answers after the last word of each text."""
    place = {name: c for c, name in enumerate(model.names)}
    p_DC = np.full((len(texts), len(place)), np.nan)
    for d, text in enumerate(texts):
        trace = model.trace(text, fields=("label",))
        if "label" in trace:  # an empty text may have no answer
            p_DC[d] = trace.field("label").values[-1]
    return Judged(tuple(model.names), np.array([place[name] for name in labels], int), p_DC)
