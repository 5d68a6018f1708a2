"""TF-IDF with nearest centroid: rare words count more, and a text belongs where its arrow points.

What      x_w = n * idf, n = how often w stands in the text, idf = ln((1 + D) / (1 + texts with w)) + 1;
          the class whose mean arrow has the largest cosine with x
Source    Sparck Jones, A Statistical Interpretation of Term Specificity, 1972; Rocchio, Relevance
          Feedback, 1971; as scikit-learn's TfidfVectorizer
Shapes    C = classes, V = vocabulary, D = texts; centroid_CV has rows of length 1
Differs   The nearest centroid is a score and no probability: what words add are parts of a cosine,
          not bits.  Every text has length 1 before the mean is taken, so that long texts don't
          outweigh short ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.lessons.bag.counts import Counts


@dataclass(frozen=True, eq=False)
class Centroids:
    counts: Counts
    idf_V: np.ndarray
    centroid_CV: np.ndarray

    def weigh(self, text: str) -> tuple[list[int], np.ndarray]:
        """(words of the vocabulary, their part of the text's arrow of length 1)."""
        bag, _ = self.counts.bag(text)
        ids = list(bag)
        return ids, _unit(np.array(list(bag.values()), float) * self.idf_V[ids])

    def parts(self, text: str) -> tuple[tuple[str, ...], np.ndarray]:
        """(words, what each adds to the cosine with every class); their sum over the words is the
        cosine."""
        ids, x_W = self.weigh(text)
        return tuple(self.counts.vocab[i] for i in ids), x_W[:, None] * self.centroid_CV[:, ids].T

    def predict(self, text: str) -> str | None:
        """The class with the largest cosine, the first of several; None where no word is known."""
        words, parts_WC = self.parts(text)
        return self.counts.classes[int(parts_WC.sum(0).argmax())] if words else None


def fit(counts: Counts, labels: Sequence[str], texts: Sequence[str]) -> Centroids:
    docs, df_V = counts.docs_C.sum(), counts.docs_CV.sum(0)
    idf_V = np.log((docs + 1) / (df_V + 1)) + 1
    sum_CV = np.zeros(counts.count_CV.shape)
    place = {label: c for c, label in enumerate(counts.classes)}
    for label, text in zip(labels, texts, strict=True):
        bag, _ = counts.bag(text)
        ids = list(bag)
        sum_CV[place[label], ids] += _unit(np.array(list(bag.values()), float) * idf_V[ids])
    return Centroids(counts, idf_V, np.stack([_unit(row_V) for row_V in sum_CV]))


def _unit(x_V: np.ndarray) -> np.ndarray:
    length = float(np.sqrt((x_V**2).sum()))
    return x_V / length if length else x_V
