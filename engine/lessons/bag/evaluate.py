"""Evaluation: texts held out, right and wrong by class, an interval for the accuracy, and the words
that tell most.

What      precision = right among those called c; recall = right among those that are c; F1 = their
          harmonic mean;
          log-odds of a word = log2 P(w | c) - log2 P(w | the other classes together), both smoothed
          alike
Source    van Rijsbergen, Information Retrieval, 1979, ch. 7; Efron & Tibshirani, An Introduction to
          the Bootstrap, 1993, ch. 13
Shapes    C = classes, D = texts; confusion_CC has a row for what is true and a column for what was
          said
Differs   A text without an answer (0/0, or no word known) is counted as wrong and shown in its own
          column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.lessons.bag.bayes import NaiveBayes
from engine.lessons.bag.counts import Counts

DRAWS = 4000


def split(labels: Sequence[str], share: float = 0.3, seed: int = 0) -> tuple[list[int], list[int]]:
    """(texts to count, texts held out), both in the order of the file; every class gives the same
    share, and keeps at least one."""
    rng = np.random.default_rng(seed)
    held: set[int] = set()
    for name in sorted(set(labels)):
        mine = np.array([d for d, label in enumerate(labels) if label == name])
        held.update(rng.permutation(mine)[: min(len(mine) - 1, round(share * len(mine)))].tolist())
    return [d for d in range(len(labels)) if d not in held], sorted(held)


@dataclass(frozen=True, eq=False)
class Result:
    """`said` is None where a text had no answer."""

    classes: tuple[str, ...]
    true: tuple[str, ...]
    said: tuple[str | None, ...]

    @property
    def confusion(self) -> np.ndarray:
        """(C, C + 1): the last column holds the texts without an answer."""
        place = {name: c for c, name in enumerate(self.classes)}
        table = np.zeros((len(self.classes), len(self.classes) + 1), np.int64)
        for true, said in zip(self.true, self.said, strict=True):
            table[place[true], len(place) if said is None else place[said]] += 1
        return table

    @property
    def accuracy(self) -> float:
        """nan where nothing was held out."""
        return (
            sum(a == b for a, b in zip(self.true, self.said, strict=True)) / len(self.true)
            if self.true
            else float("nan")
        )

    def interval(self, level: float = 0.95, seed: int = 0) -> tuple[float, float]:
        """Percentiles of the accuracy over texts drawn again with replacement.

        A drawn text is right with the chance `accuracy`, so the number of right ones in a draw is
        binomial: no need to draw texts.
        """
        n = len(self.true)
        if not n:
            return float("nan"), float("nan")
        drawn = np.random.default_rng(seed).binomial(n, self.accuracy, DRAWS) / n
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    def by_class(self) -> list[tuple[str, float, float, float, int]]:
        """(class, precision, recall, F1, texts of it); nan where there is nothing to divide by."""
        table = self.confusion
        rows = []
        for c, name in enumerate(self.classes):
            right, called, true = (
                float(x) for x in (table[c, c], table[:, c].sum(), table[c].sum())
            )
            precision, recall = (
                right / called if called else float("nan"),
                right / true if true else float("nan"),
            )
            rows.append(
                (
                    name,
                    precision,
                    recall,
                    2 * right / (called + true) if called + true else float("nan"),
                    int(true),
                )
            )
        return rows


def evaluate(
    predict: Callable[[str], str | None],
    classes: Sequence[str],
    labels: Sequence[str],
    texts: Sequence[str],
) -> Result:
    return Result(tuple(classes), tuple(labels), tuple(predict(text) for text in texts))


def log_odds(model: NaiveBayes, c: int) -> np.ndarray:
    """(V,) bits by which each word speaks for class c against all others together; +-inf and nan at
    k = 0."""
    n, rest = model.counts, [i for i in range(len(model.counts.classes)) if i != c]
    count_CV, docs_CV = (np.stack([x_CV[c], x_CV[rest].sum(0)]) for x_CV in (n.count_CV, n.docs_CV))
    docs_C = np.array([n.docs_C[c], n.docs_C[rest].sum()])
    two = NaiveBayes(
        Counts(("it", "others"), n.vocab, count_CV, docs_CV, docs_C), model.k, model.kind
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        bits_CV = np.log2(two.p_CV)
        return np.asarray(bits_CV[0] - bits_CV[1])


def top_words(model: NaiveBayes, c: int, most: int = 15) -> list[tuple[str, float, int, int]]:
    """(word, bits for class c, how often c has it, how often the others): strongest first, then the
    more frequent ones."""
    n = model.counts
    table_CV = n.count_CV if model.kind == "multinomial" else n.docs_CV
    bits_V, mine_V = log_odds(model, c), table_CV[c]
    other_V = table_CV.sum(0) - mine_V
    order = sorted(
        (v for v in range(len(n.vocab)) if bits_V[v] > 0),
        key=lambda v: (-round(float(bits_V[v]), 9), -mine_V[v], n.vocab[v]),
    )
    return [(n.vocab[v], float(bits_V[v]), int(mine_V[v]), int(other_V[v])) for v in order[:most]]
