"""TF-IDF with nearest centroid: rare words count more, and a text belongs where its arrow points.

What      x_w = tf * idf, tf = n (raw) or 1 + ln n (log), idf = ln((1 + D) / (1 + texts with w)) + 1
          (smooth) or
          ln(D / texts with w) + 1 (plain); the class whose mean arrow has the largest cosine with x
Source    Sparck Jones, A Statistical Interpretation of Term Specificity, 1972; Rocchio, Relevance
          Feedback, 1971; the variants are those of scikit-learn's TfidfVectorizer (sublinear_tf,
          smooth_idf, norm)
Shapes    C = classes, V = vocabulary, D = texts; centroid_CV has rows of length 1
Differs   The nearest centroid is a score and no probability: what words add are parts of a cosine,
          not bits.  With `unit` every text has length 1 before the mean is taken (norm="l2"), so
          that long texts don't outweigh short ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.analysis.bag_of_words.counts import Counts


@dataclass(frozen=True, eq=False)
class Centroids:
    counts: Counts
    idf_V: np.ndarray
    centroid_CV: np.ndarray
    log_tf: bool

    def weigh(self, text: str) -> tuple[list[int], np.ndarray]:
        """(words of the vocabulary, their part of the text's arrow of length 1)."""
        bag, _ = self.counts.bag(text)
        ids = list(bag)
        return ids, _unit(_tf(np.array(list(bag.values()), float), self.log_tf) * self.idf_V[ids])

    def parts(self, text: str) -> tuple[tuple[str, ...], np.ndarray]:
        """(words, what each adds to the cosine with every class); their sum over the words is the
        cosine."""
        ids, x_W = self.weigh(text)
        return tuple(self.counts.vocab[i] for i in ids), x_W[:, None] * self.centroid_CV[:, ids].T

    def predict(self, text: str) -> str | None:
        """The class with the largest cosine, the first of several; None where no word is known."""
        words, parts_WC = self.parts(text)
        return self.counts.classes[int(parts_WC.sum(0).argmax())] if words else None


def fit(
    counts: Counts,
    labels: Sequence[str],
    texts: Sequence[str],
    log_tf: bool = False,
    smooth: bool = True,
    unit: bool = True,
) -> Centroids:
    docs, df_V = counts.docs_C.sum(), counts.docs_CV.sum(0)
    idf_V = np.log((docs + smooth) / np.maximum(df_V + smooth, 1)) + 1
    sum_CV = np.zeros(counts.count_CV.shape)
    place = {label: c for c, label in enumerate(counts.classes)}
    for label, text in zip(labels, texts, strict=True):
        bag, _ = counts.bag(text)
        ids = list(bag)
        x_W = _tf(np.array(list(bag.values()), float), log_tf) * idf_V[ids]
        sum_CV[place[label], ids] += _unit(x_W) if unit else x_W
    return Centroids(counts, idf_V, np.stack([_unit(row_V) for row_V in sum_CV]), log_tf)


def _tf(n_W: np.ndarray, log_tf: bool) -> np.ndarray:
    return np.asarray(1 + np.log(n_W)) if log_tf else n_W


def _unit(x_V: np.ndarray) -> np.ndarray:
    length = float(np.sqrt((x_V**2).sum()))
    return x_V / length if length else x_V
