"""Effect: what a pipeline does to a whole text: its vocabulary, how that grows, what stays unknown,
and what a classifier makes of it.

What      V(n) = number of different tokens among the first n; unknown = share of held-out tokens
          that the other lines do not have;
          accuracy of naive Bayes on lines that it was not trained on, in ten parts
Source    Heaps, Information Retrieval: Computational and Theoretical Aspects, 1978 (V = K n^b);
          McCallum & Nigam, A Comparison of Event Models for Naive Bayes Text Classification, 1998
Shapes    n = tokens read
Differs   Every eleventh line is held out, the same for all pipelines (every tenth would be one
          label where
          labels take turns).  A lower unknown rate is not by itself a better text: a pipeline that
          maps every word to one has none.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.text.preparation.pipeline import Pipeline

POINTS = 60
FOLDS = 10
HOLD = 11


@dataclass(frozen=True, slots=True)
class Effect:
    """curve: (tokens read, different ones among them); held: tokens of the held-out lines,
    `unknown` the share that is new."""

    tokens: int
    types: int
    curve: tuple[tuple[int, int], ...]
    held: int
    unknown: float

    @property
    def ratio(self) -> float:
        """Type-token ratio."""
        return self.types / self.tokens if self.tokens else math.nan


def effect(lines: Sequence[str], pipeline: Pipeline) -> Effect:
    cut = [pipeline.tokens(line) for line in lines]
    stream = [token for line in cut for token in line]
    marks = (
        sorted({max(1, round(len(stream) * k / POINTS)) for k in range(1, POINTS + 1)})
        if stream
        else []
    )
    seen: set[str] = set()
    curve, done = [], 0
    for mark in marks:
        seen.update(stream[done:mark])
        curve.append((mark, len(seen)))
        done = mark
    held = [token for n, line in enumerate(cut) if n % HOLD == HOLD - 1 for token in line]
    known = {token for n, line in enumerate(cut) if n % HOLD != HOLD - 1 for token in line}
    unknown = sum(token not in known for token in held) / len(held) if held else math.nan
    return Effect(len(stream), len(seen), tuple(curve), len(held), unknown)


@dataclass(frozen=True, slots=True)
class Judge:
    """Naive Bayes, trained on labelled lines after a pipeline: one is added to each count.

    labels  C of them, in the order of the alphabet
    rows    of the table by word
    log_VC  log P(word | label)
    log_C   log P(label)
    """

    pipeline: Pipeline
    labels: tuple[str, ...]
    rows: dict[str, int]
    log_VC: np.ndarray
    log_C: np.ndarray

    @classmethod
    def trained(cls, labelled: Sequence[tuple[str, str]], pipeline: Pipeline) -> Judge:
        """ValueError when the pipeline leaves no word."""
        labels = tuple(sorted({label for label, _ in labelled}))
        words = {label: Counter[str]() for label in labels}
        for label, text in labelled:
            words[label].update(pipeline.tokens(text))
        rows = {word: n for n, word in enumerate(sorted(set().union(*words.values())))}
        if not rows:
            raise ValueError("the pipeline leaves no word")
        count_VC = np.array([[words[label][word] + 1 for label in labels] for word in rows])
        lines_C = np.array([sum(one == label for one, _ in labelled) for label in labels])
        log_VC = np.log(count_VC / count_VC.sum(0))
        return cls(pipeline, labels, rows, log_VC, np.log(lines_C / len(labelled)))

    def probability(self, texts: Sequence[str], label: str) -> np.ndarray:
        """P(label | text) for each text."""
        found = []
        for text in texts:
            known = [self.rows[word] for word in self.pipeline.tokens(text) if word in self.rows]
            score_C = self.log_C + self.log_VC[sorted(known)].sum(0)
            p_C = np.exp(score_C - score_C.max())
            found.append(p_C[self.labels.index(label)] / p_C.sum())
        return np.array(found)


def accuracy(labelled: Sequence[tuple[str, str]], pipeline: Pipeline) -> tuple[float, float]:
    """(share of lines judged right by a judge that never saw them, its standard error)."""
    right = []
    cut = [(label, " ".join(pipeline.tokens(text))) for label, text in labelled]
    for fold in range(FOLDS):
        train = [pair for n, pair in enumerate(cut) if n // 2 % FOLDS != fold]
        test = [pair for n, pair in enumerate(cut) if n // 2 % FOLDS == fold]
        if not test:
            continue
        try:
            judge = Judge.trained(train, Pipeline())
        except ValueError:  # no word is left
            right += [False] * len(test)
            continue
        p = judge.probability([text for _, text in test], labelled[0][0])
        right += [
            (q > 0.5) == (label == labelled[0][0])
            for q, (label, _) in zip(p.tolist(), test, strict=True)
        ]
    share = sum(right) / len(right) if right else math.nan
    return share, math.sqrt(share * (1 - share) / len(right)) if right else math.nan
